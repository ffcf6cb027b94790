/**
 * One programme recorded in virtual time by the real session, file output and verdict, while reception,
 * processes and machine fail at random moments. The file is real: an independent reader finds its losses.
 */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serviceId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import type { RecordingPart } from '../../src/model/recording.ts';
import { judge, type Measured, type Verdict } from '../../src/model/verdict.ts';
import { asHeld, withoutFiles } from '../../src/record/file-contents.ts';
import { lifecycleOf } from '../../src/record/recording-begin.ts';
import type { LifecycleTimes } from '../../src/record/recording-lifecycle.ts';
import { findParts } from '../../src/record/recording-parts.ts';
import { RecordingSession, type SessionResult } from '../../src/record/recording-session.ts';
import { endedWhileAway, previousProgress } from '../../src/record/running-recording.ts';
import type { Random } from '../fuzz/random.ts';
import { type BusySpell, VirtualAgent } from './virtual-agent.ts';
import { type AirFault, SERVICE_ID, STEP_MS, VirtualBroadcast } from './virtual-broadcast.ts';
import { FileWork, settled, VirtualTime } from './virtual-time.ts';

/** 2026-04-01T12:00:00Z is second 0. */
const AT = Date.UTC(2026, 3, 1, 12);
const ID = recordingId(1);
const BEFORE_MS = 8_000;
const AFTER_MS = 4_000;
const NOTICE_MS = 3_000;
const HELD_MS = 60_000;
const LIMIT_MS = 400_000;

type ProcessFault = 'none' | 'kill' | 'term' | 'freeze' | 'agent';

/** Seconds of the evening. */
export interface EveningPlan {
  lengthSec: number;
  air: readonly { kind: AirFault['kind']; from: number; to: number }[];
  process: { kind: ProcessFault; at: number; forSec: number };
  busy: readonly { what: BusySpell['what']; from: number; to: number }[];
  /** Extended by this much, announced shortly before its end. */
  extendedSec: number;
  /**
   * A special programme interrupts it; it is resumed under another id, with the start time of that moment.
   */
  interruption?: { from: number; to: number };
  /** The disk is so slow that what is being written, or synced, is done only at the end of this time. */
  disk?: readonly { from: number; to: number }[];
  /** The recording folder is renamed, and back. */
  away?: { from: number; to: number };
  /** Another program cuts this part off the end of the file. */
  cut?: { at: number; part: number };
  seed: number;
}

interface EveningOutcome {
  end: SessionResult['end'];
  verdict: Verdict;
  bytes: Uint8Array;
  /** As stored for the recording, epoch ms. */
  startAt: number;
  aired: { from: number; to: number };
}

const AIR_KINDS = [
  ...(['stall', 'copy_never', 'end', 'scramble', 'loss', 'corrupt'] as const),
  ...(['no_picture', 'no_sound', 'swap', 'noise'] as const),
];

const CUT_PARTS = [0.05, 0.2, 0.5, 1] as const;

export function randomPlan(random: Random): EveningPlan {
  const lengthSec = 20 + random.below(20);
  const tenths = (end: number): number => random.below(end * 10) / 10;
  const air: EveningPlan['air'][number][] = [];
  let second = 6;
  for (let count = random.below(3); count > 0 && second < lengthSec - 3; count -= 1) {
    const from = second + tenths(6);
    const to = from + 0.2 + tenths(4);
    air.push({ kind: random.pick(AIR_KINDS), from, to });
    second = Math.ceil(to) + 2;
  }
  const kind = random.pick(['none', 'none', 'kill', 'term', 'freeze', 'agent'] as const);
  const process = {
    kind,
    at: tenths(lengthSec),
    forSec: kind === 'freeze' ? 4 + tenths(12) : 2 + tenths(12),
  };
  const busy: EveningPlan['busy'][number][] = [];
  for (let count = random.below(3); count > 0; count -= 1) {
    const from = tenths(lengthSec);
    busy.push({ what: random.pick(['packets', 'messages'] as const), from, to: from + 0.2 + tenths(3) });
  }
  const extendedSec = random.below(3) === 0 ? 4 + random.below(8) : 0;
  const cut =
    random.below(4) === 0 ? { at: 2 + tenths(lengthSec - 2), part: random.pick(CUT_PARTS) } : undefined;
  const [disk, away] = diskTroubles(random, lengthSec, process);
  // A killed process that has not received the worker's report of it leaves its trace in the file, which only the
  // next stream dates.
  const returns = process.at + process.forSec < lengthSec - 2;
  const isUnreported =
    kind === 'kill' && !returns && cut !== undefined && cut.at < process.at && cut.at > process.at - 2;
  // For the unreported part of a killed process only a sum is computed from the file: which half was
  // scrambled is unknown.
  const isSummedUp = (one: (typeof air)[number]): boolean =>
    kind === 'kill' && one.kind === 'scramble' && one.from < process.at && one.to > process.at - 2;
  return {
    lengthSec,
    air: air.filter((one) => !isSummedUp(one)),
    process,
    busy,
    extendedSec,
    ...(disk.length === 0 ? {} : { disk }),
    ...(away === undefined ? {} : { away }),
    ...(cut === undefined || isUnreported ? {} : { cut }),
    seed: random.below(2 ** 30),
  };
}

