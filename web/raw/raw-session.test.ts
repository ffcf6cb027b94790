import { expect, test } from 'bun:test';
import { recordingId } from '../../lib/wire/ids.ts';
import { TunerLost } from '../player/live-connection.ts';
import { runSession, type WorkerReport } from './raw-session.ts';

type Report = WorkerReport['report'];

interface Course {
  /** Instead of the regular end of the stream. */
  readonly error?: Error;
  /** The decoder fails to start, or at the second piece. */
  readonly fails?: 'start' | 'packets';
}

async function course({ error, fails }: Course) {
  const reports: Report[] = [];
  const pieces: number[] = [];
  async function* packets(): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(1);
    yield Uint8Array.of(2);
    if (error !== undefined) throw error;
  }
  await runSession({
    packets: packets(),
    start: async () => {
      if (fails === 'start') throw new Error('no decoder');
      return {
        packets: ([piece = 0]) => {
          if (fails === 'packets' && piece === 2) throw new Error('trap');
          pieces.push(piece);
        },
      };
    },
    report: (report) => reports.push(report),
  });
  return { pieces, reports };
}

test('a stream that ends or breaks is reported with what the page needs to connect again', async () => {
  expect(await course({})).toEqual({ pieces: [1, 2], reports: [{ kind: 'end' }] });
  const broken = await course({ error: new Error('connection reset') });
  expect(broken.reports).toEqual([{ kind: 'end', failure: { message: 'Error: connection reset' } }]);
  const lost = await course({ error: new TunerLost(recordingId(7), 'taken') });
  expect(lost.reports).toEqual([
    { kind: 'end', failure: { code: 'interrupted', message: 'taken', status: 0, takenBy: recordingId(7) } },
  ]);
});

test('a decoder that fails leads to the encoded path, not to another attempt', async () => {
  const problem: Report = { kind: 'problem', problem: 'unsupported' };
  expect(await course({ fails: 'start' })).toEqual({ pieces: [], reports: [problem] });
  expect(await course({ fails: 'packets' })).toEqual({ pieces: [1], reports: [problem] });
});
