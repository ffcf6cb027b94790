/**
 * The lifecycle of one recording, from announced to over: one union and one pure transition function. Sessions only act
 * on it. All times are of the broadcast's clock.
 *
 * Announcements never shorten a recording that has begun: its end only moves later, until another programme is on
 * instead; and once main content was written the wanted span does not shrink. What was recorded during a delay is kept,
 * because a table that says "not yet" may be wrong. The times come from `guide/air-watch.ts` (what is on the air) by
 * `schedule/plan/program-times.ts`.
 */
import { type BroadcastMs, earliest, latest, plusMs } from '../../lib/arib/time.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
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

export interface LifecycleTimes {
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
   * The station is received until then although the programme was interrupted; null: the recording is over at its end.
   */
  readonly listenUntil: BroadcastMs | null;
  /** Since when another programme interrupts it; null: none is known. */
  readonly brokenAt: BroadcastMs | null;
}

/**
 * `closed`: the service stops, the recording does not. `unreceived`: it was over before this process could receive it.
 */
export type LifecycleEnd = RecordingEnding | 'closed' | 'unreceived';

interface LifecycleFacts {
  readonly times: LifecycleTimes;
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

export type RecordingLifecycle = LifecycleFacts &
  (
    | { readonly state: 'announced' }
    /** Its stream is requested; the programme has not begun. Received data is head. */
    | { readonly state: 'waiting' }
    /** Main content is on. */
    | { readonly state: 'on' }
    /** Continues beyond its announced end and margin, because its end is unknown. */
    | { readonly state: 'extended' }
    /**
     * Interrupted by another programme. Nothing is written; its station is received if a tuner is otherwise unused. The
     * recording is in progress: its programme is not booked again, and its verdict follows when the wait is over.
     */
    | { readonly state: 'broken_off' }
    /** Its end passed without reception of its station: probes whether the programme is still on. */
    | { readonly state: 'unreceived'; readonly until: BroadcastMs; readonly hasWritten: boolean }
    | { readonly state: 'over'; readonly end: LifecycleEnd; readonly at: BroadcastMs }
  );

export type LifecycleState = RecordingLifecycle['state'];

interface ReceptionFacts {
  /** Packets are written now. */
  readonly isReceiving: boolean;
  /** Reception was interrupted: agent, stream, worker or service is unavailable. */
  readonly isCutOff: boolean;
}

/** The times of a programme in an order. */
export interface OrderedTimes extends Omit<LifecycleTimes, 'openAt'> {
  readonly airState: AirState | null;
}

export type LifecycleEvent =
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

interface LifecycleBegin {
  readonly times: LifecycleTimes;
  readonly isAired: boolean | null;
  /** Main content was written by an earlier process. */
  readonly hasMain: boolean;
  /** Its end passed while no process received it. */
  readonly isUnreceived: boolean;
  readonly at: BroadcastMs;
}

export function beginLifecycle({
  times,
  isAired,
  hasMain,
  isUnreceived,
  at,
}: LifecycleBegin): RecordingLifecycle {
  const isInformed = times.holdUntil === null;
  const firmCloseAt = times.closeAt;
  const facts: LifecycleFacts = { times, airState: null, isAired, isInformed, yieldedAt: null, firmCloseAt };
  if (isUnreceived)
    return { ...facts, state: 'unreceived', until: plusMs(at, PROBE_TRY_MS), hasWritten: false };
  return { ...facts, state: hasMain ? 'on' : 'announced' };
}

/** Its end unless a later order changes it. */
export function endsAt({ closeAt, holdUntil }: Pick<LifecycleTimes, 'closeAt' | 'holdUntil'>): BroadcastMs {
  return holdUntil === null ? closeAt : latest(closeAt, holdUntil);
}

export function isWritten(state: LifecycleState): boolean {
  return state !== 'broken_off' && state !== 'unreceived';
}

/** A missing case of a switch is a type error, an impossible value a thrown one. */
function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

export function next(lifecycle: RecordingLifecycle, event: LifecycleEvent): RecordingLifecycle {
  // `over` is final.
  if (lifecycle.state === 'over') return lifecycle;
  switch (event.kind) {
    case 'tick':
      return ticked(aired(lifecycle, event.at), event.at, event.reception);
    case 'ordered':
      return ordered(lifecycle, event.ordered, event.at);
    case 'yielded':
      return over({ ...lifecycle, yieldedAt: event.at }, endOfProbe(lifecycle), event.at);
    case 'opened':
      return lifecycle.state === 'unreceived'
        ? { ...lifecycle, until: earliest(lifecycle.until, plusMs(event.at, PROBE_RECEIVED_MS)) }
        : lifecycle;
    case 'stopped':
      return over(lifecycle, 'stopped', event.at);
    case 'forbidden':
      return over(lifecycle, 'copy_never', event.at);
    case 'closed':
      return over(lifecycle, 'closed', event.at);
    case 'clock_set':
      return lifecycle.state === 'unreceived'
        ? { ...lifecycle, until: plusMs(lifecycle.until, event.byMs) }
        : lifecycle;
    default:
      return assertNever(event);
  }
}

function ticked(
  lifecycle: Exclude<RecordingLifecycle, { state: 'over' }>,
  at: BroadcastMs,
  { isReceiving, isCutOff }: ReceptionFacts,
): RecordingLifecycle {
  const { times, isAired } = lifecycle;
  switch (lifecycle.state) {
    case 'unreceived':
      return at >= lifecycle.until ? over(lifecycle, endOfProbe(lifecycle), at) : lifecycle;
    case 'broken_off':
      return times.listenUntil === null || at >= times.listenUntil
        ? over(lifecycle, 'finished', at)
        : lifecycle;
    case 'announced':
    case 'waiting':
    case 'on':
    case 'extended': {
      if (at < times.openAt && lifecycle.state === 'announced') return lifecycle;
      if (at >= endsAt(times)) return ended(lifecycle, at, { isReceiving, isCutOff });
      if (at >= times.closeAt) return { ...lifecycle, state: 'extended' };
      const isMain = lifecycle.state === 'on' || lifecycle.state === 'extended';
      const begins = at >= times.startAt && (isAired === true || (isAired === null && isReceiving));
      return { ...lifecycle, state: isMain || begins ? 'on' : 'waiting' };
    }
    default:
      return assertNever(lifecycle);
  }
}

/** Its end has been reached. */
function ended(
  lifecycle: RecordingLifecycle,
  at: BroadcastMs,
  { isReceiving, isCutOff }: ReceptionFacts,
): RecordingLifecycle {
  const { listenUntil } = lifecycle.times;
  if (isCutOff)
    return { ...lifecycle, state: 'unreceived', until: plusMs(at, PROBE_TRY_MS), hasWritten: true };
  if (isReceiving && listenUntil !== null && listenUntil > at) return { ...lifecycle, state: 'broken_off' };
  return over(lifecycle, 'finished', at);
}

function ordered(
  lifecycle: Exclude<RecordingLifecycle, { state: 'over' }>,
  order: OrderedTimes,
  at: BroadcastMs,
): RecordingLifecycle {
  const before = lifecycle.times;
  const isInformed = lifecycle.isInformed || order.holdUntil !== null;
  // Its station reported another programme before this one: it has not begun.
  const isDenied =
    lifecycle.isAired !== true && (order.airState === 'next' || order.airState === 'elsewhere');
  const hasMain =
    (lifecycle.state === 'on' || lifecycle.state === 'extended' || !isWritten(lifecycle.state)) && !isDenied;
  const times: LifecycleTimes = {
    openAt: before.openAt,
    startAt: hasMain ? earliest(before.startAt, order.startAt) : order.startAt,
    // The part on the air so far stays wanted, whatever a later table announces.
    endAt: order.airState === 'on' ? latest(order.endAt, earliest(before.endAt, at)) : order.endAt,
    closeAt: latest(order.closeAt, keptClose(lifecycle, order, at)),
    holdUntil: order.holdUntil ?? (isInformed ? null : before.holdUntil),
    listenUntil: order.listenUntil,
    brokenAt: brokenSince(lifecycle, order, at),
  };
  const firmCloseAt = order.airState === null ? lifecycle.firmCloseAt : times.closeAt;
  const facts = aired({ ...lifecycle, times, isInformed, firmCloseAt, airState: order.airState }, at);
  if (facts.state === 'on' && isDenied) return { ...facts, state: 'waiting' };
  if (isWritten(facts.state) || endsAt(times) <= at) return facts;
  return { ...facts, state: at >= times.closeAt ? 'extended' : 'on' };
}

/**
 * Up to when it stays open although the order ends earlier. No announcement shortens a recording; another programme
 * that is present instead does: then the ordered end is the one that the tables did not withdraw.
 */
function keptClose(
  { times, isAired, firmCloseAt }: LifecycleFacts,
  { airState }: OrderedTimes,
  at: BroadcastMs,
): BroadcastMs {
  if (airState === null) return times.closeAt;
  // After a restart only the row says that it was on.
  const isReplaced = airState === 'past' || (airState === 'elsewhere' && isAired === true);
  return isReplaced ? earliest(times.closeAt, plusMs(at, REPLACED_MS)) : firmCloseAt;
}

/** The plan drops the value after a while; it stays valid until the programme is held open again. */
function brokenSince(
  { times, isAired }: LifecycleFacts,
  order: OrderedTimes,
  at: BroadcastMs,
): BroadcastMs | null {
  if (order.brokenAt === null) return order.holdUntil === null ? times.brokenAt : null;
  // An earlier process received it: only this one has not, and the other programme may have begun just now.
  const isKnown = order.airState === 'elsewhere' && isAired === true;
  return isKnown ? (times.brokenAt ?? at) : order.brokenAt;
}

/** Applies the station's report of whether the programme is, or ever was, on the air. */
function aired<C extends Exclude<RecordingLifecycle, { state: 'over' }>>(lifecycle: C, at: BroadcastMs): C {
  const { airState, isAired, times } = lifecycle;
  switch (airState) {
    case 'on':
    case 'past':
      return isAired === true ? lifecycle : { ...lifecycle, isAired: true };
    case 'next':
      return isAired === null ? { ...lifecycle, isAired: false } : lifecycle;
    case 'elsewhere': {
      const half = (times.endAt - times.startAt) / 2;
      // After its end another programme is on in any case.
      const isMissing = at >= times.startAt + Math.min(NAMED_WITHIN_MS, half) && at < times.endAt;
      return isAired === null && isMissing ? { ...lifecycle, isAired: false } : lifecycle;
    }
    case null:
      return lifecycle;
    default:
      return assertNever(airState);
  }
}

/** A probe without result leaves the recording as the earlier process left it. */
function endOfProbe(lifecycle: RecordingLifecycle): LifecycleEnd {
  return lifecycle.state === 'unreceived' && !lifecycle.hasWritten ? 'unreceived' : 'finished';
}

function over(lifecycle: RecordingLifecycle, end: LifecycleEnd, at: BroadcastMs): RecordingLifecycle {
  const { times, airState, isAired, isInformed, yieldedAt, firmCloseAt } = lifecycle;
  return { times, airState, isAired, isInformed, yieldedAt, firmCloseAt, state: 'over', end, at };
}

/** A probe has the priority of live viewing; waiting for an interrupted programme only uses a free tuner. */
export function priorityOf({ state }: RecordingLifecycle): number {
  if (state === 'broken_off') return PRIORITY.guide;
  return state === 'unreceived' ? PRIORITY.live : PRIORITY.recording;
}