/** A slow disk, more often than not beside something else that happens to it. */
function diskTroubles(
  random: Random,
  lengthSec: number,
  process: EveningPlan['process'],
): [NonNullable<EveningPlan['disk']>, EveningPlan['away']] {
  const tenths = (end: number): number => random.below(end * 10) / 10;
  const away =
    random.below(4) === 0 ? { from: 2 + tenths(lengthSec - 4), forSec: 1 + tenths(14) } : undefined;
  const disk: { from: number; to: number }[] = [];
  for (let count = random.below(3); count > 0; count -= 1) {
    const near = random.pick([(away?.from ?? 0) + tenths(6), process.at, lengthSec, tenths(lengthSec)]);
    const from = Math.max(0, near - tenths(3));
    const to = from + 0.3 + tenths(random.pick([2, 8]));
    // A service that is told to end while its disk hangs is killed in the end.
    if (process.kind !== 'term' || to < process.at - 0.1 || from > process.at) disk.push({ from, to });
  }
  return [disk, away === undefined ? undefined : { from: away.from, to: away.from + away.forSec }];
}

const at = (second: number): number => AT + Math.round((second * 1000) / STEP_MS) * STEP_MS;

class Evening {
  readonly time = new VirtualTime(AT - BEFORE_MS - 2_000);
  readonly #files = new FileWork();
  readonly root: string;
  readonly folder: string;
  readonly agent: VirtualAgent;
  readonly path: string;
  #session: RecordingSession | undefined;
  #result: Pick<SessionResult, 'end' | 'at' | 'measured' | 'parts'> | undefined;
  #isFrozen = false;
  #isAway = false;
  readonly #written = new Map<string, number>();
  // As stored in the database.
  #times: LifecycleTimes;
  /** The latest content of the tables. */
  #lastTables = '';
  #measured: Measured | null = null;
  #parts: RecordingPart[] = [];
  #beganAt: BroadcastMs | null = null;

  constructor(
    readonly plan: EveningPlan,
    root: string,
  ) {
    this.root = mkdtempSync(join(root, 'evening-'));
    this.folder = join(this.root, 'recordings');
    mkdirSync(this.folder);
    this.path = join(this.folder, 'recording.ts');
    const faults = plan.air.map(({ kind, from, to }) => ({ kind, from: at(from), to: at(to) }));
    const busy = plan.busy.map(({ what, from, to }) => ({ what, from: at(from), to: at(to) }));
    const broadcast = new VirtualBroadcast(this.time.now, faults, plan.seed);
    this.agent = new VirtualAgent(this.time, broadcast, busy, () => this.#files.isHeld);
    const endAt = at(plan.lengthSec);
    this.#times = {
      ...{ openAt: broadcastMs(AT - BEFORE_MS), startAt: broadcastMs(AT), endAt: broadcastMs(endAt) },
      ...{ closeAt: broadcastMs(endAt + AFTER_MS), holdUntil: null, listenUntil: null, brokenAt: null },
    };
  }

