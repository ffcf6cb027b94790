import { expect, test } from 'bun:test';
import {
  type EventId,
  networkId,
  programId,
  serviceId,
  stationId,
  transportStreamId,
} from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import { ChangeFeed } from './change-feed.ts';
import { agentPriority, MirakurunApi } from './mirakurun-handler.ts';
import { MirakurunStreams } from './mirakurun-streams.ts';

const NOW = broadcastMs(1_700_000_000_000);

function station(service: number): StationRecord {
  const own = { networkId: networkId(0x7fe8), serviceId: serviceId(service) };
  return {
    ...{ id: stationId(own.networkId, own.serviceId), ...own, type: 'GR', channel: 'T27', name: '局' },
    ...{ transportStreamId: transportStreamId(0x7fe8), serviceType: 1, remoteControlKey: 1 },
  };
}

function program({ id }: StationRecord, event: number): ProgramRecord {
  const text = '出演者と内容の説明です。'.repeat(12);
  const start = NOW + (event - 1) * 1_800_000;
  return {
    ...{
      id: programId(id, event as EventId),
      stationId: id,
      eventId: event as EventId,
      name: `番組 ${event}`,
    },
    ...{ startAt: broadcastMs(start), endAt: broadcastMs(start + 1_800_000), openEnd: false },
    ...{ description: text, extended: { 番組内容: text, 出演者: text }, genres: [{ lv1: 7, lv2: 0 }] },
    audios: [{ componentType: 3, componentTag: 16, main: true, languages: ['jpn'], text: '' }],
    ...{
      videoType: 'mpeg2',
      videoResolution: '1080i',
      isFree: true,
      copyNever: false,
      groups: [],
      series: null,
    },
  };
}

/** @param open what tuning does */
function api(stations: StationRecord[], programs: ProgramRecord[], open: () => Promise<never>) {
  const streams = new MirakurunStreams({
    ...{ pool: { open }, airings: () => new Map(), findProgram: () => undefined, now: () => NOW },
    ...{ log: SILENT_LOG, retryLimitMs: 300 },
  });
  const feed = new ChangeFeed({
    ...{ guideVersion: () => 0, changedSince: () => [], programs: () => [], services: () => [] },
    ...{ tuners: async () => [], now: () => NOW, log: SILENT_LOG },
  });
  const byStation = Map.groupBy(programs, ({ stationId: id }) => id);
  const mirakurun = new MirakurunApi({
    stations: { list: () => stations, find: (id) => stations.find((one) => one.id === id) },
    programs: {
      shown: (id) => byStation.get(id) ?? [],
      find: (id) => programs.find((one) => one.id === id),
    },
    logos: { tag: () => undefined, png: () => undefined },
    ...{ readAt: () => new Map(), tuners: async () => [], countPrograms: () => 0, now: () => NOW },
    changes: { version: 0, since: () => [] },
    ...{ monotonic: () => performance.now(), recordingsFrom: () => 0, streams, feed },
    tv: () => Promise.reject(new Error('unused')),
  });
  return async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
    const url = new URL(path, 'http://svc');
    const request = new Request(url.href, { headers });
    return mirakurun.handle({ request, url, path: url.pathname, clientId: '192.0.2.1:1', base: url.origin });
  };
}

test('refusals have the status and reason that clients know', async () => {
  const home = station(1024);
  let tries = 0;
  let code: 'no_tuner' | 'no_signal' | 'internal' = 'no_tuner';
  const get = api([home], [], async () => {
    tries += 1;
    throw new Failure(code, 'かなしい');
  });
  const refused = async () => {
    const response = await get(`/api/services/${home.id}/stream`);
    return [response.status, ((await response.json()) as { reason: string }).reason];
  };
  expect(await refused()).toEqual([503, 'Tuner Resource Unavailable']);
  expect(tries).toBeGreaterThan(1);
  tries = 0;
  code = 'no_signal';
  expect(await refused()).toEqual([503, 'かなしい']);
  expect(tries).toBe(1);
  code = 'internal';
  expect(await refused()).toEqual([500, 'かなしい']);
});

test('23,000 programmes are listed in a fraction of the time that clients wait', async () => {
  const stations = Array.from({ length: 60 }, (_, index) => station(1024 + index));
  const programs = stations.flatMap((one) =>
    Array.from({ length: 384 }, (_, event) => program(one, event + 1)),
  );
  const get = api(stations, programs, () => Promise.reject(new Error('unused')));
  const begun = process.cpuUsage();
  const response = await get('/api/programs', { 'accept-encoding': 'gzip' });
  const { user, system } = process.cpuUsage(begun);
  const bytes = (await response.arrayBuffer()).byteLength;
  console.info(
    `${programs.length} programmes: ${Math.round((user + system) / 1000)} ms of processor, ${bytes} octets`,
  );
  expect(programs.length).toBeGreaterThan(23_000);
  // KonomiTV waits 10 s; a hung conversion would need minutes.
  expect((user + system) / 1_000_000).toBeLessThan(10);
});

test('priorities keep their order between scans and the household', () => {
  const mapped = ['-1', '0', '1', '2', '128'].map((one) => agentPriority(one, 0));
  expect(mapped).toEqual([2, 6, 7, 8, 8]);
  expect(Math.max(...mapped)).toBeLessThan(PRIORITY.live);
  expect(mapped[1]).toBeGreaterThan(PRIORITY.scan);
});

test('absent and malformed is a viewer', () => {
  for (const header of [null, '', 'high', '1.5', '9'.repeat(30)]) expect(agentPriority(header, 0)).toBe(6);
});

test('the household decides what is a recording', () => {
  expect(agentPriority('2', 2)).toBe(PRIORITY.recording);
  expect(agentPriority('1', 2)).toBe(7);
  expect(agentPriority('0', 0)).toBe(6);
});
