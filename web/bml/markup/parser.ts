/**
 * Builds a document from its text. Elements that BML does not have are left out, their content stays: no element or
 * attribute of a broadcast reaches the page that shows it.
 */
import { BmlDocument, BmlElement, BmlText } from '../document/document.ts';
import { ELEMENTS, type TagName } from '../document/elements.ts';
import { type Token, tokens } from './tokens.ts';

/** The largest document known has some thousand. */
const MAX_ELEMENTS = 8192;
const MAX_TEXTS = 8192;
/** Content of deeper elements belongs to their ancestor at this depth. */
const MAX_DEPTH = 32;
/** Characters; documents are 4 kB on average, the largest known 1 MB. */
const MAX_LENGTH = 2 << 20;
const MAX_IDENTIFIER = 256;

/** Elements without content. Some documents write them without the slash. */
const EMPTY_ELEMENTS = new Set(['meta', 'link', 'br', 'input', 'beitem']);
const HEAD = new Set(['title', 'meta', 'script', 'style', 'link', 'bevent', 'beitem']);
const BLOCK = new Set(['div', 'p']);
const INLINE = new Set(['span', 'a']);
const INLINE_OR_BREAK = new Set(['span', 'a', 'br']);
/** Elements whose text is data. */
const DATA_ELEMENTS = new Set(['title', 'script', 'style']);

const CONTROLS = /[ \t\r\n]+/g;
const FIRST_DOUBLE = 0x100;

/**
 * White space of a text node: none at its ends except beside inline elements, none between double-width characters.
 * Other line ends are spaces. ARIB STD-B24 Vol. 2 Appendix 2, 5.3.2.
 * @param before,after whether one space is kept at that end
 */
function withoutControls(text: string, before: boolean, after: boolean): string {
  return text.replace(CONTROLS, (run: string, at: number) => {
    const end = at + run.length;
    if (at === 0) return before && end < text.length ? ' ' : '';
    if (end === text.length) return after ? ' ' : '';
    const isDouble = text.charCodeAt(at - 1) >= FIRST_DOUBLE && text.charCodeAt(end) >= FIRST_DOUBLE;
    if (isDouble) return '';
    return /[\r\n]/.test(run) ? ' ' : run;
  });
}

/** Whether as many elements of a name end as begin. */
function areClosed(all: readonly Token[], name: string): boolean {
  let open = 0;
  for (const token of all) {
    if (token.kind === 'start' && token.name === name && !token.isEmpty) open++;
    else if (token.kind === 'end' && token.name === name) open--;
  }
  return open === 0;
}

class Builder {
  readonly document = new BmlDocument();
  readonly #open: BmlElement[] = [this.document.documentElement];
  #head: BmlElement | undefined;
  #body: BmlElement | undefined;
  /** Elements open at this moment that are deeper than the limit. */
  #tooDeep = 0;
  #areParagraphsClosed = true;
  #elements = 0;
  #texts = 0;
  /** Text is attached when it is known what follows it. */
  #pending = '';

