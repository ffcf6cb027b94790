/** Keys of applications: their codes (VK_) and the sets of which an application takes keys. IPTVFJ STD-0011, as operated. */

/** Codes of `keyCode`. */
export const VK = {
  VK_ENTER: 13,
  VK_LEFT: 37,
  VK_UP: 38,
  VK_RIGHT: 39,
  VK_DOWN: 40,
  VK_0: 48,
  VK_1: 49,
  VK_2: 50,
  VK_3: 51,
  VK_4: 52,
  VK_5: 53,
  VK_6: 54,
  VK_7: 55,
  VK_8: 56,
  VK_9: 57,
  VK_RED: 403,
  VK_GREEN: 404,
  VK_YELLOW: 405,
  VK_BLUE: 406,
  VK_10: 410,
  VK_11: 411,
  VK_12: 412,
  VK_DBUTTON: 457,
  VK_BACK: 461,
} as const;

/** Bits of `keySet`. */
export const KEY_SET = { RED: 1, GREEN: 2, YELLOW: 4, BLUE: 8, NAVIGATION: 16, DBUTTON: 32 } as const;
/** Until the application sets one: a page without a script for it can be used. */
export const FIRST_KEY_SET = KEY_SET.RED | KEY_SET.GREEN | KEY_SET.YELLOW | KEY_SET.BLUE | KEY_SET.NAVIGATION;
export const WHOLE_KEY_SET = FIRST_KEY_SET | KEY_SET.DBUTTON;

const SETS: readonly (readonly [codes: readonly number[], bit: number])[] = [
  [[VK.VK_RED], KEY_SET.RED],
  [[VK.VK_GREEN], KEY_SET.GREEN],
  [[VK.VK_YELLOW], KEY_SET.YELLOW],
  [[VK.VK_BLUE], KEY_SET.BLUE],
  [[VK.VK_ENTER, VK.VK_LEFT, VK.VK_UP, VK.VK_RIGHT, VK.VK_DOWN, VK.VK_BACK], KEY_SET.NAVIGATION],
  [[VK.VK_DBUTTON], KEY_SET.DBUTTON],
];

/** Whether the application takes the key. @param code of `VK` */
export const takesKey = (keySet: number, code: number): boolean =>
  SETS.some(([codes, bit]) => (keySet & bit) !== 0 && codes.includes(code));
