/**
 * Reminders: tells somebody some minutes before a programme begins, follows what the guide says of it, and adds the later
 * programmes of series.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Reminder, Reminders as ReminderLists, ReminderRequest } from '../../lib/wire/reminders.ts';
import { Failure } from '../model/failure.ts';
import type { NewNotice } from '../model/notice.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { SeriesMark } from '../model/recording.ts';
import type { ReminderStore, SeriesProgram, StoredReminder } from '../store/reminder-store.ts';
import type { Write } from '../store/transaction.ts';
import type { Hub } from './hub.ts';

interface ReminderOptions {
  store: ReminderStore;
  addNotice: (notice: NewNotice) => void;
  /** New notices wait for delivery. */
  onNotified: () => void;
  findProgram: (id: ProgramId) => ProgramRecord | undefined;
  readSeries: (text: Pick<ProgramRecord, 'name' | 'description' | 'extended'>) => SeriesMark | null;
  hub: Pick<Hub, 'changed' | 'subscribe'>;
  write: Write;
  log: Log;
  now: () => BroadcastMs;
  /** While the time is unconfirmed, nothing is told or forgotten. */
  isTimeSure: () => boolean;
  checkMs: number;
}

/** Some for each day of the guide and each person. */
const MAX_REMINDERS = 500;
const MAX_SERIES = 100;
/** Smaller changes of a start are not told again. */
const MOVED_MS = 60_000;
/** The guide changes in bursts: it is read again so often at most, in checks. */
const CHECKS_PER_READING = 6;

type Step = 'wait' | 'tell';

/** Once for a start, again when the programme is put off or brought forward before it began. Pure. */
function reminderStep(
  { startAt, endAt, minutes, toldFor, isGone }: Omit<StoredReminder, 'id' | 'name'>,
  now: BroadcastMs,
): Step {
  if (isGone || now < startAt - minutes * 60_000) return 'wait';
  if (toldFor === null) return now < endAt ? 'tell' : 'wait';
  return Math.abs(startAt - toldFor) >= MOVED_MS && now < startAt ? 'tell' : 'wait';
}

export class ReminderService {
  #timer: ReturnType<typeof setInterval> | undefined;
  #checking: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  /** The guide may have changed since it was read. */
  #isStale = true;
  #checks = 0;

  constructor(private readonly options: ReminderOptions) {}

