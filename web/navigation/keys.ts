/** Keyboard and remote-control keys for digits and channels. */

interface KeyPress {
  readonly key: string;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly altKey?: boolean;
}

/** The row 1..9, 0, -, ^ of a Japanese keyboard stands for the twelve buttons of a remote control; = for ^ elsewhere. */
const TWELVE: Readonly<Record<string, number>> = { '0': 10, '-': 11, '^': 12, '=': 12 };

/** 1 to 12, or undefined. */
export function keyNumber(press: KeyPress): number | undefined {
  if (press.ctrlKey === true || press.metaKey === true || press.altKey === true) return undefined;
  if (/^[1-9]$/u.test(press.key)) return Number(press.key);
  return TWELVE[press.key];
}

const CHANNEL_STEPS: Readonly<Record<string, 1 | -1>> = {
  ChannelUp: 1,
  ChannelDown: -1,
  PageUp: 1,
  PageDown: -1,
  MediaTrackNext: 1,
  MediaTrackPrevious: -1,
};

/** +1 or -1 for the channel buttons of remote controls and what stands for them on keyboards. */
export function channelStep(key: string): 1 | -1 | undefined {
  return CHANNEL_STEPS[key];
}

const RECORD_KEYS = new Set(['r', 'R', 'ColorF0Red', 'MediaRecord']);

/** The red key of remote controls and the record key, R on keyboards: books, cancels, records. */
export function isRecordKey({ key, ctrlKey, metaKey, altKey }: KeyPress): boolean {
  return ctrlKey !== true && metaKey !== true && altKey !== true && RECORD_KEYS.has(key);
}
