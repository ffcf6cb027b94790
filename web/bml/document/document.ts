/** A BML document: its tree, its styles, what has the focus, and whether it has to be drawn again. */
import { Cascade, type ComputedStyle, StyleDeclaration, type StyledNode } from '../style/cascade.ts';
import { readStyleSheet, type StyleState } from '../style/style-sheet.ts';
import { COMMON_ATTRIBUTES, ELEMENTS, type TagName } from './elements.ts';

// The nodes of a document. The tree is fixed once it is parsed: BML has no `createElement`. Scripts change data, some
// attributes and styles; each change is reported to the document, which is drawn again with the next frame.

/** What nodes need of their document. */
interface NodeOwner {
  readonly cascade: Cascade;
  /** `name`: of the DOM property that changed; `data` for text. */
  changed(node: BmlNode, name: string): void;
}

/** A value of a DOM property. Undefined: the node has no such property. */
export type DomValue = string | number | boolean | BmlNode | StyleDeclaration | null | undefined;

export abstract class BmlNode {
  parentNode: BmlElement | null = null;
  previousSibling: BmlNode | null = null;
  nextSibling: BmlNode | null = null;
  /** Name of the interface: the class of the script object. */
  abstract readonly interface: string;

  constructor(protected readonly owner: NodeOwner) {}

  get firstChild(): BmlNode | null {
    return null;
  }

  get lastChild(): BmlNode | null {
    return null;
  }

  /** A property as a script reads it. */
  read(name: string): DomValue {
    switch (name) {
      case 'parentNode':
        return this.parentNode;
      case 'firstChild':
        return this.firstChild;
      case 'lastChild':
        return this.lastChild;
      case 'previousSibling':
        return this.previousSibling;
      case 'nextSibling':
        return this.nextSibling;
      default:
        return undefined;
    }
  }

  /** A property as a script writes it. False: it is read-only or unknown, and nothing changes. */
  write(_name: string, _value: string | number | boolean): boolean {
    return false;
  }
}

/** Of a script's text; what the viewer can see of it is far less. */
const MAX_DATA = 131_072;

export class BmlText extends BmlNode {
  #data: string;

  /** @param isCdata a CDATA section: its white space is its author's */
  constructor(
    owner: NodeOwner,
    data: string,
    readonly isCdata: boolean,
  ) {
    super(owner);
    this.#data = data.slice(0, MAX_DATA);
  }

  get interface(): string {
    return this.isCdata ? 'CDATASection' : 'Text';
  }

  get data(): string {
    return this.#data;
  }

  set data(value: string) {
    const data = value.slice(0, MAX_DATA);
    if (data === this.#data) return;
    this.#data = data;
    this.owner.changed(this, 'data');
  }

  get length(): number {
    return this.#data.length;
  }

  override read(name: string): DomValue {
    if (name === 'data') return this.data;
    if (name === 'length') return this.length;
    return super.read(name);
  }

  override write(name: string, value: string | number | boolean): boolean {
    if (name !== 'data') return false;
    this.data = `${value}`;
    return true;
  }
}

/** Types whose stream begins stopped; other objects cannot stop. */
const STOPPABLE = /(?:aac|aiff|gif|mng)$/i;
const STREAM_STATES = ['stop', 'play', 'pause'];
export const STYLE_PROPERTIES: Readonly<Record<string, StyleState>> = {
  normalStyle: 'normal',
  focusStyle: 'focus',
  activeStyle: 'active',
};
/** Longest text of an attribute that a script writes: an address or the text of an input. */
const MAX_VALUE = 4096;

export class BmlElement extends BmlNode implements StyledNode {
  readonly tagName: TagName;
  readonly id: string;
  readonly className: string;
  readonly #attributes: ReadonlyMap<string, string>;
  /** Values of DOM properties that differ from the attributes. */
  readonly #values = new Map<string, string | number | boolean>();
  readonly #children: BmlNode[] = [];
  readonly #styles: Partial<Record<StyleState, StyleDeclaration>> = {};

  constructor(owner: NodeOwner, tagName: TagName, attributes: ReadonlyMap<string, string>) {
    super(owner);
    this.tagName = tagName;
    const allowed = ELEMENTS.get(tagName)?.attributes ?? [];
    this.#attributes = new Map(
      [...attributes].filter(([name]) => COMMON_ATTRIBUTES.includes(name) || allowed.includes(name)),
    );
    this.id = this.attribute('id');
    this.className = this.attribute('class');
  }

  get interface(): string {
    return ELEMENTS.get(this.tagName)?.interface ?? 'HTMLElement';
  }

  get styleParent(): BmlElement | undefined {
    return this.parentNode ?? undefined;
  }

  get inlineStyle(): string {
    return this.attribute('style');
  }

  get children(): readonly BmlNode[] {
    return this.#children;
  }

  override get firstChild(): BmlNode | null {
    return this.#children[0] ?? null;
  }

  override get lastChild(): BmlNode | null {
    return this.#children.at(-1) ?? null;
  }

  /** Only while the document is parsed. */
  append(child: BmlNode): void {
    const last = this.lastChild;
    if (last !== null) last.nextSibling = child;
    child.previousSibling = last;
    child.parentNode = this;
    this.#children.push(child);
  }

  /** As written in the document; empty without it. Handlers are attributes too: `onclick` is the text of a call. */
  attribute(name: string): string {
    return this.#attributes.get(name) ?? '';
  }

  /** The data of all text below it. */
  get text(): string {
    return this.#children
      .map((child) => (child instanceof BmlText ? child.data : child instanceof BmlElement ? child.text : ''))
      .join('');
  }

