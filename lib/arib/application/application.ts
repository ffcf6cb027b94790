/**
 * An application that an AIT controls, however the AIT came: as sections (`section-ait.ts`) or as XML (`xml-ait.ts`).
 * ETSI TS 102 809, 5; ARIB STD-B24 Vol. 4; IPTVFJ STD-0010.
 */

/** Application_control_code. `disabled` and `playback_autostart` of ETSI TS 102 796 do not start anything. */
export type ControlCode = (typeof CONTROL_CODES)[number] | 'unknown';

export interface ControlledApplication {
  /** organisation_id, 32 bits. */
  readonly organizationId: number;
  /** 16 bits. */
  readonly applicationId: number;
  readonly control: ControlCode;
  /** In Japanese where it is given; null: none. */
  readonly name: string | null;
  /** Of its first document: URL base and location; null: not by HTTP, or its boundaries are too many to be kept. */
  readonly url: string | null;
  /** URL prefixes that it may use, with its permissions there. Empty: not restricted by the AIT. */
  readonly boundaries: readonly ApplicationBoundary[];
  /** The highest starts; null: not given. */
  readonly autostartPriority: number | null;
}

export interface ApplicationBoundary {
  /** permission_bitmap, 16 bits each; null: a boundary without permissions of its own. */
  readonly bitmaps: readonly number[] | null;
  /** managed_URL; empty: every URL. */
  readonly urls: readonly string[];
}

/** Of one AIT; more are not read. */
export const MAX_APPLICATIONS = 32;
/** URLs of an application, and their length. */
const MAX_URLS = 64;
const MAX_URL = 2048;
const MAX_NAME = 128;

/** Application_control_code from 1 on, ETSI TS 102 809, table 3, and ETSI TS 102 796. */
export const CONTROL_CODES = [
  'autostart',
  'present',
  'destroy',
  'kill',
  'prefetch',
  'remote',
  'disabled',
  'playback_autostart',
] as const;

/** Undefined if they are more, or longer, than any real ones: without some of them an application could do more. */
export function boundedBoundaries(
  boundaries: readonly ApplicationBoundary[],
): readonly ApplicationBoundary[] | undefined {
  const urls = boundaries.flatMap((boundary) => boundary.urls);
  const fits = boundaries.length <= MAX_URLS && urls.length <= MAX_URLS;
  return fits && urls.every(({ length }) => length <= MAX_URL) ? boundaries : undefined;
}

export const boundedUrl = (url: string): string | null => (url === '' || url.length > MAX_URL ? null : url);
export const boundedName = (name: string): string | null => (name === '' ? null : name.slice(0, MAX_NAME));
