/**
 * Booking, cancelling, restoring: each shows a toast with the result and undo, or the reason of the failure and the next
 * step. Used by every screen from which a programme can be recorded.
 */
import { signal } from '@preact/signals';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ReservationItem, ReservationRequest, ReservationState } from '../../lib/wire/api.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import { RECORDING_OPTIONS } from '../../lib/wire/rule-fields.ts';
import { currentMs } from '../device/clock.ts';
import { openReservation } from '../navigation/router.ts';
import {
  asFailure,
  bookProgram,
  cancelReservation,
  recordStation,
  restoreReservation,
} from '../query/api.ts';
import { readBookings, reservationById, reservationOf } from '../query/reservations.ts';
import { household } from '../query/settings.ts';
import { showToast, type ToastAction } from '../ui/toast.tsx';
import { adviceFor } from '../words/advice.ts';
import { stateReason, titleOf } from '../words/reservation.ts';
import { airClockText } from '../words/time.ts';
import { tidyTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

/** Requests under way, as `program 5` or `reservation 7`: their buttons are disabled. */
export const busy = signal<ReadonlySet<string>>(new Set());

const programKey = (id: ProgramId): string => `program ${id}`;
export const stationKey = (id: StationId): string => `station ${id}`;
const reservationKey = (id: ReservationId): string => `reservation ${id}`;

export function isBusy(programId: ProgramId | undefined, reservationId?: ReservationId): boolean {
  if (programId !== undefined && busy.value.has(programKey(programId))) return true;
  return reservationId !== undefined && busy.value.has(reservationKey(reservationId));
}

function sayFailure(what: string, error: unknown): void {
  const failure = asFailure(error);
  // A refusal by the service contains reason and next step; a connection error needs advice added.
  const own = ['bad_request', 'not_found', 'conflict', 'copy_never', 'ended'].includes(failure.code);
  showToast(own ? `${what}${failure.message}` : `${what}${failure.message}${adviceFor(failure).next}`);
}

/** The focused element may be removed by the change: then the undo button gets the focus. */
function wayBack(label: string, run: () => void, had: Element | null): ToastAction {
  const lost = had !== null && had !== document.body && !had.isConnected;
  return { label, run, focus: lost };
}

/** Runs one change of an item at a time; false when it failed, or when another is under way. */
async function change(key: string, what: string, run: () => Promise<void>): Promise<boolean> {
  if (busy.value.has(key)) return false;
  busy.value = new Set([...busy.value, key]);
  try {
    await run();
    return true;
  } catch (error) {
    sayFailure(what, error);
    return false;
  } finally {
    busy.value = new Set([...busy.value].filter((other) => other !== key));
  }
}

/** Short title: a toast has one line, and a button two or three. */
const LONGEST_NAME = 24;
export function quotedName(title: string): string {
  const letters = Array.from(title);
  const brief = letters.length <= LONGEST_NAME ? title : `${letters.slice(0, LONGEST_NAME - 1).join('')}…`;
  return brief.includes('「') ? TEXTS.quotedAgain(brief) : TEXTS.quoted(brief);
}

interface BookingTarget {
  readonly id: ProgramId;
  readonly title: string;
}

/** Names that fit into a toast. */
const MOST_HOLDERS = 2;

/** Why no tuner is free, and until when the tuners are in use. */
function conflictText(item: Pick<ReservationItem, 'state' | 'reason' | 'blockers'>): string {
  const holders = (item.blockers ?? [])
    .flatMap((id) => reservationById(id) ?? [])
    .sort((one, other) => one.endAt - other.endAt)
    .slice(0, MOST_HOLDERS)
    .map((one) => TEXTS.holds(quotedName(titleOf(one)), airClockText(one.endAt)));
  if (item.state !== 'conflict' || holders.length === 0) return stateReason(item);
  return TEXTS.holders(holders.join('、'));
}

type Conversion = Pick<ReservationItem, 'encode' | 'keepTs'>;

/** What follows its recording; undefined while the settings are not read. */
function conversionOf({ encode, keepTs }: Conversion) {
  if (household.value.kind !== 'ready') return undefined;
  const { settings } = household.value;
  const codec = encode ?? settings.encode ?? 'none';
  return { codec, isKept: codec === 'none' || (keepTs ?? settings.keepTs ?? false) };
}

/** Empty while the settings are not read. */
export function afterText(item: Conversion): string {
  const conversion = conversionOf(item);
  if (conversion === undefined) return '';
  const { codec, isKept } = conversion;
  return codec === 'none'
    ? TEXTS.notConverted
    : TEXTS.converted(RECORDING_OPTIONS.encode.type.of.words[codec], isKept);
}

/** Who presses 録画 learns that the original will be gone, while that can still be changed. */
const lossOf = (item: Conversion): string => (conversionOf(item)?.isKept === false ? afterText(item) : '');

function sayRecording(name: string, title: string, item: ReservationItem): void {
  const loss = lossOf(item);
  const keep = { label: TEXTS.keepToo, run: () => void choose(item, title, { keepTs: true }) };
  showToast(`${TEXTS.isRecording(name)}${loss}`, loss === '' ? undefined : keep, reservationKey(item.id));
}

function sayBooked(title: string, item: ReservationItem): void {
  const name = quotedName(title);
  const about = reservationKey(item.id);
  switch (item.state) {
    case 'scheduled':
      showToast(
        `${TEXTS.booked(name)}${item.startAt <= currentMs() ? lossOf(item) : ''}`,
        undoBooking(title, item.id),
        about,
      );
      return;
    case 'recording':
      sayRecording(name, title, item);
      return;
    default:
      showToast(
        TEXTS.bookedInVain(name, conflictText(item)),
        { label: TEXTS.details, run: () => openReservation(item.id) },
        about,
      );
  }
}

function undoBooking(title: string, id: ReservationId) {
  return { label: TEXTS.undo, run: () => void cancel({ id, title, state: 'scheduled' }, false) };
}

export function book(program: BookingTarget): Promise<boolean> {
  return change(programKey(program.id), TEXTS.notBooked, async () => {
    const item = await bookProgram({ programId: program.id });
    await readBookings();
    // The plan may have changed while the answer was under way.
    sayBooked(program.title, reservationById(item.id) ?? item);
  });
}

/** Changes the options of a reservation. */
export function choose(
  { id, programId }: Pick<ReservationItem, 'id' | 'programId'>,
  title: string,
  options: Omit<ReservationRequest, 'programId'>,
): Promise<boolean> {
  return change(reservationKey(id), TEXTS.optionsNotChanged, async () => {
    await bookProgram({ programId, ...options });
    await readBookings();
    showToast(TEXTS.optionsChanged(quotedName(title)));
  });
}

interface Booked {
  readonly id: ReservationId;
  readonly title: string;
}

interface Held extends Booked {
  readonly state: ReservationState;
}

/** Stops a running recording; cannot be undone. */
export function cancel({ id, title, state }: Held, say = true): Promise<boolean> {
  const running = state === 'recording';
  const what = running ? TEXTS.notStopped : TEXTS.notCancelled;
  const had = document.activeElement;
  return change(reservationKey(id), what, async () => {
    await cancelReservation(id);
    await readBookings();
    const about = reservationKey(id);
    if (running) showToast(TEXTS.stopped(quotedName(title)), undefined, about);
    else if (say) {
      const undo = (): void => void restore({ id, title });
      showToast(TEXTS.cancelled(quotedName(title)), wayBack(TEXTS.undo, undo, had), about);
    }
  });
}

export function restore({ id, title }: Booked): Promise<boolean> {
  return change(reservationKey(id), TEXTS.notRestored, async () => {
    await restoreReservation(id);
    await readBookings();
    const item = reservationById(id);
    if (item === undefined || item.state === 'scheduled' || item.state === 'recording') {
      showToast(TEXTS.restored(quotedName(title)), undefined, reservationKey(id));
    } else sayBooked(title, item);
  });
}

/** Books another airing in place of a conflicting one, and cancels the latter once the booking has succeeded. */
export function takeInstead(
  conflict: Held,
  offer: BookingTarget & { readonly when: string },
): Promise<boolean> {
  const had = document.activeElement;
  return change(reservationKey(conflict.id), TEXTS.otherNotBooked, async () => {
    const booked = await bookProgram({ programId: offer.id });
    await readBookings();
    const item = reservationById(booked.id) ?? booked;
    if (item.state !== 'scheduled' && item.state !== 'recording') {
      sayBooked(offer.title, item);
      return;
    }
    await cancelReservation(conflict.id);
    await readBookings();
    const undo = (): void => void takeBack(booked.id, conflict);
    const way = wayBack(TEXTS.undo, undo, had);
    showToast(TEXTS.bookedInstead(offer.when), way, reservationKey(conflict.id));
  });
}

/** Records this programme instead of its blockers: all reservations on one tuner. */
export function cancelBlockers(blockers: readonly Held[], winner: Held): Promise<boolean> {
  const had = document.activeElement;
  // A stopped recording cannot be restored, so there is no undo for the whole change.
  const stopped = blockers.some(({ state }) => state === 'recording');
  return change(reservationKey(winner.id), TEXTS.notCancelled, async () => {
    for (const { id } of blockers) await cancelReservation(id);
    await readBookings();
    const state = reservationById(winner.id)?.state;
    const freed = state === 'scheduled' || state === 'recording';
    const what = blockers.length === 1 ? quotedName(blockers[0]?.title ?? '') : TEXTS.count(blockers.length);
    const done = stopped
      ? TEXTS.blockersStopped
      : blockers.length === 1
        ? TEXTS.blockerCancelled
        : TEXTS.blockersCancelled;
    const then = freed ? TEXTS.thenRecords(quotedName(winner.title)) : TEXTS.stillBlocked;
    const way = wayBack(TEXTS.undo, () => void restoreAll(blockers), had);
    showToast(done(what, then), stopped ? undefined : way);
  });
}

function restoreAll(held: readonly Held[]): Promise<boolean> {
  return change(held.map(({ id }) => reservationKey(id)).join(), TEXTS.notUndone, async () => {
    for (const { id } of held) await restoreReservation(id);
    await readBookings();
    showToast(TEXTS.undone);
  });
}

function takeBack(bookedId: ReservationId, conflict: Held): Promise<boolean> {
  return change(reservationKey(conflict.id), TEXTS.notUndone, async () => {
    await restoreReservation(conflict.id);
    await cancelReservation(bookedId);
    await readBookings();
    showToast(TEXTS.undone);
  });
}

/** Records the present programme of a station, from the player. */
export function recordNow(stationId: StationId, title: string): Promise<boolean> {
  return change(stationKey(stationId), TEXTS.notRecorded, async () => {
    const answer = await recordStation(stationId);
    await readBookings();
    const item = reservationOf(answer.programId);
    const name = quotedName(answer.recorded === '' ? title : tidyTitle(answer.recorded));
    if (!answer.reserved) {
      const reason = item === undefined ? TEXTS.tooFewTuners : stateReason(item);
      showToast(TEXTS.cannotRecord(name, reason));
    } else if (item === undefined) {
      showToast(TEXTS.isRecording(name));
    } else if (item.state !== 'scheduled') {
      sayRecording(name, answer.recorded === '' ? title : answer.recorded, item);
    } else {
      showToast(
        `${TEXTS.begins(name)}${lossOf(item)}`,
        undoBooking(answer.recorded, item.id),
        reservationKey(item.id),
      );
    }
  });
}

/** The record key on a programme: books it, or cancels its reservation. Stopping needs a confirmation. */
export function toggle(
  program: BookingTarget & { readonly copyNever: boolean; readonly endAt: BroadcastMs },
  reservation: { readonly id: ReservationId; readonly state: ReservationState } | null,
  now: BroadcastMs,
): void {
  const { title } = program;
  switch (reservation?.state) {
    case 'scheduled':
    case 'conflict':
      void cancel({ ...reservation, title });
      return;
    case 'recording':
      openReservation(reservation.id);
      return;
    case 'cancelled':
      if (program.endAt > now) void restore({ id: reservation.id, title });
      return;
  }
  if (program.copyNever) {
    showToast(TEXTS.copyNever);
  } else if (program.endAt <= now) {
    showToast(TEXTS.tooLate);
  } else void book(program);
}
