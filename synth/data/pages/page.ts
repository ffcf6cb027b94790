/**
 * The frame of a document: declaration, style sheet and script of the planes 960x540 and 720x480. ARIB STD-B24 vol. 2;
 * operation: TR-B14 vol. 3, TR-B15 vol. 1. Pages are designed for 960x540 and scaled for the other plane.
 */
import type { BroadcastType } from '../../../lib/arib/ids.ts';
import { ByteWriter, concat } from '../../si/bytes.ts';
import { colour } from '../clut.ts';
import { encodeEuc } from '../euc.ts';

/** What the pages of a station depend on. */
export interface PageContext {
  readonly type: BroadcastType;
  /** Of the station, in characters of JIS X 0208. */
  readonly name: string;
  /** In its own area of memory and, of terrestrial stations, in that of the affiliation. */
  readonly affiliation: number;
  readonly plane: 'wide' | 'standard';
  /** The station signals an application of its own. */
  readonly isHybrid: boolean;
}

/** Versions of BML stated in documents. */
const BML_VERSION = { GR: '3.0', BS: '1.0', CS: '2.0' } as const;
const FONTS = {
  wide: { large: 36, middle: 30, small: 24 },
  standard: { large: 30, middle: 24, small: 20 },
} as const;
type FontSize = keyof (typeof FONTS)['wide'];

/** Position and size on the plane 960x540. */
type Box = readonly [left: number, top: number, width: number, height: number];

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}

export function boxStyle({ plane }: PageContext, [left, top, width, height]: Box): string {
  const [x, y] = plane === 'wide' ? [1, 1] : [720 / 960, 480 / 540];
  const [l, t] = [Math.round(left * x), Math.round(top * y)];
  return `left:${l}px; top:${t}px; width:${Math.round(width * x)}px; height:${Math.round(height * y)}px`;
}

export function fontStyle({ plane }: PageContext, size: FontSize): string {
  return `font-size:${FONTS[plane][size]}px`;
}

/** Side of a picture on the plane. */
export function pictureSize(plane: PageContext['plane'], size: number): number {
  return plane === 'wide' ? size : Math.round((size * 3) / 4);
}

/** A text for a script to fill: spaces alone make no text node. */
export const EMPTY = '<![CDATA[]]>';

export function textBox(page: PageContext, id: string, box: Box, text: string, style = ''): string {
  return `<p id="${id}" style="${boxStyle(page, box)}; ${style}">${text}</p>`;
}

export function pictureBox(page: PageContext, id: string, box: Box, type: string, data: string): string {
  const remain = type === 'video/X-arib-mpeg2' ? ' remain="remain"' : '';
  return `<object id="${id}" type="${type}" data="${data}" style="${boxStyle(page, box)}"${remain}/>`;
}

/** Has the focus of a page without choices, so that its keys reach the script. */
export function keyBox(handler: string): string {
  const style = 'left:0px; top:0px; width:0px; height:0px; nav-index:0';
  return `<div id="keys" style="${style}" onkeydown="${handler}();"></div>`;
}

interface Document {
  title: string;
  /** Rules besides those of all pages. */
  style?: string;
  script: string;
  /** Of the head: beitems. */
  events?: readonly string[];
  body: readonly string[];
  isInvisible?: boolean;
  usedKeys?: string;
  /** Colour table; absent: only the fixed colours. */
  clut?: string;
  background?: number;
}

interface Event {
  type: string;
  handler: string;
  /** Further attributes. */
  more?: string;
  /** Off at the beginning; a script subscribes it. */
  isOff?: boolean;
}

export function event(id: string, { type, handler, more = '', isOff = false }: Event): string {
  const subscribed = isOff ? '' : ' subscribe="subscribe"';
  return `<beitem id="${id}" type="${type}" onoccur="${handler}();" ${more}${subscribed}/>`;
}

export function moduleEvent(id: string, type: string, handler: string, module: string): string {
  return event(id, { type, handler, more: `module_ref="${module}"` });
}

