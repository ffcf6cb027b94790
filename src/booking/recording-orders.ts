/** Orders to the recorder: the reservations to record, with the plan's times and the settings. Pure. */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, latest, plusMs } from '../../lib/arib/time.ts';
import { valuesBy } from '../../lib/wire/fields.ts';
import { CONVERSION_OPTIONS, type ConversionOptions } from '../../lib/wire/rule-fields.ts';
import type { RecordingOrder } from '../model/recording.ts';
import type { RecordingChoice, Reservation } from '../model/reservation.ts';
import type { PlannedOpening } from '../schedule/plan/plan-types.ts';

/** Time of a slow satellite tuner to its first packet, ms; earlier data is head. */
export const TUNING_MS = 2_000;

/** Of the settings, those that apply to coming and running recordings. Margins in ms. */
export type OrderSettings = Readonly<Record<'marginBefore' | 'marginAfter', number>> & {
  readonly [K in keyof ConversionOptions as null extends ConversionOptions[K]
    ? never
    : K]: ConversionOptions[K];
};

/** What the recording keeps of the options of its reservation. */
function conversionOf(choice: RecordingChoice, settings: OrderSettings): ConversionOptions {
  const byName: Readonly<Record<string, unknown>> = settings;
  return valuesBy(CONVERSION_OPTIONS, (name, { type }) =>
    type.kind === 'nullable' ? choice[name] : (choice[name] ?? byName[name]),
  ) as ConversionOptions;
}

/** Where a station is received. */
interface Place {
  type: string;
  channel: string;
}

/** Finds those that end after a time, up to another one: there may be hundreds, and each asks. */
function byEnd(reservations: readonly Reservation[]) {
  const sorted = reservations.toSorted((one, other) => one.endAt - other.endAt);
  return (after: BroadcastMs, until: BroadcastMs): Reservation[] => {
    let [from, end] = [0, sorted.length];
    while (from < end) {
      const middle = (from + end) >> 1;
      if ((sorted[middle]?.endAt ?? after) > after) end = middle;
      else from = middle + 1;
    }
    while ((sorted[end]?.endAt ?? Infinity) <= until) end += 1;
    return sorted.slice(from, end);
  };
}

/**
 * Without an opening (tuners unknown yet, or no planning worker) a reservation gets its own margins, and takes over
 * the tuner of one that ends shortly before it, as if it were the only tuner: a complete beginning is worth more than
 * a margin.
 * @param reservations scheduled and running ones
 */
export function ordersOf(
  reservations: readonly Reservation[],
  openings: ReadonlyMap<ProgramId, PlannedOpening>,
  settings: OrderSettings,
  placeOf: (station: StationId) => Place | undefined,
): RecordingOrder[] {
  const byProgram = new Map(reservations.map((one) => [one.programId, one]));
  const endingIn = byEnd(reservations);
  return reservations.map((reservation): RecordingOrder => {
    const { programId, stationId, ruleId, name, description, startAt, endAt, createdAt } = reservation;
    const opening = openings.get(programId);
    const before = reservation.marginBefore ?? settings.marginBefore;
    const after = reservation.marginAfter ?? settings.marginAfter;
    const own = placeOf(stationId);
    const ownOpenAt = plusMs(startAt, -before - TUNING_MS);
    // A recording of the same channel has another tuner, and runs in parallel.
    const isApart = (other: Reservation): boolean => {
      const place = placeOf(other.stationId);
      return place?.type === own?.type && place?.channel === own?.channel;
    };
    const isOnItsTuner = (other: Reservation): boolean =>
      other.startAt < startAt && placeOf(other.stationId)?.type === own?.type && !isApart(other);
    const followed =
      opening === undefined
        ? endingIn(ownOpenAt, startAt).filter(isOnItsTuner)
        : opening.after.flatMap((other) => byProgram.get(other) ?? []);
    return {
      reservationId: reservation.id,
      programId,
      stationId,
      ruleId,
      name,
      description,
      startAt: opening?.startAt ?? startAt,
      endAt: opening?.endAt ?? endAt,
      openAt: opening?.openAt ?? latest(ownOpenAt, ...followed.map((other) => other.endAt)),
      closeAt: opening?.closeAt ?? plusMs(endAt, after),
      holdUntil: opening?.holdUntil ?? null,
      listenUntil: opening?.listenUntil ?? null,
      brokenAt: opening?.brokenAt ?? null,
      airState: opening?.airState ?? null,
      after: followed.filter((other) => !isApart(other)).map(({ id }) => id),
      apart: followed.filter(isApart).map(({ id }) => id),
      ...conversionOf(reservation, settings),
      // One booked by a clock that was ahead is later than its programme: all of that is wanted.
      wantedFrom: createdAt > startAt && createdAt < endAt ? createdAt : null,
    };
  });
}
