/**
 * Tags, texts and CDATA sections of a document, in linear time. About a quarter of the documents on the air are not
 * well-formed, so every text gives tokens. Entities are the five of XML and numeric references; declarations are
 * skipped, and nothing that they define is ever expanded.
 */

export type Token =
  | {
      readonly kind: 'start';
      readonly name: string;
      readonly attributes: Map<string, string>;
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'end'; readonly name: string }
  | { readonly kind: 'text' | 'cdata'; readonly data: string };

/** Of a tag; further ones are skipped. */
const MAX_ATTRIBUTES = 64;
/** The longest are `style` attributes. */
const MAX_VALUE = 8192;

const NAME = /[A-Za-z_][\w:.-]*/y;
const ATTRIBUTE = /[^\s=>"'/]+/y;
const SPACE = /\s*/y;
const UNQUOTED = /[^\s>]*/y;
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
/** Content that is not markup. A CDATA section in it may contain the end tag. */
const RAW = new Set(['script', 'style']);

/** Replaces character references; others stay as they are. */
function withoutReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (_all, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? '';
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\ufffd';
  });
}

class Tokenizer {
  #at = 0;
  /** Ends that do not occur from some position on; without it, each search would read to the end. */
  readonly #missing = new Set<string>();

  constructor(private readonly text: string) {}

  /** Index after the next `end`, or undefined. */
  #after(end: string, from: number): number | undefined {
    if (this.#missing.has(end)) return undefined;
    const index = this.text.indexOf(end, from);
    if (index >= 0) return index + end.length;
    this.#missing.add(end);
    return undefined;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.text) ?? [];
    this.#at += found.length;
    return found;
  }

  *tokens(): Generator<Token> {
    const { text } = this;
    let textStart = 0;
    while (this.#at < text.length) {
      const start = text.indexOf('<', this.#at);
      if (start < 0) break;
      this.#at = start;
      const next = text[start + 1] ?? '';
      const isName = /[A-Za-z_]/.test(next);
      if (!isName && next !== '/' && next !== '!' && next !== '?') {
        // A lone `<` is text.
        this.#at++;
        continue;
      }
      if (start > textStart) yield { kind: 'text', data: withoutReferences(text.slice(textStart, start)) };
      if (isName) {
        const tag = this.#startTag();
        yield tag;
        if (RAW.has(tag.name) && !tag.isEmpty) yield* this.#raw(tag.name);
      } else if (next === '/') {
        this.#at += 2;
        const name = this.#match(NAME);
        this.#at = this.#after('>', this.#at) ?? text.length;
        yield { kind: 'end', name: localName(name) };
      } else if (text.startsWith('<![CDATA[', start)) {
        const end = this.#after(']]>', start + 9);
        yield { kind: 'cdata', data: text.slice(start + 9, end === undefined ? undefined : end - 3) };
        this.#at = end ?? text.length;
      } else this.#skipDeclaration(start);
      textStart = this.#at;
    }
    if (textStart < text.length) yield { kind: 'text', data: withoutReferences(text.slice(textStart)) };
  }

  /** Comments, processing instructions and the document type. What is not closed ends with its first `>`. */
  #skipDeclaration(start: number): void {
    const { text } = this;
    let end: number | undefined;
    if (text.startsWith('<!--', start)) end = this.#after('-->', start + 4);
    else if (text[start + 1] === '?') end = this.#after('?>', start + 2);
    else {
      const plain = this.#after('>', start) ?? text.length;
      const subset = text.slice(start, plain).indexOf('[');
      if (subset >= 0) end = this.#after(']>', start + subset);
    }
    this.#at = end ?? this.#after('>', start) ?? text.length;
  }

  #startTag(): Token & { kind: 'start' } {
    const { text } = this;
    this.#at++;
    const name = localName(this.#match(NAME));
    const attributes = new Map<string, string>();
    let isEmpty = false;
    for (;;) {
      this.#match(SPACE);
      const character = text[this.#at];
      if (character === undefined || character === '<') break;
      if (character === '>') {
        this.#at++;
        break;
      }
      isEmpty = character === '/';
      const attribute = this.#match(ATTRIBUTE).toLowerCase();
      if (attribute === '') {
        this.#at++;
        continue;
      }
      const value = this.#attributeValue() ?? attribute;
      if (!attributes.has(attribute) && attributes.size < MAX_ATTRIBUTES) {
        attributes.set(attribute, withoutReferences(value.slice(0, MAX_VALUE)));
      }
    }
    return { kind: 'start', name, attributes, isEmpty };
  }

  /** Undefined: the attribute has no value. */
  #attributeValue(): string | undefined {
    const { text } = this;
    const before = this.#at;
    this.#match(SPACE);
    if (text[this.#at] !== '=') {
      this.#at = before;
      return undefined;
    }
    this.#at++;
    this.#match(SPACE);
    const quote = text[this.#at];
    if (quote !== '"' && quote !== "'") return this.#match(UNQUOTED);
    const start = this.#at + 1;
    const end = this.#after(quote, start);
    if (end === undefined) {
      this.#at++;
      return this.#match(UNQUOTED);
    }
    this.#at = end;
    return text.slice(start, end - 1);
  }

  /** CDATA sections, or else the text up to the end tag. */
  *#raw(name: string): Generator<Token> {
    const { text } = this;
    let hasSection = false;
    for (;;) {
      const section = /\s*<!\[CDATA\[/y;
      section.lastIndex = this.#at;
      if (!section.test(text)) break;
      hasSection = true;
      const from = section.lastIndex;
      const end = this.#after(']]>', from);
      this.#at = end ?? text.length;
      yield { kind: 'cdata', data: text.slice(from, end === undefined ? undefined : end - 3) };
    }
    if (hasSection) return;
    const closing = new RegExp(`</${name}`, 'gi');
    closing.lastIndex = this.#at;
    const found = closing.exec(text);
    const end = found === null ? text.length : found.index;
    const data = text.slice(this.#at, end);
    this.#at = end;
    if (data.trim() !== '') yield { kind: 'text', data: withoutReferences(data) };
  }
}

/** Without the prefix of the BML name space. Documents on the air use lower case. */
function localName(name: string): string {
  return name.toLowerCase().replace(/^bml:/, '');
}

export function tokens(text: string): Generator<Token> {
  return new Tokenizer(text).tokens();
}
