/**
 * Text to the 8-unit code of captions: ARIB STD-B24 vol. 1 part 2, 7.1 with the initial state of captions (G0
 * Kanji, G1 alphanumeric, G2 hiragana, G3 macros; GL = G0, GR = G2). Encoders differ in how they select the
 * other sets; a `Habit` describes one way.
 */
import { hiraganaCode, kanjiCode, katakanaCode, narrowAlphanumericCode } from '../text/tables.ts';

/** Additional symbols and kanji that captions use: row, first cell, characters. */
const STRETCHES: readonly (readonly [row: number, cell: number, characters: string])[] = [
  [85, 15, '𠮷'],
  [85, 31, '寬﨑㟢'],
  [86, 39, '髙'],
  [91, 17, '♨'],
  [92, 1, '➡⬅⬆⬇'],
  [92, 11, '㎡㎥㎝'],
  [92, 48, '▶◀〖〗'],
  [93, 64, '☀☁☂⛄'],
  [93, 72, '♦♥♣♠'],
  [93, 78, '‼⁉'],
  [93, 90, '♬☎'],
  [94, 1, 'ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ'],
  [94, 65, '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯❶❷❸❹❺❻❼❽❾❿⓫⓬'],
];

const ADDITIONAL = new Map(
  STRETCHES.flatMap(([row, cell, characters]) =>
    [...characters].map((character, index) => [character, (row << 8) | (cell + index)] as const),
  ),
);

/** 1-13 to 1-18 and 2-94 do not advance in captions: the next character is drawn over them. */
function isNonSpacing(code: number): boolean {
  return (code >= 0x010d && code <= 0x0112) || code === 0x025e;
}

/** The two bytes of a character in the Kanji set, high byte first. */
function captionKanji(character: string): readonly [number, number] | undefined {
  const code = ADDITIONAL.get(character) ?? kanjiCode(character);
  if (code === undefined || isNonSpacing(code)) return undefined;
  return [(code >> 8) + 0x20, (code & 0xff) + 0x20];
}

/** All characters of `captionKanji` beyond JIS X 0208. */
export const ADDITIONAL_CHARACTERS: readonly string[] = [...ADDITIONAL.keys()];

/** Character sets; a number is that DRCS set. */
type CodeSet = 'kanji' | 'alphanumeric' | 'hiragana' | 'katakana' | 'macro' | number;

type Register = 0 | 1 | 2 | 3;

interface Habit {
  /** The register to which a set is designated that is in none, and the side to which it is invoked. */
  work: 1 | 3;
  side: 'left' | 'right';
  /** Hiragana by LS2 in GL rather than by the high bit. */
  hiraganaLeft: boolean;
  /** A single character of G2 or G3 by a single shift. */
  singleShift: boolean;
  /** Designations by default macros where one exists. */
  macros: boolean;
  /** Shorter runs of katakana stay in the Kanji set. */
  katakanaRun: number;
}

/** Habits of broadcasters' encoders. */
export const HABITS: readonly [Habit, ...Habit[]] = [
  { work: 1, side: 'left', hiraganaLeft: false, singleShift: false, macros: false, katakanaRun: 3 },
  { work: 1, side: 'left', hiraganaLeft: false, singleShift: false, macros: true, katakanaRun: 2 },
  { work: 1, side: 'left', hiraganaLeft: true, singleShift: true, macros: false, katakanaRun: 4 },
  { work: 3, side: 'right', hiraganaLeft: false, singleShift: true, macros: false, katakanaRun: 3 },
  { work: 3, side: 'left', hiraganaLeft: false, singleShift: true, macros: false, katakanaRun: 3 },
  { work: 1, side: 'right', hiraganaLeft: false, singleShift: false, macros: true, katakanaRun: 3 },
];

/** First private use code point that stands for a character defined by a bitmap. */
export const DRCS_FIRST = 0xec00;
/** A DRCS character used in a statement. */
export interface DrcsCode {
  /** DRCS-0 (two bytes) to DRCS-15. */
  set: number;
  /** 0x21..0x7E, or two such bytes for DRCS-0. */
  bytes: readonly number[];
}

const ESC = 0x1b;
const SPACE = 0x20;
const SS2 = 0x19;
const SS3 = 0x1d;
const LOCKING_LEFT: readonly (readonly number[])[] = [[0x0f], [0x0e], [ESC, 0x6e], [ESC, 0x6f]];
const LOCKING_RIGHT: readonly (readonly number[])[] = [[], [ESC, 0x7e], [ESC, 0x7d], [ESC, 0x7c]];
const FINAL = { kanji: 0x42, alphanumeric: 0x4a, hiragana: 0x30, katakana: 0x31, macro: 0x70 } as const;
const DRCS_FINAL = 0x40;
const INITIAL: readonly CodeSet[] = ['kanji', 'alphanumeric', 'hiragana', 'macro'];
const INITIAL_MACRO = 0x60;
/** Default macros that designate a set to G1 and otherwise restore the initial state. */
const MACRO_FOR = new Map<CodeSet, number>([
  ['alphanumeric', INITIAL_MACRO],
  ['katakana', 0x61],
  [1, 0x62],
  [2, 0x6b],
  [3, 0x6c],
  [4, 0x6d],
]);

function designation(register: Register, set: CodeSet): number[] {
  const intermediate = 0x28 + register;
  if (set === 'kanji') return register === 0 ? [ESC, 0x24, 0x42] : [ESC, 0x24, intermediate, 0x42];
  if (set === 0) return [ESC, 0x24, intermediate, 0x20, DRCS_FINAL];
  if (set === 'macro') return [ESC, intermediate, 0x20, FINAL.macro];
  if (typeof set === 'number') return [ESC, intermediate, 0x20, DRCS_FINAL + set];
  return [ESC, intermediate, FINAL[set]];
}

