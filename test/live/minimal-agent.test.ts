/** An agent that sends only what it must: lists of ranks and uses, and streams that do not name their tuner. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { TunerYields } from '../../src/live/create-live.ts';
import { LiveService } from '../../src/live/live-service.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { Hub } from '../../src/notify/hub.ts';
import { ReceptionPool } from '../../src/reception/reception-pool.ts';
import { AgentClient } from '../../src/tuner/agent-client.ts';
import { startReceptionWorker } from '../built-programs.ts';
import { until } from '../until.ts';
import { HD, OTHER_CHANNEL, prepareAir, Rig, Watching } from './rig.ts';

let stations: StationRecord[];
let rig: Rig;

beforeAll(async () => {
  stations = await prepareAir();
  rig = await Rig.start({ stations, tuners: 'GR:1' });
});

afterAll(() => rig.close());

/** The agent of the rig, without everything that is not required. */
function minimalAgent() {
  return Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1', idleTimeout: 0 },
    fetch: async ({ url, signal }) => {
      const { pathname, search } = new URL(url);
      const answer = await fetch(`${rig.agent?.url}${pathname}${search}`, { signal });
      if (pathname !== '/agent/tuners') {
        return new Response(answer.body, {
          status: answer.status,
          headers: { 'content-type': answer.headers.get('content-type') ?? '' },
        });
      }
      const tuners = (await answer.json()) as Tuner[];
      return Response.json(
        tuners.map(({ rank, users }) => ({ rank, users: users.map(({ use }) => ({ use })) })),
      );
    },
  });
}

test('a station is watched, and its viewer learns which recording took the tuner', async () => {
  const server = minimalAgent();
  const agentUrl = `http://127.0.0.1:${server.port}`;
  const agent = new AgentClient(agentUrl);
  const tuners = () => agent.tuners();
  const pool = new ReceptionPool({ agentUrl, startWorker: startReceptionWorker, log: SILENT_LOG });
  const yields = new TunerYields({
    ...{ tuners, hub: new Hub(() => {}), log: SILENT_LOG },
    findRecording: (id) => ({ id, title: '番組', serviceName: '局', endAt: 0 as never }),
  });
  const live = new LiveService({
    ...{ pool, encoders: rig.encoders, tuners, log: SILENT_LOG },
    stations: {
      find: (id) => stations.find((station) => station.id === id),
      audios: () => [{ id: '0:both', stream: 0, side: 'both', label: '主音声' }],
    },
    onLost: (station, tunerId) => yields.lost(station, tunerId),
  });
  const taking = new AbortController();
  try {
    const request = { stationId: HD, codec: 'raw', audio: undefined } as const;
    const { viewer, lost, tunerId } = await live.join(request, new AbortController().signal);
    expect(tunerId).toBeNull();
    expect(await viewer.next()).toBeDefined();
    const watching = new Watching(await live.open(request, new AbortController().signal));
    // The agent lists its use by now.
    await until('it is listed', async () => (await tuners()).some(({ users }) => users.length > 0));
    const { channel } = stations.find(({ id }) => id === OTHER_CHANNEL) ?? { channel: '' };
    const recording = `type=GR&channel=${channel}&priority=10&use=${encodeURIComponent('rec 7')}`;
    const taken = fetch(`${agentUrl}/agent/stream?${recording}`, { signal: taking.signal });
    expect((await taken).status).toBe(200);
    expect(await lost).toBe(recordingId(7));
    // It ends cleanly over HTTP, so that its client asks again at once.
    await until('the stream ends', () => watching.ending !== undefined);
    expect([watching.ending, watching.bytes > 0]).toEqual(['clean', true]);
  } finally {
    taking.abort();
    await live.close();
    await pool.close();
    await server.stop(true);
  }
});
