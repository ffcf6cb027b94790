/**
 * Side data of a stream: everything beside video and audio, such as captions and the broadcast's clock. A kind is a row
 * below, and reaches whoever takes it (`SideTracks.take`); the readers of a stream know none of them by name.
 */
import { type BroadcastMs, TICKS_PER_MS, unwrapPts } from '../../lib/arib/time.ts';
import type { CaptionPage, CaptionsNotice } from '../../lib/wire/caption.ts';
import type { LiveControl, LiveMessage, LiveTuned } from '../../lib/wire/live.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import type { MonotonicMs } from '../../lib/wire/times.ts';

/** A request beside the choice of what is watched. */
export type SideControl = Exclude<LiveControl, { type: 'tune' | 'chase' }>;

export interface SideKind<Value> {
  /** The channel of its frames, whose payload is a JSON object, or the type of its control messages. */
  readonly from: number | LiveMessage['type'];
  /**
   * When it applies, 90 kHz on the scale of the path; absent: as soon as it arrives.
   * @param time of its frame; 0 for a control message
   */
  readonly at?: (value: Value, time: number) => number;
  /** For a kind that is sent only on request. */
  readonly request?: (isWanted: boolean) => SideControl;
}

/** A message of the data broadcast; the fields beside `type` are of its type. */
export interface DataMessage {
  readonly type: string;
  readonly [field: string]: unknown;
}

const ofFrame = (_value: unknown, time: number): number => time;

export const CAPTION: SideKind<CaptionPage> = { from: LIVE_CHANNEL.caption, at: ofFrame };
export const SUPERIMPOSE: SideKind<CaptionPage> = { from: LIVE_CHANNEL.superimpose, at: ofFrame };
export const DATA: SideKind<DataMessage> = {
  from: LIVE_CHANNEL.data,
  request: (on) => ({ type: 'data', on }),
};
export const CLOCK: SideKind<{ readonly pts: number; readonly at: BroadcastMs }> = {
  from: 'clock',
  at: ({ pts }) => pts,
};
/** The start of a tuning: what follows belongs to it. */
export const TUNED: SideKind<LiveTuned> = { from: 'tuned' };
export const CAPTIONS_NOTICE: SideKind<CaptionsNotice> = { from: 'captions' };
export const NOTICE: SideKind<Extract<LiveMessage, { type: 'notice' }>> = { from: 'notice' };
export const RECEPTION: SideKind<Extract<LiveMessage, { type: 'reception' }>> = { from: 'reception' };

/** An item as it was received. `body`: payload of a frame, or a parsed control message. */
export interface SideItem {
  readonly from: number | string;
  readonly time: number;
  readonly body: object;
}

interface Taken {
  readonly request: ((isWanted: boolean) => SideControl) | undefined;
  readonly takers: Set<(body: object, time: number) => void>;
}

/** Items that arrive before the origin is known: the current caption pages of all languages and a clock. */
const MAX_EARLY = 32;

export class SideTracks {
  readonly #tell: (control: SideControl) => void;
  readonly #now: () => MonotonicMs;
  readonly #report: (error: unknown) => void;
  readonly #taken = new Map<number | string, Taken>();
  #place: { readonly origin: number; readonly since: MonotonicMs } | undefined;
  #early: (() => void)[] = [];

  /** @param tell sends a request to the service, where a connection is open @param report of an error of a taker */
  constructor(
    tell: (control: SideControl) => void,
    now: () => MonotonicMs,
    report: (error: unknown) => void = reportError,
  ) {
    this.#tell = tell;
    this.#now = now;
    this.#report = report;
  }

  /**
   * Hands each item of a kind to `taker`, with its position in seconds on the element's timeline (0 for a kind without
   * a time). Returns the function that ends it. A kind that is sent on request is requested while it has a taker.
   */
  take<Value>(kind: SideKind<Value>, taker: (value: Value, positionS: number) => void): () => void {
    const { from, at, request } = kind;
    const taken: Taken = this.#taken.get(from) ?? { request, takers: new Set() };
    this.#taken.set(from, taken);
    const hear = (body: object, time: number): void => {
      const value = body as Value;
      const hand = (): void => taker(value, at === undefined ? 0 : this.#positionOf(at(value, time)));
      if (at === undefined || this.#place !== undefined) this.#safely(hand);
      else if (this.#early.length < MAX_EARLY) this.#early.push(hand);
    };
    taken.takers.add(hear);
    if (taken.takers.size === 1 && request !== undefined) this.#tell(request(true));
    return () => {
      if (!taken.takers.delete(hear) || taken.takers.size > 0) return;
      this.#taken.delete(from);
      if (request !== undefined) this.#tell(request(false));
    };
  }

  /** A tuning begins, on a connection that knows no request yet. */
  begin(): void {
    this.#place = undefined;
    this.#early = [];
    for (const { request } of this.#taken.values()) {
      if (request !== undefined) this.#tell(request(true));
    }
  }

  /** The origin of the element's timeline is known. @param origin 90 kHz on the scale of the path */
  place(origin: number): void {
    this.#place = { origin, since: this.#now() };
    for (const hand of this.#early.splice(0)) this.#safely(hand);
  }

  /** Invalid items are dropped; an error of a taker does not reach the stream. */
  hear({ from, time, body }: SideItem): void {
    const taken = this.#taken.get(from);
    if (taken === undefined) return;
    const value = body instanceof Uint8Array ? objectOf(body) : body;
    if (value === undefined) return;
    for (const hear of taken.takers) hear(value, time);
  }

  /** Side data must not stop the picture. */
  #safely(hand: () => void): void {
    try {
      hand();
    } catch (error) {
      this.#report(error);
    }
  }

  /**
   * A broadcast time has 33 bits, 26.5 hours: of its possible values the one nearest to now is meant, since a stream
   * can be watched for longer than that. The elapsed time serves as the reference, because a wrong time stamp cannot
   * displace it.
   */
  #positionOf(time: number): number {
    if (this.#place === undefined) return 0;
    const { origin, since } = this.#place;
    const elapsed = (this.#now() - since) * TICKS_PER_MS;
    return (unwrapPts(time, origin + elapsed) - origin) / (TICKS_PER_MS * 1000);
  }
}

/** The object of a JSON text; undefined for anything else. */
export function objectOf(json: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(json));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
