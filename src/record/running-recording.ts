/**
 * One recording from its row to its verdict: passes changes of its order to the session, stores the session's course in
 * the row, and stores the verdict at the end, retrying as long as the database refuses.
 */
import { type BroadcastMs, broadcastMs, earliest, plusMs } from '../../arib/time.ts';
import type { RecordingProgress } from '../../wire/recordings.ts';
import type { RecordingId, ReservationId } from '../model/ids.ts';
import type { RecordingEnding, RecordingOrder, RecordingRecord, RecordingTexts } from '../model/recording.ts';
import type { Measured, Wanted } from '../model/verdict.ts';
import type { CommitBatcher } from './commit-batcher.ts';
import { type ConcludeOptions, type Conclusion, concludeRecording } from './recording-conclusion.ts';
import { endsAt, type OrderedTimes } from './recording-course.ts';
import type { RecordingSession, SessionResult } from './recording-session.ts';
import { retryUntilStored } from './store-retry.ts';
import { endedWhileAway, previousProgress } from './unfinished-recording.ts';
import { type GuideOfStation, UnheardEnd } from './unheard-end.ts';

/** The part of a session that is used here; tests replace it. */
export type Session = Pick<
  RecordingSession,
  'done' | 'state' | 'course' | 'start' | 'follow' | 'yieldEnd' | 'clockSet' | 'stop' | 'close'
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
  /** The times in the row are not up to date. */
  #unsaved = false;
  readonly #closing = new AbortController();
  readonly #unheardEnd: UnheardEnd;

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
    this.#unheardEnd = new UnheardEnd(options);
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
    const { state, times, yieldedAt } = session.course;
    const closesAt = yieldedAt === null ? times.closeAt : earliest(yieldedAt, times.closeAt);
    const until = state === 'broken_off' ? (times.listenUntil ?? closesAt) : closesAt;
    return { ...session.state, until };
  }

  /** It is over; only its verdict is missing. */
  get isOver(): boolean {
    return this.#session === undefined || this.#session.state.phase === 'over';
  }

  /** Changed times or event id of the programme. Its course decides what it adopts. */
  follow(order: RecordingOrder): void {
    const session = this.#session;
    if (session === undefined) return;
    session.follow(orderedTimes(order));
    const before = this.#record;
    const { programId } = order;
    const { startAt, endAt, closeAt, holdUntil } = session.course.times;
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
    if (this.#unsaved) this.#saveTimes();
  }

  /** Called every second: a recording held open beyond its end must not count as over after a restart. */
  outlast(): void {
    const times = this.#session?.course.times;
    if (this.isOver || times === undefined) return;
    const now = this.options.broadcastClock();
    if (endsAt(times) <= this.#record.closeAt || endOf(this.#record) > now + OUTLAST_MS / 2) return;
    this.#record = { ...this.#record, holdUntil: plusMs(now, OUTLAST_MS) };
    this.#saveTimes();
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
      this.#unheardEnd.note(programId, stationId, endAt);
    } catch (error) {
      this.options.log.warn('programme after a recording unknown', {
        recording: this.id,
        error: String(error),
      });
    }
  }

  /**
   * The announced end, unless it was not received and the next programme began later. @throws the database's error
   */
  #endAt({ stretches }: Measured): BroadcastMs {
    return this.#unheardEnd.endOf(this.#record.endAt, this.options.broadcastClock(), stretches);
  }

  #saveTimes(): void {
    const { store, log, wallClock } = this.options;
    try {
      store.moveTimes(this.id, this.#record, wallClock());
      this.#unsaved = false;
    } catch (error) {
      log.error('times of a recording not stored', { recording: this.id, error: String(error) });
    }
  }

  async #run(): Promise<void> {
    const ended = await this.#session?.done;
    const result = ended === undefined || ended.end === 'unheard' ? await this.#endedWhileAway() : ended;
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
    const brokenAt = this.#session?.course.times.brokenAt ?? null;
    return {
      ...{ startAt, endAt },
      ...(wantedFrom === null ? {} : { from: wantedFrom }),
      ...(brokenAt === null ? {} : { brokenAt }),
      ...(measured.isAired === false ? { isNeverAired: true } : {}),
    };
  }
}

/** Converts an order's times for the course. */
export function orderedTimes(order: RecordingOrder): OrderedTimes {
  const { startAt, endAt, closeAt, holdUntil, listenUntil = null, brokenAt = null, airState = null } = order;
  return { startAt, endAt, closeAt, holdUntil, listenUntil, brokenAt, airState };
}

function isEnding(end: SessionResult['end']): end is RecordingEnding {
  return end !== 'closed' && end !== 'unheard';
}

const OVER: Omit<RecordingProgress, 'until'> = {
  phase: 'over',
  cause: null,
  bytes: 0,
  drops: 0,
  slow: false,
  tunerId: null,
};
