/**
 * Selects the physical channels to read next for the guide: a pure function of the stations, the coverage of their
 * guides, past visits and the tuners. `guide-collector.ts` executes the visits.
 *
 * A station is selected when its guide does not reach far enough ahead, or was read too long ago. Selections are made
 * at moments (`selectedAt`), not continuously: what a visit could not fill is not tried again before the next
 * selection.
 */
import type { BroadcastType, StationId } from '../../lib/arib/ids.ts';
import { plusMs } from '../../lib/arib/time.ts';
import { type WallMs, wallMs } from '../../lib/host/clock.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import type { StationRecord } from '../model/station.ts';
import type { StationCoverage } from '../store/guide-coverage.ts';
import type { WantedStation } from './guide-messages.ts';
import { wantedStations } from './visit-goal.ts';
import { Tuners } from './visit-tuners.ts';

/** `GR/T27`: identifies a physical channel across all types. */
export type ChannelKey = string;

export function channelKey(at: { type: BroadcastType; channel: string }): ChannelKey {
  return `${at.type}/${at.channel}`;
}

/** All in ms. */
export interface PlanLimits {
  /** A guide that reaches less far ahead is "thin". */
  minCoverageMs: number;
  /** Interval of reading a guide again. */
  intervalMs: number;
  /** Shortest interval of visits of a channel. */
  retryMs: number;
}

export interface VisitHistory {
  /** When the last complete reading ended, epoch ms; 0: never. */
  readAt: WallMs;
  /** When the last short visit ended, epoch ms; 0: never. */
  lookedAt: WallMs;
  /** Number of consecutive short visits that left a station of the channel without a programme. */
  fruitless: number;
  /** When the last failed attempt of any kind ended; 0: the last one succeeded. */
  failedAt: WallMs;
  /** Number of consecutive failed attempts. */
  failures: number;
  /** The last of them found no tuner: it does not count. */
  noTuner: boolean;
  /** Reason of the last failure, from the agent; null: none. */
  reason: string | null;
}

export const NO_HISTORY: VisitHistory = {
  readAt: wallMs(0),
  lookedAt: wallMs(0),
  fruitless: 0,
  failedAt: wallMs(0),
  failures: 0,
  noTuner: false,
  reason: null,
};

export interface VisitPlanInput {
  stations: readonly StationRecord[];
  coverage: ReadonlyMap<StationId, StationCoverage>;
  /** Up to when a station's programmes are known without a gap, epoch ms; absent if not even the current one is. */
  airing: ReadonlyMap<StationId, number>;
  history: ReadonlyMap<ChannelKey, VisitHistory>;
  active: ReadonlySet<ChannelKey>;
  /** Those of them with short visits only. */
  looking: ReadonlySet<ChannelKey>;
  /** Channels whose tables come from a stream that is open anyway. */
  open: ReadonlySet<ChannelKey>;
  /** In rank order, from the agent. */
  tuners: readonly Tuner[];
  /** When stations were selected, epoch ms. */
  selectedAt: WallMs;
  /** Everything read before this is read again, because stations were replaced. Epoch ms. */
  staleBefore: WallMs;
  /** Since when 'collect now' is active. */
  pressedAt: WallMs | null;
  /** The setting: without it only 'collect now' collects. */
  enabled: boolean;
  limits: PlanLimits;
  now: WallMs;
}

export interface VisitPlan {
  /** `guide` reads schedules, `look` only current and next programmes. */
  kind: 'guide' | 'look';
  type: BroadcastType;
  channel: string;
  priority: number;
  /** What the visit must find; the channel's own stations first. */
  wanted: WantedStation[];
}

interface Plan {
  visits: VisitPlan[];
  /** When to plan again if nothing else happens, epoch ms; null: only when something changes. */
  wakeAt: WallMs | null;
  /** Selected channels, including those being visited. */
  selected: ChannelKey[];
  /** Channels without any usable tuner. */
  unreachable: ChannelKey[];
}

