import { expect, test } from 'bun:test';
import {
  eventId,
  type NetworkId,
  networkId,
  type ServiceId,
  type StationId,
  serviceId,
  stationId,
} from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import { Hub, type HubEvent } from '../notify/hub.ts';
import { stationGuide, TunerYields } from './create-live.ts';

test('the guide of a station: what is on the air, and some hours that follow', () => {
  const NETWORK = networkId(0x7fe0);
  const id = stationId(NETWORK, serviceId(1024));
  const programmes = Array.from({ length: 100 }, (_, index) => ({
    eventId: eventId(index),
    startAt: broadcastMs(index * 1000),
    endAt: broadcastMs(index * 1000 + 900),
    openEnd: index === 1,
    name: `${index}`,
  })) as ProgramRecord[];
  const asked: unknown[] = [];
  const guide = (present: ProgramRecord | undefined) =>
    stationGuide(
      {
        airingOn: (...question) => {
          asked.push(question);
          return present;
        },
        shown: (...question) => {
          asked.push(question);
          return programmes;
        },
      },
      { id, networkId: NETWORK },
      broadcastMs(5),
    );
  const told = guide(programmes[0]);
  expect(told).toMatchObject({ networkId: 0x7fe0, present: 0 });
  expect(told.programmes.slice(0, 2)).toEqual([
    { eventId: eventId(0), startAt: broadcastMs(0), durationMs: 900, name: '0' },
    { eventId: eventId(1), startAt: broadcastMs(1000), durationMs: null, name: '1' },
  ]);
  expect(told.programmes).toHaveLength(16);
  expect(asked).toEqual([
    [id, broadcastMs(5)],
    [id, broadcastMs(5)],
  ]);
  expect(guide(undefined).present).toBeNull();
});

const STATION: StationRecord = {
  ...{
    id: 3_260_809_216 as StationId,
    type: 'GR',
    networkId: 32608 as NetworkId,
    serviceId: 9216 as ServiceId,
  },
  ...{ transportStreamId: null, channel: 'T27', name: '試験テレビ', serviceType: 1, remoteControlKey: 1 },
};
const RECORDING = { id: recordingId(12), title: '番組', serviceName: '試験二', endAt: broadcastMs(5000) };

function tuner(id: string, channel: string, ...uses: string[]): Tuner {
  return {
    ...{ id, rank: 0, driver: 'fake', device: '', types: ['GR'], disabled: false, lnb: false },
    ...{ state: 'tuned', tuned: { type: 'GR', channel }, name: id },
    users: uses.map((use) => ({ use, priority: 10, lagBytes: 0 })),
    ...{ signal: null, stats: null, descrambled: false, error: null },
  };
}

/** Successive answers of the agent; an Error is thrown. */
async function eventsFor(...lists: (Tuner[] | Error)[]): Promise<{ events: HubEvent[]; asked: number }> {
  const events: HubEvent[] = [];
  let asked = 0;
  const hub = new Hub((error) => {
    throw error;
  });
  hub.subscribe((event) => events.push(event));
  const yields = new TunerYields({
    tuners: async () => {
      const list = lists[Math.min(asked, lists.length - 1)] ?? [];
      asked += 1;
      if (list instanceof Error) throw list;
      return list;
    },
    findRecording: (id) => (id === RECORDING.id ? RECORDING : undefined),
    hub,
    log: SILENT_LOG,
    pause: async () => {},
  });
  await yields.lost(STATION, 'b');
  return { events, asked };
}

const YIELDED = { name: 'yielded', data: { serviceId: STATION.id, recording: RECORDING } };

test('names the recording that took the tuner of a watched station', async () => {
  const { events } = await eventsFor([tuner('a', 'T30', 'rec 7'), tuner('b', 'T31', 'epg T31', 'rec 12')]);
  expect(events).toEqual([YIELDED as HubEvent]);
});

test('asks again when the list does not show the recording yet', async () => {
  const { events, asked } = await eventsFor([tuner('b', 'T31')], [tuner('b', 'T31', 'rec 12')]);
  expect([events.length, asked]).toEqual([1, 2]);
});

test('unknown recording, other use, other tuner or an unreachable agent: no event', async () => {
  expect((await eventsFor([tuner('b', 'T31', 'rec 13')])).events).toEqual([]);
  expect((await eventsFor([tuner('b', 'T31', 'scan T31')])).events).toEqual([]);
  expect((await eventsFor([tuner('a', 'T31', 'rec 12')])).events).toEqual([]);
  expect((await eventsFor(new Error('away'))).events).toEqual([]);
});

test('a recording of the same channel took no tuner', async () => {
  const { events, asked } = await eventsFor([tuner('b', 'T27', 'rec 12')]);
  expect([events, asked]).toEqual([[], 1]);
});
