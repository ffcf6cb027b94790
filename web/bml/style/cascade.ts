/**
 * From style sheets, `style` attributes and values written by scripts to the values of an element's properties.
 *
 * The rules of a state add to those of the states below it: `:focus` wins over everything of the normal state, including
 * the `style` attribute, because receivers keep one set of values for each state. ARIB STD-B24 Vol. 2 Appendix 2, 5.2.
 */
import {
  type Declaration,
  MAX_VALUE_LENGTH,
  PROPERTIES,
  type PropertyName,
  ROUND_GOTHIC,
  SCRIPT_PROPERTIES,
} from './properties.ts';
import { readDeclarations, STYLE_STATES, type StyleRule, type StyleState } from './style-sheet.ts';

// The rules of a document's style sheets, found by type, class and id of an element.

/** What rules can select an element by. */
interface SelectedNode {
  readonly tagName: string;
  readonly id: string;
  readonly className: string;
}

type Values = ReadonlyMap<PropertyName, string>;

/** Rules of later style sheets are ignored. */
const MAX_RULES = 8192;
const MAX_CLASSES = 32;
/** Rules compared with elements, of one document; after that, no rule applies any more. Real ones need some thousand. */
const MAX_COMPARISONS = 1 << 21;
const NONE: Values = new Map();

class RuleIndex {
  #count = 0;
  #comparisonsLeft = MAX_COMPARISONS;
  readonly #byId = new Map<string, StyleRule[]>();
  readonly #byClass = new Map<string, StyleRule[]>();
  readonly #byType = new Map<string | undefined, StyleRule[]>();
  readonly #order = new Map<StyleRule, number>();
  /** Elements with the same type and the same ids and classes, as far as these occur in rules, share their values. */
  readonly #matched = new Map<string, Values>();

