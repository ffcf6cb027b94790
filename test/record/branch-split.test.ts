/**
 * A recording of a branch station that splits off from its main station, and joins it again, while it is
 * recorded.
 */
import { afterAll, expect } from 'bun:test';
import { join } from 'node:path';
import { serviceId } from '../../lib/arib/ids.ts';
import { INVENTED_REGION, terrestrialService } from '../../synth/scenario/identity.ts';
import { realTime } from '../real-time.ts';
import { packetsOf } from '../synth/tuning.ts';
import { until } from '../until.ts';
import { SessionFixture } from './session-fixture.ts';
import { clockSpan, TestBroadcast } from './test-broadcast.ts';

const MAIN = terrestrialService(INVENTED_REGION, 0, 'tv', 0);
const BRANCH = terrestrialService(INVENTED_REGION, 0, 'tv', 1);
const sharedWith = [MAIN, BRANCH];
/** Both programmes, and enough of the next first one to show that the stations are one again. */
const ROUND_MS = 11_000;
const LOW = { codec: 'mpeg2', width: 160, height: 96, bitrate: 200_000 };

const { prepare, test } = realTime();
let air: TestBroadcast;
let fixture: SessionFixture;

prepare(async () => {
  const stations = [
    {
      captions: true,
      pictures: { split: LOW },
      programmes: [
        { durationSec: 5, title: '二つで同じ🈑', sharedWith },
        { durationSec: 5, title: '主だけ' },
      ],
    },
    {
      video: LOW,
      branch: true,
      programmes: [
        { durationSec: 5, title: '二つで同じ🈑', sharedWith },
        { durationSec: 5, title: '副だけ' },
      ],
    },
  ];
  air = await TestBroadcast.start([{ channel: 'T30', bitrate: 3_000_000, stations }], 'GR:1');
  fixture = new SessionFixture(join(air.folder, 'desk'), air.agentUrl);
});
afterAll(async () => {
  await fixture?.close();
  await air?.close();
});

const STATIONS = [
  ['main', MAIN, [0x100, 0x110, 0x130]],
  ['branch', BRANCH, [0x100, 0x110, 0x130, 0x200, 0x210]],
] as const;
for (const [name, service, streams] of STATIONS)
  test(`of the ${name} station contains every PID of its maps, without loss`, async () => {
    const station = { ...air.station('T30'), serviceId: serviceId(service) };
    const session = fixture.record({ station, endAt: Date.now() + 600_000 });
    await until('it receives', () => session.state.phase === 'receiving');
    const startAt = Date.now();
    await until('both halves are written, and the change back', () => {
      return clockSpan(fixture.written(session)).totalMs > ROUND_MS;
    });
    const { verdict, bytes } = await fixture.stopAndConclude(session, startAt);
    // The filter adjusts the continuity counters of a restored PID, so they differ from the sent ones.
    const counters = new Map<number, number>();
    for (const { pid, counter, hasPayload } of packetsOf(bytes)) {
      if (!hasPayload) continue;
      const before = counters.get(pid);
      if (before !== undefined) expect([pid, counter]).toEqual([pid, (before + 1) & 15]);
      counters.set(pid, counter);
    }
    expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
    const pids = new Set([...packetsOf(bytes)].map(({ pid }) => pid));
    expect([...pids].filter((pid) => pid >= 0x100 && pid < 0x1e00 && (pid & 0xff) < 0xf0).sort()).toEqual([
      ...streams,
    ]);
  });
