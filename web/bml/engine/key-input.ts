/** What a key does in a document (ARIB STD-B24 Vol. 2 Appendix 2, 5.4.2.3). */
import type { BmlDocument, BmlElement } from '../document/document.ts';
import type { PropertyName } from '../style/properties.ts';
import { accessKeyOf, digitOf, isKeyUsed, KEY } from './keys.ts';

// Which element has the focus, and the events of its changes (ARIB STD-B24 Vol. 2 Appendix 2, 5.3.1).

const NAVIGATION: Readonly<Record<number, PropertyName>> = {
  [KEY.up]: 'nav-up',
  [KEY.down]: 'nav-down',
  [KEY.left]: 'nav-left',
  [KEY.right]: 'nav-right',
};
/** Hidden elements are passed; a ring of them ends. */
const MAX_STEPS = 64;

/** Reports that an element was left or reached; the handlers run after the present one. */
type FocusEvent = (type: 'focus' | 'blur' | 'change', target: BmlElement) => void;

function hasFocusNow(document: BmlDocument, element: BmlElement): boolean {
  return document.currentFocus === element;
}

function isFocusable(document: BmlDocument, element: BmlElement): boolean {
  if (!element.canFocus || element.read('disabled') === true) return false;
  return document.shownStyle(element).get('visibility') !== 'hidden';
}

export class Focus {
  readonly #document: BmlDocument;
  readonly #report: FocusEvent;
  /** Text of the focused input when it got the focus. */
  #valueBefore = '';

  constructor(document: BmlDocument, report: FocusEvent) {
    this.#document = document;
    this.#report = report;
  }

  focus(element: BmlElement): void {
    if (hasFocusNow(this.#document, element) || !isFocusable(this.#document, element)) return;
    this.#leave();
    this.#document.currentFocus = element;
    this.#valueBefore = element.value;
    this.#report('focus', element);
  }

  blur(element: BmlElement): void {
    if (hasFocusNow(this.#document, element)) this.#leave();
  }

  #leave(): void {
    const before = this.#document.currentFocus;
    if (before === null) return;
    if (before.tagName === 'input' && before.value !== this.#valueBefore) this.#report('change', before);
    this.#document.currentFocus = null;
    this.#report('blur', before);
  }

  /** The first element with that `nav-index`. */
  byIndex(index: number): BmlElement | undefined {
    const wanted = `${index}`;
    for (const element of this.#document.elements())
      if (this.#document.shownStyle(element).get('nav-index') === wanted) return element;
    return undefined;
  }

  /** Follows `nav-up` and so on, past elements that cannot have the focus. */
  move(key: number): void {
    const property = NAVIGATION[key];
    const start = this.#document.currentFocus;
    if (property === undefined || start === null) return;
    let from: BmlElement = start;
    for (let step = 0; step < MAX_STEPS; step++) {
      const value: string = this.#document.shownStyle(from).get(property);
      const next: BmlElement | undefined = /^\d+$/.test(value) ? this.byIndex(Number(value)) : undefined;
      if (next === undefined) return;
      if (isFocusable(this.#document, next)) {
        this.focus(next);
        return;
      }
      from = next;
    }
  }

  /** `#id` of a link: the element itself or the first after it that can have the focus. */
  toFragment(id: string): void {
    let isFound = false;
    for (const element of this.#document.elements()) {
      isFound ||= element.id === id;
      if (isFound && isFocusable(this.#document, element)) {
        this.focus(element);
        return;
      }
    }
  }
}

interface KeyHost {
  handle(handler: 'onkeydown' | 'onkeyup', target: BmlElement, keyCode: number): Promise<void>;
  /** Queues work of a key. */
  queue(job: () => Promise<void>): void;
  /** Enter was pressed on the element: queues the click. */
  click(target: BmlElement): void;
  /** An input whose text the receiver asks for. */
  openInput(target: BmlElement): void;
}

interface HeldKey {
  readonly code: number;
  /** It was the access key of an element: its release is one of Enter. */
  isAccessKey: boolean;
}

export class KeyInput {
  readonly #document: BmlDocument;
  readonly #focus: Focus;
  readonly #host: KeyHost;
  #held: HeldKey | undefined;

  constructor(document: BmlDocument, focus: Focus, host: KeyHost) {
    this.#document = document;
    this.#focus = focus;
    this.#host = host;
  }

  #isUsed(code: number): boolean {
    const { body } = this.#document;
    return isKeyUsed(code, this.#document.shownStyle(body).get('used-key-list'));
  }

  down(code: number): void {
    if (this.#held !== undefined) return;
    const held: HeldKey = { code, isAccessKey: false };
    this.#held = held;
    const focused = this.#document.currentFocus;
    if (focused === null) return;
    editInput(focused, code);
    if (!this.#isUsed(code)) return;
    this.#host.queue(async () => {
      await this.#host.handle('onkeydown', focused, code);
      const isAccess = await this.#access(code);
      held.isAccessKey = isAccess;
      const effective = isAccess ? KEY.enter : code;
      this.#focus.move(effective);
      const target = this.#document.currentFocus;
      if (effective !== KEY.enter || target === null) return;
      this.#document.isActive = true;
      this.#host.click(target);
      if (target.tagName === 'input' && target.attribute('inputmode').toLowerCase() === 'indirect')
        this.#host.openInput(target);
    });
  }

  /** Moves the focus to the element with the key as its access key, which then gets Enter. */
  async #access(code: number): Promise<boolean> {
    const accessKey = accessKeyOf(code);
    if (accessKey === undefined) return false;
    const element = [...this.#document.elements()].find(
      (one) => one.attribute('accesskey').toUpperCase() === accessKey,
    );
    if (element === undefined || !isFocusable(this.#document, element)) return false;
    this.#focus.focus(element);
    await this.#host.handle('onkeyup', element, code);
    await this.#host.handle('onkeydown', element, KEY.enter);
    return true;
  }

  up(code: number): void {
    const held = this.#held;
    if (held?.code !== code) return;
    this.#held = undefined;
    this.#host.queue(async () => {
      const focused = this.#document.currentFocus;
      const effective = held.isAccessKey ? KEY.enter : code;
      if (effective === KEY.enter) this.#document.isActive = false;
      if (focused !== null && this.#isUsed(effective)) await this.#host.handle('onkeyup', focused, effective);
    });
  }
}

/** Digits are appended to the focused input and Back deletes, before the document gets the key. */
function editInput(element: BmlElement, code: number): void {
  if (element.tagName !== 'input' || element.read('readOnly') === true) return;
  const mode = element.attribute('inputmode').toLowerCase();
  if (mode === 'direct' || mode === 'indirect' || element.read('type') === 'submit') return;
  const digit = digitOf(code);
  if (digit !== undefined && element.value.length < Number(element.read('maxLength')))
    element.write('value', `${element.value}${digit}`);
  if (code === KEY.back) element.write('value', element.value.slice(0, -1));
}
