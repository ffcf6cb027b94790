/**
 * One recording from its row to its verdict: passes changes of its order to the session, stores the session's lifecycle in
 * the row, and stores the verdict at the end, retrying as long as the database refuses.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, earliest, latest, plusMs } from '../../lib/arib/time.ts';
import type { WallClock } from '../../lib/host/clock.ts';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import { pick } from '../../lib/wire/fields.ts';
import type { RecordingId, ReservationId } from '../../lib/wire/ids.ts';
import type { RecordingProgress } from '../../lib/wire/recordings.ts';
import { CONVERSION_OPTIONS } from '../../lib/wire/rule-fields.ts';
import type {
  RecordingEnding,
  RecordingOrder,
  RecordingPart,
  RecordingRecord,
  RecordingTexts,
} from '../model/recording.ts';
import { type BroadcastSpan, type Measured, nothingMeasured, type Wanted } from '../model/verdict.ts';
import { lastLife } from '../reception/recorded-file.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import type { CommitBatcher } from './commit-batcher.ts';
import { type ConcludeOptions, type Conclusion, concludeRecording } from './recording-conclusion.ts';
import { endsAt, type OrderedTimes } from './recording-lifecycle.ts';
import { RecordingMeasurement } from './recording-measurement.ts';
import type { RecordingSession, SessionResult } from './recording-session.ts';

export interface PreviousProgress {
  measured: Measured;
  parts: readonly RecordingPart[];
}

/**
 * State left by an earlier process. If its stored measurements are damaged, only the last file counts: it is counted
 * again, and assumed to be received without a gap since the recording began. @throws the database's error
 */
export function previousProgress(
  store: Pick<RecordingStore, 'measured' | 'parts'>,
  { id, beganAt }: Pick<RecordingRecord, 'id' | 'beganAt'>,
): PreviousProgress {
  const [measured, parts] = [store.measured(id), store.parts(id)];
  if (measured !== null) return { measured, parts };
  const stretches = beganAt === null ? [] : [{ from: beganAt, to: beganAt }];
  const uncounted = parts.map((part, index) => (index < parts.length - 1 ? part : { ...part, bytes: 0 }));
  return { measured: { ...nothingMeasured(), stretches }, parts: uncounted };
}

/** The result if nothing was received since the service stopped. */
export async function endedWhileAway(
  record: Pick<RecordingRecord, 'startAt' | 'closeAt' | 'beganAt' | 'ended'>,
  { measured, parts }: PreviousProgress,
  { broadcastClock, wallClock }: { broadcastClock: () => BroadcastMs; wallClock: WallClock },
): Promise<Pick<SessionResult, 'end' | 'at' | 'measured' | 'parts'>> {
  const { startAt, closeAt, beganAt, ended } = record;
  if (ended !== null) return { end: ended.as, at: ended.at, measured, parts: [...parts] };
  const measurement = new RecordingMeasurement(structuredClone(measured));
  const last = parts.at(-1);
  const former = last === undefined ? undefined : await lastLife(last);
  if (former !== undefined && last !== undefined && former.recounted.packets > 0) {
    const modifiedAt = broadcastMs(former.modifiedAt + broadcastClock() - wallClock());
    const from = measurement.reportedUntil ?? beganAt ?? modifiedAt;
    const writtenUntil = measurement.writtenUntil({ ...former, modifiedAt });
    const to = earliest(latest(writtenUntil, from), closeAt);
    const stretch = { from: earliest(from, to), to };
    measurement.received(stretch, nothingMeasured().sums, last.path);
    measurement.recounted(stretch, former);
  }
  const from = measurement.reportedUntil ?? beganAt ?? startAt;
  measurement.broke('service_stopped', { from, to: closeAt });
  return { end: 'finished', at: broadcastClock(), measured: measurement.value, parts: [...parts] };
}

/** Equal to the limit for holding a recording open beyond an unknown end. */
const LONGEST_MS = 3 * 3_600_000;

