/** Keys of the remote control (ARIB STD-B24 Vol. 2, table 5-9; groups: TR-B14 Vol. 3, table 5-5). */

export const KEY = {
  up: 1,
  down: 2,
  left: 3,
  right: 4,
  digit0: 5,
  digit9: 14,
  digit12: 17,
  enter: 18,
  back: 19,
  data: 20,
  blue: 21,
  red: 22,
  green: 23,
  yellow: 24,
  bookmark: 100,
} as const;

export const KEY_GROUPS = ['basic', 'data-button', 'numeric-tuning'] as const;
type KeyGroup = (typeof KEY_GROUPS)[number];

/** Undefined: a key that documents never get. */
function keyGroup(code: number): KeyGroup | undefined {
  if (code >= KEY.up && code <= KEY.right) return 'basic';
  if (code === KEY.enter || code === KEY.back) return 'basic';
  if (code >= KEY.digit0 && code <= KEY.digit12) return 'numeric-tuning';
  if ((code >= KEY.blue && code <= KEY.yellow) || code === KEY.bookmark) return 'data-button';
  return undefined;
}

/** @param usedKeyList value of the body's `used-key-list` */
export function isKeyUsed(code: number, usedKeyList: string): boolean {
  const group = keyGroup(code);
  const words = usedKeyList.toLowerCase().split(/\s+/);
  return group !== undefined && !words.includes('none') && words.includes(group);
}

const ACCESS_KEYS: Readonly<Record<number, string>> = {
  [KEY.back]: 'X',
  [KEY.blue]: 'B',
  [KEY.red]: 'R',
  [KEY.green]: 'G',
  [KEY.yellow]: 'Y',
};

/** The `accesskey` of a key. */
export function accessKeyOf(code: number): string | undefined {
  return ACCESS_KEYS[code];
}

/** 0 to 9; undefined: another key. */
export function digitOf(code: number): number | undefined {
  return code >= KEY.digit0 && code <= KEY.digit9 ? code - KEY.digit0 : undefined;
}
