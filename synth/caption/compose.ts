/** A page as the data units of its statement: ARIB STD-B24 vol. 1 part 2, 7.1. */
import { type DrcsCode, HABITS, TextCoder } from './coder.ts';
import { dataUnit, UNIT } from './data-group.ts';
import { drcsUnits } from './drcs.ts';
import {
  cellOf,
  type Frame,
  GLYPH,
  type Look,
  type Page,
  type Run,
  type SizeName,
  STANDARD_FRAME,
  type Step,
} from './page.ts';

const CS = 0x0c;
const APF = 0x09;
const APR = 0x0d;
const PAPF = 0x16;
const APS = 0x1c;
const COL = 0x90;
const FLC = 0x91;
const POL = 0x93;
const HLC = 0x97;
const SPL = 0x99;
const STL = 0x9a;
const CSI = 0x9b;
const TIME = 0x9d;
/** Parameters with small numbers set this bit. */
const NUMBER = 0x40;
const WAIT = 0x20;
const MAX_WAIT = 0x3f;
const MAX_CELL = 0x3f;

/** Final bytes of control functions with decimal parameters. */
const FUNCTION = {
  SWF: 0x53,
  SDF: 0x56,
  SSM: 0x57,
  SHS: 0x58,
  SVS: 0x59,
  SDP: 0x5f,
  ACPS: 0x61,
  ORN: 0x63,
  PRA: 0x68,
  RCS: 0x6e,
} as const;

const SIZE: Readonly<Record<SizeName, readonly number[]>> = {
  small: [0x88],
  middle: [0x89],
  normal: [0x8a],
  tall: [0x8b, 0x41],
  wide: [0x8b, 0x44],
  large: [0x8b, 0x45],
};
const FLASH = { normal: 0x40, inverted: 0x47, none: 0x4f } as const;
/** Edges of a box: bottom, right, top, left. */
const EDGE = { bottom: 1, right: 2, top: 4, left: 8 } as const;
const TRANSPARENT = 8;
/** Half foreground and half background: two greys. */
const HALF_COLOURS = { foreground: 15, background: 30 };
/** Palette 0, colour 0, four digits. */
const BLACK_DIGITS = '0000';

/** Writes one text unit. */
class Writer {
  readonly #coder: TextCoder;
  /** Position of the next character; undefined after a line that may have wrapped. */
  #pen: { x: number; y: number } | undefined;
  #palette: number | undefined;
  #size: SizeName | undefined;
  #foreground: number | undefined;
  #background: number | undefined;
  #begun = false;

  constructor(
    private readonly page: Page,
    drcs: ReadonlyMap<string, DrcsCode>,
  ) {
    this.#coder = new TextCoder(HABITS[page.style.habit] ?? HABITS[0], drcs);
  }

  call(name: keyof typeof FUNCTION, ...parameters: readonly (number | string)[]): void {
    const digits = [...parameters.join(';')].map((digit) => digit.charCodeAt(0));
    this.#coder.control(CSI, ...digits, 0x20, FUNCTION[name]);
  }

  clear(): void {
    this.#coder.control(CS);
  }

  wait(ms: number): void {
    for (let left = Math.round(ms / 100); left > 0; left -= MAX_WAIT) {
      this.#coder.control(TIME, WAIT, NUMBER | Math.min(left, MAX_WAIT));
    }
  }

  /** Writes the start of a unit with text. @param whole with writing format, character size and spacing */
  begin(whole: boolean): void {
    const { frame, style } = this.page;
    this.#begun = true;
    if (whole) this.call('SWF', frame.writing);
    this.call('SDP', frame.x, frame.y);
    this.call('SDF', frame.width, frame.height);
    if (whole) {
      this.call('SSM', GLYPH, GLYPH);
      this.call('SHS', frame.characterSpacing);
      this.call('SVS', frame.lineSpacing);
    }
    if (style.raster) this.call('RCS', TRANSPARENT);
    if (style.halfColours) {
      this.#colour(0x60, HALF_COLOURS.foreground);
      this.#colour(0x70, HALF_COLOURS.background);
    }
    if (style.outlined) this.call('ORN', 1, BLACK_DIGITS);
  }

  run(run: Run): void {
    this.#place(run);
    this.#resize(run.size);
    if (this.#foreground !== run.foreground) this.#setForeground(run.foreground);
    if (this.#background !== run.background) {
      this.#colour(0x50, run.background);
      this.#background = run.background;
    }
    this.#decorate(run, true);
    if (run.boxed) this.#boxed([...run.text]);
    else this.#coder.text(run.text);
    this.#decorate(run, false);
    this.#advance(run);
  }

  /** Resets the state, for receivers that keep it from one statement to the next. */
  done(): Uint8Array {
    this.#coder.close();
    if (this.#begun && this.page.style.outlined) this.call('ORN', 0);
    return Uint8Array.from(this.#coder.bytes);
  }

  #resize(size: SizeName): void {
    if (this.#size === size) return;
    this.#coder.control(...SIZE[size]);
    this.#size = size;
  }

  #setPalette(palette: number): void {
    if (this.#palette === palette) return;
    this.#coder.control(COL, 0x20, NUMBER | palette);
    this.#palette = palette;
  }

  #colour(kind: number, index: number): void {
    this.#setPalette(index >> 4);
    this.#coder.control(COL, kind | (index & 0x0f));
  }

  #setForeground(index: number): void {
    this.#setPalette(index >> 4);
    const colour = index & 0x0f;
    if (colour < 8) this.#coder.control(0x80 | colour);
    else this.#coder.control(COL, NUMBER | colour);
    this.#foreground = index;
  }

  #decorate(look: Look, on: boolean): void {
    if (look.underline) this.#coder.control(on ? STL : SPL);
    if (look.flash !== 'none') this.#coder.control(FLC, on ? FLASH[look.flash] : FLASH.none);
    if (look.inverted) this.#coder.control(POL, NUMBER | (on ? 1 : 0));
  }

