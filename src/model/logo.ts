/** A station's logo as it is kept, and which of two is better. ARIB STD-B21, Annex 1. */
import type { StationId } from '../../arib/ids.ts';
import type { WallMs } from '../../host/clock.ts';

export interface LogoRecord {
  stationId: StationId;
  /** logo_type: 0 to 2 small, 3 to 5 large. */
  type: number;
  /** logo_version, 12 bits; null where the broadcast named none. */
  version: number | null;
  /** Epoch ms of the last time that it was received. */
  fetchedAt: WallMs;
  /** Of the picture: another one when it changes. */
  tag: string;
}

/** HD large has square dots; of the others the larger one. */
const BY_WORTH: readonly number[] = [1, 0, 2, 4, 3, 5];
export const LARGEST_TYPE = 5;

function worth(type: number): number {
  return BY_WORTH.indexOf(type);
}

export function betterType(type: number, than: number): boolean {
  return worth(type) > worth(than);
}

/** A picture under 30 lines: shown where nothing better is known. */
export function isSmall(type: number): boolean {
  return type < 3;
}

const VERSIONS = 0x1000;
export const LOGO_LIFE_MS = 7 * 86_400_000;

/** A logo is received again when it is that old, or from the future: the clock was set back since. */
export function isOldLogo(logo: Pick<LogoRecord, 'fetchedAt'>, now: WallMs): boolean {
  return Math.abs(now - logo.fetchedAt) > LOGO_LIFE_MS;
}

type LogoChoice = 'keep' | 'replace' | 'refresh';

/**
 * Decides between a stored logo and a received one. `refresh`: the same size of the same version,
 * whose picture is taken as it is now. A larger one of the same version replaces it; of a newer version the same
 * size or a larger one does, and a smaller one only where the old one is worn out: the larger is on its way. An
 * older version is ignored.
 */
export function chooseLogo(
  held: Pick<LogoRecord, 'type' | 'version' | 'fetchedAt'>,
  found: Pick<LogoRecord, 'type' | 'version'>,
  now: WallMs,
): LogoChoice {
  const old = isOldLogo(held, now);
  if (held.version === null || found.version === null || held.version === found.version) {
    if (held.type === found.type) return 'refresh';
    return betterType(found.type, held.type) ? 'replace' : 'keep';
  }
  const ahead = (found.version - held.version + VERSIONS) % VERSIONS;
  if (ahead >= VERSIONS / 2 && !old) return 'keep';
  return old || !betterType(held.type, found.type) ? 'replace' : 'keep';
}