/** A short visit this long before the last known programme ends finds the next one in time. */
export const LEAD_MS = 60_000;
/** Shortest interval of short visits, and of retries; doubled with every failure. */
export const RETRY_MS = 60_000;
export const MAX_RETRY_MS = 30 * 60_000;
/** Retry delay if no tuner was free, in case the event is missed. */
export const NO_TUNER_RETRY_MS = 15_000;
/**
 * Limit of parallel terrestrial visits, if there are that many tuners: guide collection stays in the background. If
 * there are more tuners, one stays unused. Satellites take one per tuner.
 */
const TERRESTRIAL_AT_ONCE = 2;

interface Channel {
  key: ChannelKey;
  type: BroadcastType;
  channel: string;
  own: StationRecord[];
  history: VisitHistory;
}

interface Candidate {
  channel: Channel;
  wanted: WantedStation[];
  /** Stations whose guide is thin. */
  thin: number;
  /** When the first of its stations was last read, epoch ms. */
  lastRead: number;
}

/** The earliest time for another attempt after failures. */
export function notBefore({ failedAt, failures, noTuner }: VisitHistory, now: WallMs): WallMs {
  // A visit in the future: the clock was set back, which must not prolong the wait.
  if (failedAt === 0 || failedAt > now) return wallMs(0);
  if (noTuner) return plusMs(failedAt, NO_TUNER_RETRY_MS);
  return plusMs(failedAt, retryWait(failures));
}

/** Doubled with every failed attempt. */
function retryWait(attempts: number): number {
  return Math.min(RETRY_MS * 2 ** Math.max(0, attempts - 1), MAX_RETRY_MS);
}

/** Whether the guide of a station does not reach as far ahead as required. Stations without a guide are not thin. */
export function isThin(coverage: StationCoverage | undefined, at: WallMs, minCoverageMs: number): boolean {
  if (coverage === undefined) return true;
  return coverage.hasGuide && (coverage.filledUntil ?? 0) < at + minCoverageMs;
}

export function planVisits(input: VisitPlanInput): Plan {
  const planner = new Planner(input);
  return planner.plan();
}

class Planner {
  readonly #channels: Channel[];
  readonly #tuners: Tuners;
  readonly #visits: VisitPlan[] = [];
  #wakeAt: WallMs | null = null;

  constructor(private readonly input: VisitPlanInput) {
    this.#channels = channelsOf(input);
    this.#tuners = new Tuners(input.tuners, input.active);
  }

  plan(): Plan {
    const { input } = this;
    const candidates = this.#candidates();
    if (input.enabled) this.#planShortVisits();
    const ordered = candidates.sort((a, b) => b.thin - a.thin || a.lastRead - b.lastRead);
    // Channels that need no tuner come first.
    for (const free of [true, false]) {
      for (const candidate of ordered) {
        if (this.#tuners.isOpen(candidate.channel) === free) this.#guide(candidate);
      }
    }
    const selected = ordered.map((candidate) => candidate.channel.key);
    const unreachable = this.#channels
      .filter(({ type }) => !input.tuners.some((tuner) => !tuner.disabled && tuner.types.includes(type)))
      .map(({ key }) => key);
    return { visits: this.#visits, wakeAt: this.#wakeAt, selected, unreachable };
  }

  #wake(at: WallMs): void {
    this.#wakeAt = wallMs(this.#wakeAt === null ? at : Math.min(this.#wakeAt, at));
  }

  get #priority(): number {
    return this.input.pressedAt === null ? PRIORITY.guide : PRIORITY.guideNow;
  }

  #guide({ channel, wanted }: Candidate): void {
    const { active, open, now, pressedAt } = this.input;
    if (active.has(channel.key) || this.#isPlanned(channel)) return;
    // Its tables are already being read.
    if (open.has(channel.key) && pressedAt === null) return;
    const free = this.#tuners.isOpen(channel);
    if (
      !free &&
      channel.type === 'GR' &&
      pressedAt === null &&
      this.#terrestrial() >= this.#terrestrialAtOnce
    )
      return;
    this.#start(
      { kind: 'guide', priority: this.#priority, wanted, channel },
      notBefore(channel.history, now),
    );
  }

