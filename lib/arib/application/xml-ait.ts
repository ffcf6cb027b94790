/**
 * Applications of an XML AIT, as broadcasters serve it over HTTP (ETSI TS 102 809, 5.4; IPTVFJ STD-0010). Names of elements
 * are compared without prefix and capitals, wherever in an `Application` they are, because writers differ in both.
 */
import {
  type ApplicationBoundary,
  boundedBoundaries,
  boundedName,
  boundedUrl,
  CONTROL_CODES,
  type ControlledApplication,
  MAX_APPLICATIONS,
} from './application.ts';

// A reader of small XML documents (XML AIT). Tolerant: wrong or missing end tags close what they can, and a broken end keeps
// what came before it. Of names only the local part is kept. There are no entities besides the five of XML and characters by
// number; a document type declaration is skipped, and never expanded. W3C XML 1.0.

/** Characters of a document, and what is kept of it; more is cut off. */
export const XML_LIMITS = {
  characters: 262_144,
  elements: 4096,
  depth: 32,
  attributes: 32,
  text: 4096,
} as const;

export interface XmlElement {
  /** Without its prefix, in lower case: writers differ in capitals. */
  readonly name: string;
  /** By local name in lower case. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Text directly in it, trimmed. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly attributes: Map<string, string>;
  readonly children: OpenElement[];
  text: string;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
const MAX_CODE_POINT = 0x10ffff;

function characterOf(reference: string, name: string): string {
  const known = ENTITIES.get(name);
  if (known !== undefined) return known;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const isCharacter = name.startsWith('#') && code > 0 && code <= MAX_CODE_POINT;
  return isCharacter ? String.fromCodePoint(code) : reference;
}

const decoded = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,4});/gi, (reference: string, name: string) =>
    characterOf(reference, name),
  );

const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

const opened = (name: string): OpenElement => ({ name, attributes: new Map(), children: [], text: '' });

/** Where markup of another kind than a tag ends; the text's end if it does not. */
function endOf(text: string, at: number, terminator: string): number {
  const end = text.indexOf(terminator, at);
  return end < 0 ? text.length : end + terminator.length;
}

/** The end of a declaration, whose internal subset may contain `>`. */
function endOfDeclaration(text: string, at: number): number {
  const close = endOf(text, at, '>');
  // Within the declaration: looked for in the rest of the document, many declarations would take quadratic time.
  const subset = text.slice(at, close).indexOf('[');
  return subset < 0 ? close : endOf(text, endOf(text, at + subset, ']'), '>');
}

/** The end of a tag: `>` within a quoted value is none. */
function endOfTag(text: string, at: number): number {
  let quote = '';
  for (let position = at; position < text.length; position++) {
    const character = text.charAt(position);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return position + 1;
  }
  return text.length;
}

/** A name begins only where no other character of one is before it: else a long name without `=` takes quadratic time. */
const ATTRIBUTE = /(?<![^\s=/"'<>])([^\s=/"'<>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function readAttributes(text: string, attributes: Map<string, string>): void {
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE)) {
    if (attributes.size >= XML_LIMITS.attributes) return;
    const local = localName(name);
    if (!attributes.has(local)) attributes.set(local, decoded(double ?? single ?? ''));
  }
}

class XmlReader {
  readonly #text: string;
  readonly #root = opened('');
  readonly #open: OpenElement[] = [this.#root];
  #elements = 0;

  constructor(text: string) {
    this.#text = text.slice(0, XML_LIMITS.characters);
  }

  read(): XmlElement | undefined {
    const text = this.#text;
    let at = 0;
    while (at < text.length && this.#elements < XML_LIMITS.elements) {
      const tag = text.indexOf('<', at);
      this.#add(decoded(text.slice(at, tag < 0 ? text.length : tag)));
      if (tag < 0) break;
      at = this.#markup(tag);
    }
    return this.#root.children[0];
  }

  #add(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined || text.trim() === '' || element.text.length >= XML_LIMITS.text) return;
    element.text = `${element.text} ${text.trim()}`.trim().slice(0, XML_LIMITS.text);
  }

  /** @returns where it ends */
  #markup(at: number): number {
    const text = this.#text;
    if (text.startsWith('<!--', at)) return endOf(text, at + 4, '-->');
    if (text.startsWith('<![CDATA[', at)) {
      const end = endOf(text, at + 9, ']]>');
      this.#add(text.slice(at + 9, text.endsWith(']]>', end) ? end - 3 : end));
      return end;
    }
    if (text.startsWith('<?', at)) return endOf(text, at + 2, '?>');
    if (text.startsWith('<!', at)) return endOfDeclaration(text, at);
    const end = endOfTag(text, at + 1);
    const tag = text.slice(at + 1, end - 1);
    if (tag.startsWith('/')) this.#close(localName(tag.slice(1).trim()));
    else this.#begin(tag);
    return end;
  }

  #begin(tag: string): void {
    const [name = ''] = /^[^\s/]+/.exec(tag) ?? [];
    if (name === '') return;
    this.#elements += 1;
    const element = opened(localName(name));
    readAttributes(tag.slice(name.length), element.attributes);
    this.#open.at(-1)?.children.push(element);
    // Deeper ones are siblings.
    if (!tag.endsWith('/') && this.#open.length < XML_LIMITS.depth) this.#open.push(element);
  }

  #close(name: string): void {
    const at = this.#open.findLastIndex((element) => element.name === name);
    if (at > 0) this.#open.length = at;
  }
}

