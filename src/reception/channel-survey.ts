/** Surveys of channels as promises: opens a whole channel and runs one reader on it (scan or logo). */
import { AgentStreamError, AgentStreamFailure, streamFailure } from '../tuner/agent-stream.ts';
import { logoReader } from './logo-reader.ts';
import type { ReaderEnd } from './reader-kind.ts';
import { type PlannedReader, planReader, type ReceptionPool } from './reception-pool.ts';
import { scanReader } from './scan-reader.ts';
import type { FoundLogo, SurveyFindings, SurveyOrder, SurveyOutcome, SurveyResult } from './survey-types.ts';

export class ChannelSurveys {
  constructor(private readonly pool: Pick<ReceptionPool, 'open'>) {}

  /**
   * Never rejects. `onLogos` is called any number of times with the logos found, before the promise resolves. Aborting
   * the signal ends the survey and releases the tuner.
   */
  async survey(
    order: SurveyOrder,
    signal: AbortSignal,
    onLogos: (logos: FoundLogo[]) => void = () => {},
  ): Promise<SurveyResult> {
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(new Error('time is up')), order.limitMs);
    const limit = AbortSignal.any([signal, ending.signal]);
    const found = new Findings(onLogos);
    const result = (outcome: SurveyOutcome, reason: string | null): SurveyResult => ({
      outcome: signal.aborted ? 'cancelled' : outcome,
      reason,
      findings: found.findings,
    });
    try {
      const { end, failure, packets } = await this.#read(order, limit, found);
      if (end.cause === 'finished') return result('complete', null);
      if (!limit.aborted && failure !== undefined && !isCut(failure)) return result(...refusal(failure));
      const reason = limit.aborted ? reasonOf(limit.reason) : (end.reason ?? 'the stream ended');
      if (packets === 0) return result('unreadable', reason);
      return result(limit.aborted ? 'partial' : 'broken', reason);
    } catch (error) {
      if (limit.aborted) return result('no_signal', reasonOf(limit.reason));
      return result(...refusal(error));
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(
    { request, task }: SurveyOrder,
    limit: AbortSignal,
    found: Findings,
  ): Promise<{ end: ReaderEnd; failure: Error | undefined; packets: number }> {
    const done = Promise.withResolvers<ReaderEnd>();
    const ended = Promise.withResolvers<Error>();
    const reader = readerFor(task, found, done.resolve);
    const stream = await this.pool.open({
      request,
      serviceId: null,
      handlers: {
        ended: (problem, by) =>
          ended.resolve(by === 'worker' ? new Error(problem.reason) : streamFailure(problem)),
      },
      signal: limit,
      lane: 'other',
      readers: [reader],
    });
    const stop = (): void => void reader.stop();
    limit.addEventListener('abort', stop, { once: true });
    if (limit.aborted) stop();
    const end = await done.promise;
    limit.removeEventListener('abort', stop);
    const failure = end.cause === 'stream' ? await ended.promise : undefined;
    return { end, failure, packets: await stream.close() };
  }
}

/** Values that the reader posted so far. */
class Findings {
  findings: SurveyFindings = {};

  constructor(readonly onLogos: (logos: FoundLogo[]) => void) {}
}

function readerFor(
  task: SurveyOrder['task'],
  found: Findings,
  ended: (end: ReaderEnd) => void,
): PlannedReader {
  if (task.kind === 'scan') {
    const value = (findings: SurveyFindings): void => {
      found.findings = findings;
    };
    return planReader(scanReader, { type: task.type }, { value, ended });
  }
  return planReader(
    logoReader,
    { wanted: task.wanted },
    {
      value: ({ logos, findings }) => {
        if (logos.length > 0) found.onLogos(logos);
        if (findings !== undefined) found.findings = findings;
      },
      ended,
    },
  );
}

/** The agent ended the stream, for no reason that it tells. */
function isCut(error: Error): boolean {
  return error instanceof AgentStreamFailure && error.problem.code === 'ended';
}

function refusal(error: unknown): [outcome: SurveyOutcome, reason: string] {
  if (!(error instanceof AgentStreamFailure)) return ['crashed', reasonOf(error)];
  const { code, reason, sentence } = error.problem;
  if (error.code === 'no_tuner') return ['no_tuner', reason];
  if (code === 'agent_unreachable' || code === 'agent_silent') return ['unreachable', reason];
  return ['refused', sentence ?? reason];
}

function reasonOf(error: unknown): string {
  if (error instanceof AgentStreamError) return error.message;
  return error instanceof Error ? error.message || error.name : String(error);
}
