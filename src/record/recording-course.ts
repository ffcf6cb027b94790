/**
 * The course of one recording, from announced to over: one union and one pure transition function. Sessions only act
 * on it. All times are of the broadcast's clock.
 *
 * Announcements never shorten a recording that has begun: its end only moves later, until another programme is on
 * instead; and once main content was written the wanted span does not shrink. `docs/architecture.md`, "Following present/following", says where the times come from.
 */
import type { BroadcastMs } from '../../arib/time.ts';
import { assertNever } from '../../host/assert-never.ts';
import type { AirState } from '../model/airing.ts';
import type { RecordingEnding } from '../model/recording.ts';

/** Maximum duration of a probe of whether a programme is still on. */
const PROBE_TRY_MS = 180_000;
/** Present/following repeats every 3 s (ARIB TR-B14 and TR-B15, part 4), and the plan uses it within a second. */
const PROBE_RECEIVED_MS = 12_000;
/**
 * Tables may name a programme this long after its start (`LATE_TABLE_MS`); for a short programme, half of its length.
 */
const NAMED_WITHIN_MS = 30_000;
/** Another programme is present for this long before the recording ends earlier than was announced. */
const REPLACED_MS = 5_000;

export interface CourseTimes {
  /** When the tuner is requested: before the margin, so that the margin is complete. */
  readonly openAt: BroadcastMs;
  /** Of the programme: its actual start and end as soon as they are known. */
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  /** The end with its margin. */
  readonly closeAt: BroadcastMs;
  /** Held open beyond `closeAt`, because the end is unknown; null: not held. */
  readonly holdUntil: BroadcastMs | null;
  /**
   * The station is received until then although the programme was interrupted; null: the recording is over at its
   * end.
   */
  readonly listenUntil: BroadcastMs | null;
  /** Since when another programme interrupts it; null: none is known. */
  readonly brokenAt: BroadcastMs | null;
}

/**
 * `closed`: the service stops, the recording does not. `unheard`: it was over before this process could receive it.
 */
export type CourseEnd = RecordingEnding | 'closed' | 'unheard';

interface CourseFacts {
  readonly times: CourseTimes;
  /** State of the programme by its station's tables; null: not received, or nothing announced. */
  readonly airState: AirState | null;
  /** Whether the programme was on the air at all; null: not known. */
  readonly isAired: boolean | null;
  /** This process has received the programme's end; after a restart only the row is known. */
  readonly isInformed: boolean;
  /** Since when its tuner belongs to another recording. */
  readonly yieldedAt: BroadcastMs | null;
  /** `closeAt` without guesses by a plan that does not receive its station: for an open end perhaps an hour. */
  readonly firmCloseAt: BroadcastMs;
}

export type RecordingCourse = CourseFacts &
  (
    | { readonly state: 'announced' }
    /** Its stream is requested; the programme has not begun. Received data is head. */
    | { readonly state: 'waiting' }
    /** Main content is on. */
    | { readonly state: 'on' }
    /** Continues beyond its announced end and margin, because its end is unknown. */
    | { readonly state: 'extended' }
    /**
     * Interrupted by another programme. Nothing is written; its station is received if a tuner is otherwise unused.
     */
    | { readonly state: 'broken_off' }
    /** Its end passed without reception of its station: probes whether the programme is still on. */
    | { readonly state: 'unheard'; readonly until: BroadcastMs; readonly hasWritten: boolean }
    | { readonly state: 'over'; readonly end: CourseEnd; readonly at: BroadcastMs }
  );

export type CourseState = RecordingCourse['state'];

interface ReceptionFacts {
  /** Packets are written now. */
  readonly isReceiving: boolean;
  /** Reception was interrupted: agent, stream, worker or service is unavailable. */
  readonly isCutOff: boolean;
}

/** The times of a programme in an order. */
export interface OrderedTimes extends Omit<CourseTimes, 'openAt'> {
  readonly airState: AirState | null;
}

