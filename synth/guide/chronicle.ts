/**
 * A guide made of consecutive stretches without overlap: the announced and the aired programmes at any time.
 */
import type { EventId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { Guide, Programme } from './programme.ts';
import { programmeOf, type Span, type Stretch } from './stretch.ts';

/** Source of a station's stretches. */
export interface Stretches {
  readonly days: number;
  /** First and last existing stretch. */
  readonly first: number;
  readonly last: number;
  /** Index of the stretch that contains a moment. */
  indexOf(at: BroadcastMs): number;
  stretch(index: number): Stretch;
  /** Period after which the stretches repeat in shape: number of programmes and of announcements. */
  readonly period: number;
}

interface Counts {
  presentChanges: number;
  revisions: number;
}

/** Size of the cache of shapes; a tuning needs the latest ones. */
const MAX_COUNTS = 64;

export class Chronicle implements Guide {
  readonly days: number;
  /** Changes of present/following in a stretch: the moments, in order. */
  readonly #changes = new Map<number, readonly BroadcastMs[]>();
  #period: Counts[] | undefined;

  constructor(private readonly stretches: Stretches) {
    this.days = stretches.days;
  }

  #clamp(index: number): number {
    return Math.min(this.stretches.last, Math.max(this.stretches.first, index));
  }

  #range(from: BroadcastMs, to: BroadcastMs): Stretch[] {
    const first = this.#clamp(this.stretches.indexOf(from) - 1);
    const last = this.#clamp(this.stretches.indexOf(to));
    return Array.from({ length: last - first + 1 }, (_, index) => this.stretches.stretch(first + index));
  }

  /** The event that was planned for a moment, whatever happens to it. */
  plannedAt(at: BroadcastMs): EventId | undefined {
    const { planned } = this.stretches.stretch(this.#clamp(this.stretches.indexOf(at)));
    return planned.findLast(({ startAt, durationMs }) => startAt <= at && at < startAt + durationMs)?.eventId;
  }

  starting(from: BroadcastMs, to: BroadcastMs, at: BroadcastMs): Programme[] {
    return this.#range(from, to).flatMap((stretch) =>
      stretch
        .announced(at)
        .filter((span, index, all) => !goesOn(span, all[index + 2]))
        .filter((span) => span.startAt >= from && span.startAt < to && !stretch.isSilent(span))
        // The schedule cannot carry an open duration: it keeps the planned one.
        .map((span) => ({ ...programmeOf(span), openEnd: false })),
    );
  }

  airing(from: BroadcastMs, to: BroadcastMs): Programme[] {
    return this.#range(from, to).flatMap(({ real }) =>
      real
        .filter(({ startAt, durationMs }) => startAt < to && startAt + durationMs > from)
        .map((span) => programmeOf(span)),
    );
  }

  /** The announced pair: the present one in its stretch and the next one listed in tables. */
  #pair(at: BroadcastMs): { present: Span | undefined; following: Span | undefined } {
    const index = this.#clamp(this.stretches.indexOf(at));
    const stretch = this.stretches.stretch(index);
    const current = stretch.real.findLast(({ startAt }) => startAt <= at);
    const isOver = current !== undefined && at >= current.startAt + current.durationMs;
    const announced = stretch.announced(at);
    const present =
      current === undefined || isOver || stretch.isSilent(current) ? undefined : announced[current.index];
    const next = current === undefined ? 0 : current.index + 1;
    let following = nextNamed(stretch, announced, next);
    for (let later = index + 1; following === undefined && later <= this.stretches.last; later++) {
      if (later > index + LOOK_AHEAD) break;
      const other = this.stretches.stretch(later);
      following = nextNamed(other, other.announced(at), 0);
    }
    return { present, following };
  }

  present(at: BroadcastMs): Programme | undefined {
    const { present } = this.#pair(at);
    return present === undefined ? undefined : programmeOf(present);
  }

  following(at: BroadcastMs): Programme | undefined {
    const { present, following } = this.#pair(at);
    if (following === undefined) return undefined;
    return programmeOf(following, { openStart: present?.open === true });
  }

  #changesIn(index: number): readonly BroadcastMs[] {
    const known = this.#changes.get(index);
    if (known !== undefined) return known;
    const stretch = this.stretches.stretch(index);
    const beyond = [index - 1, index, index + 1].filter((other) => other === this.#clamp(other));
    // The start of a listed programme changes the pair for certain; otherwise pairs are compared.
    const certain = new Set<number>();
    for (const span of stretch.real) if (!stretch.isSilent(span)) certain.add(span.startAt);
    const compared = [
      ...stretch.real.flatMap(({ startAt, durationMs }) => [startAt, startAt + durationMs]),
      ...beyond.flatMap((other) => this.stretches.stretch(other).announcedAt),
    ].filter((at) => !certain.has(at) && this.#clamp(this.stretches.indexOf(broadcastMs(at))) === index);
    const changes = [...certain, ...[...new Set(compared)].filter((at) => this.#changesAt(broadcastMs(at)))]
      .sort((a, b) => a - b)
      .map((at) => broadcastMs(at));
    if (this.#changes.size >= MAX_COUNTS) this.#changes.clear();
    this.#changes.set(index, changes);
    return changes;
  }

  #changesAt(at: BroadcastMs): boolean {
    const before = this.#pair(broadcastMs(at - 1));
    const after = this.#pair(at);
    return !same(before.present, after.present) || !same(before.following, after.following);
  }

  /** Sums over one period of stretches, stretch by stretch; the first existing ones represent all. */
  #counts(): Counts[] {
    if (this.#period === undefined) {
      const { first, last, period } = this.stretches;
      const from = Number.isFinite(first) ? first : 0;
      const count = Math.min(period, last - from + 1);
      this.#period = Array.from({ length: count }, (_, offset) => ({
        presentChanges: this.#changesIn(from + offset).length,
        revisions: this.stretches.stretch(from + offset).revisions(broadcastMs(Number.MAX_SAFE_INTEGER)),
      }));
    }
    return this.#period;
  }

  /** Sum over all stretches from the first, or from number 0, up to one. */
  #before(index: number, kind: keyof Counts): number {
    const counts = this.#counts();
    const from = Number.isFinite(this.stretches.first) ? this.stretches.first : 0;
    const rounds = Math.floor((index - from) / counts.length);
    const rest = index - from - rounds * counts.length;
    const sum = (list: readonly Counts[]) => list.reduce((total, count) => total + count[kind], 0);
    return rounds * sum(counts) + sum(counts.slice(0, rest));
  }

  presentChanges(at: BroadcastMs): number {
    const index = this.#clamp(this.stretches.indexOf(at));
    const own = this.#changesIn(index).filter((change) => change <= at).length;
    return this.#before(index, 'presentChanges') + own;
  }

  revisions(at: BroadcastMs): number {
    const index = this.#clamp(this.stretches.indexOf(at));
    const next = this.#clamp(index + 1);
    const ahead = next === index ? 0 : this.stretches.stretch(next).revisions(at);
    return this.#before(index, 'revisions') + this.stretches.stretch(index).revisions(at) + ahead;
  }
}

/** The rest after an interruption, under the same id: the schedule lists a programme once. */
function goesOn(span: Span, later: Span | undefined): boolean {
  return later !== undefined && later.eventId === span.eventId && later.durationMs > 0;
}

/** Stretches searched for the next programme listed in tables. */
const LOOK_AHEAD = 2;

/** The first one from an index on that is listed in tables. */
function nextNamed(stretch: Stretch, spans: readonly Span[], from: number): Span | undefined {
  for (let index = from; index < spans.length; index++) {
    const span = spans[index];
    if (span !== undefined && !stretch.isSilent(span)) return span;
  }
  return undefined;
}

/** Whether two spans are announced identically. */
function same(one: Span | undefined, other: Span | undefined): boolean {
  return (
    one === other ||
    (one?.eventId === other?.eventId &&
      one?.startAt === other?.startAt &&
      one?.durationMs === other?.durationMs &&
      one?.open === other?.open)
  );
}
