/**
 * Keeps what is on now known: makes a plan whenever something changed, acts on it, and stores what the visits
 * learn. All judgement is in `plan.ts`.
 */
import type { StationId } from '../../arib/ids.ts';
import type { Log } from '../../host/log.ts';
import { PRIORITY } from '../../wire/agent.ts';
import type { Hub } from '../hub/hub.ts';
import type { NowAndNext } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import type { ProgramStore } from '../store/programs.ts';
import { type AgentClient, streamUrl } from '../tuner/agent-client.ts';
import {
  type ChannelKey,
  channelKey,
  coverage,
  NO_TUNER_RETRY_MS,
  planVisits,
  type VisitHistory,
  type VisitPlan,
} from './plan.ts';
import { Trouble } from './trouble.ts';
import type { VisitOrder, VisitResult } from './visits.ts';

export interface CollectorOptions {
  stations: { list(): readonly StationRecord[]; find(id: StationId): StationRecord | undefined };
  programs: ProgramStore;
  agent: AgentClient;
  visits: { visit(order: VisitOrder, onFound: (items: NowAndNext[]) => void): Promise<VisitResult> };
  hub: Hub;
  log: Log;
  /** Epoch ms. */
  now: () => number;
}

/** What one visit may take, from the first byte on. Present/following is sent every 3 s on every station. */
const VISIT_CAP_MS = 20_000;
/** Other transport streams of a network are sent less often. */
const OTHERS_MS = 12_000;
const OPEN_MS = 20_000;
/** A tuning changes the tuner list several times at once. */
const SETTLE_MS = 200;
/** However little happens, the plan is looked at again: insurance against a missed event. */
const MAX_SLEEP_MS = 10 * 60_000;
const KEEP_ENDED_MS = 86_400_000;
/** How far ahead coverage is looked at: beyond it nothing is due. */
const HORIZON_MS = 6 * 3_600_000;
const CLEAN_EVERY_MS = 3_600_000;
/** A machine whose clock is further off records at the wrong time. */
const CLOCK_WARNING_MS = 1000;

export class Collector {
  readonly #history = new Map<ChannelKey, VisitHistory>();
  readonly #active = new Set<ChannelKey>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When `#timer` fires, on the monotonic clock. */
  #due = 0;
  #planning = false;
  #again = false;
  #closed = false;
  #cleanedAt = 0;
  readonly #ending = new AbortController();
  #clockWarned = false;
  /** Logged at the first failure of a row of them. */
  #storeFailed = false;

  readonly #trouble: Trouble;

  constructor(private readonly options: CollectorOptions) {
    this.#trouble = new Trouble(options.log, 'guide not planned');
  }

  /** Something changed: stations, tuners, the agent's presence. */
  wake(): void {
    this.#schedule(SETTLE_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#ending.abort();
  }

  /** Plans in `ms`, or earlier when that was asked for already: a plan's own next look takes no wake away. */
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

  /** Plans once; what happens meanwhile makes one more round. */
  async #plan(): Promise<void> {
    if (this.#planning) {
      this.#again = true;
      return;
    }
    this.#planning = true;
    try {
      await this.#planOnce();
    } catch (error) {
      // The agent is away: its return wakes this loop, and time does too. Anything else is trouble of our own.
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
    const { stations, agent } = this.options;
    const now = this.options.now();
    this.#clean(now);
    if (stations.list().length === 0) return;
    const tuners = await agent.tuners(this.#ending.signal);
    if (this.#closed) return;
    this.#trouble.over();
    const plan = planVisits({
      stations: stations.list(),
      covered: this.#covered(now),
      history: this.#history,
      active: this.#active,
      tuners,
      now,
    });
    for (const visit of plan.visits) void this.#visit(visit);
    this.#schedule(plan.wakeAt === null ? MAX_SLEEP_MS : plan.wakeAt - now);
  }

  /** Never rejects. */
  async #visit(plan: VisitPlan): Promise<void> {
    const key = channelKey(plan);
    this.#active.add(key);
    try {
      await this.#visitOnce(key, plan);
    } catch (error) {
      const fruitless = (this.#history.get(key)?.fruitless ?? 0) + 1;
      this.#history.set(key, { at: this.options.now(), fruitless, noTuner: false });
      if (!this.#closed) this.options.log.error('visit failed', { channel: key, error: String(error) });
    } finally {
      this.#active.delete(key);
    }
    this.wake();
  }

  async #visitOnce(key: ChannelKey, plan: VisitPlan): Promise<void> {
    const { agent, log, visits } = this.options;
    const began = this.options.now();
    const result = await visits.visit(
      {
        url: streamUrl(agent.url, {
          type: plan.type,
          channel: plan.channel,
          priority: PRIORITY.guide,
          use: `epg ${plan.channel}`,
        }),
        own: plan.own.map(({ id, networkId, serviceId }) => ({ id, networkId, serviceId })),
        others: plan.others.map(({ id, networkId, serviceId }) => ({ id, networkId, serviceId })),
        capMs: VISIT_CAP_MS,
        othersMs: OTHERS_MS,
        openMs: OPEN_MS,
      },
      (items) => this.#store(items),
    );
    if (this.#closed) return;
    const ended = this.options.now();
    this.#remember(key, plan, result, ended);
    const fields = { channel: key, outcome: result.outcome, ms: ended - began, reason: result.reason };
    if (result.outcome === 'complete') log.debug('visited', fields);
    else log.info('visited', fields);
    this.#judgeClock(result.clockOffsetMs, key);
  }

  #covered(now: number): Map<StationId, number> {
    const { stations, programs } = this.options;
    const ids = stations.list().map((station) => station.id);
    return coverage(programs.spans(ids, now, now + HORIZON_MS), now);
  }

  #remember(key: ChannelKey, plan: VisitPlan, result: VisitResult, now: number): void {
    const before = this.#history.get(key)?.fruitless ?? 0;
    if (result.outcome === 'no_tuner') {
      this.#history.set(key, { at: now, fruitless: before, noTuner: true });
      return;
    }
    const covered = this.#covered(now);
    const blank = plan.own.some((station) => !covered.has(station.id));
    this.#history.set(key, { at: now, fruitless: blank ? before + 1 : 0, noTuner: false });
  }

  /** Called from the worker's message: a database that is full or broken must not end the process. */
  #store(items: readonly NowAndNext[]): void {
    if (this.#closed) return;
    try {
      this.#put(items);
      this.#storeFailed = false;
    } catch (error) {
      if (!this.#storeFailed) this.options.log.error('guide not stored', { error: String(error) });
      this.#storeFailed = true;
    }
  }

  #put(items: readonly NowAndNext[]): void {
    // A station may have been dropped from the list while the visit ran.
    const known = items.filter((item) => this.options.stations.find(item.stationId) !== undefined);
    const changed = this.options.programs.putNowAndNext(known, this.options.now());
    if (changed > 0) this.options.hub.changed('programs');
  }

  #judgeClock(offsetMs: number | null, key: ChannelKey): void {
    if (offsetMs === null) return;
    const off = Math.abs(offsetMs) > CLOCK_WARNING_MS;
    if (off && !this.#clockWarned) {
      this.options.log.warn("this machine's clock differs from the broadcast's", { channel: key, offsetMs });
    }
    this.#clockWarned = off;
  }

  #clean(now: number): void {
    // The difference counts either way: the clock may be set back.
    if (Math.abs(now - this.#cleanedAt) < CLEAN_EVERY_MS) return;
    this.#cleanedAt = now;
    this.options.programs.deleteEnded(now - KEEP_ENDED_MS);
  }
}
