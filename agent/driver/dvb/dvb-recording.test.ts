/**
 * The driver against recorded results of the real dvb-core of Linux 6.1 for the same calls
 * (`test/rigs/guest/record-dvb.ts`; of the queries during a wait for the lock the first two are kept).
 */
import { expect, test } from 'bun:test';
import { type RecordedCall, ReplayedCalls } from '../../../test/agent/call-recording.ts';
import { runDvbSessions, type SessionResult } from '../../../test/agent/dvb-sessions.ts';
import recording from '../../../test/agent/recordings/dvb-core-6.1.json';
import { ScriptedKernel } from '../../../test/agent/scripted-kernel.ts';
import { ScriptedTime } from '../../../test/agent/scripted-time.ts';

const NODES = ['frontend0', 'demux0', 'dvr0'].map((name) => `/dev/dvb/adapter0/${name}`);
const WAIT_MS = 10_000;

test('makes the recorded calls in the same order and reads the answers of the real kernel', async () => {
  const calls = new ReplayedCalls(recording.calls as RecordedCall[]);
  const time = new ScriptedTime();
  const facts = new ScriptedKernel(Object.fromEntries(NODES.map((path) => [path, {}])));
  const results: SessionResult[] = await runDvbSessions(
    { calls, facts, clock: time.clock },
    { send: () => {}, setSignal: () => {}, unplug: () => {}, pause: () => time.sleep(WAIT_MS) },
  );
  expect(results).toEqual(recording.results as SessionResult[]);
  expect(calls.left).toBe(0);
});