  /** Terrestrial channels with a current or planned visit. */
  #terrestrial(): number {
    const active = [...this.input.active].filter((key) => key.startsWith('GR/')).length;
    return active + this.#visits.filter((visit) => visit.type === 'GR').length;
  }

  get #terrestrialAtOnce(): number {
    const tuners = this.input.tuners.filter(({ disabled, types }) => !disabled && types.includes('GR'));
    return Math.max(TERRESTRIAL_AT_ONCE, tuners.length - 1);
  }

  #isPlanned({ type, channel }: Channel): boolean {
    return this.#visits.some((visit) => visit.type === type && visit.channel === channel);
  }

  #start(
    visit: Pick<VisitPlan, 'kind' | 'priority' | 'wanted'> & { channel: Channel },
    earliest: WallMs,
  ): boolean {
    const { kind, priority, wanted, channel } = visit;
    const { now } = this.input;
    if (earliest > now) {
      this.#wake(earliest);
      return false;
    }
    if (!this.#tuners.take(channel, priority)) {
      this.#wake(plusMs(now, NO_TUNER_RETRY_MS));
      return false;
    }
    this.#visits.push({ kind, type: channel.type, channel: channel.channel, priority, wanted });
    return true;
  }

  /**
   * Short visits if the present programme is unknown, one per type at a time, beside long ones: they fill a list of
   * stations in seconds, while a guide takes minutes.
   */
  #planShortVisits(): void {
    const { input } = this;
    const busy = new Set([...input.looking].map((key) => key.split('/')[0]));
    const blanks = this.#channels
      .map((channel) => ({ channel, at: this.#lookAt(channel), blank: this.#blank(channel) }))
      .sort((a, b) => b.blank - a.blank || a.channel.history.lookedAt - b.channel.history.lookedAt);
    for (const { channel, at } of blanks) {
      if (at === undefined || input.active.has(channel.key) || input.open.has(channel.key)) continue;
      if (at > input.now) this.#wake(at);
      else if (!busy.has(channel.type)) {
        const own = wantedStations(ids(channel.own), 'present');
        const others = wantedStations(ids(this.#networkOf(channel)), 'present', true);
        const wanted = [...own, ...others];
        if (this.#start({ kind: 'look', priority: PRIORITY.guide, wanted, channel }, at))
          busy.add(channel.type);
      }
    }
  }

  #blank({ own }: Channel): number {
    return own.filter(({ id }) => !this.input.airing.has(id)).length;
  }

  /** When a short visit of a channel is due; undefined: never, as far as known. */
  #lookAt(channel: Channel): WallMs | undefined {
    const { airing, coverage, now } = this.input;
    let needed: number | undefined;
    for (const { id } of channel.own) {
      // A schedule is known: a time without a programme is a broadcast pause.
      if ((coverage.get(id)?.filledUntil ?? 0) > now) continue;
      const until = airing.get(id);
      const at = until === undefined ? 0 : until - LEAD_MS;
      needed = needed === undefined ? at : Math.min(needed, at);
    }
    if (needed === undefined) return undefined;
    const { lookedAt, fruitless } = channel.history;
    const again = lookedAt === 0 || lookedAt > now ? 0 : lookedAt + retryWait(fruitless);
    return wallMs(Math.max(needed, again, notBefore(channel.history, now)));
  }

  /** Stations of the same satellite network: every stream of it describes them. */
  #networkOf(channel: Channel): StationRecord[] {
    if (channel.type === 'GR') return [];
    const networks = new Set(channel.own.map((station) => station.networkId));
    return this.input.stations.filter(
      (station) =>
        station.type === channel.type &&
        networks.has(station.networkId) &&
        channelKey(station) !== channel.key,
    );
  }

  #candidates(): Candidate[] {
    const { enabled, pressedAt } = this.input;
    if (!enabled && pressedAt === null) return [];
    const found: Candidate[] = [];
    const networks = new Map<string, Channel[]>();
    for (const channel of this.#channels) {
      if (channel.type === 'GR') {
        if (this.#isDue(channel)) found.push(this.#candidate(channel, []));
        continue;
      }
      const network = `${channel.type}/${channel.own[0]?.networkId}`;
      networks.set(network, [...(networks.get(network) ?? []), channel]);
    }
    for (const channels of networks.values()) {
      found.push(
        ...(channels[0]?.type === 'BS' ? this.#broadcastSatellite(channels) : this.#oneStream(channels)),
      );
    }
    return found;
  }

  /**
   * A network without any programmes is first read from one stream, for the schedules of all stations; then, and
   * later on, each stream is read for its own.
   */
  #broadcastSatellite(channels: Channel[]): Candidate[] {
    const isBlank = (channel: Channel): boolean =>
      channel.own.every(({ id }) => {
        const coverage = this.input.coverage.get(id);
        return coverage === undefined || (coverage.readAt === null && coverage.filledUntil === null);
      });
    if (!channels.every(isBlank)) {
      return channels
        .filter((channel) => this.#isDue(channel))
        .map((channel) => this.#candidate(channel, []));
    }
    const first = this.#oneOf(channels);
    if (first === undefined) return [];
    return [this.#candidate(first, wantedStations(ids(this.#networkOf(first)), 'basic'))];
  }

  /** Every stream of a CS network has the schedules of all of it: one is enough. */
  #oneStream(channels: Channel[]): Candidate[] {
    const stations = channels.flatMap((channel) => channel.own);
    const visited = Math.max(...channels.map((channel) => this.#visitedAt(channel)));
    if (!this.#areDue(stations, wallMs(visited))) return [];
    const one = this.#oneOf(channels);
    if (one === undefined) return [];
    return [this.#candidate(one, wantedStations(ids(this.#networkOf(one)), 'full'))];
  }

  /**
   * The one being visited, else one already open, else the one tried longest ago, then the one with the most stations.
   */
  #oneOf(channels: Channel[]): Channel | undefined {
    const { active } = this.input;
    const tried = ({ history }: Channel): number =>
      Math.max(history.readAt, history.noTuner ? 0 : history.failedAt);
    return channels.toSorted(
      (a, b) =>
        Number(active.has(b.key)) - Number(active.has(a.key)) ||
        Number(this.#tuners.isOpen(b)) - Number(this.#tuners.isOpen(a)) ||
        tried(a) - tried(b) ||
        b.own.length - a.own.length,
    )[0];
  }

  #candidate(channel: Channel, others: WantedStation[]): Candidate {
    const { coverage, limits, selectedAt } = this.input;
    const wanted = [...wantedStations(ids(channel.own), 'full'), ...others];
    const rows = wanted.map(({ id }) => coverage.get(id));
    return {
      channel,
      wanted,
      thin: rows.filter((row) => isThin(row, selectedAt, limits.minCoverageMs)).length,
      lastRead: Math.max(...rows.map((row) => row?.readAt ?? 0)),
    };
  }

  /** When the channel was last read, in this run of the service or an earlier one. */
  #visitedAt({ own, history }: Channel): WallMs {
    return wallMs(Math.max(history.readAt, ...own.map(({ id }) => this.input.coverage.get(id)?.readAt ?? 0)));
  }

  #isDue(channel: Channel): boolean {
    return this.#areDue(channel.own, this.#visitedAt(channel));
  }

  #areDue(stations: readonly StationRecord[], visitedAt: WallMs): boolean {
    const { coverage, limits, now, pressedAt, selectedAt, staleBefore } = this.input;
    // The clock was set back: readings in the future are ignored.
    const visited = visitedAt > now ? 0 : visitedAt;
    if (pressedAt !== null && visited < pressedAt) return true;
    if (!this.input.enabled) return false;
    if (visited < staleBefore) return true;
    if (visited !== 0 && visited + limits.retryMs > selectedAt) return false;
    return stations.some(({ id }) => {
      const row = coverage.get(id);
      const readAt = row?.readAt ?? 0;
      const old = readAt > now || readAt <= selectedAt - limits.intervalMs;
      return old || isThin(row, selectedAt, limits.minCoverageMs);
    });
  }
}

function ids(stations: readonly StationRecord[]): StationId[] {
  return stations.map((station) => station.id);
}

function channelsOf({ stations, history }: VisitPlanInput): Channel[] {
  const channels = new Map<ChannelKey, Channel>();
  for (const station of stations) {
    const key = channelKey(station);
    const known = channels.get(key);
    if (known !== undefined) known.own.push(station);
    else {
      const { type, channel } = station;
      channels.set(key, { key, type, channel, own: [station], history: history.get(key) ?? NO_HISTORY });
    }
  }
  return [...channels.values()];
}
