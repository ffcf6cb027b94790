/** One survey of a channel, in the worker: opens it, reads until its task is done or the time is up. */
import { PacketFramer } from '../../arib/ts/framer.ts';
import { AnswerTooLarge, boundedText } from '../../host/bounded-text.ts';
import { LogoReader } from './logo-reader.ts';
import { ScanReader } from './scan-reader.ts';
import type { FoundLogo, SurveyFindings, SurveyOrder, SurveyOutcome, SurveyTask } from './survey-messages.ts';

/** What looks for something in the packets of a stream. */
export interface SurveyReader {
  /** Takes whole, aligned packets. */
  feed(packets: Uint8Array): void;
  /** Nothing more is to be expected. */
  readonly complete: boolean;
  findings(): SurveyFindings;
  /** Logos found since the last call. @param last the stream is left */
  takeLogos?(last?: boolean): FoundLogo[];
}

export interface SurveyEnd {
  outcome: SurveyOutcome;
  reason: string | null;
  findings: SurveyFindings;
}

/** However long a survey may be, a stream that has not begun by then does not come: a tuner locks within 15 s. */
const OPEN_MS = 30_000;
/** A refusal is a sentence. */
const MAX_REFUSAL_BYTES = 4096;

function message(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

function readerFor(task: SurveyTask): SurveyReader {
  return task.kind === 'scan' ? new ScanReader(task.type) : new LogoReader(task.wanted);
}

/** Never rejects. @param signal cancels; what was found until then was handed on */
export async function runSurvey(
  order: SurveyOrder,
  found: (logos: FoundLogo[]) => void,
  signal: AbortSignal,
): Promise<SurveyEnd> {
  const reader = readerFor(order.task);
  const ending = new AbortController();
  const limit = AbortSignal.any([signal, ending.signal]);
  const timers = [setTimeout(() => ending.abort(new Error('time is up')), order.limitMs)];
  const end = (outcome: SurveyOutcome, reason: string | null): SurveyEnd => {
    for (const timer of timers) clearTimeout(timer);
    ending.abort();
    return { outcome: signal.aborted ? 'cancelled' : outcome, reason, findings: reader.findings() };
  };
  const opening = setTimeout(() => ending.abort(new Error('no stream in time')), OPEN_MS);
  timers.push(opening);
  let body: ReadableStream<Uint8Array> | null;
  try {
    const response = await fetch(order.url, { signal: limit, decompress: false });
    body = response.body;
    if (response.status !== 200 || body === null) {
      const outcome = response.status === 409 ? 'no_tuner' : 'refused';
      return end(outcome, await refusal(response));
    }
  } catch (error) {
    return end(limit.aborted ? 'partial' : 'unreachable', message(limit.aborted ? limit.reason : error));
  }
  clearTimeout(opening);
  return readStream(body, reader, found, limit).then(({ outcome, reason }) => end(outcome, reason));
}

async function readStream(
  body: ReadableStream<Uint8Array>,
  reader: SurveyReader,
  found: (logos: FoundLogo[]) => void,
  limit: AbortSignal,
): Promise<{ outcome: SurveyOutcome; reason: string | null }> {
  const framer = new PacketFramer();
  const hand = (last: boolean): void => {
    const logos = reader.takeLogos?.(last) ?? [];
    if (logos.length > 0) found(logos);
  };
  let packets = 0;
  let reason = 'the stream ended';
  try {
    for await (const chunk of body) {
      const aligned = framer.feed(chunk);
      packets += aligned.length;
      reader.feed(aligned);
      hand(false);
      if (!reader.complete) continue;
      hand(true);
      return { outcome: 'complete', reason: null };
    }
  } catch (error) {
    reason = message(limit.aborted ? limit.reason : error);
  }
  hand(true);
  if (packets === 0) return { outcome: 'unreadable', reason };
  return { outcome: limit.aborted ? 'partial' : 'broken', reason };
}

/** The agent's sentence, or the status of an answer without one. */
async function refusal(response: Response): Promise<string> {
  const none = `HTTP ${response.status}`;
  try {
    const parsed: unknown = JSON.parse(await boundedText(response, MAX_REFUSAL_BYTES));
    if (typeof parsed !== 'object' || parsed === null || !('message' in parsed)) return none;
    return typeof parsed.message === 'string' ? parsed.message : none;
  } catch (error) {
    if (error instanceof AnswerTooLarge || error instanceof SyntaxError) return none;
    throw error;
  }
}
