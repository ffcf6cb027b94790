/** Last position in the guide: kept over a reload and for the same evening only. */
import type { BroadcastMs } from '../../arib/time.ts';
import type { Station } from '../../wire/api.ts';
import type { GridPosition } from './grid-view.ts';

type Positions = Partial<Record<Station['type'], GridPosition>>;

const KEY = 'svc.guide-position';
const FRESH_MS = 60 * 60_000;

function isPosition(value: unknown): value is GridPosition {
  if (typeof value !== 'object' || value === null || !('at' in value) || !('column' in value)) return false;
  return Number.isFinite(value.at) && Number.isFinite(value.column);
}

export function rememberPosition(type: Station['type'], position: GridPosition, now: BroadcastMs): void {
  try {
    const positions: Positions = { ...recall(now), [type]: position };
    sessionStorage.setItem(KEY, JSON.stringify({ savedAt: now, positions }));
  } catch {
    // Without session storage the guide always opens at the present time.
  }
}

function recall(now: BroadcastMs): Positions {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
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
