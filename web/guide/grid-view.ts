/** What the grid of the guide is given, and what it tells of its view. */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { GuideProgram } from '../../wire/api.ts';
import type { Span } from './geometry.ts';
import type { GuideStore, ViewState } from './store.ts';

export interface GridParts {
  readonly scroller: HTMLElement;
  readonly store: GuideStore;
  readonly onOpen: (programId: ProgramId) => void;
  /** The record key on a programme. */
  readonly onRecord: (program: GuideProgram) => void;
  /** The focus came by key, and there is no programme to give it to. */
  readonly onNothing: () => void;
  /** Called after the view moved or its contents changed. */
  readonly onView: (view: GridView) => void;
}

export interface GridView {
  /** Position of the top left corner: known after the sheet was removed, too. */
  readonly position: GridPosition;
  readonly seen: Span;
  readonly state: ViewState;
  /** The stations in view while none of them has a programme there. */
  readonly bare: readonly StationId[];
}

export interface GridPosition {
  readonly at: BroadcastMs;
  /** Columns left of the view; fractions are part of a column. */
  readonly column: number;
}

/** CSS pixels. */
export interface Scroll {
  readonly top: number;
  readonly left: number;
}

/** Appearance chosen by the viewer. */
export interface GridLook {
  /** Factor of a column's width. */
  readonly width: number;
  /** Letter size for a television. */
  readonly television: boolean;
  readonly dimShopping: boolean;
}
