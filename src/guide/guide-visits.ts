/** Guide visits: opens a channel, reads it into the guide worker, and ends when the goal is reached. */
import { Failure } from '../model/failure.ts';
import { guideReader } from '../reception/guide-reader.ts';
import type { ReaderEnd } from '../reception/reader-kind.ts';
import { planReader, type ReceptionPool, type ReceptionStream } from '../reception/reception-pool.ts';
import {
  AgentStreamFailure,
  type AgentStreamRequest,
  type StreamProblem,
  streamSentence,
} from '../tuner/agent-stream.ts';
import type { ReadingOrder, VisitResult } from './guide-messages.ts';
import type { GuideWorkerClient } from './guide-worker-client.ts';

export interface VisitOrder extends Omit<ReadingOrder, 'source'> {
  request: AgentStreamRequest;
  /** Time limit to the first byte: tuning, and the start of a synthetic broadcast, ms. */
  openMs: number;
  /** Time limit from the first byte on, ms. */
  capMs: number;
}

/** A visit that can be cancelled; its results are kept. */
export interface RunningVisit {
  /** Never rejects; resolves when the results are stored. */
  readonly result: Promise<VisitResult>;
  cancel(): void;
}

interface GuideVisitsOptions {
  pool: Pick<ReceptionPool, 'open'>;
  worker: Pick<GuideWorkerClient, 'read'>;
}

/** Why a visit's reading ended. */
type Ending = 'reached' | 'time' | 'cancelled' | StreamProblem;

/** The reception is not at fault. */
const CRASHED = '番組表の処理が異常終了しました';
const WORKER_LOST: StreamProblem = { code: 'ended', reason: 'the guide worker was lost', sentence: CRASHED };
const CANCELLED: StreamProblem = { code: 'ended', reason: 'cancelled', sentence: null };

export class GuideVisits {
  constructor(private readonly options: GuideVisitsOptions) {}

  visit(order: VisitOrder): RunningVisit {
    const cancel = new AbortController();
    return { result: this.#visit(order, cancel.signal), cancel: () => cancel.abort(new Error('cancelled')) };
  }

  async #visit(order: VisitOrder, signal: AbortSignal): Promise<VisitResult> {
    const ending = Promise.withResolvers<Ending>();
    const { port1, port2 } = new MessageChannel();
    const reader = planReader(
      guideReader,
      { port: port2 },
      {
        value: () => {},
        // With its stream: that tells why.
        ended: (end) => end.cause !== 'stream' && ending.resolve(problemOf(end)),
      },
    );
    let stream: ReceptionStream;
    try {
      stream = await this.options.pool.open({
        request: order.request,
        serviceId: null,
        handlers: { ended: (problem) => ending.resolve(problem) },
        signal,
        lane: 'other',
        limits: { openMs: order.openMs },
        readers: [reader],
      });
    } catch (error) {
      port1.close();
      return signal.aborted ? failed('broken', CANCELLED) : refused(error);
    }
    // What was received before waits in the port. The visit's time limits start here.
    const reading = this.options.worker.read(readingOrder(order), {
      reached: () => ending.resolve('reached'),
      lost: () => ending.resolve(WORKER_LOST),
    });
    if (reading === undefined) ending.resolve(WORKER_LOST);
    else reading.connect(port1);
    const cap = setTimeout(() => ending.resolve('time'), order.capMs);
    const cancel = (): void => ending.resolve('cancelled');
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const end = await ending.promise;
    clearTimeout(cap);
    signal.removeEventListener('abort', cancel);
    await reader.stop();
    await stream.close();
    const isStored = (await reading?.end(end === 'reached' || end === 'time')) ?? false;
    return isStored ? resultOf(end) : failed('failed', WORKER_LOST);
  }
}

function readingOrder({ networkId, wanted, settleMs, patienceMs }: VisitOrder): ReadingOrder {
  return { source: 'visit', networkId, wanted, settleMs, patienceMs };
}

function resultOf(end: Ending): VisitResult {
  if (end === 'reached') return { outcome: 'complete', reason: null, sentence: null };
  if (end === 'time') return { outcome: 'partial', reason: 'time is up', sentence: null };
  if (end === 'cancelled') return failed('broken', CANCELLED);
  return failed(end.code === 'tuner_taken' ? 'no_tuner' : 'broken', end);
}

function problemOf({ cause, reason }: ReaderEnd): StreamProblem {
  return { code: 'ended', reason: reason ?? `the reader ended: ${cause}`, sentence: null };
}

/** Result for a channel that could not be opened. */
function refused(error: unknown): VisitResult {
  if (!(error instanceof AgentStreamFailure)) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed('failed', { code: 'ended', reason, sentence: error instanceof Failure ? reason : CRASHED });
  }
  return failed(error.code === 'no_tuner' ? 'no_tuner' : 'failed', error.problem);
}

function failed(outcome: 'no_tuner' | 'failed' | 'broken', problem: StreamProblem): VisitResult {
  return { outcome, reason: problem.reason, sentence: problem.sentence ?? streamSentence(problem.code) };
}
