import { expect, test } from 'bun:test';
import {
  type EventId,
  networkId,
  programId,
  type StationId,
  serviceId,
  stationId,
} from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { ProgramGroup, ProgramRecord } from '../model/program.ts';
import { toProgram } from './mirakurun-shapes.ts';

const NETWORK = networkId(0x7fe8);
const MAIN = stationId(NETWORK, serviceId(1024));
const SUB = stationId(NETWORK, serviceId(1025));

function program(station: StationId, event: number, more: Partial<ProgramRecord> = {}): ProgramRecord {
  return {
    id: programId(station, event as EventId),
    stationId: station,
    eventId: event as EventId,
    startAt: broadcastMs(1_000),
    endAt: broadcastMs(1_801_000),
    ...{ openEnd: false, name: '番組', description: '', extended: null, genres: [], audios: [] },
    ...{ videoType: null, videoResolution: null, isFree: true, copyNever: false, groups: [], series: null },
    ...more,
  };
}

const group = (type: ProgramGroup['type'], ...events: [number, number][]): ProgramGroup => ({
  type,
  events: events.map(([service, event]) => ({
    ...{ networkId: NETWORK, serviceId: serviceId(service), eventId: event as EventId },
  })),
});

const all = (): boolean => true;
const selfNaming = ({ serviceId, eventId, relatedItems = [] }: ReturnType<typeof toProgram>): boolean =>
  relatedItems.some((one) => one.type === 'shared' && one.serviceId === serviceId && one.eventId === eventId);

test('a plain programme has audio and nothing that is empty', () => {
  const shown = toProgram(program(MAIN, 7), all);
  expect(shown).toEqual({
    ...({ id: 3274401024_00007, eventId: 7, serviceId: 1024, networkId: 0x7fe8 } as Partial<typeof shown>),
    ...{ startAt: 1_000, duration: 1_800_000, isFree: true, name: '番組' },
    audios: [{ componentType: 3, componentTag: 16, isMain: true, samplingRate: 48_000, langs: ['jpn'] }],
  } as typeof shown);
});

test('video, genres, languages and an undefined end', () => {
  const shown = toProgram(
    program(MAIN, 7, {
      ...{ openEnd: true, videoType: 'mpeg2', videoResolution: '1080i', genres: [{ lv1: 7, lv2: 0 }] },
      audios: [{ componentType: 2, componentTag: 16, main: true, languages: ['jpn', 'tha'], text: '' }],
    }),
    all,
  );
  expect(shown.duration).toBe(1);
  expect(shown.video).toEqual({ type: 'mpeg2', resolution: '1080i', streamContent: 1, componentType: 0xb3 });
  expect(shown.genres).toEqual([{ lv1: 7, lv2: 0, un1: 15, un2: 15 }]);
  expect(shown.audios[0]?.langs).toEqual(['jpn', 'etc']);
});

test('of a shared programme only the main one names itself, whatever the broadcast lists', () => {
  const groups = [group('shared', [1024, 7], [1025, 7])];
  const main = toProgram(program(MAIN, 7, { groups }), all);
  const copy = toProgram(program(SUB, 7, { groups }), all);
  expect(selfNaming(main)).toBe(true);
  expect(selfNaming(copy)).toBe(false);
  expect(copy.relatedItems).toContainEqual({
    ...{ type: 'shared', networkId: NETWORK, serviceId: serviceId(1024), eventId: 7 as EventId },
  });
  // The main station is not listed: the copy is the only one.
  expect(selfNaming(toProgram(program(SUB, 7, { groups }), (id) => id === SUB))).toBe(true);
});

test('a programme that continues elsewhere names itself too', () => {
  const shown = toProgram(program(MAIN, 7, { groups: [group('relay', [1025, 8])] }), all);
  expect(selfNaming(shown)).toBe(true);
  expect(shown.relatedItems?.map(({ type }) => type)).toEqual(['shared', 'relay']);
});
