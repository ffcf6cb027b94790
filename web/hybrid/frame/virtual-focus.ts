/**
 * The focus of an application. The frame never gets the real one, because then its keys would no longer reach the page, which
 * has to see d and Back whatever the application does. Keys come from the page, and become events here.
 */
import { VK } from '../application-keys.ts';

/** On the element that has the focus; style sheets treat it as `:focus`. */
export const FOCUS_ATTRIBUTE = 'data-svc-focus';

const FOCUSABLE = 'a[href],area[href],button,input,select,textarea,[tabindex]';

/** Values of `key`, UI Events. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [VK.VK_ENTER, 'Enter'],
  [VK.VK_LEFT, 'ArrowLeft'],
  [VK.VK_UP, 'ArrowUp'],
  [VK.VK_RIGHT, 'ArrowRight'],
  [VK.VK_DOWN, 'ArrowDown'],
  [VK.VK_RED, 'ColorF0Red'],
  [VK.VK_GREEN, 'ColorF1Green'],
  [VK.VK_YELLOW, 'ColorF2Yellow'],
  [VK.VK_BLUE, 'ColorF3Blue'],
  [VK.VK_DBUTTON, 'TVDataService'],
  [VK.VK_BACK, 'GoBack'],
]);

let focused: HTMLElement | undefined;

const active = (): Element | null =>
  focused?.isConnected === true && focused.ownerDocument === document ? focused : document.body;

function tell(element: HTMLElement, type: string, related: HTMLElement | undefined): void {
  const init = { relatedTarget: related ?? null };
  element.dispatchEvent(new FocusEvent(type, init));
  element.dispatchEvent(
    new FocusEvent(type === 'focus' ? 'focusin' : 'focusout', { ...init, bubbles: true }),
  );
}

function move(to: HTMLElement | undefined): void {
  if (to === focused) return;
  const before = focused;
  focused = to;
  before?.removeAttribute(FOCUS_ATTRIBUTE);
  to?.setAttribute(FOCUS_ATTRIBUTE, '');
  if (before?.isConnected === true) tell(before, 'blur', to);
  // A handler may have moved it on.
  if (to !== undefined && focused === to) tell(to, 'focus', before);
}

export function installFocus(): void {
  HTMLElement.prototype.focus = function focus(this: HTMLElement): void {
    if (this.isConnected && this.matches(FOCUSABLE) && !this.matches(':disabled')) move(this);
  };
  HTMLElement.prototype.blur = function blur(this: HTMLElement): void {
    if (this === focused) move(undefined);
  };
  Object.defineProperty(Document.prototype, 'activeElement', { get: active, configurable: true });
  window.focus = () => {};
}

function keyEvent(type: string, code: number): KeyboardEvent {
  const key =
    NAMES.get(code) ?? (code >= VK.VK_0 && code <= VK.VK_9 ? String(code - VK.VK_0) : 'Unidentified');
  const event = new KeyboardEvent(type, { key, bubbles: true, cancelable: true });
  for (const name of ['keyCode', 'which']) Object.defineProperty(event, name, { value: code });
  return event;
}

/** A key of the remote control. @param code of `VK` */
export function dispatchKey(code: number, isDown: boolean): void {
  const target = active() ?? document.documentElement;
  if (target === null) return;
  const isUsed = !target.dispatchEvent(keyEvent(isDown ? 'keydown' : 'keyup', code));
  if (isUsed || !isDown || code !== VK.VK_ENTER) return;
  target.dispatchEvent(keyEvent('keypress', code));
  if (target === focused) focused.click();
}