export type CourseEvent =
  | { readonly kind: 'tick'; readonly at: BroadcastMs; readonly reception: ReceptionFacts }
  | { readonly kind: 'ordered'; readonly at: BroadcastMs; readonly ordered: OrderedTimes }
  /** From now on the tuner belongs to another recording. */
  | { readonly kind: 'yielded'; readonly at: BroadcastMs }
  /** Its station is received. */
  | { readonly kind: 'opened'; readonly at: BroadcastMs }
  /** A user stops it. */
  | { readonly kind: 'stopped'; readonly at: BroadcastMs }
  /** The programme must not be copied. */
  | { readonly kind: 'forbidden'; readonly at: BroadcastMs }
  /** The service stops. */
  | { readonly kind: 'closed'; readonly at: BroadcastMs }
  /** The clock was corrected by this. */
  | { readonly kind: 'clock_set'; readonly byMs: number };

interface CourseBegin {
  readonly times: CourseTimes;
  readonly isAired: boolean | null;
  /** Main content was written by an earlier process. */
  readonly hasMain: boolean;
  /** Its end passed while no process received it. */
  readonly isUnheard: boolean;
  readonly at: BroadcastMs;
}

export function beginCourse({ times, isAired, hasMain, isUnheard, at }: CourseBegin): RecordingCourse {
  const isInformed = times.holdUntil === null;
  const firmCloseAt = times.closeAt;
  const facts: CourseFacts = { times, airState: null, isAired, isInformed, yieldedAt: null, firmCloseAt };
  if (isUnheard) return { ...facts, state: 'unheard', until: later(at, PROBE_TRY_MS), hasWritten: false };
  return { ...facts, state: hasMain ? 'on' : 'announced' };
}

/** Its end unless a later order changes it. */
export function endsAt({ closeAt, holdUntil }: Pick<CourseTimes, 'closeAt' | 'holdUntil'>): BroadcastMs {
  return holdUntil === null ? closeAt : max(closeAt, holdUntil);
}

/** Received data is written. */
export function isWritten(state: CourseState): boolean {
  return state !== 'broken_off' && state !== 'unheard';
}

export function next(course: RecordingCourse, event: CourseEvent): RecordingCourse {
  // `over` is final.
  if (course.state === 'over') return course;
  switch (event.kind) {
    case 'tick':
      return ticked(aired(course, event.at), event.at, event.reception);
    case 'ordered':
      return ordered(course, event.ordered, event.at);
    case 'yielded':
      return over({ ...course, yieldedAt: event.at }, endOfProbe(course, 'finished'), event.at);
    case 'opened':
      return course.state === 'unheard'
        ? { ...course, until: min(course.until, later(event.at, PROBE_RECEIVED_MS)) }
        : course;
    case 'stopped':
      return over(course, 'stopped', event.at);
    case 'forbidden':
      return over(course, 'copy_never', event.at);
    case 'closed':
      return over(course, 'closed', event.at);
    case 'clock_set':
      return course.state === 'unheard' ? { ...course, until: later(course.until, event.byMs) } : course;
    default:
      return assertNever(event);
  }
}

function ticked(
  course: Exclude<RecordingCourse, { state: 'over' }>,
  at: BroadcastMs,
  { isReceiving, isCutOff }: ReceptionFacts,
): RecordingCourse {
  const { times, isAired } = course;
  switch (course.state) {
    case 'unheard':
      return at >= course.until ? over(course, endOfProbe(course, 'finished'), at) : course;
    case 'broken_off':
      return times.listenUntil === null || at >= times.listenUntil ? over(course, 'finished', at) : course;
    case 'announced':
    case 'waiting':
    case 'on':
    case 'extended': {
      if (at < times.openAt && course.state === 'announced') return course;
      if (at >= endsAt(times)) return ended(course, at, { isReceiving, isCutOff });
      if (at >= times.closeAt) return { ...course, state: 'extended' };
      const isMain = course.state === 'on' || course.state === 'extended';
      const begins = at >= times.startAt && (isAired === true || (isAired === null && isReceiving));
      return { ...course, state: isMain || begins ? 'on' : 'waiting' };
    }
    default:
      return assertNever(course);
  }
}

/** Its end has been reached. */
function ended(
  course: RecordingCourse,
  at: BroadcastMs,
  { isReceiving, isCutOff }: ReceptionFacts,
): RecordingCourse {
  const { listenUntil } = course.times;
  if (isCutOff) return { ...course, state: 'unheard', until: later(at, PROBE_TRY_MS), hasWritten: true };
  if (isReceiving && listenUntil !== null && listenUntil > at) return { ...course, state: 'broken_off' };
  return over(course, 'finished', at);
}