  /** Adds those of the document's next style sheet. */
  add(rules: readonly StyleRule[]): void {
    for (const rule of rules.slice(0, MAX_RULES - this.#count)) {
      this.#order.set(rule, this.#count++);
      const [firstClass] = rule.classes;
      if (rule.id !== undefined) listOf(this.#byId, rule.id).push(rule);
      else if (firstClass !== undefined) listOf(this.#byClass, firstClass).push(rule);
      else listOf(this.#byType, rule.type).push(rule);
      // A class that is not the first of a selector counts as occurring, too.
      for (const name of rule.classes) listOf(this.#byClass, name);
    }
    this.#matched.clear();
  }

  /** What the rules for one state alone say; a rule of higher specificity, or a later one, wins. */
  values({ tagName, id, className }: SelectedNode, state: StyleState): Values {
    const classes = className.split(/\s+/, MAX_CLASSES).filter((name) => this.#byClass.has(name));
    const key = `${state} ${tagName} ${classes.join(' ')} ${this.#byId.has(id) ? `#${id}` : ''}`;
    let values = this.#matched.get(key);
    if (values === undefined) {
      values = this.#match(tagName, id, new Set(classes), state);
      this.#matched.set(key, values);
    }
    return values;
  }

  #match(tagName: string, id: string, classes: ReadonlySet<string>, state: StyleState): Values {
    const lists = [
      this.#byId.get(id),
      ...[...classes].map((name) => this.#byClass.get(name)),
      this.#byType.get(tagName),
      this.#byType.get(undefined),
    ];
    this.#comparisonsLeft -= lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
    if (this.#comparisonsLeft < 0) return NONE;
    const rules = lists
      .flatMap((list) => list ?? [])
      .filter(
        (rule) =>
          rule.state === state &&
          (rule.type === undefined || rule.type === tagName) &&
          rule.classes.every((name) => classes.has(name)),
      );
    const orderOf = (rule: StyleRule): number => this.#order.get(rule) ?? 0;
    rules.sort((one, other) => one.specificity - other.specificity || orderOf(one) - orderOf(other));
    const values = new Map<PropertyName, string>();
    for (const { declarations } of rules) overlay(values, declarations);
    return values.size === 0 ? NONE : values;
  }
}

/** Later values replace former ones. */
function overlay(values: Map<PropertyName, string>, declarations: Iterable<Declaration>): void {
  for (const [name, value] of declarations) values.set(name, value);
}

function listOf<Key>(lists: Map<Key, StyleRule[]>, key: Key): StyleRule[] {
  let list = lists.get(key);
  if (list === undefined) {
    list = [];
    lists.set(key, list);
  }
  return list;
}

/** What the cascade knows of an element. */
export interface StyledNode extends SelectedNode {
  /** The `style` attribute. */
  readonly inlineStyle: string;
  readonly styleParent: StyledNode | undefined;
}

const NO_BORDER: readonly Declaration[] = [
  ['border-width', '0px'],
  ['border-style', 'none'],
];
const NO_PADDING: readonly Declaration[] = [
  ['padding-top', '0px'],
  ['padding-right', '0px'],
  ['padding-bottom', '0px'],
  ['padding-left', '0px'],
];
const TEXT_BOX: readonly Declaration[] = [
  ['font-family', ROUND_GOTHIC],
  ['font-size', '24px'],
  ['text-align', 'left'],
  ['grayscale-color-index', '30 15'],
];
const INLINE: readonly Declaration[] = [
  ['letter-spacing', 'inherit'],
  ['visibility', 'inherit'],
];

/** The default style sheet (Annex A); what differs from the initial and inherited values. */
const DEFAULTS: ReadonlyMap<string, readonly Declaration[]> = new Map([
  ['body', [['background-color-index', '0']]],
  ['p', TEXT_BOX],
  ['input', TEXT_BOX],
]);

/** Values that a document cannot change (`!important` in Annex A). */
const FORCED: ReadonlyMap<string, readonly Declaration[]> = new Map([
  ['body', [...NO_PADDING, ...NO_BORDER, ['visibility', 'visible']]],
  ['div', NO_PADDING],
  ['object', [...NO_PADDING, ...NO_BORDER]],
  ['span', INLINE],
  ['a', INLINE],
]);

const PROPERTY_LIST = [...PROPERTIES.values()];
const INDEX: ReadonlyMap<PropertyName, number> = new Map(
  PROPERTY_LIST.map(({ name }, index) => [name, index]),
);

/** The values of all properties of one element in one state. The same object as long as none of them changes. */
export class ComputedStyle {
  readonly #values: readonly string[];
  readonly #numbers: (number | undefined)[] = [];
  /** The same object as long as nothing changes that is drawn. */
  readonly look: object;

  /** @param values in the order of the properties @param before the element's former values */
  constructor(values: readonly string[], before: ComputedStyle | undefined) {
    this.#values = values;
    const isSameLook = before?.changes(values).every((index) => PROPERTY_LIST[index]?.unseen === true);
    this.look = isSameLook === true && before !== undefined ? before.look : {};
  }

  /** Indices of values that differ. */
  changes(values: readonly string[]): number[] {
    return [...INDEX.values()].filter((index) => values[index] !== this.#values[index]);
  }

  get(name: PropertyName): string {
    return this.#values[INDEX.get(name) ?? -1] ?? '';
  }

  /** The number that the value begins with, px or an index; 0 without one. */
  number(name: PropertyName): number {
    const index = INDEX.get(name) ?? -1;
    let number = this.#numbers[index];
    if (number === undefined) {
      number = Number.parseFloat(this.#values[index] ?? '') || 0;
      this.#numbers[index] = number;
    }
    return number;
  }
}

class ElementStyle {
  /** @param inline the `style` attribute */
  constructor(readonly inline: readonly Declaration[]) {}

  readonly written: Record<StyleState, Map<PropertyName, string> | undefined> = {
    normal: undefined,
    focus: undefined,
    active: undefined,
  };
  version = 0;
  readonly computed: Partial<
    Record<StyleState, { style: ComputedStyle; parent: ComputedStyle | undefined; version: number }>
  > = {};
}

const STATES: Readonly<Record<StyleState, readonly StyleState[]>> = {
  normal: ['normal'],
  focus: ['normal', 'focus'],
  active: STYLE_STATES,
};

export class Cascade {
  readonly #rules = new RuleIndex();
  readonly #elements = new Map<StyledNode, ElementStyle>();
  /** Increases with every change of a value. */
  version = 0;

  add(rules: readonly StyleRule[]): void {
    this.#rules.add(rules);
    for (const style of this.#elements.values()) style.version++;
    this.version++;
  }

  #styleOf(node: StyledNode): ElementStyle {
    let style = this.#elements.get(node);
    if (style === undefined) {
      style = new ElementStyle(readDeclarations(node.inlineStyle));
      this.#elements.set(node, style);
    }
    return style;
  }

  /** All values of an element. @param parent those of its parent, in the state in which that is shown */
  computed(node: StyledNode, state: StyleState, parent: ComputedStyle | undefined): ComputedStyle {
    const own = this.#styleOf(node);
    // Most elements look the same with the focus.
    if (
      state !== 'normal' &&
      own.written[state] === undefined &&
      this.#rules.values(node, state).size === 0
    ) {
      return this.computed(node, state === 'active' ? 'focus' : 'normal', parent);
    }
    const known = own.computed[state];
    if (known !== undefined && known.parent === parent && known.version === own.version) return known.style;
    const specified = new Map(DEFAULTS.get(node.tagName));
    for (const each of STATES[state]) {
      overlay(specified, this.#rules.values(node, each));
      if (each === 'normal') overlay(specified, own.inline);
      overlay(specified, own.written[each] ?? []);
    }
    overlay(specified, FORCED.get(node.tagName) ?? []);
    const values = PROPERTY_LIST.map(({ name, inherited, initial }) => {
      const value = specified.get(name);
      const isInherited = value === 'inherit' || (value === undefined && inherited === true);
      return isInherited ? (parent?.get(name) ?? initial) : (value ?? initial);
    });
    const isSame = known !== undefined && known.style.changes(values).length === 0;
    const style = isSame ? known.style : new ComputedStyle(values, known?.style);
    own.computed[state] = { style, parent, version: own.version };
    return style;
  }

  /** The values that a script sees: those of the ancestors are of their normal state. */
  inState(node: StyledNode, state: StyleState): ComputedStyle {
    const { styleParent } = node;
    return this.computed(node, state, styleParent && this.inState(styleParent, 'normal'));
  }

  /** A value written by a script. False: it is not one of the property, and nothing changes. */
  write(node: StyledNode, state: StyleState, name: PropertyName, value: string): boolean {
    if (value.length > MAX_VALUE_LENGTH) return false;
    const normal = PROPERTIES.get(name)?.normalize(value.trim());
    if (normal === undefined) return false;
    const style = this.#styleOf(node);
    style.written[state] ??= new Map();
    if (style.written[state].get(name) === normal) return true;
    style.written[state].set(name, normal);
    style.version++;
    this.version++;
    return true;
  }
}

/** `normalStyle`, `focusStyle` and `activeStyle` of an element, with the names of scripts. */
export class StyleDeclaration {
  constructor(
    private readonly cascade: Cascade,
    readonly node: StyledNode,
    readonly state: StyleState,
  ) {}

  /** Undefined: there is no property of that name. */
  get(scriptName: string): string | undefined {
    const row = SCRIPT_PROPERTIES.get(scriptName);
    return row && this.cascade.inState(this.node, this.state).get(row.name);
  }

  /** False: there is no such property, scripts may not write it, or it cannot have the value. */
  set(scriptName: string, value: string | number): boolean {
    const row = SCRIPT_PROPERTIES.get(scriptName);
    if (row?.writable !== true) return false;
    return this.cascade.write(this.node, this.state, row.name, `${value}`);
  }
}