interface Announced {
  id: ProgramId;
  startAt: BroadcastMs;
}

export interface GuideOfStation {
  /** The programme of the guide that follows this one, at a given time. */
  findFollowing?:
    | ((station: StationId, at: BroadcastMs, program: ProgramId | null) => Announced | undefined)
    | undefined;
  findProgram?: ((id: ProgramId) => Announced | undefined) | undefined;
}

/**
 * The end of a programme whose station was not received at that time. An overrunning programme delays the next one:
 * if that is now announced later, the programme lasted until then, although its own table was never received.
 * @throws the guide's error
 */
export class UnreceivedEnd {
  /** The programme after the end noted with it. */
  #next: { id: ProgramId; endAt: BroadcastMs } | undefined;

  constructor(readonly guide: GuideOfStation) {}

  /**
   * Notes the current end and the following programme, which may still be announced for an earlier time if the
   * programme itself was just moved.
   */
  note(program: ProgramId | null, station: StationId, endAt: BroadcastMs): void {
    const next = this.guide.findFollowing?.(station, endAt, program);
    this.#next = next === undefined ? undefined : { id: next.id, endAt };
  }

  /**
   * The end according to the following programme, unless the programme's own end was received.
   * @param endAt the last known end
   * @param received when packets were received
   */
  endOf(endAt: BroadcastMs, now: BroadcastMs, received: readonly BroadcastSpan[]): BroadcastMs {
    const before = this.#next;
    const isHeard = received.some(({ from, to }) => from <= endAt && to >= endAt);
    if (isHeard || before === undefined || before.endAt !== endAt) return endAt;
    const startAt = this.guide.findProgram?.(before.id)?.startAt ?? endAt;
    const isMoved = startAt > endAt && startAt <= now && startAt - endAt <= LONGEST_MS;
    return isMoved ? startAt : endAt;
  }
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Retries writes that must succeed while the database is busy or its disk is full. Repeats `act` until it succeeds.
 * @throws the signal's reason when it is aborted
 */
export async function retryUntilStored<T>(
  what: string,
  act: () => T | Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    signal.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      signal.throwIfAborted();
      log.error(`${what} not stored, tried again`, { error: String(error), waitMs: wait });
    }
    await sleepUnlessAborted(wait, signal);
  }
}

/** The part of a session that is used here; tests replace it. */
export type Session = Pick<
  RecordingSession,
  'done' | 'state' | 'lifecycle' | 'start' | 'follow' | 'yieldEnd' | 'clockSet' | 'stop' | 'close'
>;

/** A restart within this time resumes a recording that was held open. */
const OUTLAST_MS = 60_000;

interface RunningOptions extends Omit<ConcludeOptions, 'persist'>, GuideOfStation {
  /** Resolves when files and rows are reconciled: until then leftovers of a join may be removed. */
  reconciled: Promise<unknown>;
  commits: CommitBatcher;
  /** Updated texts of its programme; undefined: unchanged. */
  latestTexts: (record: RecordingRecord) => RecordingTexts | undefined;
  /** Its verdict is stored, or the service stops first. */
  onOver: (running: RunningRecording, conclusion: Conclusion | undefined) => void;
  broadcastClock: () => BroadcastMs;
}

/** Its end according to its row. */
export function endOf({ closeAt, holdUntil }: Pick<RecordingRecord, 'closeAt' | 'holdUntil'>): BroadcastMs {
  return broadcastMs(Math.max(closeAt, holdUntil ?? closeAt));
}

export class RunningRecording {
  readonly id: RecordingId;
  readonly reservationId: ReservationId | null;
  /** Resolves when its verdict is stored or left to the next start; never rejects. */
  readonly over: Promise<void>;
  #record: RecordingRecord;
  #session: Session | undefined;
  /** The row is not up to date. */
  #unsaved = false;
  readonly #closing = new AbortController();
  readonly #unreceivedEnd: UnreceivedEnd;