  start(): void {
    const { hub, checkMs } = this.options;
    this.#unsubscribe = hub.subscribe(({ name }) => {
      if (name === 'programs') this.#isStale = true;
    });
    this.#timer = setInterval(() => this.check(), checkMs);
    this.check();
  }

  list(): ReminderLists {
    const { store, now } = this.options;
    return {
      reminders: store
        .all()
        .filter(({ endAt }) => endAt > now())
        .map(shown),
      series: store.series().map(({ key: _, ...series }) => series),
    };
  }

  /** Also changes one. @throws Failure not_found, ended, conflict, bad_request */
  set({ programId, minutes, series = false }: ReminderRequest): Reminder {
    const { store, findProgram, now } = this.options;
    const program = findProgram(programId);
    if (program === undefined)
      throw new Failure('not_found', '番組が見つかりません。終わった番組は番組表から消えます。');
    if (program.startAt <= now())
      throw new Failure('ended', 'この番組はもう始まっているため、リマインダーを設定できません。');
    if (store.count() >= MAX_REMINDERS)
      throw new Failure(
        'conflict',
        `リマインダーは${MAX_REMINDERS}件までです。使わないものを消してください。`,
      );
    const seriesId = series ? this.#setSeries(program, minutes) : null;
    const { stationId, name, startAt, endAt } = program;
    store.set({ programId, stationId, name, startAt, endAt, minutes, seriesId }, now());
    this.#changed();
    const made = store.all().find((one) => one.programId === programId);
    if (made === undefined) throw unknownReminder();
    return shown(made);
  }

  /** @throws Failure not_found */
  cancel(id: number): void {
    if (!this.options.store.cancel(id)) throw unknownReminder();
    this.#changed();
  }

  /** With the reminders that were set for its sake. @throws Failure not_found */
  cancelSeries(id: number): void {
    if (!this.options.store.removeSeries(id)) throw unknownReminder();
    this.#changed();
  }

  /** @returns when it is over */
  check(): Promise<void> {
    this.#checking ??= this.#check()
      .catch((error) => this.options.log.warn('reminders not checked', { error: String(error) }))
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#unsubscribe?.();
    await this.#checking;
  }

  #changed(): void {
    this.options.hub.changed('notices');
  }

  #setSeries(program: ProgramRecord, minutes: number): number {
    const { store, readSeries, now } = this.options;
    const mark = readSeries(program);
    if (mark === null)
      throw new Failure('bad_request', 'この番組はシリーズとして見分けられません。', { path: 'series' });
    if (store.series().length >= MAX_SERIES)
      throw new Failure('conflict', `シリーズのリマインダーは${MAX_SERIES}件までです。`);
    const { stationId } = program;
    const series = { stationId, key: mark.key, name: mark.name, minutes };
    const id = store.setSeries(series, now());
    this.#addSeries({ ...series, id }, store.coming(stationId, now()));
    return id;
  }

  async #check(): Promise<void> {
    const { store, isTimeSure } = this.options;
    if (store.count() === 0 && store.series().length === 0) return;
    this.#checks += 1;
    if (this.#isStale && this.#checks % CHECKS_PER_READING === 1) await this.#readGuide();
    if (isTimeSure()) await this.#notifyDue();
  }

  async #notifyDue(): Promise<void> {
    const { store, addNotice, onNotified, write, now } = this.options;
    const at = now();
    const due = store.all().filter((one) => reminderStep(one, at) === 'tell');
    for (const reminder of due)
      await write(() => store.tell(reminder.id, reminder.startAt, () => addNotice(noticeOf(reminder, at))));
    if (due.length === 0) return;
    onNotified();
    this.#changed();
  }

  async #readGuide(): Promise<void> {
    const { store, write, now, isTimeSure } = this.options;
    this.#isStale = false;
    await write(() => this.#follow());
    await write(() => store.refresh(isTimeSure() ? now() : null));
    const stations = new Map<StationId, SeriesProgram[]>();
    let added = 0;
    for (const series of store.series()) {
      const coming = stations.get(series.stationId) ?? store.coming(series.stationId, now());
      stations.set(series.stationId, coming);
      added += await write(() => this.#addSeries(series, coming));
    }
    if (added > 0) this.#changed();
  }

  /** Reminders whose programmes got another id. */
  #follow(): void {
    const { store, now } = this.options;
    // The guide drops what is over: it did not move.
    const gone = store.all().filter(({ isGone, endAt }) => isGone && endAt > now());
    if (gone.length === 0) return;
    const moved = store.moved(now());
    for (const reminder of gone) {
      const id = store.replacement(reminder, moved, now());
      if (id !== undefined) store.moveTo(reminder.id, id);
    }
  }

  #addSeries(
    {
      id: seriesId,
      stationId,
      key,
      minutes,
    }: { id: number; stationId: StationId; key: string; minutes: number },
    coming: readonly SeriesProgram[],
  ): number {
    const { store, readSeries, now } = this.options;
    const left = Math.max(0, MAX_REMINDERS - store.count());
    const same = coming.filter((program) => readSeries({ ...program, extended: null })?.key === key);
    const made = same.slice(0, left).map(({ id: programId, name, startAt, endAt }) => ({
      ...{ programId, stationId, name, startAt, endAt, minutes, seriesId },
    }));
    return store.addOfSeries(made, now());
  }
}

function noticeOf(
  { programId, name, serviceName, startAt, endAt, minutes, toldFor }: StoredReminder,
  at: BroadcastMs,
): NewNotice {
  return {
    // A start that was told may be changed and change back, or be told by other minutes: that is told again.
    key: `reminder:${programId}:${startAt}:${minutes}${toldFor === null ? '' : `:${at}`}`,
    ...{ event: 'reminder', kind: 'program', subject: String(programId) },
    facts: { name, station: serviceName, startAt, endAt },
    // By the clock of the programme's times, with which it is compared.
    at: wallMs(at),
  };
}

function shown({ toldFor, isGone, ...reminder }: StoredReminder): Reminder {
  return { ...reminder, told: toldFor !== null, gone: isGone };
}

function unknownReminder(): Failure {
  return new Failure('not_found', 'リマインダーが見つかりません。');
}
