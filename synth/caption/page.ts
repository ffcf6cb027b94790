/**
 * The content of captions: texts at positions of the drawing plane. ARIB STD-B24 vol. 1 part 2, 7.1; TR-B14
 * vol. 3.
 */

/** Character sizes: NSZ, MSZ, SSZ, and the three of SZX that are used. */
export type SizeName = 'normal' | 'middle' | 'small' | 'tall' | 'wide' | 'large';

/** Ratio of a size to the normal one, horizontally and vertically. */
const SCALE: Readonly<Record<SizeName, readonly [across: number, down: number]>> = {
  normal: [1, 1],
  middle: [0.5, 1],
  small: [0.5, 0.5],
  tall: [1, 2],
  wide: [2, 1],
  large: [2, 2],
};

/** Writing format and display area of a page, in dots of its plane. */
export interface Frame {
  /** SWF: 7 horizontal and 8 vertical writing on 960 by 540 dots. */
  writing: 7 | 8;
  /** SDP and SDF. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** SHS and SVS. */
  characterSpacing: number;
  lineSpacing: number;
}

/** SSM: the size of every character. */
export const GLYPH = 36;

/** The area used by captions of programmes: 15.5 columns by 8 rows. */
export const STANDARD_FRAME: Frame = {
  writing: 7,
  x: 170,
  y: 30,
  width: 620,
  height: 480,
  characterSpacing: 4,
  lineSpacing: 24,
};
export const WHOLE_FRAME: Frame = { ...STANDARD_FRAME, x: 0, y: 0, width: 960, height: 540 };
export const VERTICAL_FRAME: Frame = {
  writing: 8,
  x: 60,
  y: 30,
  width: 840,
  height: 480,
  characterSpacing: 12,
  lineSpacing: 24,
};

/** Cell of a character in horizontal writing. */
export function cellOf(frame: Frame, size: SizeName): { width: number; height: number } {
  const [across, down] = SCALE[size];
  return {
    width: Math.floor((GLYPH + frame.characterSpacing) * across),
    height: Math.floor((GLYPH + frame.lineSpacing) * down),
  };
}

/** Appearance of a text; colours are indexes of the fixed table of 128. */
export interface Look {
  size: SizeName;
  foreground: number;
  background: number;
  underline: boolean;
  flash: 'none' | 'normal' | 'inverted';
  /** A box around all of its characters. */
  boxed: boolean;
  /** Foreground and background exchanged. */
  inverted: boolean;
}

export interface Run extends Look {
  /** Bottom left dot of the first cell in the plane. In vertical writing the active position as sent. */
  x: number;
  y: number;
  text: string;
  role: 'text' | 'ruby';
}

/** A half-transparent black, the background of nearly all captions. */
export const SHADE = 65;
export const WHITE = 7;

export const PLAIN: Look = {
  size: 'normal',
  foreground: WHITE,
  background: SHADE,
  underline: false,
  flash: 'none',
  boxed: false,
  inverted: false,
};

/** The changes at one moment of a statement. */
export interface Step {
  /** Milliseconds after the previous step, in steps of 100. */
  waitMs: number;
  /** Whether it erases the previous content. */
  clears: boolean;
  runs: readonly Run[];
}

/** Variations between encoders in writing the same content. */
export interface Style {
  /** Index of the text coder's habit. */
  habit: number;
  /** Active positions by coordinates (ACPS), by rows and columns (APS), or by line feeds where they fit (APR). */
  motion: 'coordinates' | 'cells' | 'returns';
  /** Erase, formats and text in one data unit, instead of an erasing unit before. */
  compact: boolean;
  /** Outline in black (ORN). */
  outlined: boolean;
  /** Colours of the half-lit dots of DRCS (COL). */
  halfColours: boolean;
  /** Transparent raster (RCS). */
  raster: boolean;
}

/** One statement: what is shown from its presentation time on. */
export interface Page {
  frame: Frame;
  style: Style;
  steps: readonly Step[];
  /** Built-in sound (PRA); null: none. */
  chime: number | null;
}