  #boxed(characters: readonly string[]): void {
    let before = -1;
    for (const [index, character] of characters.entries()) {
      const left = index === 0 ? EDGE.left : 0;
      const right = index === characters.length - 1 ? EDGE.right : 0;
      const edges = EDGE.bottom | EDGE.top | left | right;
      if (edges !== before) this.#coder.control(HLC, NUMBER | edges);
      before = edges;
      this.#coder.text(character);
    }
    this.#coder.control(HLC, NUMBER);
  }

  #advance({ x, y, text, size }: Run): void {
    const { frame } = this.page;
    const end = x + [...text].length * cellOf(frame, size).width;
    const fits = frame.writing === 7 && end < frame.x + frame.width;
    this.#pen = fits ? { x: end, y } : undefined;
  }

  #place({ x, y, size }: Run): void {
    if (this.#pen?.x === x && this.#pen.y === y) return;
    const { motion } = this.page.style;
    const moved =
      (motion === 'returns' && this.#placeByReturn(x, y)) ||
      (motion !== 'coordinates' && this.#placeByCells(x, y, size));
    if (!moved) this.call('ACPS', x, y);
  }

  #placeByReturn(x: number, y: number): boolean {
    const { frame } = this.page;
    if (this.#pen === undefined || this.#size === undefined) return false;
    const { width, height } = cellOf(frame, this.#size);
    const columns = (x - frame.x) / width;
    if (this.#pen.y + height !== y || !Number.isInteger(columns) || columns < 0 || columns > MAX_CELL)
      return false;
    this.#coder.control(APR);
    if (columns === 1) this.#coder.control(APF);
    else if (columns > 1) this.#coder.control(PAPF, NUMBER | columns);
    return true;
  }

  /** On the grid of the text's own size, or on a finer one which is reset afterwards. */
  #placeByCells(x: number, y: number, size: SizeName): boolean {
    const { frame } = this.page;
    if (frame.writing !== 7) return false;
    for (const grid of [size, 'normal', 'middle', 'small'] as const) {
      const { width, height } = cellOf(frame, grid);
      const column = (x - frame.x) / width;
      const row = (y + 1 - frame.y) / height - 1;
      const onGrid = [column, row].every((at) => Number.isInteger(at) && at >= 0 && at <= MAX_CELL);
      if (!onGrid) continue;
      this.#resize(grid);
      this.#coder.control(APS, NUMBER | row, NUMBER | column);
      return true;
    }
    return false;
  }
}

function textUnit(
  page: Page,
  drcs: ReadonlyMap<string, DrcsCode>,
  write: (writer: Writer) => void,
): Uint8Array {
  const writer = new Writer(page, drcs);
  write(writer);
  return dataUnit(UNIT.text, writer.done());
}

/** A unit that only erases, to end a page. */
export const ERASE: Uint8Array = dataUnit(UNIT.text, Uint8Array.of(CS));

/**
 * The data units of a page's statement, in order. @throws RangeError for a text that captions cannot carry
 */
export function composePage(page: Page): Uint8Array[] {
  const { style, steps } = page;
  const texts = steps.flatMap(({ runs }) => runs.map(({ text }) => text)).join('');
  const { units: drawn, codes } = drcsUnits(texts);
  const units: Uint8Array[] = [];
  const { compact } = style;
  if (!compact && steps[0]?.clears) units.push(ERASE);
  units.push(...drawn);
  for (const step of steps) {
    units.push(textUnit(page, codes, (writer) => writeStep(writer, page, step)));
  }
  return units;
}

function writeStep(writer: Writer, page: Page, step: Step): void {
  const first = step === page.steps[0];
  const { compact } = page.style;
  writer.wait(step.waitMs);
  if (step.clears && (compact || !first)) writer.clear();
  if (step.runs.length === 0) return;
  // A compact page relies on the format in the management data, which erasing restores.
  writer.begin(first && !(compact && page.frame === STANDARD_FRAME));
  if (first && page.chime !== null) writer.call('PRA', page.chime);
  for (const run of step.runs) writer.run(run);
}

export function isInside(frame: Frame, run: Run): boolean {
  const { width, height } = cellOf(frame, run.size);
  const lastCell = run.x + ([...run.text].length - 1) * width;
  const top = run.y - height + 1;
  const right = frame.x + frame.width;
  return run.x >= frame.x && lastCell < right && top >= frame.y && run.y < frame.y + frame.height;
}
