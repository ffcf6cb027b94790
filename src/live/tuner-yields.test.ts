import { expect, test } from 'bun:test';
import type { NetworkId, ServiceId, StationId } from '../../arib/ids.ts';
import { SILENT_LOG } from '../../host/log.ts';
import type { Tuner } from '../../wire/agent.ts';
import { Hub, type HubEvent } from '../hub/hub.ts';
import type { StationRecord } from '../model/station.ts';
import { TunerYields } from './tuner-yields.ts';

const STATION: StationRecord = {
  ...{
    id: 3_260_809_216 as StationId,
    type: 'GR',
    networkId: 32608 as NetworkId,
    serviceId: 9216 as ServiceId,
  },
  ...{ transportStreamId: null, channel: 'T27', name: '試験テレビ', serviceType: 1, remoteControlKey: 1 },
};
const RECORDING = { id: 12, title: '番組', serviceName: '試験二', endAt: 5000 };

function tuner(id: string, channel: string, ...uses: string[]): Tuner {
  return {
    ...{ id, rank: 0, driver: 'fake', device: '', types: ['GR'], disabled: false, lnb: false },
    ...{ state: 'tuned', tuned: { type: 'GR', channel }, name: id },
    users: uses.map((use) => ({ use, priority: 10, lagBytes: 0 })),
    ...{ signal: null, stats: null, descrambled: false, error: null },
  };
}

/** What the agent lists, one time after the other; an Error is thrown. */
async function told(...lists: (Tuner[] | Error)[]): Promise<{ events: HubEvent[]; asked: number }> {
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

test('viewers learn which recording took the tuner that they had', async () => {
  const { events } = await told([tuner('a', 'T30', 'rec 7'), tuner('b', 'T31', 'epg T31', 'rec 12')]);
  expect(events).toEqual([YIELDED as HubEvent]);
});

test('also when the list shows it a moment later', async () => {
  const { events, asked } = await told([tuner('b', 'T31')], [tuner('b', 'T31', 'rec 12')]);
  expect([events.length, asked]).toEqual([1, 2]);
});

test('a recording that nobody knows, another use, another tuner, an agent that is away: nothing is told', async () => {
  expect((await told([tuner('b', 'T31', 'rec 13')])).events).toEqual([]);
  expect((await told([tuner('b', 'T31', 'scan T31')])).events).toEqual([]);
  expect((await told([tuner('a', 'T31', 'rec 12')])).events).toEqual([]);
  expect((await told(new Error('away'))).events).toEqual([]);
});

test('a recording of the very channel took nothing away', async () => {
  const { events, asked } = await told([tuner('b', 'T27', 'rec 12')]);
  expect([events, asked]).toEqual([[], 1]);
});
