/**
 * What the application's script adds to its document: addresses of files that it sets on elements are fetched by the page, and
 * the element gets the blob. It sees the addresses that it has set.
 */
import { isLocal, type Resources } from './resources.ts';

type Kind = 'media' | 'script' | 'sheet' | 'never';

/** Properties and attributes with addresses, by element. `never`: nothing is loaded for it. */
const ADDRESSES: readonly (readonly [
  constructor: { readonly prototype: Element },
  name: string,
  kind: Kind,
])[] = [
  [HTMLImageElement, 'src', 'media'],
  [HTMLInputElement, 'src', 'media'],
  [HTMLMediaElement, 'src', 'media'],
  [HTMLSourceElement, 'src', 'media'],
  [HTMLVideoElement, 'poster', 'media'],
  [HTMLScriptElement, 'src', 'script'],
  [HTMLLinkElement, 'href', 'sheet'],
  [HTMLImageElement, 'srcset', 'never'],
  [HTMLSourceElement, 'srcset', 'never'],
  [HTMLIFrameElement, 'src', 'never'],
  [HTMLIFrameElement, 'srcdoc', 'never'],
  [HTMLEmbedElement, 'src', 'never'],
  [HTMLObjectElement, 'data', 'never'],
  [HTMLAnchorElement, 'ping', 'never'],
  [HTMLAnchorElement, 'target', 'never'],
];

/** Documents of their own, in which nothing of the container's would hold. They load only after the observer has run. */
const FRAMES = 'iframe,frame,embed,portal,fencedframe';

const setNative = Element.prototype.setAttribute;
const removeNative = Element.prototype.removeAttribute;

export class LateElements {
  readonly #resources: Resources;
  readonly #base: string;
  /** What the application has set, of elements that have a blob, or will. */
  readonly #asked = new WeakMap<Element, Map<string, string>>();

  constructor(resources: Resources, base: string) {
    this.#resources = resources;
    this.#base = base;
  }

  install(): void {
    const late = this;
    for (const [{ prototype }, name, kind] of ADDRESSES)
      Object.defineProperty(prototype, name, {
        configurable: true,
        enumerable: true,
        get(this: Element) {
          const value = late.#asked.get(this)?.get(name) ?? this.getAttribute(name) ?? '';
          return value === '' ? '' : (URL.parse(value, late.#base)?.href ?? value);
        },
        set(this: Element, value: unknown) {
          late.#set(this, name, String(value), kind);
        },
      });
    Element.prototype.setAttribute = function setAttribute(this: Element, name: string, value: string): void {
      const kind = late.#kindOf(this, String(name).toLowerCase());
      if (kind === undefined) setNative.call(this, name, value);
      else late.#set(this, String(name).toLowerCase(), String(value), kind);
    };
    // What it writes would not be rewritten, and once the document is there it would replace it.
    const refused = (): void => {};
    Object.assign(document, { open: refused, write: refused, writeln: refused, close: refused });
    // What is within a shadow tree is not observed.
    Object.assign(Element.prototype, { attachShadow: undefined, setHTMLUnsafe: undefined });
  }

  /** Elements that come from markup, and addresses in style attributes. Again after `document.open`. */
  observe(): void {
    const observer = new MutationObserver((records) => {
      for (const { type, target, addedNodes, attributeName } of records) {
        if (type === 'attributes' && target instanceof Element) this.#check(target, attributeName ?? '');
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          this.#checkAll(node);
          for (const element of node.querySelectorAll('*')) this.#checkAll(element);
        }
      }
    });
    observer.observe(document, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['style', 'src', 'href', 'poster', 'data'],
    });
  }

  #kindOf(element: Element, name: string): Kind | undefined {
    return ADDRESSES.find(([type, known]) => known === name && element instanceof (type as never))?.[2];
  }

  #set(element: Element, name: string, value: string, kind: Kind): void {
    if (kind === 'never') return;
    const asked = this.#asked.get(element) ?? new Map<string, string>();
    asked.set(name, value);
    this.#asked.set(element, asked);
    if (isLocal(value)) {
      setNative.call(element, name, value);
      return;
    }
    removeNative.call(element, name);
    void this.#load(element, name, value, kind);
  }

  async #load(element: Element, name: string, value: string, kind: Exclude<Kind, 'never'>): Promise<void> {
    const url = URL.parse(value, this.#base)?.href;
    // The script goes on to say what the link is.
    await Promise.resolve();
    if (kind === 'sheet' && !(element as HTMLLinkElement).relList.contains('stylesheet')) return;
    const blob = url === undefined ? undefined : await this.#resources[kind](url);
    if (this.#asked.get(element)?.get(name) !== value) return;
    if (blob === undefined) element.dispatchEvent(new Event('error'));
    else setNative.call(element, name, blob);
  }

  #checkAll(element: Element): void {
    if (element.matches(FRAMES)) {
      element.remove();
      return;
    }
    for (const name of ['src', 'href', 'poster', 'style'])
      if (element.hasAttribute(name)) this.#check(element, name);
  }

  #check(element: Element, name: string): void {
    const value = element.getAttribute(name) ?? '';
    if (name === 'style') {
      if (/url\(\s*["']?(?!["']|blob:|data:|about:|#)/i.test(value)) void this.#style(element, value);
      return;
    }
    const kind = this.#kindOf(element, name);
    if (kind === 'never') removeNative.call(element, name);
    else if (kind !== undefined && !isLocal(value)) this.#set(element, name, value, kind);
  }

  async #style(element: Element, value: string): Promise<void> {
    const text = await this.#resources.styleText(value, this.#base);
    if (element.getAttribute('style') === value) setNative.call(element, 'style', text);
  }
}
