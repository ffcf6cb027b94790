/** Reservations and rules in the format of the API. Pure. */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import { type BroadcastMs, latest } from '../../lib/arib/time.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import type { PreviewProgram, ReservationItem, RuleItem } from '../../lib/wire/schedule.ts';
import type { RecordingOrder } from '../model/recording.ts';
import { choiceOf, type Reservation } from '../model/reservation.ts';
import type { Rule } from '../model/rule.ts';
import type { PlannedOpening } from '../schedule/plan/plan-types.ts';
import { ruleItem } from '../schedule/rule-body.ts';
import { MAX_OF_RULE } from '../schedule/rule-match-limit.ts';
import type { ListedReservation } from '../store/reservation-row.ts';
import type { OfferedProgram } from '../store/reservation-store.ts';
import type { RuleFacts } from '../store/rule-store.ts';
import type { PreviewRow } from './planning-worker-messages.ts';
import {
  crowdedText,
  cutText,
  reservationNoteText,
  reservationReasonText,
} from './reservation-reason-text.ts';

/** Epoch ms. */
export interface OpeningTimes {
  openAt: BroadcastMs;
  closeAt: BroadcastMs;
  /** Expected loss by retuning. */
  cuts: readonly ExpectedCut[];
}

/** @see PlannedCut */
interface ExpectedCut {
  part: 'head' | 'tail';
  ms: number;
  programId: ProgramId;
  /** As broadcast. */
  name: string;
}

/**
 * Times of each scheduled or running reservation. A plan opens running ones at its own time: their published time is
 * kept.
 * @param before the published times
 */
export function openingTimes(
  reservations: readonly Pick<Reservation, 'id' | 'state' | 'programId' | 'name'>[],
  orders: readonly Pick<
    RecordingOrder,
    'reservationId' | 'programId' | 'openAt' | 'closeAt' | 'wantedFrom'
  >[],
  before: ReadonlyMap<ReservationId, OpeningTimes>,
  openings: ReadonlyMap<ProgramId, Pick<PlannedOpening, 'cuts'>>,
): Map<ReservationId, OpeningTimes> {
  const names = new Map(reservations.map(({ programId, name }) => [programId, name]));
  const cutsOf = (id: ProgramId): ExpectedCut[] =>
    (openings.get(id)?.cuts ?? []).flatMap(({ part, ms, neighbour }) => {
      const name = names.get(neighbour);
      return name === undefined ? [] : [{ part, ms, programId: neighbour, name }];
    });
  const running = new Set(reservations.flatMap(({ id, state }) => (state === 'recording' ? [id] : [])));
  return new Map(
    orders.map(({ reservationId: id, programId, openAt, closeAt, wantedFrom }) => {
      const cuts = cutsOf(programId);
      if (!running.has(id)) return [id, { openAt, closeAt, cuts }];
      // Not before it was booked.
      return [id, { openAt: before.get(id)?.openAt ?? latest(openAt, wantedFrom ?? openAt), closeAt, cuts }];
    }),
  );
}

const titleOf = (name: string): string => removeTitleMarks(name).title;

function noteText(note: ListedReservation['note'], cuts: readonly ExpectedCut[]): string | null {
  const texts = [...(note === null ? [] : [reservationNoteText(note)]), ...cuts.map(cutText)];
  return texts.length === 0 ? null : texts.join('');
}

interface Offers {
  /** Programmes that could be recorded instead of a conflict. */
  readonly ofConflict: readonly OfferedProgram[];
  /** For a failed or damaged recording: future airings of its title; otherwise undefined. */
  readonly next: readonly OfferedProgram[] | undefined;
}

function offerItem({ id, name, ...rest }: OfferedProgram): NonNullable<ReservationItem['offers']>[number] {
  return { programId: id, title: titleOf(name), ...rest };
}

export function reservationItem(
  row: ListedReservation,
  times: OpeningTimes | undefined,
  offers: Offers,
): ReservationItem {
  const { id, programId, stationId, serviceName, name, startAt, endAt, state, priority, ruleId } = row;
  const { reason, tuner, channel, recordingId, verdict, note } = row;
  const conflict = {
    blockers: [...row.blockers],
    alternatives: [...row.alternatives],
    offers: offers.ofConflict.map(offerItem),
  };
  return {
    id,
    programId,
    stationId,
    serviceName,
    name,
    title: titleOf(name),
    startAt,
    endAt,
    state,
    priority,
    ruleId,
    reason: reason === null ? null : reservationReasonText(reason),
    tuner: tuner === null ? null : { ...tuner },
    ...(state === 'conflict' ? conflict : {}),
    ...(offers.next === undefined ? {} : { offers: offers.next.map(offerItem) }),
    openAt: times?.openAt ?? null,
    closeAt: times?.closeAt ?? null,
    channel,
    recordingId,
    verdict,
    note: noteText(note, times?.cuts ?? []),
    cuts: (times?.cuts ?? []).map(({ name: other, ...cut }) => ({ ...cut, title: titleOf(other) })),
    ...choiceOf(row),
  };
}

/** @param left number of matching programmes that are booked later */
export function ruleWithFacts(rule: Rule, facts: RuleFacts | undefined, left = 0): RuleItem {
  const { booked = 0, conflicts = 0, recorded = 0, next = null } = facts ?? {};
  return {
    ...ruleItem(rule),
    booked,
    conflicts,
    recorded,
    crowded: rule.enabled && left > 0 ? { left, reason: crowdedText(left, MAX_OF_RULE) } : null,
    next:
      next === null
        ? null
        : {
            reservationId: next.reservationId,
            programId: next.programId,
            title: titleOf(next.name),
            serviceName: next.serviceName,
            startAt: next.startAt,
            state: next.state,
          },
  };
}

export function previewItem(row: PreviewRow, stationName: (id: StationId) => string): PreviewProgram {
  const { id, stationId, name, startAt, endAt, state, reason, reservationId } = row;
  const title = titleOf(name);
  const serviceName = stationName(stationId);
  const text = reason === null ? null : reservationReasonText(reason);
  return { id, stationId, serviceName, name, title, startAt, endAt, state, reason: text, reservationId };
}
