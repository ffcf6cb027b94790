/** A programme as rules and the plan see it. */
import type { ProgramRecord } from '../../model/program.ts';

/** What rules and the plan need of a programme. Never changed: another one takes its place. */
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
