import { describe, expect, test } from 'bun:test';
import { type EventId, type NetworkId, programId, type ServiceId, stationId } from '../../lib/arib/ids.ts';
import type { ProgramDetail } from '../../lib/wire/api.ts';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { PageRequests } from './page-requests.ts';

const STATION = stationId(0x7fe8 as NetworkId, 1024 as ServiceId);
const PROGRAM = programId(STATION, 7 as EventId);
const SERVICE = { networkId: 0x7fe8, transportStreamId: 0x7fe8, serviceId: 1024, component: undefined };
const EVENT = { ...SERVICE, eventId: 7 };

function rig(state?: string) {
  let now = 0;
  const done: string[] = [];
  const program = {
    id: PROGRAM,
    start_at: 1000,
    end_at: 61_000,
    open_end: false,
    reservation: state === undefined ? null : { id: 1, state },
  } as unknown as ProgramDetail;
  const requests = new PageRequests({
    stationId: () => STATION,
    tune: (station) => station === STATION && done.push(`tune ${station}`) > 0,
    program: async (id) => (id === PROGRAM ? program : undefined),
    reserve: async () => done.push('reserve') > 0,
    cancel: async () => done.push('cancel') > 0,
    captions: (language, isShown) => done.push(`captions ${language} ${isShown}`) > 0,
    audio: () => false,
    startApplication: async ({ aitUrl }) => done.push(`start ${aitUrl}`) > 1,
    now: () => now as MonotonicMs,
  });
  const asked = async (): Promise<boolean> => {
    await Bun.sleep(0);
    return requests.question.value !== undefined;
  };
  return {
    requests,
    done,
    asked,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('requests of a document', () => {
  test('a reservation is made after a question, one at a time', async () => {
    const { requests, done, asked } = rig();
    const first = requests.run({ type: 'reserve', event: EVENT, isRecording: true });
    expect(await asked()).toBe(true);
    expect(await requests.run({ type: 'reserve', event: EVENT, isRecording: true })).toBeNaN();
    requests.question.value?.answer(true);
    expect([await first, done]).toEqual([1, ['reserve']]);
  });

  test('a refusal ends the questions for a while, also by leaving', async () => {
    const { requests, done, asked, pass } = rig('scheduled');
    const ask = () => requests.run({ type: 'cancelReservation', event: EVENT, isRecording: false });
    const first = ask();
    expect(await asked()).toBe(true);
    requests.question.value?.answer(false);
    expect([await first, await ask()]).toEqual([Number.NaN, Number.NaN]);
    pass(30_000);
    const later = ask();
    expect(await asked()).toBe(true);
    requests.clear();
    expect([await later, requests.question.value, done]).toEqual([Number.NaN, undefined, []]);
  });

  test('of a programme that is reserved already, or unknown, nothing is asked', async () => {
    const { requests } = rig('scheduled');
    expect(await requests.run({ type: 'reserve', event: EVENT, isRecording: true })).toBe(1);
    expect(await requests.run({ type: 'isReserved', event: EVENT, isRecording: true })).toBe(1);
    const unknown = { ...EVENT, eventId: 8 };
    expect(await requests.run({ type: 'reserve', event: unknown, isRecording: true })).toBeNaN();
    expect(await requests.run({ type: 'eventTimes', event: unknown })).toBeUndefined();
    expect(await requests.run({ type: 'eventTimes', event: EVENT })).toEqual({
      startAt: 1000,
      durationMs: 60_000,
    });
  });

  test('tunes to known stations only; the ids of the tuned service may be left out', async () => {
    const { requests, done } = rig();
    const tune = (change: Partial<typeof SERVICE>) =>
      requests.run({ type: 'tune', service: { ...SERVICE, eventId: undefined, ...change } });
    expect([await tune({}), await tune({ networkId: -1, serviceId: -1 })]).toEqual([1, 1]);
    expect([await tune({ serviceId: 1 }), await tune({ networkId: 1e9 })]).toEqual([Number.NaN, Number.NaN]);
    expect(done).toEqual([`tune ${STATION}`, `tune ${STATION}`]);
  });
});