/** The root element; undefined if there is none. */
export function readXml(text: string): XmlElement | undefined {
  return new XmlReader(text).read();
}

/** The first descendant of this name. */
export function findElement(element: XmlElement, name: string): XmlElement | undefined {
  for (const child of element.children) {
    const found = child.name === name ? child : findElement(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All descendants of this name, in order; those within one of them too. */
export function allElements(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...allElements(child, name),
  ]);
}

const MAX_ORGANIZATION = 0xffff_ffff;
const MAX_APPLICATION = 0xffff;
/** Of permission_bitmap. */
const MAX_BITMAP = 0xffff;
/** Elements that contain bitmaps with the URLs for which they hold. */
const BOUNDARIES = [
  'boundary',
  'applicationboundaryandpermission',
  'applicationboundaryandpermissiondescriptor',
];

/** Decimal, hexadecimal with 0x, or (a bitmap) sixteen binary digits. Undefined: no number up to `most`. */
function numberOf(text: string, most: number): number | undefined {
  const value = /^[01]{16}$/.test(text)
    ? Number.parseInt(text, 2)
    : /^(?:0x[0-9a-f]{1,8}|\d{1,10})$/i.test(text)
      ? Number(text)
      : Number.NaN;
  return value <= most ? value : undefined;
}

const textOf = (element: XmlElement, name: string): string => findElement(element, name)?.text ?? '';

function urlsOf(element: XmlElement): string[] {
  return ['managedurl', 'boundaryextension']
    .flatMap((name) => allElements(element, name))
    .map(({ text }) => text)
    .filter((url) => url !== '');
}

const bitmapsOf = (element: XmlElement): number[] =>
  allElements(element, 'permissionbitmap')
    .flatMap(({ text }) => text.split(/[\s,]+/))
    .flatMap((text) => numberOf(text, MAX_BITMAP) ?? []);

function boundariesOf(application: XmlElement): readonly ApplicationBoundary[] | undefined {
  const simple = allElements(application, 'applicationboundary')
    .map((element) => ({ bitmaps: null, urls: urlsOf(element) }))
    .filter(({ urls }) => urls.length > 0);
  const permitted = BOUNDARIES.flatMap((name) => allElements(application, name))
    // The innermost: it belongs to its own URLs only.
    .filter((element) => !BOUNDARIES.some((name) => findElement(element, name) !== undefined))
    .filter((element) => findElement(element, 'permissionbitmap') !== undefined)
    .map((element) => ({ bitmaps: bitmapsOf(element), urls: urlsOf(element) }));
  if (permitted.length > 0) return boundedBoundaries([...simple, ...permitted]);
  const bitmaps = bitmapsOf(application);
  const bare = bitmaps.length === 0 ? [] : [{ bitmaps, urls: [] }];
  return boundedBoundaries([...simple, ...bare]);
}

function nameOf(application: XmlElement): string | null {
  const names = allElements(application, 'appname');
  const isJapanese = ({ attributes }: XmlElement): boolean => attributes.get('language') === 'jpn';
  return boundedName((names.find(isJapanese) ?? names[0])?.text ?? '');
}

/** Undefined without valid ids. */
function applicationOf(element: XmlElement): ControlledApplication | undefined {
  const organizationId = numberOf(textOf(element, 'orgid'), MAX_ORGANIZATION);
  const applicationId = numberOf(textOf(element, 'appid'), MAX_APPLICATION);
  if (organizationId === undefined || applicationId === undefined) return undefined;
  const code = textOf(element, 'controlcode').toLowerCase();
  const base = textOf(element, 'urlbase');
  const boundaries = boundariesOf(element);
  const priority =
    findElement(element, 'autostartprioritydescriptor') ?? findElement(element, 'autostartpriority');
  return {
    organizationId,
    applicationId,
    control: CONTROL_CODES.find((known) => known === code) ?? 'unknown',
    name: nameOf(element),
    url: boundaries === undefined ? null : boundedUrl(base + textOf(element, 'applicationlocation')),
    boundaries: boundaries ?? [],
    autostartPriority:
      numberOf(priority?.attributes.get('autostartpriority') ?? priority?.text ?? '', 255) ?? null,
  };
}

/** HTML applications of the document, in its order; of other types none. Empty if it is no XML AIT. */
export function applicationsOfXml(text: string): ControlledApplication[] {
  const root = readXml(text);
  if (root === undefined) return [];
  return allElements(root, 'application')
    .slice(0, MAX_APPLICATIONS)
    .filter((element) => {
      const type = findElement(element, 'type');
      const typeText =
        `${type?.text ?? ''} ${type?.children.map((child) => child.text).join(' ') ?? ''}`.trim();
      return typeText === '' || /html/i.test(typeText);
    })
    .flatMap((element) => applicationOf(element) ?? []);
}
