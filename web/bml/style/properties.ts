/**
 * CSS properties of BML: their names, whether scripts may write them, inheritance, initial values, and the normal form of
 * their values. ARIB STD-B24 Vol. 2 Appendix 2, 5.2 (operated properties) and Annex A (default style sheet).
 *
 * Values are strings as a script reads them: lengths with `px`, colour indices as decimal numbers.
 */

/** Longer values are not read. The longest are addresses of resources. */
export const MAX_VALUE_LENGTH = 1024;

/** The normal form of a value; undefined if the property cannot have it. */
type Normalize = (value: string) => string | undefined;

/** Far larger than any plane; sums of nested boxes stay exact. */
const MAX_LENGTH = 32_767;
const LENGTH = /^([+-]?)(\d{1,9})(?:\.\d*)?\s*(px|pt)?$/i;
const PX_PER_PT = 4 / 3;

/** px, pt, and bare numbers, which are px. */
function length(value: string): string | undefined {
  const [, sign, digits, unit] = LENGTH.exec(value) ?? [];
  if (digits === undefined) return undefined;
  const size = Math.round(Number(digits) * (unit?.toLowerCase() === 'pt' ? PX_PER_PT : 1));
  return `${(sign === '-' ? -1 : 1) * Math.min(size, MAX_LENGTH) || 0}px`;
}

function size(value: string): string | undefined {
  const normal = length(value);
  return normal?.startsWith('-') === true ? undefined : normal;
}

/** The largest font of receivers has 36 px. */
const MAX_FONT_SIZE = 200;

function fontSize(value: string): string | undefined {
  const normal = size(value);
  return normal === undefined ? undefined : `${Math.min(Number.parseInt(normal, 10), MAX_FONT_SIZE)}px`;
}

const oneOf =
  (...words: string[]): Normalize =>
  (value) => {
    const word = value.toLowerCase();
    return words.includes(word) ? word : undefined;
  };

const either =
  (...kinds: Normalize[]): Normalize =>
  (value) => {
    for (const kind of kinds) {
      const normal = kind(value);
      if (normal !== undefined) return normal;
    }
    return undefined;
  };

const integerUpTo =
  (maximum: number): Normalize =>
  (value) =>
    /^\d{1,5}$/.test(value) && Number(value) <= maximum ? `${Number(value)}` : undefined;

const index = integerUpTo(255);

/** Some content writes a second index, which means nothing. */
const colorIndex: Normalize = (value) => index(value.replace(/\s+\d+$/, ''));

function grayscale(value: string): string | undefined {
  const indices = value.split(/\s+/).map(index);
  return indices.length === 2 && !indices.includes(undefined) ? indices.join(' ') : undefined;
}

/** Numbers below it are factors of the font size, as everywhere in CSS; content also writes px without the unit. */
const MOST_FACTOR = 8;

function lineHeight(value: string): string | undefined {
  const factor = Number(value);
  return /^[\d.]+$/.test(value) && factor > 0 && factor < MOST_FACTOR ? `${factor}` : size(value);
}

const url: Normalize = (value) => (/^url\(.*\)$/is.test(value) ? value : undefined);
const matching =
  (pattern: RegExp): Normalize =>
  (value) =>
    pattern.test(value) ? value : undefined;
const MAX_WORDS = 200;
const words: Normalize = (value) =>
  value !== '' && value.length <= MAX_WORDS ? value.replace(/\s+/g, ' ') : undefined;
const none = oneOf('none');
const nav = either(integerUpTo(MAX_LENGTH), none);

interface PropertyRow {
  /** The name of a script's style object. */
  readonly script: string;
  readonly normalize: Normalize;
  readonly initial: string;
  /** Scripts may assign it. */
  readonly writable?: true;
  readonly inherited?: true;
  /** It changes nothing that is drawn. */
  readonly unseen?: true;
}

/** The name of a font, in which any rounded gothic stands in. */
export const ROUND_GOTHIC = '丸ゴシック';

/** 太丸ゴシック; other names that content uses are taken by the same signs. */
export function isBoldFont(family: string): boolean {
  return family.includes('太');
}

/** 角ゴシック; 角丸 is a round one. */
export function isSquareFont(family: string): boolean {
  return family.includes('角') && !family.includes('丸');
}

const writable = true;
const inherited = true;
const unseen = true;

