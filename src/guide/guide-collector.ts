/**
 * Collects the guide: plans visits whenever something changed, and executes them. Decisions are in `visit-plan.ts`,
 * reading and storing in the guide worker.
 */
import type { NetworkId, StationId } from '../../lib/arib/ids.ts';
import { broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { type WallClock, type WallMs, wallMs } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { GuideCollect, GuideStatus, GuideTrouble } from '../../lib/wire/guide.ts';
import { COLLECT_LEASE_MS, PRIORITY } from '../../lib/wire/vocabulary.ts';
import type { StationRecord } from '../model/station.ts';
import type { Hub } from '../notify/hub.ts';
import type { CoverageStore } from '../store/guide-coverage.ts';
import type { ProgramStore, Span } from '../store/program-store.ts';
import type { AgentClient } from '../tuner/agent-client.ts';
import { STREAM_USE } from '../tuner/agent-stream.ts';
import { TaskFailures } from '../tuner/task-failures.ts';
import type { VisitResult } from './guide-messages.ts';
import type { RunningVisit, VisitOrder } from './guide-visits.ts';
import {
  type ChannelKey,
  channelKey,
  isThin,
  NO_HISTORY,
  NO_TUNER_RETRY_MS,
  type PlanLimits,
  planVisits,
  type VisitHistory,
  type VisitPlan,
} from './visit-plan.ts';

/**
 * The channels whose guide cannot be read, with the reason, for the tuner screen. Pure.
 * @param unreachable channels without any usable tuner
 * @param open channels that are received for other uses: whatever a visit met before, their guide is read
 */
function guideTroubles(
  stations: readonly StationRecord[],
  history: ReadonlyMap<ChannelKey, VisitHistory>,
  unreachable: readonly ChannelKey[],
  open: ReadonlySet<ChannelKey>,
): GuideTrouble[] {
  const troubles = new Map<ChannelKey, GuideTrouble>();
  for (const { id, type, channel } of stations) {
    const key = channelKey({ type, channel });
    const known = troubles.get(key);
    if (known !== undefined) {
      known.stationIds.push(id);
      continue;
    }
    const last = history.get(key);
    const failed = last !== undefined && last.failedAt !== 0;
    const missing = unreachable.includes(key);
    if ((!failed && !missing) || open.has(key)) continue;
    troubles.set(key, {
      type,
      channel,
      stationIds: [id],
      kind: missing ? 'no_such_tuner' : last?.noTuner ? 'no_tuner' : 'unreadable',
      reason: missing ? null : (last?.reason ?? null),
      failures: last?.failures ?? 0,
      at: failed ? last.failedAt : null,
    });
  }
  return [...troubles.values()];
}

/** Follows each station's programmes from `now` on as long as they are contiguous. @param spans sorted by start */
export function airingUntil(spans: readonly Span[], now: WallMs): Map<StationId, number> {
  const until = new Map<StationId, number>();
  for (const { stationId, startAt, endAt } of spans) {
    if (startAt > (until.get(stationId) ?? now) || endAt <= now) continue;
    until.set(stationId, Math.max(endAt, until.get(stationId) ?? 0));
  }
  return until;
}

export interface CollectLimits extends PlanLimits {
  /** Interval of selecting stations, ms. */
  selectMs: number;
  /** Maximum duration of a visit, ms from the first byte. */
  visitMs: number;
  /** Reading time before anything counts as complete, ms. */
  settleMs: number;
}

export interface CollectorStations {
  list(): readonly StationRecord[];
  find(id: StationId): StationRecord | undefined;
}

interface GuideCollectorOptions {
  stations: CollectorStations;
  programs: ProgramStore;
  coverage: CoverageStore;
  agent: Pick<AgentClient, 'tuners'>;
  visits: { visit(order: VisitOrder): RunningVisit };
  /** Deletes programmes that ended at or before this time. */
  purge: (before: WallMs) => void;
  /** Channels read from streams that are open for other uses. */
  open: () => ReadonlySet<ChannelKey>;
  /** The setting that enables collection. */
  enabled: () => boolean;
  limits: CollectLimits;
  hub: Hub;
  log: Log;
  now: WallClock;
}

/** Limit of reading present/following only, from the first byte on. Every station sends present/following every 3 s. */
const LOOK_MS = 20_000;
/** Other transport streams of a network are sent less often. */
const OTHERS_MS = 12_000;
const OPEN_MS = 20_000;
/** A tuning changes the tuner list several times at once. */
const SETTLE_MS = 200;
/** The plan is recomputed at least this often: insurance against a missed event. */
const MAX_SLEEP_MS = 10 * 60_000;
const KEEP_ENDED_MS = 86_400_000;
/** How far ahead the programmes of stations are checked: no short visit is needed beyond it. */
const HORIZON_MS = 6 * 3_600_000;
const PURGE_EVERY_MS = 3_600_000;

interface ActiveVisit {
  plan: VisitPlan;
  startedAt: WallMs;
  running: RunningVisit;
  /** Cancelled by the service itself: does not count as a failure of the channel. */
  cancelled: boolean;
}

/** The lease of 'collect now'. */
interface Press {
  at: WallMs;
  until: WallMs;
  timer: ReturnType<typeof setTimeout>;
  /** Number of all channels to be read; undefined until the first plan. */
  total: number | undefined;
  left: number;
}

export class GuideCollector {
  readonly #history = new Map<ChannelKey, VisitHistory>();
  readonly #active = new Map<ChannelKey, ActiveVisit>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When `#timer` fires, on the monotonic clock. */
  #due = 0;
  #planning = false;
  #again = false;
  #closed = false;
  #purgedAt = 0;
  #selectedAt: WallMs;
  #staleBefore = wallMs(0);
  #press: Press | undefined;
  /** From the last plan. */
  #unreachable: readonly ChannelKey[] = [];
  readonly #ending = new AbortController();
  readonly #trouble: TaskFailures;

  constructor(private readonly options: GuideCollectorOptions) {
    this.#trouble = new TaskFailures(options.log, 'guide not planned');
    this.#selectedAt = options.now();
  }

  /** Something changed: stations, tuners, the agent's availability, open streams. */
  wake(): void {
    this.#schedule(SETTLE_MS);
  }

  /** Stations were replaced: everything is read again. */
  recollect(): void {
    const now = this.options.now();
    this.#selectedAt = now;
    this.#staleBefore = now;
    this.wake();
  }

  /** 'Collect now', or its renewal: all stations, at a priority below viewers and recordings only, for a minute. */
  press(): GuideCollect {
    const now = this.options.now();
    const until = plusMs(now, COLLECT_LEASE_MS);
    clearTimeout(this.#press?.timer);
    const timer = setTimeout(() => this.release(), COLLECT_LEASE_MS);
    const { at, total, left } = this.#press ?? { at: now, total: undefined, left: 0 };
    this.#press = { at, until, timer, total, left };
    this.wake();
    return { pressed: true, until };
  }

  /** The button was released, or its lease expired: visits that displaced other users end. */
  release(): GuideCollect {
    if (this.#press !== undefined) {
      clearTimeout(this.#press.timer);
      this.#press = undefined;
      for (const visit of this.#active.values()) {
        if (visit.plan.priority <= PRIORITY.guide) continue;
        visit.cancelled = true;
        visit.running.cancel();
      }
      this.wake();
    }
    return { pressed: false, until: null };
  }

  status(clocks: GuideStatus['clocks']): GuideStatus {
    const { stations, coverage, limits, now } = this.options;
    const rows = coverage.all();
    const at = now();
    const press = this.#press;
    return {
      stations: stations.list().map(({ id }) => {
        const row = rows.get(id);
        return {
          stationId: id,
          filledUntil: row?.filledUntil ?? null,
          lastReadAt: row?.readAt ?? null,
          thin: isThin(row, at, limits.minCoverageMs),
          noGuide: row?.hasGuide === false,
        };
      }),
      visits: Array.from(this.#active.values(), ({ plan, startedAt }) => ({
        type: plan.type,
        channel: plan.channel,
        stationIds: plan.wanted.filter((wanted) => !wanted.optional).map((wanted) => wanted.id),
        startedAt,
      })),
      troubles: guideTroubles(stations.list(), this.#history, this.#unreachable, this.options.open()),
      pressed: press !== undefined,
      progress: press?.total === undefined ? null : { done: press.total - press.left, total: press.total },
      clocks,
    };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#press?.timer);
    this.#ending.abort();
  }

  /** Plans in `ms`, or earlier if that was already requested. */
  #schedule(ms: number): void {
    const due = performance.now() + Math.min(Math.max(ms, 0), MAX_SLEEP_MS);
    if (this.#closed || (this.#timer !== undefined && this.#due <= due)) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#plan();
    }, due - performance.now());
  }

  /** Plans once; changes in the meantime cause one more run. */
  async #plan(): Promise<void> {
    if (this.#planning) {
      this.#again = true;
      return;
    }
    this.#planning = true;
    try {
      await this.#planOnce();
    } catch (error) {
      // The agent is unavailable: its return wakes this loop, and so does the timer. Other errors are internal.
      if (!this.#closed) this.#trouble.report(error);
      this.#schedule(NO_TUNER_RETRY_MS);
    } finally {
      this.#planning = false;
    }
    if (this.#again) {
      this.#again = false;
      this.wake();
    }
  }

  async #planOnce(): Promise<void> {
    const { stations, agent, coverage, limits, enabled, open } = this.options;
    this.#purge(this.options.now());
    if (stations.list().length === 0) return;
    const tuners = await agent.tuners(this.#ending.signal);
    if (this.#closed) return;
    this.#trouble.over();
    const now = this.options.now();
    this.#select(now);
    const rows = coverage.all();
    const plan = planVisits({
      stations: stations.list(),
      coverage: rows,
      airing: this.#airing(now, (id) => (rows.get(id)?.filledUntil ?? 0) <= now),
      history: this.#history,
      active: new Set(this.#active.keys()),
      looking: new Set(this.#looking()),
      open: open(),
      tuners,
      selectedAt: this.#selectedAt,
      staleBefore: this.#staleBefore,
      pressedAt: this.#press?.at ?? null,
      enabled: enabled(),
      limits,
      now,
    });
    this.#unreachable = plan.unreachable;
    this.#forgetWaits(plan.selected);
    if (this.#press !== undefined) {
      this.#press.left = plan.selected.length;
      this.#press.total = Math.max(this.#press.total ?? 0, plan.selected.length);
    }
    for (const visit of plan.visits) void this.#visit(visit);
    const next = this.#selectedAt + limits.selectMs;
    this.#schedule(Math.min(plan.wakeAt ?? next, next) - now);
  }

  /** A channel without a pending visit has no retry delay. */
  #forgetWaits(selected: readonly ChannelKey[]): void {
    for (const [key, entry] of this.#history) {
      if (!entry.noTuner || selected.includes(key) || this.#active.has(key)) continue;
      this.#history.set(key, { ...entry, failedAt: wallMs(0), noTuner: false, reason: null });
    }
  }

  #looking(): ChannelKey[] {
    return [...this.#active].filter(([, { plan }]) => plan.kind === 'look').map(([key]) => key);
  }

  /** Uses the absolute difference: the clock may be set back. */
  #select(now: WallMs): void {
    if (Math.abs(now - this.#selectedAt) >= this.options.limits.selectMs) this.#selectedAt = now;
    this.#staleBefore = wallMs(Math.min(this.#staleBefore, now));
  }

  /** Never rejects. */
  async #visit(plan: VisitPlan): Promise<void> {
    const key = channelKey(plan);
    const startedAt = this.options.now();
    try {
      const running = this.options.visits.visit(this.#order(plan));
      const visit: ActiveVisit = { plan, startedAt, running, cancelled: false };
      this.#active.set(key, visit);
      const result = await running.result;
      this.#active.delete(key);
      if (this.#closed) return;
      this.#remember(key, visit, result);
      const ms = this.options.now() - startedAt;
      const fields = { channel: key, kind: plan.kind, outcome: result.outcome, ms, reason: result.reason };
      if (result.outcome === 'complete') this.options.log.debug('visited', fields);
      else this.options.log.info('visited', fields);
    } catch (error) {
      this.#active.delete(key);
      this.#fail(key, false, null);
      if (!this.#closed) this.options.log.error('visit failed', { channel: key, error: String(error) });
    }
    this.wake();
  }

  #order({ kind, type, channel, priority, wanted }: VisitPlan): VisitOrder {
    const { limits } = this.options;
    const guide = kind === 'guide';
    return {
      request: { type, channel, priority, use: STREAM_USE.guide(channel) },
      networkId: this.#networkOf(wanted[0]?.id),
      wanted,
      capMs: guide ? limits.visitMs : LOOK_MS,
      settleMs: guide ? limits.settleMs : 0,
      patienceMs: OTHERS_MS,
      openMs: OPEN_MS,
    };
  }

  #networkOf(id: StationId | undefined): NetworkId {
    const station = id === undefined ? undefined : this.options.stations.find(id);
    return station?.networkId ?? (0 as NetworkId);
  }

  #airing(now: WallMs, wanted: (id: StationId) => boolean): Map<StationId, number> {
    const { stations, programs } = this.options;
    const ids = stations
      .list()
      .map((station) => station.id)
      .filter(wanted);
    if (ids.length === 0) return new Map();
    const from = broadcastMs(now);
    return airingUntil(programs.spans(ids, from, plusMs(from, HORIZON_MS)), now);
  }

  #remember(key: ChannelKey, { plan, cancelled }: ActiveVisit, { outcome, sentence }: VisitResult): void {
    const now = this.options.now();
    if (outcome === 'no_tuner' || outcome === 'failed' || outcome === 'broken') {
      if (!cancelled) this.#fail(key, outcome === 'no_tuner', sentence);
      return;
    }
    const before = this.#history.get(key) ?? NO_HISTORY;
    if (plan.kind === 'guide') {
      this.#history.set(key, { ...NO_HISTORY, readAt: now, lookedAt: now });
      return;
    }
    const own = plan.wanted.filter((wanted) => !wanted.optional).map((wanted) => wanted.id);
    const airing = this.#airing(now, (id) => own.includes(id));
    const blank = own.some((id) => !airing.has(id));
    const fruitless = blank ? before.fruitless + 1 : 0;
    this.#history.set(key, { ...NO_HISTORY, readAt: before.readAt, lookedAt: now, fruitless });
  }

  #fail(key: ChannelKey, noTuner: boolean, reason: string | null): void {
    const before = this.#history.get(key) ?? NO_HISTORY;
    const failures = noTuner ? before.failures : before.failures + 1;
    this.#history.set(key, { ...before, failedAt: this.options.now(), failures, noTuner, reason });
  }

  #purge(now: WallMs): void {
    if (Math.abs(now - this.#purgedAt) < PURGE_EVERY_MS) return;
    this.#purgedAt = now;
    this.options.purge(plusMs(now, -KEEP_ENDED_MS));
  }
}