  get #top(): BmlElement {
    return this.#open.at(-1) ?? this.document.documentElement;
  }

  build(source: string): BmlDocument {
    const { document } = this;
    document.isTruncated = source.length > MAX_LENGTH;
    const all = [...tokens(source.slice(0, MAX_LENGTH))];
    this.#areParagraphsClosed = areClosed(all, 'p');
    for (const token of all) {
      if (token.kind === 'start') this.#start(token.name, token.attributes, token.isEmpty);
      else if (token.kind === 'end') this.#end(token.name);
      else if (token.kind === 'cdata') this.#cdata(token.data);
      else this.#pending += token.data;
    }
    this.#flush('');
    if (this.#body === undefined) this.#append('body', new Map());
    return document;
  }

  #append(tagName: TagName, attributes: Map<string, string>): BmlElement {
    for (const name of ['id', 'class']) {
      const value = attributes.get(name);
      if (value !== undefined) attributes.set(name, value.slice(0, MAX_IDENTIFIER));
    }
    const element = new BmlElement(this.document, tagName, attributes);
    const parent = this.#parentFor(tagName);
    parent.append(element);
    this.document.register(element);
    this.#elements++;
    if (tagName === 'head') this.#head = element;
    if (tagName === 'body') this.#body = this.document.body = element;
    return element;
  }

  /** Elements outside of head and body go where they belong. */
  #parentFor(tagName: TagName): BmlElement {
    if (tagName === 'head' || tagName === 'body') return this.document.documentElement;
    if (this.#top !== this.document.documentElement) return this.#top;
    if (HEAD.has(tagName)) return this.#head ?? this.#append('head', new Map());
    return this.#body ?? this.#append('body', new Map());
  }

  #start(name: string, attributes: Map<string, string>, isEmpty: boolean): void {
    const tagName = ELEMENTS.get(name)?.tagName;
    // One of each.
    if (tagName === undefined || tagName === 'bml' || (tagName === 'head' && this.#head !== undefined))
      return;
    if (tagName === 'body' && this.#body !== undefined) return;
    this.#flush(tagName);
    this.#closeFor(tagName);
    const hasContent = !isEmpty && !EMPTY_ELEMENTS.has(tagName);
    if (this.#elements >= MAX_ELEMENTS) {
      this.document.isTruncated = true;
      if (hasContent) this.#tooDeep++;
    } else if (this.#open.length < MAX_DEPTH) {
      const element = this.#append(tagName, attributes);
      if (!hasContent) return;
      // An element that went elsewhere takes the rest with it.
      if (element.parentNode !== this.#top && element.parentNode !== null && this.#open.length === 1) {
        this.#open.push(element.parentNode);
      }
      this.#open.push(element);
    } else {
      this.#append(tagName, attributes);
      if (hasContent) this.#tooDeep++;
    }
  }

  /** Ends elements whose end tag is missing before this start tag. */
  #closeFor(tagName: TagName): void {
    if (tagName === 'body') this.#open.length = 1;
    if (DATA_ELEMENTS.has(this.#top.tagName)) this.#open.pop();
    if (this.#top.tagName === 'head' && !HEAD.has(tagName)) this.#open.pop();
    // Documents nest paragraphs; in one that forgets end tags, a box ends the paragraph.
    const mayEnd = !this.#areParagraphsClosed && BLOCK.has(tagName);
    const paragraph = mayEnd ? this.#open.findLastIndex((open) => open.tagName === 'p') : -1;
    if (paragraph > 0) this.#open.length = paragraph;
  }

  #end(name: string): void {
    if (name === 'bml' || !ELEMENTS.has(name) || EMPTY_ELEMENTS.has(name)) return;
    this.#flush('');
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return;
    }
    const index = this.#open.findLastIndex(({ tagName }) => tagName === name);
    if (index > 0) this.#open.length = index;
  }

  #cdata(data: string): void {
    this.#flush('');
    this.#text(data, true);
  }

  #text(data: string, isCdata: boolean): void {
    if (this.#texts >= MAX_TEXTS || this.#top === this.document.documentElement) return;
    this.#texts++;
    this.#top.append(new BmlText(this.document, data, isCdata));
  }

  /** @param next the element that follows the text, if one follows directly */
  #flush(next: string): void {
    const text = this.#pending;
    this.#pending = '';
    if (text === '') return;
    const top = this.#top;
    const isParagraph = top.tagName === 'p';
    const last = top.lastChild;
    const previous = last instanceof BmlElement ? last.tagName : '';
    const data = DATA_ELEMENTS.has(top.tagName)
      ? text
      : withoutControls(text, isParagraph && INLINE.has(previous), isParagraph && INLINE_OR_BREAK.has(next));
    if (data.trim() !== '') this.#text(data, false);
  }
}

/** Any text gives a document. Its style sheets are not read yet, because some are resources of their own. */
export function parseDocument(source: string): BmlDocument {
  return new Builder().build(source);
}