  async run(): Promise<EveningOutcome> {
    const unwatch = await this.#files.install();
    const restore = this.time.install();
    try {
      this.#begin();
      const { kind, at: second, forSec } = this.plan.process;
      const cutAt = this.plan.cut === undefined ? undefined : at(this.plan.cut.at);
      const strikes = kind === 'none' ? Number.POSITIVE_INFINITY : at(second);
      const back = strikes + Math.round((forSec * 1000) / STEP_MS) * STEP_MS;
      while (this.#result === undefined) {
        const now = this.time.now + STEP_MS;
        if (this.#isFrozen) this.time.pass(now);
        else await this.time.advance(now);
        if (now === strikes) await this.#strike();
        if (now === back) this.#restore();
        if (now === cutAt) this.#cut();
        this.#trouble(now);
        this.#follow(now);
        await this.agent.step(now, this.#isFrozen);
        if (!this.#isFrozen && (now - AT) % 1000 === 0) this.agent.check();
        await this.#settle();
        if (now > AT + LIMIT_MS) throw new Error('it never ended');
      }
      if (this.#isAway) this.#rename(false);
      const { paths, ...outcome } = await this.#conclude(this.#result);
      // A slow disk writes what it still has.
      this.#files.hold(false);
      await this.#files.done();
      return { ...outcome, bytes: Buffer.concat(paths.map((path) => readFileSync(path))) };
    } finally {
      this.#files.hold(false);
      restore();
      unwatch();
    }
  }

  /** As a recording is concluded. @returns also its files */
  async #conclude(result: Pick<SessionResult, 'end' | 'measured' | 'parts'>) {
    const { kept, gone, differences } = await findParts(result.parts, { isDeleted: async () => true });
    const missing = gone.map(({ path }) => path);
    const measured = asHeld(withoutFiles(result.measured, missing), differences);
    const { startAt, endAt, brokenAt } = this.#times;
    const { verdict } = judge(measured, { startAt, endAt, ...(brokenAt === null ? {} : { brokenAt }) });
    const paths = kept.map(({ path }) => path);
    return { end: result.end, verdict, startAt, aired: { from: AT, to: endAt }, paths };
  }

  #begin(): void {
    const { time, agent } = this;
    const broadcastClock = () => broadcastMs(time.now);
    const former =
      this.#beganAt === null && this.#measured === null && this.#parts.length === 0
        ? undefined
        : previousProgress(
            { measured: () => structuredClone(this.#measured), parts: () => structuredClone(this.#parts) },
            { id: ID, beganAt: this.#beganAt },
          );
    const lifecycle = lifecycleOf(
      { ...this.#times, openAt: broadcastMs(Math.max(this.#times.openAt, time.now)) },
      former?.measured,
      broadcastClock(),
    );
    const session = new RecordingSession({
      ...{ id: ID, lifecycle, after: [], stem: 'recording', former },
      station: { type: 'GR', channel: 'T20', serviceId: serviceId(SERVICE_ID) },
      pool: agent.pool,
      folders: () => [{ path: this.folder, floorBytes: 0 }],
      fallback: join(this.root, 'spare'),
      free: async (path) => (path === this.folder && this.#isAway ? undefined : 2 ** 40),
      mounts: {
        isAway: async (path) => path === this.folder && this.#isAway,
        isDeleted: async (path) => !(dirname(path) === this.folder && this.#isAway),
        identify: async () => {},
      },
      ledger: {
        placed: async (parts) => {
          this.#parts = structuredClone([...parts]);
        },
        began: (began) => {
          this.#beganAt = began;
        },
        measured: (measured, parts) => {
          this.#measured = structuredClone(measured);
          this.#parts = structuredClone([...parts]);
        },
        seam: () => {},
      },
      log: SILENT_LOG,
      broadcastClock,
      wallClock: () => wallMs(time.now),
      monotonicClock: () => monotonicMs(time.now),
    });
    this.#session = session;
    void session.done.then(async (result) => {
      if (session !== this.#session) return;
      if (result.end === 'closed') return;
      if (result.end !== 'unreceived') {
        this.#result = result;
        return;
      }
      const { startAt, closeAt } = this.#times;
      const progress =
        former ?? previousProgress({ measured: () => null, parts: () => [] }, { id: ID, beganAt: null });
      this.#result = await endedWhileAway(
        { startAt, closeAt, beganAt: this.#beganAt, ended: null },
        progress,
        { broadcastClock, wallClock: () => wallMs(time.now) },
      );
    });
    session.start();
  }

  async #strike(): Promise<void> {
    switch (this.plan.process.kind) {
      case 'freeze':
        this.#isFrozen = true;
        break;
      case 'agent':
        this.agent.away(true);
        break;
      case 'kill':
        this.#session = undefined;
        this.time.drop();
        this.#files.drop();
        this.agent.forget();
        break;
      case 'term': {
        const session = this.#session;
        this.#session = undefined;
        let isClosed = false;
        void session?.close().then(() => {
          isClosed = true;
        });
        if (session !== undefined) await settled('closed', () => isClosed);
        this.time.drop();
        this.agent.forget();
        break;
      }
      case 'none':
    }
  }

  #restore(): void {
    switch (this.plan.process.kind) {
      case 'freeze':
        this.#isFrozen = false;
        break;
      case 'agent':
        this.agent.away(false);
        break;
      case 'kill':
      case 'term':
        if (this.#result === undefined) this.#begin();
        break;
      case 'none':
    }
  }

  /** What happens to the disk. */
  #trouble(now: number): void {
    const { disk = [], away } = this.plan;
    this.#files.hold(disk.some(({ from, to }) => now >= at(from) && now < at(to)));
    const isAway = away !== undefined && now >= at(away.from) && now < at(away.to);
    if (isAway !== this.#isAway) this.#rename(isAway);
  }

  #rename(isAway: boolean): void {
    const aside = join(this.root, 'aside');
    this.#isAway = isAway;
    if (isAway) renameSync(this.folder, aside);
    else renameSync(aside, this.folder);
  }

  #cut(): void {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0) truncateSync(this.path, Math.floor(size * (1 - (this.plan.cut?.part ?? 0))));
  }

  /** Delivers the tables of its station as they are received. */
  #follow(now: number): void {
    const session = this.#session;
    if (session === undefined || this.#isFrozen || session.state.phase !== 'receiving') return;
    const { extendedSec, lengthSec, interruption } = this.plan;
    const isExtended = extendedSec > 0 && now >= at(lengthSec) - NOTICE_MS;
    const endAt = broadcastMs(at(lengthSec + (isExtended ? extendedSec : 0)));
    const isResumed = interruption !== undefined && now >= at(interruption.to);
    const isBroken = interruption !== undefined && now >= at(interruption.from) && !isResumed;
    const airState = isBroken ? 'elsewhere' : now < AT ? 'next' : now < endAt ? 'on' : 'past';
    // The programme continues until its tables change.
    const holdUntil = airState === 'on' ? broadcastMs(endAt + HELD_MS) : null;
    const tables = `${endAt} ${airState} ${isResumed}`;
    if (tables === this.#lastTables) return;
    this.#lastTables = tables;
    session.follow({
      ...{ endAt, closeAt: broadcastMs(endAt + AFTER_MS), holdUntil, listenUntil: null },
      startAt: broadcastMs(isResumed ? at(interruption.to) : AT),
      brokenAt: isBroken ? broadcastMs(at(interruption.from)) : null,
      airState,
    });
    this.#times = { ...session.lifecycle.times, holdUntil: null };
  }

  async #settle(): Promise<void> {
    await settled('files are open', () => !this.agent.isOpening);
    await this.#files.done();
    for (const { path } of this.#parts) {
      const size = statSync(path, { throwIfNoEntry: false })?.size;
      if (size === undefined || size === this.#written.get(path)) continue;
      this.#written.set(path, size);
      // The time of its last write, by the virtual clock.
      utimesSync(path, this.time.now / 1000, this.time.now / 1000);
    }
  }
}

const ROOT = statSync('/dev/shm', { throwIfNoEntry: false }) === undefined ? tmpdir() : '/dev/shm';

export async function recordEvening(plan: EveningPlan): Promise<EveningOutcome> {
  const evening = new Evening(plan, ROOT);
  try {
    return await evening.run();
  } finally {
    await evening.agent.close();
    rmSync(evening.root, { recursive: true, force: true });
  }
}