  /** @param session undefined: its end has passed, and only its verdict is missing */
  constructor(
    record: RecordingRecord,
    session: Session | undefined,
    readonly options: RunningOptions,
  ) {
    this.id = record.id;
    this.reservationId = record.reservationId;
    this.#record = record;
    this.#session = session;
    this.#unreceivedEnd = new UnreceivedEnd(options);
    this.#noteEnd();
    session?.start();
    this.over = this.#run();
  }

  /** The intended times: the row may lag slightly. */
  get record(): RecordingRecord {
    return this.#record;
  }

  get progress(): RecordingProgress {
    const session = this.#session;
    if (session === undefined) return { ...OVER, until: this.#record.closeAt };
    const { state, times, yieldedAt } = session.lifecycle;
    const closesAt = yieldedAt === null ? times.closeAt : earliest(yieldedAt, times.closeAt);
    const until = state === 'broken_off' ? (times.listenUntil ?? closesAt) : closesAt;
    return { ...session.state, until };
  }

  /** It is over; only its verdict is missing. */
  get isOver(): boolean {
    return this.#session === undefined || this.#session.state.phase === 'over';
  }

  /**
   * Changed times or event id of the programme, of which its lifecycle decides what it adopts; and the options of its
   * conversion, which are final when it ends.
   */
  follow(order: RecordingOrder): void {
    const session = this.#session;
    if (session === undefined) return;
    session.follow(orderedTimes(order));
    const before = this.#record;
    const { programId } = order;
    const { startAt, endAt, closeAt, holdUntil } = session.lifecycle.times;
    const times = { programId, startAt, endAt, closeAt };
    if (
      programId !== before.programId ||
      startAt !== before.startAt ||
      endAt !== before.endAt ||
      closeAt !== before.closeAt
    ) {
      this.#record = { ...before, ...times };
      this.#unsaved = true;
      this.#noteEnd();
      this.options.log.info('recording follows its programme', { recording: this.id, ...times, holdUntil });
    }
    if (holdUntil === null && this.#record.holdUntil !== null) {
      this.#record = { ...this.#record, holdUntil: null };
      this.#unsaved = true;
    }
    const conversion = pick(CONVERSION_OPTIONS, order);
    if (!isDeepStrictEqual(conversion, pick(CONVERSION_OPTIONS, before))) {
      this.#record = { ...this.#record, ...conversion };
      this.#unsaved = true;
    }
    if (this.#unsaved) this.#save();
  }

  /** Called every second: a recording held open beyond its end must not count as over after a restart. */
  outlast(): void {
    const times = this.#session?.lifecycle.times;
    if (this.isOver || times === undefined) return;
    const now = this.options.broadcastClock();
    if (endsAt(times) <= this.#record.closeAt || endOf(this.#record) > now + OUTLAST_MS / 2) return;
    this.#record = { ...this.#record, holdUntil: plusMs(now, OUTLAST_MS) };
    this.#save();
  }

  /** From now on its tuner belongs to another recording. */
  yieldEnd(at: BroadcastMs): void {
    if (this.isOver) return;
    this.options.log.info('end margin given to the next recording', { recording: this.id });
    this.#session?.yieldEnd(at);
  }

  /** The clock was corrected by this. */
  clockSet(byMs: number): void {
    this.#session?.clockSet(byMs);
  }

  /** A user stops it; received data is kept. Resolves when writing has ended. */
  async stop(): Promise<void> {
    await this.#session?.stop();
  }

  /** Shutdown without ending the recording. Resolves when everything received is written. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the service ends'));
    await this.#session?.close();
    await this.over;
  }

  #noteEnd(): void {
    const { programId, stationId, endAt } = this.#record;
    try {
      this.#unreceivedEnd.note(programId, stationId, endAt);
    } catch (error) {
      this.options.log.warn('programme after a recording unknown', {
        recording: this.id,
        error: String(error),
      });
    }
  }

  /** The announced end, unless it was not received and the next programme began later. @throws the database's error */
  #endAt({ stretches }: Measured): BroadcastMs {
    return this.#unreceivedEnd.endOf(this.#record.endAt, this.options.broadcastClock(), stretches);
  }

  #save(): void {
    const { store, log, wallClock } = this.options;
    try {
      store.follow(this.id, this.#record, wallClock());
      this.#unsaved = false;
    } catch (error) {
      log.error('changes of a recording not stored', { recording: this.id, error: String(error) });
    }
  }

  async #run(): Promise<void> {
    const ended = await this.#session?.done;
    const result = ended === undefined || ended.end === 'unreceived' ? await this.#endedWhileAway() : ended;
    let conclusion: Conclusion | undefined;
    if (result !== undefined && result.end !== 'closed') conclusion = await this.#concludeRecording(result);
    this.options.onOver(this, conclusion);
  }

  async #endedWhileAway(): Promise<SessionResult | undefined> {
    const { store, log, broadcastClock, wallClock } = this.options;
    try {
      const read = () => previousProgress(store, this.#record);
      const former = await retryUntilStored('recording', read, { signal: this.#closing.signal, log });
      return await endedWhileAway(this.#record, former, { broadcastClock, wallClock });
    } catch (error) {
      log.warn('recording is judged at the next start', { recording: this.id, error: String(error) });
      return undefined;
    }
  }

  async #concludeRecording(result: SessionResult): Promise<Conclusion | undefined> {
    const { store, log, reconciled, commits, wallClock } = this.options;
    const { signal } = this.#closing;
    const waiting = { signal, log };
    if (isEnding(result.end) && this.#record.ended === null) {
      try {
        store.ended(this.id, result.end, result.at, wallClock());
      } catch (error) {
        log.error('end of a recording not stored yet', { recording: this.id, error: String(error) });
      }
    }
    this.#describe();
    try {
      await reconciled;
      const options: ConcludeOptions = {
        ...this.options,
        persist: (act) => retryUntilStored('verdict', () => commits.commit(act), waiting),
      };
      const conclusion = await retryUntilStored(
        'verdict',
        () => concludeRecording(this.id, result, this.#wanted(result), options),
        waiting,
      );
      const { level, drops, gaps } = conclusion.verdict;
      log.info('recording ended', { recording: this.id, end: result.end, level, drops, gaps: gaps.length });
      return conclusion;
    } catch (error) {
      log.warn('recording is judged at the next start', { recording: this.id, error: String(error) });
      return undefined;
    }
  }

  #describe(): void {
    const { store, log, wallClock, latestTexts } = this.options;
    try {
      const texts = latestTexts(this.#record);
      if (texts !== undefined) store.describe(this.id, texts, wallClock());
    } catch (error) {
      log.error('texts of a recording not stored', { recording: this.id, error: String(error) });
    }
  }

  #wanted({ measured }: Pick<SessionResult, 'measured'>): Wanted {
    const { startAt, wantedFrom } = this.#record;
    const endAt = this.#endAt(measured);
    const brokenAt = this.#session?.lifecycle.times.brokenAt ?? null;
    return {
      ...{ startAt, endAt },
      ...(wantedFrom === null ? {} : { from: wantedFrom }),
      ...(brokenAt === null ? {} : { brokenAt }),
      ...(measured.isAired === false ? { isNeverAired: true } : {}),
    };
  }
}

/** Converts an order's times for the lifecycle. */
export function orderedTimes(order: RecordingOrder): OrderedTimes {
  const { startAt, endAt, closeAt, holdUntil, listenUntil = null, brokenAt = null, airState = null } = order;
  return { startAt, endAt, closeAt, holdUntil, listenUntil, brokenAt, airState };
}

function isEnding(end: SessionResult['end']): end is RecordingEnding {
  return end !== 'closed' && end !== 'unreceived';
}

const OVER: Omit<RecordingProgress, 'until'> = {
  phase: 'over',
  cause: null,
  bytes: 0,
  drops: 0,
  slow: false,
  tunerId: null,
};
