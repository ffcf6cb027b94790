/**
 * Manual reservations: reserve, cancel, restore. A change is stored and, if that is quick, planned before the response.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import type { RecordAnswer, ReservationItem, ReservationRequest } from '../../lib/wire/schedule.ts';
import { Failure } from '../model/failure.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { RecorderPort } from '../model/recording.ts';
import {
  type Cancellation,
  choiceOf,
  isReserved,
  NO_CHOICE,
  type RecordingChoice,
} from '../model/reservation.ts';
import { titleText } from '../model/search-text.ts';
import type { KnownStation } from '../model/station.ts';
import type { AiringProgram } from '../store/program-store.ts';
import type { ListedReservation, StoredReservation } from '../store/reservation-row.ts';
import type { OfferedProgram, ReservationStore } from '../store/reservation-store.ts';
import { type OpeningTimes, reservationItem } from './reservation-items.ts';
import { type ReservationWindow, withinWindow } from './reservation-window.ts';

interface ReservationServiceOptions {
  reservations: ReservationStore;
  programs: {
    find(id: ProgramId): ProgramRecord | undefined;
    airingOn(station: StationId, now: BroadcastMs): AiringProgram | undefined;
  };
  stations: {
    find(id: StationId): unknown;
    findKnown(id: StationId): KnownStation | undefined;
  };
  recorder: RecorderPort;
  /** Begin and end of every planned or running recording. */
  timesOf: (id: ReservationId) => OpeningTimes | undefined;
  /** Plans with the stored change. @returns whether that finished in time */
  settle: () => Promise<boolean>;
  changed: () => void;
  now: () => BroadcastMs;
}

/** Longest wait for the recorder to write its data. */
const STOP_LIMIT_MS = 10_000;
const COPY_NEVER = 'コピー禁止の番組なので録画しません';
/** Of failed or damaged recordings. */
const MOST_NEXT = 3;

function unknownReservation(): Failure {
  return new Failure('not_found', '予約が見つかりません。');
}

export class ReservationService {
  constructor(private readonly options: ReservationServiceOptions) {}

  /** Sorted by start; past ones latest first. */
  list(completed: boolean, window: ReservationWindow = {}): ReservationItem[] {
    const { reservations, now } = this.options;
    const rows = completed ? reservations.completed(now()) : reservations.coming(now());
    return this.#items(withinWindow(rows, window));
  }

  /** @throws Failure not_found */
  get(id: ReservationId): ReservationItem {
    const row = this.options.reservations.listed(id);
    if (row === undefined) throw unknownReservation();
    const [item] = this.#items([row]);
    if (item === undefined) throw unknownReservation();
    return item;
  }

  /** The next airing of a title; none while one of them is booked. @param name as broadcast */
  nextAiring(name: string): OfferedProgram | undefined {
    const title = titleText(name);
    const { reservations, now } = this.options;
    if (reservations.isTitleBooked(title, now())) return undefined;
    return reservations.nextAirings([title], now(), 1).get(title)?.[0];
  }

