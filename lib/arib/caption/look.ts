/**
 * Attributes of the following characters: size, spacing, colours and decoration set by control functions. ARIB
 * STD-B24 Vol. 1 Part 2, 7 (control functions), 8.2 (initial values), Annex A (colour map).
 */
import { FIXED_COLOURS } from '../si/fixed-colours.ts';
import { CONTROL } from '../text/control-codes.ts';

// Writing formats: plane, direction and default sizes. ARIB STD-B24 Vol. 1 Part 2, 8.2 (SWF) and Part 3,
// 9.3.1 (Format); TR-B14 Vol. 3 Section 2 operates SWF 7 to 10. Sizes in dots of the plane.

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

/** The attributes of a cell, shared by all cells written with them. Lengths in dots of the plane. */
export interface CellLook {
  readonly width: number;
  readonly height: number;
  readonly glyphWidth: number;
  readonly glyphHeight: number;
  readonly foreground: number;
  readonly background: number;
  /** Colour index of the outline; -1: none. */
  readonly stroke: number;
  readonly underline: boolean;
  /** 1 bottom, 2 right, 4 top, 8 left. */
  readonly box: number;
  readonly flash: boolean;
  readonly bold: boolean;
  readonly italic: boolean;
}

export const TRANSPARENT = 8;
const WHITE = 7;
/** Black at half opacity: one-segment captions have no background, but need one on a picture. */
const SHADE = 65;
const LAST_COLOUR = FIXED_COLOURS.length - 1;
/** Larger SSM, SHS and SVS are damaged: the largest plane is 1920 dots wide. */
const MAX_DOTS = 1920;

/** `#rrggbbaa` by colour index. */
const NAMES: readonly string[] = FIXED_COLOURS.map(({ red, green, blue, alpha }) => {
  const digits = [red, green, blue, alpha].map((value) => value.toString(16).padStart(2, '0'));
  return `#${digits.join('')}`;
});

export function colourName(index: number): string {
  return NAMES[index & LAST_COLOUR] as string;
}

/** Scale across and down by the parameter of SZX, Vol. 1 Part 2 table 7-17. */
const SZX = new Map<number, readonly [number, number]>([
  [0x41, [1, 2]],
  [0x44, [2, 1]],
  [0x45, [2, 2]],
  [0x60, [1 / 4, 1 / 6]],
  [0x64, [1, 1]],
  // "Special 1": as wide as the normal size, 50 of its 60 dots high.
  [0x6b, [1, 5 / 6]],
]);

/** ORN. */
const ORNAMENT = { none: 0, hemming: 1, shade: 2, hollow: 3 } as const;
const FLASH_STOP = 0x4f;
const POL_NORMAL = 0x40;
const MIN_CELL = 1;

export class Look {
  #format: WritingFormat;
  #glyphWidth = 0;
  #glyphHeight = 0;
  #characterSpacing = 0;
  #lineSpacing = 0;
  #across = 1;
  #down = 1;
  #palette = 0;
  #foreground = WHITE;
  #background = TRANSPARENT;
  #inverted = false;
  #underline = false;
  #box = 0;
  #flash = false;
  #ornament: number = ORNAMENT.none;
  #ornamentColour = 0;
  #bold = false;
  #italic = false;
  /** RCS: colour of the display area behind the text. */
  raster = TRANSPARENT;
  #cell: CellLook | undefined;

  constructor(format: WritingFormat) {
    this.#format = format;
    this.reset(format, false);
  }

  /** Initial values: 8.2. */
  reset(format: WritingFormat, shaded: boolean): void {
    this.#format = format;
    this.#glyphWidth = format.glyph;
    this.#glyphHeight = format.glyph;
    this.#characterSpacing = format.characterSpacing;
    this.#lineSpacing = format.lineSpacing;
    this.#across = 1;
    this.#down = 1;
    this.#palette = 0;
    this.#foreground = WHITE;
    this.#background = shaded ? SHADE : TRANSPARENT;
    this.#inverted = false;
    this.#underline = false;
    this.#box = 0;
    this.#flash = false;
    this.#ornament = ORNAMENT.none;
    this.#ornamentColour = 0;
    this.#bold = false;
    this.#italic = false;
    this.raster = TRANSPARENT;
    this.#cell = undefined;
  }

  /** The attributes of a cell written now. */
  get cell(): CellLook {
    this.#cell ??= this.#make();
    return this.#cell;
  }

  /** Whether letters are half as wide as they are high. */
  get narrow(): boolean {
    return this.#across / this.#down <= 0.5;
  }

  /** SSM. */
  glyphSize(width: number, height: number): void {
    this.#glyphWidth = Math.min(width, MAX_DOTS);
    this.#glyphHeight = Math.min(height, MAX_DOTS);
    this.#cell = undefined;
  }