function ordered(
  course: Exclude<RecordingCourse, { state: 'over' }>,
  order: OrderedTimes,
  at: BroadcastMs,
): RecordingCourse {
  const before = course.times;
  const isInformed = course.isInformed || order.holdUntil !== null;
  // Its station reported another programme before this one: it has not begun.
  const isDenied = course.isAired !== true && (order.airState === 'next' || order.airState === 'elsewhere');
  const hasMain =
    (course.state === 'on' || course.state === 'extended' || !isWritten(course.state)) && !isDenied;
  const times: CourseTimes = {
    openAt: before.openAt,
    startAt: hasMain ? min(before.startAt, order.startAt) : order.startAt,
    // The part on the air so far stays wanted, whatever a later table announces.
    endAt: order.airState === 'on' ? max(order.endAt, min(before.endAt, at)) : order.endAt,
    closeAt: max(order.closeAt, keptClose(course, order, at)),
    holdUntil: order.holdUntil ?? (isInformed ? null : before.holdUntil),
    listenUntil: order.listenUntil,
    brokenAt: brokenSince(course, order, at),
  };
  const firmCloseAt = order.airState === null ? course.firmCloseAt : times.closeAt;
  const facts = aired({ ...course, times, isInformed, firmCloseAt, airState: order.airState }, at);
  if (facts.state === 'on' && isDenied) return { ...facts, state: 'waiting' };
  if (isWritten(facts.state) || endsAt(times) <= at) return facts;
  return { ...facts, state: at >= times.closeAt ? 'extended' : 'on' };
}

/**
 * Up to when it stays open although the order ends earlier. No announcement shortens a recording; another programme
 * that is present instead does: then the ordered end is the one that the tables did not withdraw.
 */
function keptClose(
  { times, isAired, firmCloseAt }: CourseFacts,
  { airState }: OrderedTimes,
  at: BroadcastMs,
): BroadcastMs {
  if (airState === null) return times.closeAt;
  // After a restart only the row says that it was on.
  const isReplaced = airState === 'past' || (airState === 'elsewhere' && isAired === true);
  return isReplaced ? min(times.closeAt, later(at, REPLACED_MS)) : firmCloseAt;
}

/** The plan drops the value after a while; it stays valid until the programme is held open again. */
function brokenSince(
  { times, isAired }: CourseFacts,
  order: OrderedTimes,
  at: BroadcastMs,
): BroadcastMs | null {
  if (order.brokenAt === null) return order.holdUntil === null ? times.brokenAt : null;
  // An earlier process received it: only this one has not, and the other programme may have begun just now.
  const isKnown = order.airState === 'elsewhere' && isAired === true;
  return isKnown ? (times.brokenAt ?? at) : order.brokenAt;
}

/** Applies the station's report of whether the programme is, or ever was, on the air. */
function aired<C extends Exclude<RecordingCourse, { state: 'over' }>>(course: C, at: BroadcastMs): C {
  const { airState, isAired, times } = course;
  switch (airState) {
    case 'on':
    case 'past':
      return isAired === true ? course : { ...course, isAired: true };
    case 'next':
      return isAired === null ? { ...course, isAired: false } : course;
    case 'elsewhere': {
      const half = (times.endAt - times.startAt) / 2;
      // After its end another programme is on in any case.
      const isMissing = at >= times.startAt + Math.min(NAMED_WITHIN_MS, half) && at < times.endAt;
      return isAired === null && isMissing ? { ...course, isAired: false } : course;
    }
    case null:
      return course;
    default:
      return assertNever(airState);
  }
}

/** A probe without result leaves the recording as the earlier process left it. */
function endOfProbe(course: RecordingCourse, end: 'finished'): CourseEnd {
  return course.state === 'unheard' && !course.hasWritten ? 'unheard' : end;
}

function over(course: RecordingCourse, end: CourseEnd, at: BroadcastMs): RecordingCourse {
  const { times, airState, isAired, isInformed, yieldedAt, firmCloseAt } = course;
  return { times, airState, isAired, isInformed, yieldedAt, firmCloseAt, state: 'over', end, at };
}

function later(at: BroadcastMs, ms: number): BroadcastMs {
  return (at + ms) as BroadcastMs;
}

function max(a: BroadcastMs, b: BroadcastMs): BroadcastMs {
  return a > b ? a : b;
}

function min(a: BroadcastMs, b: BroadcastMs): BroadcastMs {
  return a < b ? a : b;
}
