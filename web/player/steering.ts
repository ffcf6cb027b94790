/**
 * Keeps a live picture close to the air without visible jumps: decides the playback rate, and a jump where a gap,
 * a stall or a large lag leaves no other way. Pure; `session.ts` feeds it a sample every quarter of a second.
 *
 * What counts is the low-water mark of the buffer (the least that was ahead within a few seconds), not its
 * momentary level, which goes up and down with every fragment.
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Sample {
  /** Milliseconds of any steady clock. */
  readonly at: number;
  /** The element's currentTime in seconds. */
  readonly position: number;
  readonly ranges: readonly Span[];
  /** False while paused or seeking: nothing is steered then. */
  readonly running: boolean;
}

export interface Steering {
  /** Low-water mark aimed for, in seconds; grows after a stall and shrinks back slowly. */
  readonly target: number;
  readonly lows: readonly { readonly at: number; readonly ahead: number }[];
  readonly rate: number;
  readonly position: number;
  /** When the position last advanced. */
  readonly movedAt: number;
  readonly easedAt: number;
}

export interface Decision {
  readonly steering: Steering;
  readonly rate: number;
  readonly seekTo: number | undefined;
}

/** With fragments of half a second this leaves the picture 1.0 to 1.5 s behind the encoder. */
const BASE_TARGET = 0.8;
/** Below this part of the target a late fragment would be heard: play a little slower, up to the second part. */
const LOW_PART = 0.45;
const RECOVERED_PART = 0.75;
/** Half a fragment: how far behind the newest byte a jump lands beyond the target. */
const JUMP_MARGIN = 0.3;
const MAX_TARGET = 4;
const STALL_STEP = 0.5;
const EASE_STEP = 0.1;
const EASE_EVERY_MS = 20_000;
const WINDOW_MS = 3_000;
/** More than this is not caught up at 1.05 within a minute: jump. */
const JUMP_AHEAD = 5;
const STUCK_MS = 400;
const SLOWER = 0.97;
const FASTER = 1.03;
const FASTEST = 1.05;
const NUDGE = 0.02;

export function startSteering(at: number): Steering {
  return { target: BASE_TARGET, lows: [], rate: 1, position: -1, movedAt: at, easedAt: at };
}

/** A stall was heard or seen: keep more in hand from now on. */
export function afterStall(steering: Steering, at: number): Steering {
  const target = Math.min(MAX_TARGET, steering.target + STALL_STEP);
  return { ...steering, target, easedAt: at, lows: [] };
}

function rangeAt(ranges: readonly Span[], position: number): Span | undefined {
  return ranges.find((range) => position >= range.start - NUDGE && position <= range.end + NUDGE);
}

/** Seconds that can be played from `position` without a gap. */
export function bufferedAhead(ranges: readonly Span[], position: number): number {
  const range = rangeAt(ranges, position);
  return range === undefined ? 0 : Math.max(0, range.end - position);
}

function rateFor(steering: Steering, low: number): number {
  if (low < steering.target * LOW_PART) return SLOWER;
  if (low > steering.target + 1.5) return FASTEST;
  if (low > steering.target + 0.4) return FASTER;
  // Between the two lines the present course is kept until the target itself is met.
  if (steering.rate > 1 && low > steering.target) return steering.rate;
  if (steering.rate < 1 && low < steering.target * RECOVERED_PART) return steering.rate;
  return 1;
}

/** Where to jump, if anywhere: over a gap, back into the buffer, or towards the live edge. */
function jumpTo(sample: Sample, steering: Steering, stuckMs: number): number | undefined {
  const { ranges, position } = sample;
  const last = ranges.at(-1);
  if (last === undefined) return undefined;
  const range = rangeAt(ranges, position);
  const edge = Math.max(last.start + NUDGE, last.end - steering.target - JUMP_MARGIN);
  if (range === undefined || range.end - position < NUDGE * 2) {
    const next = ranges.find((candidate) => candidate.start > position);
    if (next !== undefined && (range === undefined || stuckMs > STUCK_MS)) return next.start + NUDGE;
    return range === undefined && position > last.end + 1 ? edge : undefined;
  }
  if (last.end - position > JUMP_AHEAD + steering.target) return edge;
  // Enough in hand and yet no picture: a decoder stuck on a frame is freed by a small step.
  if (stuckMs > STUCK_MS * 5 && range.end - position > 1) return position + 0.1;
  return undefined;
}

export function steer(previous: Steering, sample: Sample): Decision {
  if (!sample.running) {
    const steering = { ...previous, lows: [], movedAt: sample.at, position: sample.position, rate: 1 };
    return { steering, rate: 1, seekTo: undefined };
  }
  const moved = sample.position !== previous.position;
  const movedAt = moved ? sample.at : previous.movedAt;
  const ease = sample.at - previous.easedAt >= EASE_EVERY_MS;
  const target = ease ? Math.max(BASE_TARGET, previous.target - EASE_STEP) : previous.target;
  const easedAt = ease ? sample.at : previous.easedAt;
  const ahead = bufferedAhead(sample.ranges, sample.position);
  const lows = [
    ...previous.lows.filter((entry) => sample.at - entry.at <= WINDOW_MS),
    { at: sample.at, ahead },
  ];
  const kept = { ...previous, target, easedAt, position: sample.position };

  const seekTo = jumpTo(sample, kept, sample.at - movedAt);
  if (seekTo !== undefined) {
    return { steering: { ...kept, lows: [], rate: 1, movedAt: sample.at }, rate: 1, seekTo };
  }
  const spanned = sample.at - (lows[0]?.at ?? sample.at) >= WINDOW_MS * 0.6;
  const low = Math.min(...lows.map((entry) => entry.ahead));
  const rate = spanned ? rateFor({ ...kept, rate: previous.rate }, low) : previous.rate;
  return { steering: { ...kept, lows, rate, movedAt }, rate, seekTo: undefined };
}
