/**
 * One recording from its row to its verdict: its session follows the order as it changes, and when it has ended it is
 * judged and stored, however long the database refuses.
 */
import type { RecordingProgress } from '../../wire/recordings.ts';
import type { RecordingEnding, RecordingOrder, RecordingRecord, RecordingTexts } from '../model/recording.ts';
import type { Wanted } from '../model/verdict.ts';
import type { CommitBatcher } from './commit-batcher.ts';
import { type ConcludeOptions, type Conclusion, concludeRecording } from './recording-conclusion.ts';
import type { RecordingSession, SessionResult } from './recording-session.ts';
import { retryUntilStored } from './store-retry.ts';
import { endedWhileAway, previousProgress } from './unfinished-recording.ts';

/** What of a session is used; tests bring their own. */
export type Session = Pick<
  RecordingSession,
  | 'done'
  | 'state'
  | 'times'
  | 'start'
  | 'setStart'
  | 'setEnd'
  | 'setListen'
  | 'yieldEnd'
  | 'clockSet'
  | 'stop'
  | 'close'
>;

type Course = Pick<
  RecordingOrder,
  'programId' | 'startAt' | 'endAt' | 'closeAt' | 'holdUntil' | 'listenUntil' | 'brokenAt'
>;

/** A start within this goes on with a recording that was held open. */
const OUTLAST_MS = 60_000;

export interface RunningOptions extends Omit<ConcludeOptions, 'persist'> {
  /** Files and rows agree: nobody removes what is being joined. */
  reconciled: Promise<unknown>;
  /** Where verdicts are stored by. */
  commits: CommitBatcher;
  /** What is to be said of it by now; undefined: what it says. */
  latestTexts: (record: RecordingRecord) => RecordingTexts | undefined;
  /** It was judged and stored, or its service ends before that. */
  onOver: (running: RunningRecording, conclusion: Conclusion | undefined) => void;
  /** Epoch ms by the machine's clock, which dates files. */
  wall: () => number;
}

/** Epoch ms: when it ends as far as its row tells. */
export function endOf({ closeAt, holdUntil }: Pick<RecordingRecord, 'closeAt' | 'holdUntil'>): number {
  return Math.max(closeAt, holdUntil ?? closeAt);
}

export class RunningRecording {
  readonly id: number;
  readonly reservationId: number | null;
  /** Resolves when it was judged and stored, or is left for the next start; never rejects. */
  readonly over: Promise<void>;
  #record: RecordingRecord;
  #session: Session | undefined;
  /** The row does not say yet when it is. */
  #unsaved = false;
  #until: number;
  /** Where it ends, if nothing else is ordered: `closeAt`, or where it is held open. */
  #ends: number;
  /** What is told of its programme's end is known to this process; a start knows at first only its row. */
  #isInformed: boolean;
  /** Since when another programme is on in its place, epoch ms; null: none is, as far as it is known. */
  #brokenAt: number | null = null;
  readonly #closing = new AbortController();

  /** @param session of one that goes on; undefined: its end has passed */
  constructor(
    record: RecordingRecord,
    session: Session | undefined,
    readonly options: RunningOptions,
  ) {
    this.id = record.id;
    this.reservationId = record.reservationId;
    this.#record = record;
    this.#session = session;
    this.#until = record.closeAt;
    this.#ends = endOf(record);
    this.#isInformed = this.#ends === record.closeAt;
    session?.start();
    this.over = this.#run();
  }

  /** As it is to be: its row may be a little behind. */
  get record(): RecordingRecord {
    return this.#record;
  }

