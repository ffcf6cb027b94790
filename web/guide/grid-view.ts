/** What the grid of the guide is given, and what it tells of its view. */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { GuideProgram, Station } from '../../lib/wire/api.ts';
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

// Last position in the guide: kept over a reload and for the same evening only.

type Positions = Partial<Record<Station['type'], GridPosition>>;

const POSITION_KEY = 'svc.guide-position';
const FRESH_MS = 60 * 60_000;

function isPosition(value: unknown): value is GridPosition {
  if (typeof value !== 'object' || value === null || !('at' in value) || !('column' in value)) return false;
  return Number.isFinite(value.at) && Number.isFinite(value.column);
}

export function rememberPosition(type: Station['type'], position: GridPosition, now: BroadcastMs): void {
  try {
    const positions: Positions = { ...recall(now), [type]: position };
    sessionStorage.setItem(POSITION_KEY, JSON.stringify({ savedAt: now, positions }));
  } catch {
    // Without session storage the guide always opens at the present time.
  }
}

function recall(now: BroadcastMs): Positions {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(POSITION_KEY) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('savedAt' in kept) || !('positions' in kept))
      return {};
    if (typeof kept.savedAt !== 'number' || now - kept.savedAt > FRESH_MS) return {};
    const positions: Positions = {};
    for (const [type, position] of Object.entries(kept.positions ?? {})) {
      if ((type === 'GR' || type === 'BS' || type === 'CS') && isPosition(position)) {
        positions[type] = position;
      }
    }
    return positions;
  } catch {
    return {};
  }
}

export function recallPosition(type: Station['type'], now: BroadcastMs): GridPosition | undefined {
  return recall(now)[type];
}
