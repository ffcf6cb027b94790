/**
 * Writes the text of a statement on the screen: characters become cells, control functions change their attributes and
 * position. ARIB STD-B24 Vol. 1 Part 2, 7 (character coding) and 8.3; TR-B14 Vol. 3 Section 2, 4.2 and TR-B15 Vol. 3.
 *
 * Ignored, because they are not in operation or a caption page does not support them: BEL, PRA (sounds), RS, GSM, CCC,
 * GAA, SRC, TCC, CFS, half colours, time controls other than waiting.
 */
import { characterText, type GraphicSet, UNDEFINED_CHARACTER } from '../text/character-set.ts';
import { CONTROL, CSI } from '../text/control-codes.ts';
import { CAPTION_SETS, EightUnitDecoder, type EightUnitSink, ONE_SEGMENT_SETS } from '../text/decoder.ts';
import { UcsDecoder } from '../text/ucs-decoder.ts';
import { DOUBLE_OCTETS, type DrcsTable, UCS_CODES } from './drcs.ts';
import { type CellLook, Look, TRANSPARENT, type WritingFormat, writingFormat } from './look.ts';
import type { Screen } from './page.ts';
import { Pen } from './pen.ts';
import { fullWidth, halfWidth } from './width.ts';

export type CaptionProfile = 'A' | 'C';

/** Initial state of a statement. */
export interface WriterStart {
  readonly screen: Screen;
  readonly drcs: DrcsTable;
  readonly format: WritingFormat;
  readonly coding: 'eight-unit' | 'ucs';
  readonly rollUp: boolean;
}

/** Unit of TIME: 100 ms. */
const WAIT_UNIT_MS = 100;
const WAIT = 0x20;
/** SCR: 3 and 4 scroll the complete area across the lines. */
const FIRST_AREA_SCROLL = 3;
/** Marks of the Kanji set that are put over the next character: 1-13 to 1-18 and 2-94 (large circle). */
const FIRST_MARK = 0x212d;
const LAST_MARK = 0x2132;
const CIRCLE = 0x227e;
const KANJI_FINAL = 0x42;
const GETA = '〓';
/** Limit of marks on one character. */
const MAX_MARKS = 4;
const WMM = { both: 0x40, foreground: 0x44, background: 0x45 } as const;
/**
 * Limit of cells that one statement may write, including repetitions and cells moved by scrolling. The densest page
 * in operation has 496 (see page.ts); 64 KB of control functions that each fill a line would write millions.
 */
const WRITE_LIMIT = 8_192;
/** Parameters of alternative strings that are not shown: start and end, by CSI function. */
const ALTERNATIVES: readonly (readonly [final: number, start: number, end: number])[] = [
  [CSI.XCS, 0, 1],
  [CSI.ACS, 2, 3],
  [CSI.ACS, 4, 5],
  [CSI.UED, 0, 1],
];

export class CaptionWriter implements EightUnitSink {
  readonly #profile: CaptionProfile;
  readonly #eightUnit: EightUnitDecoder;
  readonly #ucs: UcsDecoder;
  readonly #look: Look;
  readonly #pen: Pen;
  /** Called before a wait with its duration in ms. */
  readonly #onWait: (milliseconds: number) => void;
  #start: WriterStart;
  #format: WritingFormat;
  #marks: number[] = [];
  /** Remaining repetitions by RPC; 1 without it. */
  #repeat = 1;
  #hidden = false;
  #concealed = false;
  #mode: number = WMM.both;
  /** Number of cells that this statement may still write. */
  #left = WRITE_LIMIT;
  /** Whether anything on screen may have changed since it was last set to false. */
  changed = false;

  constructor(profile: CaptionProfile, start: WriterStart, onWait: (milliseconds: number) => void) {
    this.#profile = profile;
    this.#start = start;
    this.#format = start.format;
    this.#onWait = onWait;
    this.#look = new Look(start.format);
    this.#pen = new Pen(start.format);
    this.#eightUnit = new EightUnitDecoder(this, profile === 'A' ? CAPTION_SETS : ONE_SEGMENT_SETS);
    this.#ucs = new UcsDecoder(this);
  }

  get format(): WritingFormat {
    return this.#format;
  }