  get progress(): RecordingProgress {
    const state = this.#session?.state;
    if (state === undefined) {
      return { ...OVER, until: this.#until };
    }
    const { listenUntil = null } = this.#session?.times ?? {};
    const until = state.cause === 'broken_off' && listenUntil !== null ? listenUntil : this.#until;
    return { ...state, until };
  }

  /** It is over, and only judged. */
  get isOver(): boolean {
    return this.#session === undefined || this.#session.state.phase === 'over';
  }

  /**
   * The programme is at another time, or under another id. Its end moves later only: what is recorded too long is no
   * harm.
   */
  follow(course: Course): void {
    const { programId, startAt, endAt, closeAt, holdUntil, listenUntil = null, brokenAt = null } = course;
    if (brokenAt !== null || holdUntil !== null) this.#brokenAt = brokenAt;
    const before = this.#record;
    const later = Math.max(closeAt, before.closeAt);
    const isOther = programId !== before.programId;
    const moved = startAt !== before.startAt || endAt !== before.endAt || later !== before.closeAt || isOther;
    const session = this.#session;
    this.#isInformed ||= holdUntil !== null;
    const held = holdUntil ?? (this.#isInformed ? null : before.holdUntil);
    const ends = Math.max(later, held ?? later);
    if (ends !== this.#ends) {
      this.#ends = ends;
      session?.setEnd(ends);
    }
    if (listenUntil !== (session?.times.listenUntil ?? null)) session?.setListen(listenUntil);
    if (moved) {
      this.#record = { ...before, programId, startAt, endAt, closeAt: later };
      this.#unsaved = true;
      if (startAt !== before.startAt) session?.setStart({ openAt: session.times.openAt, mainAt: startAt });
      if (later > before.closeAt) this.#until = later;
      this.options.log.info('recording follows its programme', {
        recording: this.id,
        programId,
        startAt,
        endAt,
        closeAt: later,
        holdUntil,
      });
    }
    if (held === null && this.#record.holdUntil !== null) {
      this.#record = { ...this.#record, holdUntil: null };
      this.#unsaved = true;
    }
    if (this.#unsaved) this.#saveTimes();
  }

  /** Is called every second: one that is held open beyond its end is not over for a start that finds it. */
  outlast(): void {
    const now = this.options.now();
    const { closeAt } = this.#record;
    if (this.isOver || this.#ends <= closeAt || endOf(this.#record) > now + OUTLAST_MS / 2) return;
    this.#record = { ...this.#record, holdUntil: now + OUTLAST_MS };
    this.#saveTimes();
  }

  /** Its tuner is another recording's from now on. */
  yieldEnd(at: number): void {
    if (this.isOver) return;
    this.options.log.info('end margin given to the next recording', { recording: this.id });
    this.#until = Math.min(this.#until, at);
    this.#session?.yieldEnd(at);
  }

  /** The clock was wrong until now, by so much. */
  clockSet(byMs: number): void {
    this.#session?.clockSet(byMs);
  }

  /** A person ends it; what there is is kept. Resolves when nothing is written any more. */
  async stop(): Promise<void> {
    await this.#session?.stop();
  }

  /** The service ends; the recording does not. Resolves when everything received is written. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the service ends'));
    await this.#session?.close();
    await this.over;
  }

  #saveTimes(): void {
    const { store, log, now } = this.options;
    try {
      store.moveTimes(this.id, this.#record, now());
      this.#unsaved = false;
    } catch (error) {
      log.error('times of a recording not stored', { recording: this.id, error: String(error) });
    }
  }

  async #run(): Promise<void> {
    const ended = await this.#session?.done;
    const result = ended === undefined || ended.end === 'unheard' ? await this.#left() : ended;
    let conclusion: Conclusion | undefined;
    if (result !== undefined && result.end !== 'closed') conclusion = await this.#concludeRecording(result);
    this.options.onOver(this, conclusion);
  }

  async #left(): Promise<SessionResult | undefined> {
    const { store, log, now, wall } = this.options;
    try {
      const read = () => previousProgress(store, this.#record);
      const former = await retryUntilStored('recording', read, { signal: this.#closing.signal, log });
      return await endedWhileAway(this.#record, former, { now, wall });
    } catch (error) {
      log.warn('recording is judged at the next start', { recording: this.id, error: String(error) });
      return undefined;
    }
  }

  async #concludeRecording(result: SessionResult): Promise<Conclusion | undefined> {
    const { store, log, reconciled, commits } = this.options;
    const { signal } = this.#closing;
    const waiting = { signal, log };
    if (isEnding(result.end) && this.#record.ended === null) {
      try {
        store.ended(this.id, result.end, result.at);
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
        () => concludeRecording(this.id, result, this.#wanted(), options),
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
    const { store, log, now, latestTexts } = this.options;
    try {
      const texts = latestTexts(this.#record);
      if (texts !== undefined) store.describe(this.id, texts, now());
    } catch (error) {
      log.error('texts of a recording not stored', { recording: this.id, error: String(error) });
    }
  }

  #wanted(): Wanted {
    const { startAt, endAt, wantedFrom } = this.#record;
    const brokenAt = this.#brokenAt;
    return {
      ...{ startAt, endAt },
      ...(wantedFrom === null ? {} : { from: wantedFrom }),
      ...(brokenAt === null ? {} : { brokenAt }),
    };
  }
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
