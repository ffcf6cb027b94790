/** A station's stored logo, and which of two is better. ARIB STD-B21, Annex 1. */
import type { StationId } from '../../lib/arib/ids.ts';
import type { WallMs } from '../../lib/host/clock.ts';

export interface LogoRecord {
  stationId: StationId;
  /** logo_type: 0 to 2 small, 3 to 5 large. */
  type: number;
  /** logo_version, 12 bits; null if the broadcast has none. */
  version: number | null;
  /** Epoch ms of the last time that it was received. */
  fetchedAt: WallMs;
  /** Changes with the picture. */
  tag: string;
}

/** HD large has square pixels; of the others the larger one is better. */
const BY_WORTH: readonly number[] = [1, 0, 2, 4, 3, 5];
export const LARGEST_TYPE = 5;

function worth(type: number): number {
  return BY_WORTH.indexOf(type);
}

export function betterType(type: number, than: number): boolean {
  return worth(type) > worth(than);
}

/** A picture under 30 lines: only shown if nothing better is known. */
export function isSmall(type: number): boolean {
  return type < 3;
}

const VERSIONS = 0x1000;
export const LOGO_LIFE_MS = 7 * 86_400_000;

/** A logo is received again when it is this old, or dated in the future, because the clock was set back. */
export function isOldLogo(logo: Pick<LogoRecord, 'fetchedAt'>, now: WallMs): boolean {
  return Math.abs(now - logo.fetchedAt) > LOGO_LIFE_MS;
}

type LogoChoice = 'keep' | 'replace' | 'refresh';

/**
 * Decides between a stored logo and a received one. `refresh`: same size and version, whose picture is updated. A
 * larger one of the same version replaces it. One of a newer version replaces it if it has at least the same size, or
 * if the stored one has expired: otherwise a larger one will follow. An older version is ignored.
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
