/**
 * Tokens of ECMAScript, 2nd edition (ECMA-262, 7). Beyond the standard it accepts what real scripts contain: `<!--` and
 * `-->` as comments, NUL and 0x1A (end of file of old editors), a byte order mark, letters outside ASCII in names.
 */
import { ScriptError } from './functions.ts';

type TokenKind = 'end' | 'name' | 'keyword' | 'number' | 'string' | 'punctuator';

/** A syntax error with its line, from 1. */
export class SyntaxFault extends ScriptError {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['break', 'continue', 'delete', 'else', 'for', 'function', 'if', 'in', 'new', 'return', 'this'],
  ...['typeof', 'var', 'void', 'while', 'with', 'null', 'true', 'false'],
  // Statements of the 3rd edition. Other words that the 2nd edition reserves may be used as names.
  ...['case', 'default', 'do', 'switch'],
]);

/** Longest first. */
const PUNCTUATORS: readonly string[] = [
  ...['>>>=', '===', '!==', '>>>', '<<=', '>>='],
  ...[
    '==',
    '!=',
    '<=',
    '>=',
    '&&',
    '||',
    '++',
    '--',
    '+=',
    '-=',
    '*=',
    '/=',
    '%=',
    '&=',
    '|=',
    '^=',
    '<<',
    '>>',
  ],
  ...[
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    ';',
    ',',
    '<',
    '>',
    '+',
    '-',
    '*',
    '/',
    '%',
    '&',
    '|',
    '^',
    '!',
    '~',
    '?',
  ],
  ...[':', '=', '.'],
];
const BY_FIRST = new Map<string, string[]>();
for (const text of PUNCTUATORS) BY_FIRST.set(text.charAt(0), [...(BY_FIRST.get(text.charAt(0)) ?? []), text]);

const BLANK: ReadonlySet<string> = new Set(' \t\v\f\0\x1a\u00a0\u3000\ufeff');
const LINE_END = /[\n\r\u2028\u2029]/;
const NAME = /[\p{L}\p{Nl}\p{Mn}\p{Mc}_$][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}_$]*/uy;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const OCTAL = /^0[0-7]+$/;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...([
    ['b', '\b'],
    ['f', '\f'],
    ['n', '\n'],
    ['r', '\r'],
    ['t', '\t'],
  ] as const),
]);

export class Lexer {
  kind: TokenKind = 'end';
  /** Its text; of a string, its value. */
  text = '';
  value = 0;
  line = 1;
  /** Whether a line ends between the token before and this one. */
  afterLineEnd = true;
  #at = 0;

  constructor(private readonly source: string) {
    this.next();
  }

  fail(message: string): never {
    throw new SyntaxFault(message, this.line);
  }

  is(text: string): boolean {
    return this.text === text && (this.kind === 'punctuator' || this.kind === 'keyword');
  }

  next(): void {
    this.afterLineEnd = this.#at === 0;
    this.#skip();
    const first = this.source.charAt(this.#at);
    if (first === '') {
      this.kind = 'end';
      this.text = 'end of script';
      return;
    }
    if (first === '"' || first === "'") {
      this.#string(first);
      return;
    }
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.source);
    if (number !== null) {
      this.#number(number[0]);
      return;
    }
    NAME.lastIndex = this.#at;
    const name = NAME.exec(this.source);
    if (name !== null) {
      this.kind = KEYWORDS.has(name[0]) ? 'keyword' : 'name';
      this.text = name[0];
      this.#at += name[0].length;
      return;
    }
    const found = BY_FIRST.get(first)?.find((text) => this.source.startsWith(text, this.#at));
    if (found === undefined) this.fail(`unexpected character ${JSON.stringify(first)}`);
    this.kind = 'punctuator';
    this.text = found;
    this.#at += found.length;
  }

  #skip(): void {
    for (;;) {
      const character = this.source.charAt(this.#at);
      if (character === '') return;
      if (LINE_END.test(character)) {
        if (!(character === '\n' && this.source.charAt(this.#at - 1) === '\r')) this.line += 1;
        this.afterLineEnd = true;
        this.#at += 1;
      } else if (BLANK.has(character)) this.#at += 1;
      else if (this.source.startsWith('/*', this.#at)) this.#comment();
      else if (
        this.source.startsWith('//', this.#at) ||
        this.source.startsWith('<!--', this.#at) ||
        (this.afterLineEnd && this.source.startsWith('-->', this.#at))
      ) {
        while (this.#at < this.source.length && !LINE_END.test(this.source.charAt(this.#at))) this.#at += 1;
      } else return;
    }
  }

  #comment(): void {
    const end = this.source.indexOf('*/', this.#at + 2);
    if (end < 0) this.fail('comment without end');
    const lines = this.source.slice(this.#at, end).match(/\r\n|[\n\r\u2028\u2029]/g)?.length ?? 0;
    this.line += lines;
    this.afterLineEnd ||= lines > 0;
    this.#at = end + 2;
  }

  #number(text: string): void {
    this.kind = 'number';
    this.text = text;
    this.value = OCTAL.test(text) ? Number.parseInt(text, 8) : Number(text);
    // Infinity does not exist.
    if (!Number.isFinite(this.value)) this.value = Number.NaN;
    this.#at += text.length;
  }

  #string(quote: string): void {
    const parts: string[] = [];
    let at = this.#at + 1;
    for (let from = at; ; ) {
      const character = this.source.charAt(at);
      if (character === quote || character === '' || LINE_END.test(character)) {
        if (character !== quote) this.fail('string without end');
        parts.push(this.source.slice(from, at));
        break;
      }
      at += 1;
      if (character !== '\\') continue;
      parts.push(this.source.slice(from, at - 1));
      const [text, length] = this.#escape(at);
      parts.push(text);
      at += length;
      from = at;
    }
    this.kind = 'string';
    this.text = parts.join('');
    this.#at = at + 1;
  }

  /** The text that an escape sequence stands for, and its length without the backslash. */
  #escape(at: number): readonly [text: string, length: number] {
    const rest = this.source.slice(at, at + 5);
    const hex = /^x([0-9a-fA-F]{2})|^u([0-9a-fA-F]{4})/.exec(rest);
    if (hex !== null)
      return [String.fromCharCode(Number.parseInt(rest.slice(1, hex[0].length), 16)), hex[0].length];
    const octal = /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(rest);
    if (octal !== null) return [String.fromCharCode(Number.parseInt(octal[0], 8)), octal[0].length];
    // A line that ends in a backslash continues in the next one.
    const lineEnd = /^(?:\r\n|[\n\r\u2028\u2029])/.exec(rest);
    if (lineEnd !== null) {
      this.line += 1;
      return ['', lineEnd[0].length];
    }
    const character = String.fromCodePoint(this.source.codePointAt(at) ?? 0x5c);
    return [ESCAPES.get(character) ?? character, character.length];
  }
}
