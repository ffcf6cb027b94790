/**
 * The syntax of regular expressions in rules: what a finite automaton can match, without backtracking. Letters, `.`,
 * `[…]` with ranges and `^`, `\d \w \s` and their negations, `\t
 * \r`, `^ $`, `(…)`, `(?:…)`, `(?<name>…)`, `|`, `* + ? {n} {n,} {n,m}` (a following `?` is accepted and has no
 * effect). No back-references, no lookaround, no `\b`, no `\p`.
 *
 * Texts are compared in the normal form of `matchText`; letters and ranges are normalised here, so that width and
 * letter case do not count.
 */
import { Failure } from '../../model/failure.ts';
import { matchText } from '../../model/search-text.ts';

/** Code points: inclusive, ascending, disjoint ranges. */
export type CharacterSet = readonly (readonly [number, number])[];

export type Expression =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'either'; readonly options: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly part: Expression; readonly min: number; readonly max: number };

const LAST = 0x10ffff;
/** Counted repetitions are expanded, state by state. */
const MAX_REPEAT = 200;
const MAX_DEPTH = 50;
/** A larger range covers a script: its letters are not normalised. */
const FOLDED_RANGE = 4096;
/** Limit for all ranges of an expression: normalising a letter takes a microsecond. */
const MAX_FOLDED = 20_000;

const DIGITS: CharacterSet = [[0x30, 0x39]];
const WORD: CharacterSet = [
  [0x30, 0x39],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** Normal form has no other blanks. */
const BLANKS: CharacterSet = [
  [0x0a, 0x0a],
  [0x20, 0x20],
];
const HALF_WIDTH_KANA = /[\uff61-\uff9f]+/g;
const OPEN_NAME = /^\?<[A-Za-z_]\w*>/;
const COUNT = /^\{(\d+)(?:(,)(\d*))?\}/;
const NOTHING_ESCAPED = '「\\」の後に文字がありません。';
const ESCAPED_BLANKS: Readonly<Record<string, string>> = { t: ' ', n: '\n', r: '\n', f: ' ', v: ' ' };

function refusal(message: string): Failure {
  return new Failure('bad_request', `正規表現: ${message}`, { path: 'keyword' });
}

function union(ranges: Iterable<readonly [number, number]>): CharacterSet {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function complement(set: CharacterSet): CharacterSet {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) rest.push([next, LAST]);
  return rest;
}

const ANY: CharacterSet = complement([[0x0a, 0x0a]]);

function isPlainSpace(character: string): boolean {
  return /^\s$/u.test(character);
}

/** A letter in normal form; one may become several. */
function folded(character: string): string {
  return isPlainSpace(character) ? ' ' : matchText(character);
}

function letters(text: string): Expression {
  const parts = Array.from(text, (letter): Expression => {
    const code = letter.codePointAt(0) ?? 0;
    return { kind: 'set', set: [[code, code]] };
  });
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts };
}

function foldedRange(from: number, to: number): [number, number][] {
  const found: [number, number][] = [];
  for (let code = from; code <= to; code++) {
    const text = Array.from(folded(String.fromCodePoint(code)));
    const single = text.length === 1 ? text[0]?.codePointAt(0) : code;
    if (single !== undefined) found.push([single, single]);
  }
  return found;
}

class Parser {
  readonly #pattern: readonly string[];
  #at = 0;
  #depth = 0;
  #folded = 0;

  constructor(pattern: string) {
    // Half-width kana have separate sound marks, which would not be combined otherwise.
    const joined = pattern.replace(HALF_WIDTH_KANA, (kana) => kana.normalize('NFKC'));
    this.#pattern = Array.from(joined.toWellFormed().normalize('NFC'));
  }

  parse(): Expression {
    const expression = this.#either();
    if (this.#at < this.#pattern.length) throw refusal('「)」が余っています。');
    return expression;
  }

  get #next(): string | undefined {
    return this.#pattern[this.#at];
  }

