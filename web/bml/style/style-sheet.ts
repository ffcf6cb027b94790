/**
 * Reads style sheets and `style` attributes: rules with compound selectors (type, class, id, :focus, :active). What is not
 * operated or is damaged is skipped, up to the next `;` or `}`; nothing of a sheet is ever given to a CSS engine.
 */
import { type Declaration, declarationsOf, MAX_VALUE_LENGTH } from './properties.ts';

/** How an element is shown: each state adds its rules to those of the former. */
export const STYLE_STATES = ['normal', 'focus', 'active'] as const;
export type StyleState = (typeof STYLE_STATES)[number];

export interface StyleRule {
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly classes: readonly string[];
  readonly state: StyleState;
  readonly specificity: number;
  readonly declarations: readonly Declaration[];
}

/** A sheet of a broadcast has some hundred at most. */
const MAX_RULES = 4096;
const MAX_DECLARATIONS = 128;
const MAX_CLASSES = 8;

/** The index after the end of the quoted text at `at`; it ends with its line at the latest. */
function afterQuoted(text: string, at: number): number {
  const quote = text[at];
  for (let index = at + 1; index < text.length; index++) {
    const character = text[index];
    if (character === quote) return index + 1;
    if (character === '\n') return index;
  }
  return text.length;
}

/** The index of the first of `ends` outside of quotes, or the length. */
function find(text: string, from: number, ends: string): number {
  let at = from;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (ends.includes(character)) return at;
    at = character === '"' || character === "'" ? afterQuoted(text, at) : at + 1;
  }
  return text.length;
}

export function readDeclarations(text: string): Declaration[] {
  const declarations: Declaration[] = [];
  for (let at = 0; at < text.length && declarations.length < MAX_DECLARATIONS; ) {
    const end = find(text, at, ';');
    if (end - at <= MAX_VALUE_LENGTH) {
      const declaration = text.slice(at, end);
      const colon = declaration.indexOf(':');
      if (colon > 0) {
        declarations.push(
          ...declarationsOf(declaration.slice(0, colon).trim(), declaration.slice(colon + 1).trim()),
        );
      }
    }
    at = end + 1;
  }
  return declarations;
}

const SELECTOR = /^(\*|[a-z][\w-]*)?((?:[.#][^\s.#:,{}>+~*[\]]+|:[\w-]+)*)$/i;
const PART = /[.#:][^.#:]+/g;
/** Specificity as in CSS: ids, then classes and pseudo-classes, then the type. */
const OF_ID = 10_000;
const OF_CLASS = 100;

function readSelector(text: string, declarations: readonly Declaration[]): StyleRule | undefined {
  const [, name, rest = ''] = SELECTOR.exec(text) ?? [];
  if (text === '' || (name === undefined && rest === '')) return undefined;
  const parts = rest.match(PART) ?? [];
  const named = (sign: string): string[] =>
    parts.filter((part) => part.startsWith(sign)).map((part) => part.slice(1));
  const [id, otherId] = named('#');
  const [pseudo, otherPseudo] = named(':').map((each) => each.toLowerCase());
  const classes = named('.');
  if (otherId !== undefined || otherPseudo !== undefined || classes.length > MAX_CLASSES) return undefined;
  if (pseudo !== undefined && pseudo !== 'focus' && pseudo !== 'active') return undefined;
  const type = name === undefined || name === '*' ? undefined : name.toLowerCase();
  return {
    type,
    id,
    classes,
    state: pseudo ?? 'normal',
    specificity: (id === undefined ? 0 : OF_ID) + classes.length * OF_CLASS + (type === undefined ? 0 : 1),
    declarations,
  };
}

const MEDIA = /^@media\b(?:\s*$|.*\b(?:all|tv)\b)/i;

/** Rules in the order of the sheet. */
export function readStyleSheet(source: string): StyleRule[] {
  // Marks of HTML comments around rules hide nothing; between rules they enclose words.
  const text = withoutComments(source).replace(/<!--(?:(?!<!--)[^{}])*?-->|<!--|-->/g, ' ');
  const rules: StyleRule[] = [];
  for (let at = 0; at < text.length && rules.length < MAX_RULES; ) {
    const opening = find(text, at, '{};');
    const prelude = text.slice(at, opening).trim();
    at = opening + 1;
    if (prelude.startsWith('@')) {
      // The rules of a suitable @media follow as if it were not there; its closing brace ends an empty prelude.
      if (text[opening] === '{' && !MEDIA.test(prelude)) at = afterBlock(text, at);
      continue;
    }
    if (text[opening] !== '{') continue;
    const end = find(text, at, '}');
    const declarations = readDeclarations(text.slice(at, end));
    at = end + 1;
    for (const selector of prelude.split(',')) {
      const rule = readSelector(selector.trim(), declarations);
      if (rule !== undefined && rules.length < MAX_RULES) rules.push(rule);
    }
  }
  return rules;
}

/** After the brace that closes the block whose content begins at `from`. */
function afterBlock(text: string, from: number): number {
  let at = from;
  for (let depth = 1; depth > 0 && at < text.length; at++) {
    at = find(text, at, '{}');
    depth += text[at] === '{' ? 1 : -1;
  }
  return at;
}

/** A comment that is not closed extends to the end. */
function withoutComments(text: string): string {
  let result = '';
  let at = 0;
  while (at < text.length) {
    const opening = text.indexOf('/*', at);
    if (opening < 0) break;
    result += `${text.slice(at, opening)} `;
    const end = text.indexOf('*/', opening + 2);
    at = end < 0 ? text.length : end + 2;
  }
  return result + text.slice(at);
}