  /** Every statement begins from the initial state. */
  begin(start: WriterStart): void {
    this.#start = start;
    this.changed = false;
    this.#left = WRITE_LIMIT;
    this.#initialise(start.format);
  }

  /** The text of one data unit. */
  write(body: Uint8Array): void {
    if (this.#start.coding === 'ucs') this.#ucs.decode(body);
    else this.#eightUnit.decode(body);
  }

  #initialise(format: WritingFormat): void {
    this.#format = format;
    this.#eightUnit.reset();
    this.#look.reset(format, this.#profile === 'C');
    this.#pen.reset(format);
    this.#pen.scrolling = this.#start.rollUp;
    this.#marks = [];
    this.#repeat = 1;
    this.#hidden = false;
    this.#concealed = false;
    this.#mode = WMM.both;
  }

  character(value: number, set: GraphicSet, code: number): void {
    if (this.#hidden) return;
    if (set.final === KANJI_FINAL && isMark(code)) {
      if (this.#marks.length < MAX_MARKS) this.#marks.push(value);
      return;
    }
    const blank = this.#mode === WMM.background || this.#concealed;
    for (let left = this.#takeRepeat(); left > 0; left--) {
      if (blank) this.#put(this.#blank());
      else if (set.name === 'drcs') this.#putDrcs(set, code);
      else this.#put(this.#shape(value));
    }
  }

  control(code: number, p1: number, p2: number): void {
    if (this.#look.control(code, p1, p2)) return;
    const cell = this.#look.cell;
    switch (code) {
      case CONTROL.SP:
        this.#spaces();
        break;
      case CONTROL.DEL:
        if (!this.#hidden) this.#block(cell);
        break;
      case CONTROL.APB:
        this.#pen.back(cell);
        break;
      case CONTROL.APF:
        this.#pen.forward(cell);
        break;
      case CONTROL.APD:
        this.#pen.nextLine(cell);
        break;
      case CONTROL.APU:
        this.#pen.previousLine(cell);
        break;
      case CONTROL.APR:
        this.#pen.returnLine(cell);
        break;
      case CONTROL.PAPF:
        for (let left = p1 & 0x3f; left > 0; left--) this.#pen.forward(cell);
        break;
      case CONTROL.APS:
        this.#pen.moveToCell(p1 & 0x3f, p2 & 0x3f, cell);
        break;
      default:
        this.#rareControl(code, p1, p2);
    }
  }

  #rareControl(code: number, p1: number, p2: number): void {
    switch (code) {
      case CONTROL.CS:
        this.#clear();
        break;
      case CONTROL.CAN:
        this.#cancel();
        break;
      case CONTROL.RPC:
        this.#repeat = (p1 & 0x3f) === 0 ? this.#pen.cellsLeft(this.#look.cell) : p1 & 0x3f;
        break;
      case CONTROL.TIME:
        if (p1 === WAIT && (p2 & 0x3f) > 0) this.#onWait((p2 & 0x3f) * WAIT_UNIT_MS);
        break;
      case CONTROL.CDC:
        this.#concealed = p1 !== 0x4f;
        break;
      case CONTROL.WMM:
        this.#mode = p1;
        break;
    }
  }

  sequence(final: number, parameters: readonly number[]): void {
    const p1 = parameters[0] ?? 0;
    const p2 = parameters[1] ?? 0;
    switch (final) {
      case CSI.SWF: {
        const format = writingFormat(p1);
        if (format !== undefined) this.#initialise(format);
        break;
      }
      case CSI.SDF:
        this.#pen.sizeArea(p1, p2);
        break;
      case CSI.SDP:
        this.#pen.moveArea(p1, p2);
        break;
      case CSI.SSM:
        this.#look.glyphSize(p1, p2);
        break;
      case CSI.SHS:
        this.#look.characterSpacing = p1;
        break;
      case CSI.SVS:
        this.#look.lineSpacing = p1;
        break;
      case CSI.ACPS:
        this.#pen.moveTo(p1, p2);
        break;
      case CSI.ORN:
        this.#look.ornament(p1, p2);
        break;
      case CSI.RCS:
        this.#look.rasterColour(p1);
        this.#setRaster();
        break;
      default:
        this.#rareSequence(final, p1);
    }
  }

  #rareSequence(final: number, p1: number): void {
    switch (final) {
      case CSI.MDF:
        this.#look.deform(p1);
        break;
      case CSI.SCR:
        this.#pen.scrolling = this.#start.rollUp || p1 >= FIRST_AREA_SCROLL;
        break;
      case CSI.PLD:
        this.#pen.halfLine(this.#look.cell, 1);
        break;
      case CSI.PLU:
        this.#pen.halfLine(this.#look.cell, -1);
        break;
      default:
        for (const [function_, start, end] of ALTERNATIVES) {
          if (final !== function_) continue;
          if (p1 === start) this.#hidden = true;
          else if (p1 === end) this.#hidden = false;
        }
    }
  }

  /** Presentation times are not in operation: the PTS determines when a statement is shown. */
  presentationTime(): void {}

  #clear(): void {
    this.#start.screen.clear();
    this.#initialise(this.#start.format);
    this.changed = true;
  }

  /** Number of times that the current character is written. */
  #takeRepeat(): number {
    const count = Math.min(this.#repeat, this.#left);
    this.#repeat = 1;
    this.#left -= count;
    return count;
  }

  #spaces(): void {
    if (this.#hidden) return;
    for (let left = this.#takeRepeat(); left > 0; left--) this.#put(this.#blank());
  }

  /** DEL: a cell of the foreground colour. */
  #block(cell: CellLook): void {
    const full: CellLook = { ...cell, background: cell.foreground };
    for (let left = this.#takeRepeat(); left > 0; left--) this.#put(this.#blank(), full);
  }

  /** CAN: the rest of the line in the background colour, the position unchanged. */
  #cancel(): void {
    const look = this.#look.cell;
    const { x, y } = this.#pen.cellAt(look);
    const { vertical } = this.#format;
    const count = Math.min(this.#pen.cellsLeft(look), this.#left);
    this.#left -= count;
    for (let index = count - 1; index >= 0; index--) {
      const at = vertical ? { x, y: y + index * look.height } : { x: x + index * look.width, y };
      this.#start.screen.put({ ...at, look, text: this.#blank(), overlay: false, drcs: undefined });
    }
    this.changed = true;
  }

  #blank(): string {
    return this.#look.narrow ? ' ' : '\u3000';
  }

  /** The character in the form for its size. */
  #shape(value: number): string {
    // A code that its set does not define: the mark for any character.
    if (value === UNDEFINED_CHARACTER) return GETA;
    if (value > 0x10ffff) return characterText(value);
    return this.#look.narrow ? halfWidth(value) : fullWidth(value);
  }