  /** `normalStyle`, `focusStyle`, `activeStyle`. */
  style(state: StyleState): StyleDeclaration {
    const style = this.#styles[state] ?? new StyleDeclaration(this.owner.cascade, this, state);
    this.#styles[state] = style;
    return style;
  }

  get canFocus(): boolean {
    return ELEMENTS.get(this.tagName)?.focusable === true;
  }

  /** The text of an input. */
  get value(): string {
    return `${this.#values.get('value') ?? this.attribute('value')}`;
  }

  get streamStatus(): string {
    const value = `${this.#values.get('streamStatus') ?? this.attribute('streamstatus').toLowerCase()}`;
    if (STREAM_STATES.includes(value)) return value;
    return STOPPABLE.test(this.attribute('type')) ? 'stop' : 'play';
  }

  override read(name: string): DomValue {
    const row = ELEMENTS.get(this.tagName);
    const property = own(row?.properties, name);
    if (property !== undefined) {
      const value = this.#values.get(name);
      if (value !== undefined) return value;
      const written = this.attribute(property.attribute);
      if (property.type === 'flag') return written.toLowerCase() === property.attribute;
      if (property.type === 'text') return written === '' ? property.initial : written;
      const number = Number.parseInt(written, 10);
      return Number.isNaN(number) ? property.initial : number | 0;
    }
    const state = own(STYLE_PROPERTIES, name);
    if (state !== undefined) {
      const has = row?.styles === 'all' || (row?.styles === 'normal' && state === 'normal');
      return has ? this.style(state) : undefined;
    }
    if (name === 'tagName' || name === 'id' || name === 'className') return this[name];
    if (name === 'text' && this.tagName === 'title') return this.text;
    if (name === 'value' && this.tagName === 'input') return this.value;
    if (name === 'streamStatus' && this.tagName === 'object') return this.streamStatus;
    return super.read(name);
  }

  override write(name: string, value: string | number | boolean): boolean {
    const property = own(ELEMENTS.get(this.tagName)?.properties, name);
    let next: string | number | boolean;
    if (property !== undefined) {
      if (!property.writable) return false;
      if (property.type === 'flag') next = value !== '' && Boolean(value);
      else if (property.type === 'text') next = `${value}`.slice(0, MAX_VALUE);
      else next = Number(value) | 0;
    } else if (name === 'value' && this.tagName === 'input') {
      next = `${value}`.slice(0, MAX_VALUE);
    } else if (name === 'streamStatus' && this.tagName === 'object') {
      next = `${value}`.toLowerCase();
      if (!STREAM_STATES.includes(next)) return false;
    } else return false;
    if (this.read(name) === next) return true;
    this.#values.set(name, next);
    this.owner.changed(this, name);
    return true;
  }
}

function own<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

export class BmlDocument implements NodeOwner {
  readonly cascade = new Cascade();
  readonly documentElement = new BmlElement(this, 'bml', new Map());
  /** Set by the parser; a document without one has an empty body. */
  body = new BmlElement(this, 'body', new Map());
  /** Elements were left out because there were too many. */
  isTruncated = false;
  /** Told of every change of a DOM property (`data` for text), after it. */
  onChange: ((node: BmlNode, name: string) => void) | undefined;

  readonly #byId = new Map<string, BmlElement>();
  #changes = 0;
  #focus: BmlElement | null = null;
  #isActive = false;

  /** Only while the document is parsed. The first element of an id has it. */
  register(element: BmlElement): void {
    if (element.id !== '' && !this.#byId.has(element.id)) this.#byId.set(element.id, element);
  }

  getElementById(id: string): BmlElement | null {
    return this.#byId.get(id) ?? null;
  }

  /** Nothing of it is seen: it waits for d. */
  get isInvisible(): boolean {
    return this.body.read('invisible') === true;
  }

  /** A number that increases with every change that could be seen. */
  get version(): number {
    return this.#changes + this.cascade.version;
  }

  changed(node: BmlNode, name: string): void {
    this.#changes++;
    this.onChange?.(node, name);
  }

  get currentFocus(): BmlElement | null {
    return this.#focus;
  }

  /** Which element is shown with its focus style; whether it may have the focus and its events are the engine's matter. */
  set currentFocus(element: BmlElement | null) {
    if (element === this.#focus) return;
    this.#focus = element;
    this.#isActive = false;
    this.#changes++;
  }

  /** Enter is held on the element with the focus. */
  set isActive(isActive: boolean) {
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    this.#changes++;
  }

  /** The state in which an element is shown now. */
  stateOf(element: BmlElement): StyleState {
    if (element !== this.#focus) return 'normal';
    return this.#isActive ? 'active' : 'focus';
  }

  shownStyle(element: BmlElement): ComputedStyle {
    const parent = element.parentNode;
    return this.cascade.computed(
      element,
      this.stateOf(element),
      parent === null ? undefined : this.shownStyle(parent),
    );
  }

  /**
   * Reads the style sheets in document order.
   * @param load text of the sheet at an address of a `link`; undefined if there is none
   */
  addStyleSheets(load: (href: string) => string | undefined): void {
    for (const element of this.elements()) {
      const isLink = element.tagName === 'link' && /stylesheet/i.test(element.attribute('rel'));
      const text =
        element.tagName === 'style' ? element.text : isLink ? load(element.attribute('href')) : undefined;
      if (text !== undefined) this.cascade.add(readStyleSheet(text));
    }
  }

  /** All elements below one, in document order. */
  *elements(from = this.documentElement): Generator<BmlElement> {
    for (const child of from.children) {
      if (!(child instanceof BmlElement)) continue;
      yield child;
      yield* this.elements(child);
    }
  }
}
