/** One visit of a channel, in the worker: opens it, reads until enough is known or the time is up. */
import { PacketFramer } from '../../arib/ts/framer.ts';
import { boundedText } from '../../host/bounded-text.ts';
import type { VisitOrder, VisitOutcome, VisitResult } from './guide-messages.ts';
import type { GuideSession } from './guide-session.ts';
import type { VisitGoal } from './visit-goal.ts';

/** A refusal is a sentence. */
const MAX_REFUSAL_BYTES = 4096;
/** How often it is looked whether all is known: looking goes through every station of a network. */
const LOOK_MS = 250;

export interface VisitContext {
  session: GuideSession;
  goal: VisitGoal;
  /** Cancels; what was found until then is kept. */
  signal: AbortSignal;
  /** Epoch ms. */
  now: () => number;
  /** After each piece of the stream. */
  onRead: () => void;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The time that a visit had is up: it counts. */
class TimeIsUp extends Error {
  override readonly message = 'time is up';
}

/** Never rejects. */
export async function runVisit(order: VisitOrder, context: VisitContext): Promise<VisitResult> {
  const ending = new AbortController();
  const limit = AbortSignal.any([context.signal, ending.signal]);
  const timer = setTimeout(() => ending.abort(new Error('no stream in time')), order.openMs);
  let body: ReadableStream<Uint8Array>;
  try {
    const opened = await open(order.url, limit);
    if (!(opened instanceof ReadableStream)) return opened;
    body = opened;
  } catch (error) {
    const outcome: VisitOutcome = context.signal.aborted ? 'broken' : 'failed';
    return { outcome, reason: message(limit.aborted ? limit.reason : error) };
  } finally {
    clearTimeout(timer);
  }
  const cap = setTimeout(() => ending.abort(new TimeIsUp()), order.capMs);
  try {
    return (await read(body, context)) ? { outcome: 'complete', reason: null } : ended('the stream ended');
  } catch (error) {
    const reason = limit.aborted ? limit.reason : error;
    return reason instanceof TimeIsUp
      ? { outcome: 'partial', reason: reason.message }
      : ended(message(reason));
  } finally {
    clearTimeout(cap);
    ending.abort();
  }
}

function ended(reason: string): VisitResult {
  return { outcome: 'broken', reason };
}

async function open(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | VisitResult> {
  const response = await fetch(url, { signal });
  if (response.status === 200 && response.body !== null) return response.body;
  const text = await boundedText(response, MAX_REFUSAL_BYTES);
  const reason = `${response.status} ${text.slice(0, 200)}`;
  return { outcome: response.status === 409 ? 'no_tuner' : 'failed', reason };
}

/** @returns whether all was found */
async function read(
  body: ReadableStream<Uint8Array>,
  { session, goal, now, onRead }: VisitContext,
): Promise<boolean> {
  const framer = new PacketFramer();
  const began = now();
  let looked = Number.NEGATIVE_INFINITY;
  for await (const chunk of body) {
    const at = now();
    session.feed(framer.feed(chunk), at);
    onRead();
    if (Math.abs(at - looked) < LOOK_MS) continue;
    looked = at;
    if (goal.reached(session, at - began, at)) return true;
  }
  return false;
}