  #putDrcs(set: GraphicSet, code: number): void {
    const key =
      set.octets === 1 ? (set.final << 8) | code : code >= 0xec00 ? UCS_CODES | code : DOUBLE_OCTETS | code;
    const glyph = this.#start.drcs.get(key);
    const known = glyph?.replacement;
    if (known !== undefined) this.#put(this.#shape(known.codePointAt(0) ?? 0));
    else this.#put(GETA, this.#look.cell, glyph);
  }

  #put(text: string, look = this.#look.cell, drcs?: CellDrcs): void {
    const { screen } = this.#start;
    const due = this.#pen.scrollDue(look);
    if (due > 0) {
      this.#left = Math.max(0, this.#left - screen.size);
      screen.scroll(this.#pen.area, due);
    }
    const { x, y } = this.#pen.cellAt(look);
    const painted = this.#mode === WMM.foreground ? { ...look, background: TRANSPARENT } : look;
    screen.put({ x, y, look: painted, text, overlay: false, drcs });
    for (const mark of this.#marks) {
      const over = { ...painted, background: TRANSPARENT, box: 0, underline: false };
      screen.put({ x, y, look: over, text: this.#shape(mark), overlay: true, drcs: undefined });
    }
    this.#marks.length = 0;
    this.#pen.forward(look);
    this.changed = true;
  }

  #setRaster(): void {
    const colour = this.#look.raster;
    const raster = colour === TRANSPARENT ? undefined : { ...this.#pen.area, colour };
    if (raster === undefined && this.#start.screen.raster === undefined) return;
    this.#start.screen.raster = raster;
    this.changed = true;
  }
}

type CellDrcs = ReturnType<DrcsTable['get']>;

function isMark(code: number): boolean {
  return (code >= FIRST_MARK && code <= LAST_MARK) || code === CIRCLE;
}