  /** @throws Failure not_found, copy_never, ended */
  async reserve(request: ReservationRequest): Promise<ReservationItem> {
    return this.get(await this.#reserve(request));
  }

  /** Records the current programme of a station. @throws Failure as `reserve` */
  async record(station: StationId): Promise<RecordAnswer> {
    const { programs, stations, reservations, now } = this.options;
    if (stations.find(station) === undefined) throw new Failure('not_found', '局が見つかりません。');
    const airing = programs.airingOn(station, now());
    if (airing === undefined)
      throw new Failure('not_found', 'この局で放送中の番組が番組表に見つかりません。');
    const id = await this.#reserve({ programId: airing.id });
    const state = reservations.find(id)?.state ?? 'conflict';
    const recorded = removeTitleMarks(airing.name).title;
    return { recorded, programId: airing.id, reserved: isReserved(state) };
  }

  /** Idempotent. @throws Failure not_found */
  async cancel(id: ReservationId): Promise<void> {
    const { reservations, now } = this.options;
    const reservation = reservations.find(id);
    if (reservation === undefined) throw unknownReservation();
    const { state } = reservation;
    if (state === 'cancelled' || state === 'finished' || state === 'missed') return;
    reservations.cancel(id, this.#memory(reservation), now());
    if (state === 'recording') await this.#stop(id);
    this.options.changed();
    await this.options.settle();
  }

  /** @throws Failure not_found, ended */
  async restore(id: ReservationId): Promise<ReservationItem> {
    const { reservations, programs, now } = this.options;
    const reservation = reservations.find(id);
    if (reservation === undefined) throw unknownReservation();
    if (reservation.state !== 'cancelled') return this.get(id);
    const { programId, ruleId, endAt } = reservation;
    const program = programs.find(programId);
    if ((program?.endAt ?? endAt) <= now() && program?.openEnd !== true) throw hasEnded();
    if (ruleId === null && program?.copyNever === true) throw new Failure('copy_never', COPY_NEVER);
    reservations.restore(id, this.#memory(reservation), now());
    this.options.changed();
    await this.options.settle();
    if (reservations.find(id) !== undefined) return this.get(id);
    // Kept although its rule no longer matches: the user wants it.
    const { stationId, name, description, startAt } = reservation;
    const texts = { stationId, name, description, startAt, endAt };
    const choice = choiceOf(reservation);
    return this.get(await this.#book({ programId, ...texts, ...choice, note: null, repeats: null }));
  }

  async #reserve({ programId, ...choice }: ReservationRequest): Promise<ReservationId> {
    const { reservations, programs, now } = this.options;
    const program = programs.find(programId as ProgramId);
    await this.#judged(programId as ProgramId);
    const known = reservations.ofProgram(programId as ProgramId);
    if (known !== undefined && (isReserved(known.state) || known.state === 'conflict')) {
      if (Object.keys(choice).length > 0) await this.#choose(known.id, choice);
      return known.id;
    }
    if (program === undefined)
      throw new Failure('not_found', '番組が見つかりません。終わった番組は番組表から消えます。');
    const { id, stationId, name, description, startAt, endAt, openEnd, copyNever } = program;
    if (copyNever) throw new Failure('copy_never', COPY_NEVER);
    if (endAt <= now() && !openEnd) throw hasEnded();
    const texts = { stationId, name, description, startAt, endAt };
    const choices = { ...NO_CHOICE, ...choice };
    return await this.#book({ programId: id, ...texts, ...choices, note: null, repeats: null });
  }

  async #choose(id: ReservationId, choice: Partial<RecordingChoice>): Promise<void> {
    this.options.reservations.choose(id, choice, this.options.now());
    this.options.changed();
    await this.options.settle();
  }

  async #book(wanted: Parameters<ReservationStore['book']>[0]): Promise<ReservationId> {
    const { reservations, now, changed, settle } = this.options;
    const id = reservations.book(wanted, now());
    changed();
    await settle();
    return id;
  }

  async #stop(id: ReservationId): Promise<void> {
    const { recorder, reservations, now } = this.options;
    await inTime(recorder.stop(id));
    const isLost = reservations.find(id)?.state === 'recording' && !recorder.running().has(id);
    if (isLost) reservations.cancelLost(id, now());
  }

  /** A recording stopped just now is in state `recording` until its verdict is stored. */
  async #judged(program: ProgramId): Promise<void> {
    const { recorder, reservations } = this.options;
    const known = reservations.ofProgram(program);
    if (known?.state !== 'recording') return;
    if (recorder.running().get(known.id)?.progress.phase === 'over') await inTime(recorder.over(known.id));
  }

  /** Without a station nothing can be recorded. */
  #memory({ ruleId, name, startAt, stationId }: StoredReservation): Omit<Cancellation, 'id'> | null {
    const station = this.options.stations.findKnown(stationId);
    if (station === undefined) return null;
    const { type, channel } = station;
    return { ruleId, type, channel, title: titleText(name), startAt, cancelledAt: this.options.now() };
  }

  #items(rows: readonly ListedReservation[]): ReservationItem[] {
    const { reservations, timesOf, now } = this.options;
    const conflicts = rows.filter(({ state }) => state === 'conflict');
    const offers = reservations.offers(conflicts.flatMap(({ alternatives }) => alternatives));
    const titles = rows.filter(isTrouble).map(({ name }) => titleText(name));
    const next = reservations.nextAirings(titles, now(), MOST_NEXT);
    return rows.map((row) =>
      reservationItem(row, timesOf(row.id), {
        ofConflict: row.alternatives.flatMap((id) => offers.get(id) ?? []),
        next: isTrouble(row) ? (next.get(titleText(row.name)) ?? []) : undefined,
      }),
    );
  }
}

/** Never began, failed, or is incomplete. */
function isTrouble({ state, verdict }: Pick<ListedReservation, 'state' | 'verdict'>): boolean {
  return state === 'missed' || (state === 'finished' && (verdict === 'damaged' || verdict === 'lost'));
}

async function inTime(act: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, STOP_LIMIT_MS);
  await Promise.race([act, limit.promise]);
  clearTimeout(timer);
}

function hasEnded(): Failure {
  return new Failure('ended', 'この番組は終了したため予約できません。');
}
