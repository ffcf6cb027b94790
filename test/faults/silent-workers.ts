/** A reception worker that hangs: it is terminated, and its recordings continue in another one. */
import { expect } from 'bun:test';
import { join } from 'node:path';
import { ReceptionPool } from '../../src/reception/reception-pool.ts';
import type { RealTime } from '../real-time.ts';
import { SessionFixture } from '../record/session-fixture.ts';
import { compare, countCompared, probed, TestBroadcast } from '../record/test-broadcast.ts';
import { until } from '../until.ts';
import type { Silence } from './silent-reception.worker.ts';

/** Shorter than in the service, longer than the delays of a worker on a busy machine. */
const SILENCE_MS = 6_000;
const LENGTH_MS = 30_000;

let air: TestBroadcast;
/** A recorder whose workers can be made unresponsive, the first one first. */
function makeFixture(name: string): { fixture: SessionFixture; workers: Worker[] } {
  const workers: Worker[] = [];
  const startWorker = (): Worker => {
    const worker = new Worker(new URL('./silent-reception.worker.ts', import.meta.url));
    workers.push(worker);
    return worker;
  };
  const { agentUrl } = air;
  const makePool = (log: SessionFixture['log']) =>
    new ReceptionPool({ agentUrl, startWorker, log, silenceMs: SILENCE_MS });
  return { fixture: new SessionFixture(join(air.folder, name), agentUrl, makePool), workers };
}

const KINDS: [Silence, string, string][] = [
  ['loops', 'T30', 'T31'],
  ['is blocked', 'T32', 'T33'],
];

function tests({ test }: RealTime): void {
  for (const [silence, channel, other] of KINDS) {
    test(`that ${silence} is replaced: the same file continues, the gap is reported, others lose nothing`, async () => {
      const { fixture, workers } = makeFixture(channel);
      const began = Date.now();
      const times = { openAt: began, endAt: began + LENGTH_MS };
      const session = fixture.record({ station: air.station(channel), ...times });
      await until('it is written', () => session.state.bytes > 300_000);
      const beside = fixture.record({ station: air.station(other), ...times });
      await until('the other is written', () => beside.state.bytes > 300_000);
      expect(workers).toHaveLength(2);
      const startAt = Date.now();
      workers[0]?.postMessage({ silence });
      await until('it is reported', () => fixture.causes(session).length > 0);
      expect(fixture.causes(session)).toEqual(['recorder_failed']);
      expect(Date.now() - startAt).toBeGreaterThan(SILENCE_MS - 1500);
      expect(fixture.lines.join('')).toMatch(/worker lost.*reception worker.*no answer for \d+ ms/);
      await until('it is received again', () => session.state.phase === 'receiving');
      const programme = { startAt, endAt: began + LENGTH_MS - 500 };
      const { verdict, path, bytes } = await fixture.conclude(session, programme);
      const found = compare(bytes, await air.sent(channel, began, Date.now()));
      expect(found).toMatchObject({ foreign: 0, holes: 1 });
      // Whether the verdict is damaged or lost depends on the length of the programme.
      expect(verdict.level).not.toBe('complete');
      expect(verdict.drops).toBe(0);
      expect(verdict.gaps.map(({ cause }) => cause)).toEqual(['recorder_failed']);
      const [gap] = verdict.gaps;
      const gapMs = (gap?.endMs ?? 0) - (gap?.startMs ?? 0);
      const wholeMs = (verdict.headMs ?? 0) + (programme.endAt - startAt) + (verdict.tailMs ?? 0);
      const missingMs = (wholeMs * found.missing) / (found.missing + countCompared(bytes));
      expect(Math.abs(gapMs - missingMs)).toBeLessThan(1000);
      expect(await probed(path)).toBeGreaterThan(60);
      expect(fixture.store.parts(session.options.id)).toHaveLength(1);
      const second = await fixture.conclude(beside, programme);
      expect(second.verdict).toMatchObject({ drops: 0, gaps: [] });
      const whole = compare(second.bytes, await air.sent(other, began, Date.now()));
      expect(whole).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
      // No stream of the first worker is left open at the agent.
      await until('the tuners are free', async () =>
        (await air.tuners()).every(({ users, tuned }) =>
          tuned?.channel === channel || tuned?.channel === other ? users.length === 0 : true,
        ),
      );
      await fixture.close();
    });
  }
}

export const silentWorkers = {
  start: async (): Promise<void> => {
    air = await TestBroadcast.start(['T30', 'T31', 'T32', 'T33'], 'GR:4');
  },
  tests,
  close: (): Promise<void> => air?.close(),
};