const PROPERTY_ROWS = {
  'padding-top': { script: 'paddingTop', normalize: size, initial: '0px' },
  'padding-right': { script: 'paddingRight', normalize: size, initial: '0px' },
  'padding-bottom': { script: 'paddingBottom', normalize: size, initial: '0px' },
  'padding-left': { script: 'paddingLeft', normalize: size, initial: '0px' },
  'border-width': { script: 'borderWidth', normalize: size, initial: '0px' },
  'border-style': {
    script: 'borderStyle',
    normalize: oneOf('none', 'solid', 'dashed', 'dotted', 'double', 'groove', 'ridge', 'inset', 'outset'),
    initial: 'none',
  },
  left: { script: 'left', normalize: length, initial: '0px', writable },
  top: { script: 'top', normalize: length, initial: '0px', writable },
  width: { script: 'width', normalize: size, initial: '0px', writable },
  height: { script: 'height', normalize: size, initial: '0px', writable },
  'line-height': {
    script: 'lineHeight',
    normalize: either(oneOf('normal'), lineHeight),
    initial: 'normal',
    inherited,
  },
  visibility: {
    script: 'visibility',
    normalize: oneOf('visible', 'hidden'),
    initial: 'visible',
    writable,
    inherited,
  },
  'font-family': {
    script: 'fontFamily',
    normalize: words,
    initial: ROUND_GOTHIC,
    writable,
    inherited,
  },
  'font-size': { script: 'fontSize', normalize: fontSize, initial: '24px', writable, inherited },
  'font-weight': {
    script: 'fontWeight',
    normalize: either(oneOf('normal', 'bold'), matching(/^[1-9]00$/)),
    initial: 'normal',
    writable,
    inherited,
  },
  'text-align': {
    script: 'textAlign',
    normalize: oneOf('left', 'center', 'right'),
    initial: 'left',
    inherited,
  },
  'letter-spacing': {
    script: 'letterSpacing',
    normalize: either(oneOf('normal'), length),
    initial: 'normal',
    inherited,
  },
  'background-image': { script: 'backgroundImage', normalize: either(none, url), initial: 'none' },
  clut: { script: 'clut', normalize: either(none, url), initial: 'none', inherited },
  'color-index': { script: 'colorIndex', normalize: colorIndex, initial: '0', writable, inherited },
  'background-color-index': {
    script: 'backgroundColorIndex',
    normalize: colorIndex,
    initial: '8',
    writable,
  },
  'border-top-color-index': {
    script: 'borderTopColorIndex',
    normalize: colorIndex,
    initial: '0',
    writable,
  },
  'border-right-color-index': {
    script: 'borderRightColorIndex',
    normalize: colorIndex,
    initial: '0',
    writable,
  },
  'border-bottom-color-index': {
    script: 'borderBottomColorIndex',
    normalize: colorIndex,
    initial: '0',
    writable,
  },
  'border-left-color-index': {
    script: 'borderLeftColorIndex',
    normalize: colorIndex,
    initial: '0',
    writable,
  },
  resolution: { script: 'resolution', normalize: matching(/^\d{2,4}x\d{2,4}$/i), initial: '960x540' },
  'display-aspect-ratio': {
    script: 'displayAspectRatio',
    normalize: oneOf('16v9', '4v3'),
    initial: '16v9',
  },
  'grayscale-color-index': {
    script: 'grayscaleColorIndex',
    normalize: grayscale,
    initial: '30 15',
    writable,
    inherited,
  },
  'nav-index': { script: 'navIndex', normalize: nav, initial: 'none', unseen },
  'nav-up': { script: 'navUp', normalize: nav, initial: 'none', unseen },
  'nav-down': { script: 'navDown', normalize: nav, initial: 'none', unseen },
  'nav-left': { script: 'navLeft', normalize: nav, initial: 'none', unseen },
  'nav-right': { script: 'navRight', normalize: nav, initial: 'none', unseen },
  'used-key-list': {
    script: 'usedKeyList',
    normalize: words,
    initial: 'basic data-button',
    writable,
    unseen,
  },
  'wap-marquee-style': {
    script: 'WapMarqueeStyle',
    normalize: oneOf('none', 'scroll', 'slide', 'alternate'),
    initial: 'none',
  },
  'wap-marquee-loop': {
    script: 'WapMarqueeLoop',
    normalize: either(oneOf('infinite'), integerUpTo(999)),
    initial: '1',
  },
  'wap-marquee-speed': {
    script: 'WapMarqueeSpeed',
    normalize: oneOf('slow', 'normal', 'fast'),
    initial: 'normal',
  },
} as const satisfies Record<string, PropertyRow>;

export type PropertyName = keyof typeof PROPERTY_ROWS;

export const PROPERTIES: ReadonlyMap<string, PropertyRow & { readonly name: PropertyName }> = new Map(
  (Object.keys(PROPERTY_ROWS) as PropertyName[]).map((name) => [name, { ...PROPERTY_ROWS[name], name }]),
);

/** By the name of a script's style object. */
export const SCRIPT_PROPERTIES: ReadonlyMap<string, PropertyRow & { readonly name: PropertyName }> = new Map(
  [...PROPERTIES.values()].map((row) => [row.script, row]),
);

/** One value for all sides, or those of top and bottom, left and right, and so on. */
const FOUR_SIDES: Readonly<Record<string, readonly PropertyName[]>> = {
  padding: ['padding-top', 'padding-right', 'padding-bottom', 'padding-left'],
  'border-color-index': [
    'border-top-color-index',
    'border-right-color-index',
    'border-bottom-color-index',
    'border-left-color-index',
  ],
};

export type Declaration = readonly [name: PropertyName, value: string];

/** A declaration of a style sheet; none if the property is unknown or cannot have the value. */
export function declarationsOf(name: string, text: string): readonly Declaration[] {
  const plain = name.toLowerCase().replace(/^-(?=wap-)/, '');
  const value = text.replace(/\s*!\s*important$/i, '');
  const sides = Object.hasOwn(FOUR_SIDES, plain) ? FOUR_SIDES[plain] : undefined;
  if (sides !== undefined) {
    const [top = '', right = top, bottom = top, left = right] = value.split(/\s+/);
    const values = [top, right, bottom, left];
    return sides.flatMap((side, index) => declarationsOf(side, values[index] ?? ''));
  }
  const row = PROPERTIES.get(plain);
  if (row === undefined) return [];
  const normal = value.toLowerCase() === 'inherit' ? 'inherit' : row.normalize(value);
  return normal === undefined ? [] : [[row.name, normal]];
}
