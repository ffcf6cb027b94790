/**
 * Writing formats: plane, direction and default sizes. ARIB STD-B24 Vol. 1 Part 2, 8.2 (SWF) and Part 3,
 * 9.3.1 (Format); TR-B14 Vol. 3 Section 2 operates SWF 7 to 10. Sizes in dots of the plane.
 */

export interface WritingFormat {
  readonly width: number;
  readonly height: number;
  readonly vertical: boolean;
  /** SSM: a character's design size, both ways. */
  readonly glyph: number;
  /** SHS and SVS. */
  readonly characterSpacing: number;
  readonly lineSpacing: number;
}

function format(
  width: number,
  height: number,
  vertical: boolean,
  characterSpacing: number,
  lineSpacing: number,
  glyph = 36,
): WritingFormat {
  return { width, height, vertical, glyph, characterSpacing, lineSpacing };
}

/** 960 by 540 dots, horizontal: used by all full-segment HD captions, and the default for reserved values. */
export const HD_FORMAT = format(960, 540, false, 4, 24);
/** Profile C: TR-B14 Vol. 3 Section 4. The receiver decides the text position. */
export const ONE_SEGMENT_FORMAT = format(320, 180, false, 2, 6, 18);

/** By the parameter of SWF. 0 to 4 are standard-density formats that are not in operation. */
const BY_SWF = new Map<number, WritingFormat>([
  [5, format(1920, 1080, false, 4, 24)],
  [6, format(1920, 1080, true, 12, 24)],
  [7, HD_FORMAT],
  [8, format(960, 540, true, 12, 24)],
  [9, format(720, 480, false, 4, 16)],
  [10, format(720, 480, true, 8, 24)],
  [11, format(1280, 720, false, 4, 24)],
  [12, format(1280, 720, true, 12, 24)],
]);

/** Undefined for a parameter of an unknown format. */
export function writingFormat(swf: number): WritingFormat | undefined {
  return BY_SWF.get(swf);
}

/** The format in the management data: from 6 on, Format is one more than SWF. */
export function managementFormat(value: number): WritingFormat {
  return (value >= 6 ? BY_SWF.get(value - 1) : undefined) ?? HD_FORMAT;
}
