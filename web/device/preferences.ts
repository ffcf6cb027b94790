/** Settings stored in this browser. Works without persistence where storage is refused. */
import { computed, effect, type Signal, signal } from '@preact/signals';
import { BROADCAST_TYPES, type BroadcastType } from '../../lib/arib/ids.ts';
import type { LiveQuality, RecordingSort } from '../../lib/wire/api.ts';
import { RECORDING_SORTS, type Theme } from '../../lib/wire/vocabulary.ts';

const PREFIX = 'svc.';

function load<T>(key: string, fallback: T, accept: (value: unknown) => T | undefined): T {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? fallback : (accept(JSON.parse(text)) ?? fallback);
  } catch {
    return fallback;
  }
}

/** A signal whose value outlives the page; values that `accept` does not know fall back. */
export function remembered<T>(
  key: string,
  fallback: T,
  accept: (value: unknown) => T | undefined,
): Signal<T> {
  const kept = signal(load(key, fallback, accept));
  let first = true;
  effect(() => {
    const text = JSON.stringify(kept.value);
    if (first) {
      first = false;
      return;
    }
    try {
      localStorage.setItem(PREFIX + key, text);
    } catch {
      // Storage full or refused: the choice holds until the page is left.
    }
  });
  return kept;
}

function oneOf<T extends string>(...choices: readonly T[]): (value: unknown) => T | undefined {
  return (value) => choices.find((choice) => choice === value);
}

const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);
const unit = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined;
const integer = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) ? Number(value) : undefined;

/**
 * The household's choices as last heard from the service, and this device's own: `house` follows the household.
 * `theme-early.ts` reads both themes under the same keys.
 */
export const houseTheme = remembered<Theme>('house-theme', 'auto', oneOf('auto', 'light', 'dark'));
export const deviceTheme = remembered<Theme | 'house'>(
  'theme',
  'house',
  oneOf('house', 'auto', 'light', 'dark'),
);
export const theme = computed<Theme>(() =>
  deviceTheme.value === 'house' ? houseTheme.value : deviceTheme.value,
);

/** Id of the last paired television that this browser announced, 0 of an empty list; -1: it never read the list. */
export const announcedDevice = remembered('announced-device', -1, integer);

export const volume = remembered('volume', 1, unit);
export const muted = remembered('muted', false, flag);
export const houseCodec = remembered<'h264' | 'av1'>('house-codec', 'h264', oneOf('h264', 'av1'));
export const deviceCodec = remembered<'h264' | 'av1' | 'house'>(
  'codec',
  'house',
  oneOf('house', 'h264', 'av1'),
);
export const liveCodec = computed(() =>
  deviceCodec.value === 'house' ? houseCodec.value : deviceCodec.value,
);
/** Live stations are shown as they are broadcast where this browser can. */
export const rawLive = remembered('live-raw', false, flag);
/** Picture quality of the encoded path on this device; `auto`: what the network carries. */
export const liveQuality = remembered<LiveQuality | 'auto'>(
  'live-quality',
  'auto',
  oneOf('auto', 'high', 'middle', 'low', 'least'),
);
/** The quality that the network sustained last. */
export const liveLevel = remembered<LiveQuality>(
  'live-level',
  'high',
  oneOf('high', 'middle', 'low', 'least'),
);
/** The panel stands beside the picture of a station; a television's remote control begins without it. */
export const livePanel = remembered(
  'live-panel',
  globalThis.matchMedia?.('(hover: hover) and (pointer: fine)').matches ?? true,
  flag,
);
/** Something was saved in this browser once: else no page opens the database of saved recordings. */
export const isOfflineUsed = remembered('offline-used', false, flag);
export const livePanelTab = remembered<'program' | 'channels' | 'day'>(
  'live-panel-tab',
  'program',
  oneOf('program', 'channels', 'day'),
);
/** Station last watched; 0 for none. */
export const lastStation = remembered('station', 0, integer);
export const homeTab = remembered<BroadcastType>('tab', 'GR', oneOf(...BROADCAST_TYPES));
export const ruleOrder = remembered<'next' | 'name' | 'priority' | 'newest'>(
  'rule-order',
  'next',
  oneOf('next', 'name', 'priority', 'newest'),
);
/** Format of times after midnight: `25:00`, `深夜1:00`, or by the calendar as `1:00` of the next day. */
export const lateNight = remembered<'hours' | 'words' | 'calendar'>(
  'late-night',
  'hours',
  oneOf('hours', 'words', 'calendar'),
);
/** Zoom of the guide; `guide/geometry.ts` knows its ends. */
export const guideZoom = remembered('guide-zoom', 1, (value) =>
  typeof value === 'number' && value > 0 ? value : undefined,
);
/** The home screen had something being recorded or booked when it was last seen. */
export const homeNext = remembered('home-next', false, flag);
export const recordingsLook = remembered<'grid' | 'list'>('recordings-look', 'grid', oneOf('grid', 'list'));
export const recordingsSort = remembered<RecordingSort>(
  'recordings-sort',
  'newest',
  oneOf(...RECORDING_SORTS),
);
export const recordingsGrouped = remembered('recordings-grouped', false, flag);
const MOST_WORDS = 16;
export const recentSearches = remembered<readonly string[]>('searches', [], (value) =>
  Array.isArray(value)
    ? value.filter((words): words is string => typeof words === 'string').slice(0, MOST_WORDS)
    : undefined,
);
/** Seconds of the short and the long skip, and the speed of playback, which outlives a recording. */
export const SKIPS = [5, 10, 15, 30, 60] as const;
const skip = (value: unknown): number | undefined => SKIPS.find((seconds) => seconds === value);
export const skipBack = remembered<number>('skip-back', 10, skip);
export const skipForward = remembered<number>('skip-forward', 30, skip);
/** Commercials are skipped where their detection is sure, wherever there are any, or not. */
export type CommercialSkipping = 'reliable' | 'always' | 'never';
export const commercialSkipping = remembered<CommercialSkipping>(
  'skip-commercials',
  'reliable',
  oneOf('reliable', 'always', 'never'),
);
/** The next episode starts automatically. */
export const playsNext = remembered('plays-next', true, flag);
/** The home screen had recordings to continue when it was last seen. */
export const homeResume = remembered('home-resume', false, flag);
/** The same of new recordings. */
export const homeFresh = remembered('home-fresh', false, flag);
/** Seconds that live viewing buffers on this device, as its network needs; `live/live-pacing.ts` moves it. */
export const liveBuffer = remembered('live-buffer', 0.5, (value) =>
  typeof value === 'number' && value >= 0.2 && value <= 4 ? value : undefined,
);