  /** SHS. */
  set characterSpacing(dots: number) {
    this.#characterSpacing = Math.min(dots, MAX_DOTS);
    this.#cell = undefined;
  }

  /** SVS. */
  set lineSpacing(dots: number) {
    this.#lineSpacing = Math.min(dots, MAX_DOTS);
    this.#cell = undefined;
  }

  /**
   * RCS, as an index of the colour map. The text of the standard can also mean an index of the current palette; but
   * broadcasts send 8 for "transparent" with any palette, which is only transparent in the first one.
   */
  rasterColour(value: number): void {
    this.raster = value & LAST_COLOUR;
  }

  /** ORN: kind and four decimal digits with palette and colour. */
  ornament(kind: number, colour: number): void {
    this.#ornament = kind;
    this.#ornamentColour = (Math.floor(colour / 100) * 16 + (colour % 100)) & LAST_COLOUR;
    this.#cell = undefined;
  }

  /** MDF: 0 standard, 1 bold, 2 slanted, 3 both. */
  deform(kind: number): void {
    this.#bold = (kind & 1) !== 0;
    this.#italic = (kind & 2) !== 0;
    this.#cell = undefined;
  }

  /** Applies a control code that changes the attributes; false for any other. */
  control(code: number, p1: number, p2: number): boolean {
    if (code >= CONTROL.BKF && code <= CONTROL.WHF) this.#foreground = this.#colour(code - CONTROL.BKF);
    else if (!this.#size(code, p1) && !this.#decoration(code, p1, p2)) return false;
    this.#cell = undefined;
    return true;
  }

  #size(code: number, p1: number): boolean {
    switch (code) {
      case CONTROL.SSZ:
        this.#scale(0.5, 0.5);
        return true;
      case CONTROL.MSZ:
        this.#scale(0.5, 1);
        return true;
      case CONTROL.NSZ:
        this.#scale(1, 1);
        return true;
      case CONTROL.SZX: {
        const scale = SZX.get(p1);
        if (scale !== undefined) this.#scale(...scale);
        return true;
      }
      default:
        return false;
    }
  }

  #scale(across: number, down: number): void {
    this.#across = across;
    this.#down = down;
  }

  #decoration(code: number, p1: number, p2: number): boolean {
    switch (code) {
      case CONTROL.COL:
        this.#choose(p1, p2);
        return true;
      case CONTROL.POL:
        this.#inverted = p1 !== POL_NORMAL;
        return true;
      case CONTROL.FLC:
        this.#flash = p1 !== FLASH_STOP;
        return true;
      case CONTROL.HLC:
        this.#box = p1 & 0x0f;
        return true;
      case CONTROL.STL:
        this.#underline = true;
        return true;
      case CONTROL.SPL:
        this.#underline = false;
        return true;
      default:
        return false;
    }
  }

  /** COL. The caption page does not support colours of half-lit dots (0x60, 0x70). */
  #choose(p1: number, p2: number): void {
    if (p1 === 0x20) this.#palette = p2 & 0x07;
    else if (p1 >= 0x40 && p1 <= 0x4f) this.#foreground = this.#colour(p1);
    else if (p1 >= 0x50 && p1 <= 0x5f) this.#background = this.#colour(p1);
  }

  #colour(value: number): number {
    return this.#palette * 16 + (value & 0x0f);
  }

  #make(): CellLook {
    const { vertical } = this.#format;
    // Character spacing is along the direction of writing, line spacing across it.
    const across = vertical ? this.#lineSpacing : this.#characterSpacing;
    const down = vertical ? this.#characterSpacing : this.#lineSpacing;
    const foreground = this.#inverted ? this.#background : this.#foreground;
    const background = this.#inverted ? this.#foreground : this.#background;
    const outlined = this.#ornament === ORNAMENT.hemming || this.#ornament === ORNAMENT.shade;
    const hollow = this.#ornament === ORNAMENT.hollow;
    return {
      width: Math.max(MIN_CELL, Math.floor((this.#glyphWidth + across) * this.#across)),
      height: Math.max(MIN_CELL, Math.floor((this.#glyphHeight + down) * this.#down)),
      glyphWidth: Math.max(MIN_CELL, this.#glyphWidth * this.#across),
      glyphHeight: Math.max(MIN_CELL, this.#glyphHeight * this.#down),
      foreground: hollow ? TRANSPARENT : foreground,
      background,
      stroke: hollow ? foreground : outlined ? this.#ornamentColour : -1,
      underline: this.#underline,
      box: this.#box,
      flash: this.#flash,
      bold: this.#bold,
      italic: this.#italic,
    };
  }
}
