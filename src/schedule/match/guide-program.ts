/** A programme with the fields that rules and the plan use. */
import type { ProgramRecord } from '../../model/program.ts';

/** Fields of a programme for rules and the plan. Immutable: a change creates a new object. */
export type GuideProgram = Readonly<
  Pick<
    ProgramRecord,
    | 'id'
    | 'stationId'
    | 'startAt'
    | 'endAt'
    | 'openEnd'
    | 'name'
    | 'description'
    | 'extended'
    | 'genres'
    | 'isFree'
    | 'copyNever'
    | 'groups'
  >
>;
