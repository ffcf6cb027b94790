/** What this browser remembers for its viewer. Works, forgetfully, where storage is refused. */
import { effect, type Signal, signal } from '@preact/signals';
import type { Theme } from './theme-choice.ts';

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
function remembered<T>(key: string, fallback: T, accept: (value: unknown) => T | undefined): Signal<T> {
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

/** Read again by `theme-early.ts` under the same key. */
export const theme = remembered<Theme>('theme', 'auto', oneOf('auto', 'light', 'dark'));

export const volume = remembered('volume', 1, unit);
export const muted = remembered('muted', false, flag);
export const liveCodec = remembered<'h264' | 'av1'>('codec', 'h264', oneOf('h264', 'av1'));
/** Station last watched; 0 for none. */
export const lastStation = remembered('station', 0, integer);
export const homeTab = remembered<'GR' | 'BS' | 'CS'>('tab', 'GR', oneOf('GR', 'BS', 'CS'));