/** Returns to the portal: by the d key and, where `key` is the handler of keys, by Back. */
const BACK = `
function back() {
  browser.launchDocument("/40/0001/portal.bml", "cut");
}`;
const KEY = `
function key() {
  if (document.currentEvent.keyCode == 19) back();
}`;

/** Looks of an element by class that can have the focus. */
export function focusable(name: string): string {
  return [
    `.${name} { background-color-index:${colour('panel')}; }`,
    `.${name}:focus { background-color-index:${colour('focus')}; }`,
  ].join('\n');
}

/** A document below the portal. A script with a function `key` of its own calls `back` itself. */
export function subpageText(page: PageContext, document: Document): string {
  const { script, events = [] } = document;
  return documentText(page, {
    clut: '/40/0001/main.clt',
    background: colour('navy'),
    ...document,
    script: `${script}${BACK}${script.includes('function key()') ? '' : KEY}`,
    events: [event('press', { type: 'DataButtonPressed', handler: 'back' }), ...events],
  });
}

export function documentText(page: PageContext, document: Document): string {
  const { title, style = '', script, events = [], body, usedKeys = 'basic data-button', clut } = document;
  const resolution = page.plane === 'wide' ? '960x540' : '720x480';
  const rules = [
    'body {',
    ...(clut === undefined ? [] : [` clut:url(${clut});`]),
    ` resolution:${resolution}; display-aspect-ratio:16v9;`,
    ` background-color-index:${document.background ?? colour('clear')}; color-index:${colour('white')};`,
    ` used-key-list:${usedKeys}; }`,
    `p { ${fontStyle(page, 'middle')}; line-height:${page.plane === 'wide' ? 36 : 30}px;`,
    ` color-index:${colour('white')}; grayscale-color-index:30 15; }`,
    style,
  ];
  return [
    '<?xml version="1.0" encoding="EUC-JP"?>',
    '<!DOCTYPE bml PUBLIC "+//ARIB STD-B24:1999//DTD BML Document//JA" "bml_1_0.dtd">',
    `<?bml bml-version="${BML_VERSION[page.type]}"?>`,
    '<bml>',
    '<head>',
    `<title>${escaped(title)}</title>`,
    `<style><![CDATA[\n${rules.join('\n')}\n]]></style>`,
    `<script><![CDATA[\n${script.trim()}\n]]></script>`,
    ...(events.length === 0 ? [] : ['<bevent>', ...events, '</bevent>']),
    '</head>',
    `<body id="body" onload="loaded();"${document.isInvisible === true ? ' invisible="invisible"' : ''}>`,
    ...body,
    '</body>',
    '</bml>',
    '',
  ].join('\n');
}

/** A string with a length of one octet (field `S:1V`). */
export function textField(text: string): Uint8Array {
  return new ByteWriter().counted8(encodeEuc(text)).done();
}

/** From and to, both inclusive, of seven digits; equal ones are a single postal code. */
export type PostalRange = readonly [from: string, to: string];

const FROM = 0xd;
const TO = 0xe;
const SINGLE = 0xf;

/** Four octets: the first two digits as a number with bit 7 set, the kind, five digits of four bits. */
function packed(kind: number, digits: string): Uint8Array {
  const rest = Number.parseInt(`${kind.toString(16)}${digits.slice(2)}`, 16);
  return new ByteWriter()
    .u8(0x80 | Number(digits.slice(0, 2)))
    .u24(rest)
    .done();
}

/** Postal codes with a length of one octet (field `Z:1V`); none is excluded. */
export function postalField(ranges: readonly PostalRange[]): Uint8Array {
  const list = ranges.flatMap(([from, to]) =>
    from === to ? [packed(SINGLE, from)] : [packed(FROM, from), packed(TO, to)],
  );
  return new ByteWriter().counted8(concat([Uint8Array.of(0), ...list])).done();
}
