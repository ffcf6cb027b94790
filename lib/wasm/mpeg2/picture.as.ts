/** Header values of the picture being decoded, and its target. */

export const TYPE_I_PICTURE: i32 = 1;
export const TYPE_P_PICTURE: i32 = 2;
export const TYPE_B_PICTURE: i32 = 3;

export namespace picture {
  /** picture_coding_type: 1 I, 2 P, 3 B. */
  export let type: i32 = 0;
  /** picture_structure: 1 top field, 2 bottom field, 3 frame. */
  export let structure: i32 = 3;
  /** Of a field picture: 0 top, 1 bottom. */
  export let line: i32 = 0;
  export let isSecondField: bool = false;
  export let temporalReference: i32 = 0;
  /** f_code[s][t], 1 to 9. */
  export let rangeForwardX: i32 = 1;
  export let rangeForwardY: i32 = 1;
  export let rangeBackwardX: i32 = 1;
  export let rangeBackwardY: i32 = 1;
  export let isTopFirst: bool = true;
  export let isRepeated: bool = false;
  export let isProgressive: bool = false;
  export let isFramePredicted: bool = true;
  export let hasConcealmentVectors: bool = false;
  /** Macroblocks per row and rows in this picture. */
  export let columns: i32 = 0;
  export let rows: i32 = 0;
  /** Addresses of the target frame and the references. */
  export let target: i32 = 0;
  export let forward: i32 = 0;
  export let backward: i32 = 0;
}
