/**
 * Which physical channels to visit next for what is on now: a pure function of the stations, of what is known
 * about them, of past visits and of the tuners. It decides; `collector.ts` acts.
 */
import type { BroadcastType, StationId } from '../../arib/ids.ts';
import type { Tuner } from '../../wire/agent.ts';
import type { StationRecord } from '../model/station.ts';
import type { Span } from '../store/programs.ts';

/** `GR/T27`: a physical channel among all types. */
export type ChannelKey = string;

export function channelKey(at: { type: BroadcastType; channel: string }): ChannelKey {
  return `${at.type}/${at.channel}`;
}

export interface VisitHistory {
  /** When the last visit ended, epoch ms. */
  at: number;
  /** Visits in a row that left a station of the channel without a programme. */
  fruitless: number;
  /** The last attempt found no tuner: it does not count as a visit. */
  noTuner: boolean;
}

export interface PlanInput {
  stations: readonly StationRecord[];
  /** Up to when a station's programmes are known without a gap, epoch ms; absent = not even now. */
  covered: ReadonlyMap<StationId, number>;
  history: ReadonlyMap<ChannelKey, VisitHistory>;
  /** Channels being visited. */
  active: ReadonlySet<ChannelKey>;
  /** In rank order, as the agent gives them. */
  tuners: readonly Tuner[];
  now: number;
}

export interface VisitPlan {
  type: BroadcastType;
  channel: string;
  /** Without these the visit is not complete: the channel's own stations. */
  own: StationRecord[];
  /** Welcome too: stations of the same satellite network, which every stream of it describes. */
  others: StationRecord[];
}

export interface Plan {
  visits: VisitPlan[];
  /** When to look again if nothing else happens, epoch ms; null = only when something changes. */
  wakeAt: number | null;
}

/** A visit this long before the last known programme ends finds the next one in time. */
export const LEAD_MS = 60_000;
/** Two visits of a channel are at least this far apart; doubled after every fruitless one. */
export const RETRY_MS = 60_000;
export const MAX_RETRY_MS = 30 * 60_000;
/** Another try where no tuner was free, should nobody tell that one is. */
export const NO_TUNER_RETRY_MS = 15_000;

/** Follows each station's programmes from `now` on as far as they join. @param spans by start */
export function coverage(spans: readonly Span[], now: number): Map<StationId, number> {
  const covered = new Map<StationId, number>();
  for (const { stationId, startAt, endAt } of spans) {
    if (startAt > (covered.get(stationId) ?? now) || endAt <= now) continue;
    covered.set(stationId, Math.max(endAt, covered.get(stationId) ?? 0));
  }
  return covered;
}

/** The earliest moment at which a channel may be visited (again). */
export function notBefore(history: VisitHistory | undefined, now: number): number {
  // A visit in the future: the clock was set back since, and the wait would last as long as it was off.
  if (history === undefined || history.at > now) return 0;
  if (history.noTuner) return history.at + NO_TUNER_RETRY_MS;
  return history.at + Math.min(RETRY_MS * 2 ** Math.max(0, history.fruitless - 1), MAX_RETRY_MS);
}

function isIdle(tuner: Tuner): boolean {
  return tuner.users.length === 0 && (tuner.state === 'idle' || tuner.state === 'lingering');
}

/** Takes the tuner that a visit would use out of `free`; false when there is none. */
function takeTuner(free: Tuner[], type: BroadcastType, channel: string): boolean {
  const sharing = free.some((tuner) => tuner.tuned?.type === type && tuner.tuned.channel === channel);
  if (sharing) return true;
  const index = free.findIndex((tuner) => isIdle(tuner) && tuner.types.includes(type));
  if (index < 0) return false;
  free.splice(index, 1);
  return true;
}

interface Candidate {
  type: BroadcastType;
  channel: string;
  own: StationRecord[];
  /** When the first of its stations needs a visit. */
  neededAt: number;
  /** Stations without a programme now. */
  blank: number;
  notBefore: number;
}

function candidates(input: PlanInput): Candidate[] {
  const byChannel = new Map<ChannelKey, Candidate>();
  for (const station of input.stations) {
    const key = channelKey(station);
    const covered = input.covered.get(station.id);
    const neededAt = covered === undefined ? 0 : covered - LEAD_MS;
    const known = byChannel.get(key);
    if (known === undefined) {
      byChannel.set(key, {
        type: station.type,
        channel: station.channel,
        own: [station],
        neededAt,
        blank: covered === undefined ? 1 : 0,
        notBefore: notBefore(input.history.get(key), input.now),
      });
    } else {
      known.own.push(station);
      known.neededAt = Math.min(known.neededAt, neededAt);
      known.blank += covered === undefined ? 1 : 0;
    }
  }
  return [...byChannel.values()];
}

function othersOf(stations: readonly StationRecord[], own: readonly StationRecord[]): StationRecord[] {
  const [first] = own;
  if (first === undefined || first.type === 'GR') return [];
  const networks = new Set(own.map((station) => station.networkId));
  const ids = new Set(own.map((station) => station.id));
  return stations.filter((station) => networks.has(station.networkId) && !ids.has(station.id));
}

/** At most one visit a type at a time: the guide must stay in the background. */
export function planVisits(input: PlanInput): Plan {
  const busyTypes = new Set([...input.active].map((key) => key.split('/')[0]));
  const free = input.tuners.filter((tuner) => !tuner.disabled);
  const visits: VisitPlan[] = [];
  let wakeAt: number | null = null;
  const wake = (at: number): void => {
    wakeAt = wakeAt === null ? at : Math.min(wakeAt, at);
  };
  const ordered = candidates(input).sort((a, b) => b.blank - a.blank || a.notBefore - b.notBefore);
  for (const candidate of ordered) {
    if (input.active.has(channelKey(candidate))) continue;
    const dueAt = Math.max(candidate.neededAt, candidate.notBefore);
    if (dueAt > input.now) {
      wake(dueAt);
      continue;
    }
    // The end of the visit under way makes a new plan.
    if (busyTypes.has(candidate.type)) continue;
    if (!takeTuner(free, candidate.type, candidate.channel)) {
      wake(input.now + NO_TUNER_RETRY_MS);
      continue;
    }
    busyTypes.add(candidate.type);
    visits.push({
      type: candidate.type,
      channel: candidate.channel,
      own: candidate.own,
      others: othersOf(input.stations, candidate.own),
    });
  }
  return { visits, wakeAt };
}