interface Coded {
  set: CodeSet;
  bytes: readonly number[];
}

export class TextCoder {
  readonly bytes: number[] = [];
  #registers = [...INITIAL];
  #left: Register = 0;
  #right: Register = 2;

  constructor(
    private readonly habit: Habit,
    private readonly drcs: ReadonlyMap<string, DrcsCode> = new Map(),
  ) {}

  /** Control functions, unchanged. */
  control(...bytes: readonly number[]): void {
    this.bytes.push(...bytes);
  }

  /** @throws RangeError naming a character that captions cannot carry */
  text(text: string): void {
    const characters = [...text];
    for (const [index, character] of characters.entries()) {
      if (character === ' ' || character === '　') this.bytes.push(SPACE);
      else this.#put(this.#code(character, characters, index), characters[index + 1]);
    }
  }

  /** Restores the initial state of a statement, for receivers that do not reset it themselves. */
  close(): void {
    const changed = this.#registers.some((set, register) => set !== INITIAL[register]);
    if (!changed && this.#left === 0 && this.#right === 2) return;
    if (changed && this.habit.macros && this.#registers[3] === 'macro') {
      this.#macro('alphanumeric');
      return;
    }
    for (const [register, set] of INITIAL.entries()) {
      if (this.#registers[register] !== set) this.#designate(register as Register, set);
    }
    if (this.#left !== 0) this.#invoke('left', 0);
    if (this.#right !== 2) this.#invoke('right', 2);
  }

  #invoked(set: CodeSet): boolean {
    return this.#registers[this.#left] === set || this.#registers[this.#right] === set;
  }

  #katakanaAhead(characters: readonly string[], from: number): boolean {
    const { katakanaRun } = this.habit;
    const run = characters.slice(from, from + katakanaRun);
    return run.length === katakanaRun && run.every((one) => katakanaCode(one) !== undefined);
  }

  #code(character: string, characters: readonly string[], index: number): Coded {
    const drawn = this.drcs.get(character);
    if (drawn !== undefined) return drawn;
    const narrow = narrowAlphanumericCode(character);
    if (narrow !== undefined) return { set: 'alphanumeric', bytes: [narrow] };
    const katakana = katakanaCode(character);
    if (katakana !== undefined && (this.#invoked('katakana') || this.#katakanaAhead(characters, index))) {
      return { set: 'katakana', bytes: [katakana] };
    }
    const hiragana = hiraganaCode(character);
    if (hiragana !== undefined) return { set: 'hiragana', bytes: [hiragana] };
    const kanji = captionKanji(character);
    if (kanji !== undefined) return { set: 'kanji', bytes: kanji };
    const unicode = character.codePointAt(0)?.toString(16);
    throw new RangeError(`no caption code for "${character}" (U+${unicode})`);
  }

  #put({ set, bytes }: Coded, next: string | undefined): void {
    const hiraganaLeft = set === 'hiragana' && this.habit.hiraganaLeft;
    if (this.#registers[this.#left] === set) {
      this.control(...bytes);
    } else if (this.#registers[this.#right] === set && !hiraganaLeft) {
      this.#high(bytes);
    } else {
      const register = this.#reach(set);
      if (this.habit.singleShift && register >= 2 && !this.#continues(set, next)) {
        this.control(register === 2 ? SS2 : SS3, ...bytes);
        return;
      }
      const side = this.#sideOf(set);
      this.#invoke(side, register);
      if (side === 'right') this.#high(bytes);
      else this.control(...bytes);
    }
  }

  #high(bytes: readonly number[]): void {
    this.control(...bytes.map((byte) => byte | 0x80));
  }

  #sideOf(set: CodeSet): 'left' | 'right' {
    if (set === 'kanji') return 'left';
    if (set === 'hiragana') return this.habit.hiraganaLeft ? 'left' : 'right';
    return this.habit.side;
  }

  /** Whether the next character is of the same set too. */
  #continues(set: CodeSet, next: string | undefined): boolean {
    if (next === undefined) return false;
    if (set === 'hiragana') return hiraganaCode(next) !== undefined;
    if (set === 'katakana') return katakanaCode(next) !== undefined;
    if (set === 'alphanumeric') return narrowAlphanumericCode(next) !== undefined;
    return this.drcs.get(next)?.set === set;
  }

  /** The register of a set, which is designated first if necessary. */
  #reach(set: CodeSet): Register {
    const known = this.#registers.indexOf(set);
    if (known >= 0) return known as Register;
    if (set === 'kanji' || set === 'hiragana') {
      const home = set === 'kanji' ? 0 : 2;
      this.#designate(home, set);
      return home;
    }
    const { work, macros } = this.habit;
    if (work === 1 && macros && this.#registers[3] === 'macro' && MACRO_FOR.has(set)) this.#macro(set);
    else this.#designate(work, set);
    return work;
  }

  #macro(set: CodeSet): void {
    this.control(SS3, MACRO_FOR.get(set) ?? INITIAL_MACRO);
    this.#registers = [...INITIAL];
    this.#registers[1] = set;
    this.#left = 0;
    this.#right = 2;
  }

  #designate(register: Register, set: CodeSet): void {
    this.control(...designation(register, set));
    this.#registers[register] = set;
  }

  #invoke(side: 'left' | 'right', register: Register): void {
    if (side === 'left') {
      this.control(...(LOCKING_LEFT[register] ?? []));
      this.#left = register;
    } else {
      this.control(...(LOCKING_RIGHT[register] ?? []));
      this.#right = register;
    }
  }
}
