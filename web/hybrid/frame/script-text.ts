/**
 * Scripts of an application as text. `location` becomes an object of ours, because an application's real location is that of
 * its container; and where the frame shares the page's thread, each turn of a loop looks at the time, so that a script that
 * does not end can be ended. Tokens are told apart as ECMAScript 2015 needs it; what cannot be told stays as it is.
 */

/** Names by which the rewritten scripts reach the container. */
export const LOCATION_NAME = '__svcLocation';
export const TURN_NAME = '__svcTurn';

/** After these words a slash begins a regular expression, although a word ends before it. */
const BEFORE_EXPRESSION: ReadonlySet<string> = new Set([
  ...[
    'return',
    'typeof',
    'case',
    'in',
    'of',
    'delete',
    'void',
    'throw',
    'new',
    'else',
    'do',
    'instanceof',
    'yield',
    'await',
  ],
]);
/** Objects whose `location` is the application's. */
const WINDOWS: ReadonlySet<string> = new Set(['window', 'self', 'globalThis', 'document']);

const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const SPACE = /(?:\s|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$))+/y;
const NUMBER = /\.?\d(?:[\w.]|(?<=e)[+-])*/iy;
const REGULAR = /\/(?:[^/\\[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+\/\w*/y;
const TEXT = /"(?:[^"\\\n\r]|\\[\s\S])*"?|'(?:[^'\\\n\r]|\\[\s\S])*'?/y;

interface Bracket {
  readonly open: string;
  /** The word before a parenthesis: `while`, `for`, `if`. */
  readonly word: string;
  /** Semicolons directly in it. */
  semicolons: number;
}

class ScriptText {
  readonly #text: string;
  readonly #isGuarded: boolean;
  readonly #out: string[] = [];
  readonly #brackets: Bracket[] = [];
  #at = 0;
  /** The tokens before. */
  #last = '';
  #beforeLast = '';

  constructor(text: string, isGuarded: boolean) {
    this.#text = text;
    this.#isGuarded = isGuarded;
  }

  rewrite(): string {
    while (this.#at < this.#text.length) this.#token();
    return this.#out.join('');
  }

  /** @returns what the expression matches here, or an empty text */
  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    return expression.exec(this.#text)?.[0] ?? '';
  }

  #put(token: string, written = token): void {
    this.#out.push(written);
    this.#at += token.length;
    this.#beforeLast = this.#last;
    this.#last = token;
  }

  #token(): void {
    const space = this.#match(SPACE);
    if (space !== '') {
      this.#out.push(space);
      this.#at += space.length;
      return;
    }
    const word = this.#match(WORD);
    if (word !== '') {
      this.#put(word, word === 'location' && this.#isWindows() ? LOCATION_NAME : word);
      return;
    }
    const character = this.#text.charAt(this.#at);
    if (character === '"' || character === "'") this.#put(this.#match(TEXT) || character);
    else if (character === '`') this.#template();
    else if (character === '/' && this.#isExpressionNext()) this.#put(this.#match(REGULAR) || character);
    else this.#put(this.#match(NUMBER) || character, this.#punctuation(character));
  }

  #isWindows(): boolean {
    const next = /^\s*:/.test(this.#text.slice(this.#at + 8, this.#at + 16));
    // A key of an object.
    if (next && (this.#last === '{' || this.#last === ',')) return false;
    return this.#last !== '.' || WINDOWS.has(this.#beforeLast);
  }

  #isExpressionNext(): boolean {
    if (this.#last === '') return true;
    if (/[\w$\u0080-\uffff]$/.test(this.#last)) return BEFORE_EXPRESSION.has(this.#last);
    if (this.#last === ')')
      return this.#closedWord === 'if' || this.#closedWord === 'while' || this.#closedWord === 'for';
    return !/["'`\]}/]$/.test(this.#last);
  }

  /** The word before the parenthesis that was closed last. */
  #closedWord = '';

  /** Brackets are counted; turns of loops are marked. @returns what is written for it */
  #punctuation(character: string): string | undefined {
    const bracket = this.#brackets.at(-1);
    switch (character) {
      case '(':
      case '[':
      case '{': {
        const word = character === '(' ? this.#last : '';
        // A method that is called `while` is none.
        const isLoop = word === 'while' && this.#beforeLast !== '.';
        this.#brackets.push({ open: character, word: this.#beforeLast === '.' ? '' : word, semicolons: 0 });
        return isLoop && this.#isGuarded ? `(${TURN_NAME}(),` : undefined;
      }
      case ')':
      case ']':
      case '}':
        if (character === ')') this.#closedWord = bracket?.word ?? '';
        this.#brackets.pop();
        return undefined;
      case ';': {
        if (bracket?.word !== 'for') return undefined;
        bracket.semicolons += 1;
        if (bracket.semicolons !== 2 || !this.#isGuarded) return undefined;
        const isEmpty = /^(?:\s|\/\/[^\n\r]*[\n\r]|\/\*[\s\S]*?\*\/)*\)/.test(this.#text.slice(this.#at + 1));
        return `;${TURN_NAME}()${isEmpty ? '' : ','}`;
      }
      default:
        return undefined;
    }
  }

  /** The texts of a template; the expressions in it are tokens. */
  #template(): void {
    const text = this.#text;
    let from = this.#at;
    let at = from + 1;
    while (at < text.length && text.charAt(at) !== '`') {
      if (text.charAt(at) === '\\') at += 2;
      else if (text.startsWith('${', at)) {
        this.#out.push(text.slice(from, at + 2));
        this.#at = at + 2;
        this.#last = '{';
        const depth = this.#brackets.length;
        this.#brackets.push({ open: '{', word: '', semicolons: 0 });
        while (this.#at < text.length) {
          this.#token();
          if (this.#brackets.length <= depth) break;
        }
        from = this.#at;
        at = from;
      } else at += 1;
    }
    const end = Math.min(text.length, at + 1);
    this.#out.push(text.slice(from, end));
    this.#at = end;
    this.#beforeLast = this.#last;
    this.#last = '`';
  }
}

/** @param isGuarded loops call `TURN_NAME` in each turn */
export function rewriteScript(text: string, isGuarded: boolean): string {
  return new ScriptText(text, isGuarded).rewrite();
}
