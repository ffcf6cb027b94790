/** The guide of a station that announces event tables and sends none. */
import type { Guide } from './programme.ts';

export const SILENT_GUIDE: Guide = {
  days: 0,
  starting: () => [],
  present: () => undefined,
  following: () => undefined,
  airing: () => [],
  presentChanges: () => 0,
  revisions: () => 0,
};
