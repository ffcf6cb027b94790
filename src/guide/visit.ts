/** One visit of a channel, in the worker: opens it, reads until enough is known or the time is up. */
import { PacketFramer } from '../../arib/ts/framer.ts';
import { boundedText } from '../../host/bounded-text.ts';
import type { NowAndNext } from '../model/program.ts';
import type { ToGuideWorker, VisitOutcome } from './messages.ts';
import { NowAndNextReader } from './now-and-next.ts';

export type VisitOrderMessage = Extract<ToGuideWorker, { kind: 'visit' }>;

export interface VisitEnd {
  outcome: VisitOutcome;
  reason: string | null;
  clockOffsetMs: number | null;
}

/** What was found is handed on this often: often enough for a list that fills before one's eyes. */
const FLUSH_MS = 500;
/** A refusal is a sentence. */
const MAX_REFUSAL_BYTES = 4096;

function message(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Never rejects. @param signal cancels; what was found until then is kept */
export async function runVisit(
  order: VisitOrderMessage,
  found: (items: NowAndNext[]) => void,
  signal: AbortSignal,
  now: () => number,
): Promise<VisitEnd> {
  const ending = new AbortController();
  const limit = AbortSignal.any([signal, ending.signal]);
  let timer = setTimeout(() => ending.abort(new Error('no stream in time')), order.openMs);
  const end = (outcome: VisitOutcome, reason: string | null, offset: number | null = null): VisitEnd => {
    clearTimeout(timer);
    ending.abort();
    return { outcome, reason, clockOffsetMs: offset };
  };
  let body: ReadableStream<Uint8Array> | null;
  try {
    const response = await fetch(order.url, { signal: limit });
    body = response.body;
    if (response.status !== 200 || body === null) {
      const text = await boundedText(response, MAX_REFUSAL_BYTES);
      return end(response.status === 409 ? 'no_tuner' : 'failed', `${response.status} ${text.slice(0, 200)}`);
    }
  } catch (error) {
    return end('failed', message(limit.aborted ? limit.reason : error));
  }
  clearTimeout(timer);
  timer = setTimeout(() => ending.abort(new Error('time is up')), order.capMs);
  const reader = new NowAndNextReader(order.own, order.others);
  const framer = new PacketFramer();
  const began = now();
  let flushed = began;
  let reason: string | null = 'the stream ended';
  try {
    for await (const chunk of body) {
      const at = now();
      reader.feed(framer.feed(chunk), at);
      if (at - flushed >= FLUSH_MS) {
        flushed = at;
        flush(reader, found, at);
      }
      if (reader.ownComplete && (reader.allComplete || at - began >= order.othersMs)) {
        reason = null;
        break;
      }
    }
  } catch (error) {
    reason = message(limit.aborted ? limit.reason : error);
  }
  flush(reader, found, now());
  const complete = reader.ownComplete;
  return end(complete ? 'complete' : 'partial', complete ? null : reason, reader.clockOffsetMs);
}

function flush(reader: NowAndNextReader, found: (items: NowAndNext[]) => void, now: number): void {
  const items = reader.take(now);
  if (items.length > 0) found(items);
}
