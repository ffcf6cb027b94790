/**
 * The guide interface of the plan. Most plans only need single programmes, so that a database need not be read
 * completely.
 */
import type { ProgramId, StationId } from '../../../lib/arib/ids.ts';
import type { GuideIndex } from '../match/guide-index.ts';
import type { NormalTexts } from '../match/normal-texts.ts';
import type { IndexedProgram } from '../match/program-rows.ts';

export interface PlanGuide {
  /** The same object for the same programme, also among those of its station. */
  get(id: ProgramId): IndexedProgram | undefined;
  /** The programmes of a station, in no order. */
  ofStation(id: StationId): readonly IndexedProgram[];
  /** All programmes, for searches by text; they may have to be read first. */
  whole(): GuideIndex;
  readonly texts: NormalTexts;
  /** Increases with every change. */
  readonly version: number;
  /** Programmes that changed since a version, some of them twice; undefined: unknown, any may have changed. */
  changedSince(version: number): readonly ProgramId[] | undefined;
}