  /** @param missing the error when no letter is left */
  #take(missing: string): string {
    const character = this.#pattern[this.#at++];
    if (character === undefined) throw refusal(missing);
    return character;
  }

  #rest(length: number): string {
    return this.#pattern.slice(this.#at, this.#at + length).join('');
  }

  #either(): Expression {
    if (++this.#depth > MAX_DEPTH) throw refusal('括弧が深すぎます。');
    const options = [this.#sequence()];
    while (this.#next === '|') {
      this.#at++;
      options.push(this.#sequence());
    }
    this.#depth--;
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'either', options };
  }

  #sequence(): Expression {
    const parts: Expression[] = [];
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') {
      parts.push(this.#repeated(this.#atom()));
    }
    return { kind: 'sequence', parts };
  }

  #repeated(part: Expression): Expression {
    const counts = this.#counts();
    if (counts === undefined) return part;
    if (this.#next === '?') this.#at++;
    else if (this.#next === '+') throw refusal('「++」の書き方には対応していません。');
    if (this.#counts() !== undefined) throw refusal('繰り返しの記号が続いています。');
    return { kind: 'repeat', part, ...counts };
  }

  #counts(): { min: number; max: number } | undefined {
    switch (this.#next) {
      case '*':
        this.#at++;
        return { min: 0, max: Number.POSITIVE_INFINITY };
      case '+':
        this.#at++;
        return { min: 1, max: Number.POSITIVE_INFINITY };
      case '?':
        this.#at++;
        return { min: 0, max: 1 };
      case '{':
        return this.#braces();
      default:
        return undefined;
    }
  }

  #braces(): { min: number; max: number } {
    const [whole, low, comma, high] = COUNT.exec(this.#rest(16)) ?? [];
    if (whole === undefined) throw refusal('「{」の中は {2} や {1,3} のように書いてください。');
    this.#at += whole.length;
    const min = Number(low);
    const open = high === '' ? Number.POSITIVE_INFINITY : Number(high);
    const max = comma === undefined ? min : open;
    if (min > max) throw refusal('「{」の中の数の順が逆です。');
    if (Math.max(min, Number.isFinite(max) ? max : 0) > MAX_REPEAT)
      throw refusal(`繰り返しは ${MAX_REPEAT} 回までです。`);
    return { min, max };
  }

  #atom(): Expression {
    const character = this.#take('途中で終わっています。');
    switch (character) {
      case '.':
        return { kind: 'set', set: ANY };
      case '^':
        return { kind: 'start' };
      case '$':
        return { kind: 'end' };
      case '(':
        return this.#group();
      case '[':
        return { kind: 'set', set: this.#set() };
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
      case '{':
        throw refusal(`「${character}」の前に繰り返すものがありません。`);
      default:
        return letters(folded(character));
    }
  }

  #group(): Expression {
    if (this.#next === '?') {
      const [name] = OPEN_NAME.exec(this.#rest(64)) ?? [];
      if (name !== undefined) this.#at += name.length;
      else if (this.#rest(2) === '?:') this.#at += 2;
      else throw refusal('先読み・後読みや特別な括弧「(?…」には対応していません。');
    }
    const inner = this.#either();
    if (this.#next !== ')') throw refusal('「(」が閉じられていません。');
    this.#at++;
    return inner;
  }

  /** The class of letters of an escape; undefined if it denotes a letter. */
  #escapedClass(character: string): CharacterSet | undefined {
    switch (character) {
      case 'd':
        return DIGITS;
      case 'D':
        return complement(DIGITS);
      case 'w':
        return WORD;
      case 'W':
        return complement(WORD);
      case 's':
        return BLANKS;
      case 'S':
        return complement(BLANKS);
      default:
        return undefined;
    }
  }

  #escapedLetter(character: string): string {
    const blank = ESCAPED_BLANKS[character];
    if (blank !== undefined) return blank;
    if (/^[A-Za-z0-9]$/.test(character)) throw refusal(`「\\${character}」には対応していません。`);
    return character;
  }

  #escape(): Expression {
    const character = this.#take(NOTHING_ESCAPED);
    const set = this.#escapedClass(character);
    if (set !== undefined) return { kind: 'set', set };
    return letters(folded(this.#escapedLetter(character)));
  }

  #set(): CharacterSet {
    const negated = this.#next === '^';
    if (negated) this.#at++;
    const ranges: (readonly [number, number])[] = [];
    let first = true;
    while (first || this.#next !== ']') {
      first = false;
      if (this.#next === undefined) throw refusal('「[」が閉じられていません。');
      ranges.push(...this.#member());
    }
    this.#at++;
    const set = union(ranges);
    return negated ? complement(union([...set, [0x0a, 0x0a]])) : set;
  }

  #member(): CharacterSet {
    const from = this.#setLetter();
    if (typeof from !== 'string') return from;
    if (this.#next !== '-' || this.#pattern[this.#at + 1] === ']') return this.#range(from, from);
    this.#at++;
    const to = this.#setLetter();
    if (typeof to !== 'string') throw refusal('「[」の中の範囲の終わりが文字ではありません。');
    return this.#range(from, to);
  }

  #range(from: string, to: string): [number, number][] {
    const first = from.codePointAt(0) ?? 0;
    const last = to.codePointAt(0) ?? 0;
    if (first > last) throw refusal(`「[」の中の範囲「${from}-${to}」の順が逆です。`);
    if (last - first >= FOLDED_RANGE) return [[first, last]];
    this.#folded += last - first + 1;
    if (this.#folded > MAX_FOLDED) throw refusal('「[」の中の範囲が広すぎます。');
    return foldedRange(first, last);
  }

  #setLetter(): string | CharacterSet {
    const character = this.#take('「[」が閉じられていません。');
    if (character !== '\\') return character;
    const escaped = this.#take(NOTHING_ESCAPED);
    return this.#escapedClass(escaped) ?? this.#escapedLetter(escaped);
  }
}

/** @throws Failure bad_request with the error in the pattern */
export function parseExpression(pattern: string): Expression {
  return new Parser(pattern).parse();
}
