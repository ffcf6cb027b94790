/**
 * The rundown of a station: all its parts, a pure function of its guide's actual timeline and of the seed.
 */
import { broadcastMs } from '../../lib/arib/time.ts';
import { momentOf, ticksAt } from '../clock.ts';
import type { Guide, Programme } from '../guide/programme.ts';
import { Random } from '../random.ts';
import { isPartialReception, type StationPlan } from '../scenario/model.ts';
import { composeProgramme } from './compose.ts';
import { GROUP_TICKS, type Part } from './part.ts';

/** A programme, or the time between two, with its parts. */
interface Segment {
  from: number;
  to: number;
  parts: readonly Part[];
}

interface Span {
  from: number;
  to: number;
  programme: Programme;
}

/** Size of the segment cache: those needed by the tunings of a moment, and by the transition to the next. */
const MAX_SEGMENTS = 8;
/** Time without a programme is split into parts of an hour, from any starting point. */
const IDLE_GROUPS = 7_200;
/** Boundaries of programmes are rounded to the nearest group: a quarter of a second. */
const SLACK_MS = 1_000;

function spanOf(programme: Programme): Span {
  const group = (at: number): number => Math.round(ticksAt(broadcastMs(at)) / GROUP_TICKS);
  const { startAt, durationMs } = programme;
  return { from: group(startAt), to: group(startAt + durationMs), programme };
}

export class Rundown {
  #segments: Segment[] = [];

  constructor(
    private readonly seed: number,
    private readonly station: StationPlan,
    private readonly guide: Guide,
  ) {}

  /** The part that a group of pictures belongs to. */
  partAt(group: number): Part {
    const part = this.#segmentAt(group).parts.find(({ to }) => group < to);
    if (part === undefined) throw new RangeError(`no part has group ${group}`);
    return part;
  }

  /** All complete parts that overlap the groups `from <= group < to`. */
  parts(from: number, to: number): Part[] {
    const found: Part[] = [];
    for (let at = from; at < to; ) {
      const part = this.partAt(at);
      found.push(part);
      at = part.to;
    }
    return found;
  }

  #segmentAt(group: number): Segment {
    const known = this.#segments.find(({ from, to }) => from <= group && group < to);
    if (known !== undefined) return known;
    const span = this.#spans(group, group + 1).findLast(({ from, to }) => from <= group && group < to);
    const segment = (span && this.#programme(span, group)) ?? this.#idle(group);
    this.#segments = [segment, ...this.#segments].slice(0, MAX_SEGMENTS);
    return segment;
  }

  #spans(from: number, to: number): Span[] {
    const begin = broadcastMs(momentOf(from * GROUP_TICKS) - SLACK_MS);
    const end = broadcastMs(momentOf(to * GROUP_TICKS) + SLACK_MS);
    return this.guide.airing(begin, end).map(spanOf);
  }

  /** Ends where another programme begins; undefined if that is before the group. */
  #programme({ from, to, programme }: Span, group: number): Segment | undefined {
    const next = this.#spans(from, to).filter((other) => other.from > from && other.from < to);
    const end = Math.min(to, ...next.map((other) => other.from));
    if (end <= group) return undefined;
    return { from, to: end, parts: this.#cut(from, end, programme) };
  }

  #idle(group: number): Segment {
    const hour = Math.floor(group / IDLE_GROUPS) * IDLE_GROUPS;
    const around = this.#spans(hour, hour + IDLE_GROUPS);
    const from = Math.max(hour, ...around.map(({ to }) => to).filter((end) => end <= group));
    const begins = around.map((span) => span.from).filter((begin) => begin > group);
    const to = Math.min(hour + IDLE_GROUPS, ...begins);
    return { from, to, parts: this.#cut(from, to, undefined) };
  }

  #cut(from: number, to: number, programme: Programme | undefined): Part[] {
    // One-segment shows the main part throughout: its groups are too long to follow every cut.
    if (isPartialReception(this.station)) {
      return [{ kind: 'main', from, to, number: 0, cadence: 'video', programme }];
    }
    if (programme?.pause) {
      return [{ kind: 'pause', from, to, number: 0, cadence: 'video', programme }];
    }
    const { commercials = 'none' } = this.station;
    const random = new Random(this.seed, this.station.serviceId, 'rundown', from);
    const pieces = composeProgramme(random, to - from, programme === undefined ? 'none' : commercials);
    let at = from;
    return pieces
      .filter(({ groups }) => groups > 0)
      .map(({ kind, groups, number }): Part => {
        const begin = at;
        at += groups;
        const cadence = kind === 'main' ? (programme?.kind ?? 'video') : 'video';
        return { kind, from: begin, to: at, number, cadence, programme };
      });
  }
}
