/**
 * Files of the application. They come from the page as octets, and become blobs here: the frame may load nothing else.
 */
import type { FetchAnswer } from '../hybrid-messages.ts';
import type { PageLink } from './page-link.ts';
import { rewriteScript } from './script-text.ts';
import { FOCUS_ATTRIBUTE } from './virtual-focus.ts';

// Style sheets of an application as text: addresses in them are replaced, and `:focus` also means the element that has the
// application's focus (`virtual-focus.ts`).

/** `url(…)`, and the text of an `@import`; strings and comments elsewhere are skipped. */
const PARTS =
  /\/\*[\s\S]*?(?:\*\/|$)|(@import\s+)(?:"([^"\n]*)"|'([^'\n]*)')|url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^)"'\s]*))\s*\)|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|:focus(?![\w-])/gi;

const FOCUS = `:is(:focus,[${FOCUS_ATTRIBUTE}])`;

/** Addresses of a style sheet; `isSheet`: of another style sheet. */
interface StyleAddress {
  readonly address: string;
  readonly isSheet: boolean;
}

/** @param replace undefined: it stays @returns with every address replaced */
export function rewriteStyle(text: string, replace: (found: StyleAddress) => string | undefined): string {
  let isImport = false;
  let end = 0;
  return text.replace(
    PARTS,
    (
      whole: string,
      importing?: string,
      one?: string,
      two?: string,
      ...rest: (string | number | undefined)[]
    ) => {
      const offset = rest.find((value) => typeof value === 'number') as number;
      // `@import url(…)`: the rule stands directly before.
      isImport = /@import\s*$/i.test(text.slice(Math.max(end, offset - 16), offset));
      end = offset + whole.length;
      if (/^:focus$/i.test(whole)) return FOCUS;
      if (importing !== undefined) {
        const found = replace({ address: one ?? two ?? '', isSheet: true });
        return found === undefined ? whole : `${importing}"${found}"`;
      }
      if (!/^url\(/i.test(whole)) return whole;
      const [a, b, c] = rest as (string | undefined)[];
      const address = a ?? b ?? c ?? '';
      if (address === '') return whole;
      const found = replace({ address, isSheet: isImport });
      return found === undefined ? whole : `url("${found}")`;
    },
  );
}

/** Style sheets within style sheets. */
const MAX_IMPORTS = 4;
/** Addresses of one style sheet. */
const MAX_ADDRESSES = 256;

/** Addresses that need no request. */
export const isLocal = (address: string): boolean => /^(?:blob:|data:|about:|#|$)/i.test(address);

const charsetOf = (contentType: string): string =>
  /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';

export function textOf({ bytes, contentType }: FetchAnswer): string {
  try {
    return new TextDecoder(charsetOf(contentType)).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

export class Resources {
  readonly #link: PageLink;
  readonly #isThreadShared: boolean;
  readonly #blobs = new Map<string, Promise<string | undefined>>();

  constructor(link: PageLink, isThreadShared: boolean) {
    this.#link = link;
    this.#isThreadShared = isThreadShared;
  }

  /** Undefined: refused, or not found. */
  async #fetch(url: string): Promise<FetchAnswer | undefined> {
    const answer = (await this.#link.ask('fetch', { url })) as FetchAnswer | undefined;
    return answer !== undefined && answer.status >= 200 && answer.status < 300 ? answer : undefined;
  }

  /** Each address once. */
  #blobOf(key: string, make: () => Promise<Blob | undefined>): Promise<string | undefined> {
    const known = this.#blobs.get(key);
    if (known !== undefined) return known;
    const made = make().then(
      (blob) => (blob === undefined ? undefined : URL.createObjectURL(blob)),
      () => undefined,
    );
    this.#blobs.set(key, made);
    return made;
  }

  /** A picture, a sound or a film. @returns the address of a blob */
  media(url: string): Promise<string | undefined> {
    return this.#blobOf(url, async () => {
      const answer = await this.#fetch(url);
      return answer === undefined ? undefined : new Blob([answer.bytes], { type: answer.contentType });
    });
  }

  scriptText(text: string): string {
    try {
      return rewriteScript(text, this.#isThreadShared);
    } catch {
      // Too deep to be read: it does not run.
      return '';
    }
  }

  script(url: string): Promise<string | undefined> {
    return this.#blobOf(`script ${url}`, async () => {
      const answer = await this.#fetch(url);
      if (answer === undefined) return undefined;
      return new Blob([this.scriptText(textOf(answer))], { type: 'text/javascript;charset=utf-8' });
    });
  }

  sheet(url: string, depth = 0): Promise<string | undefined> {
    return this.#blobOf(`sheet ${url}`, async () => {
      const answer = depth >= MAX_IMPORTS ? undefined : await this.#fetch(url);
      if (answer === undefined) return undefined;
      return new Blob([await this.styleText(textOf(answer), url, depth + 1)], { type: 'text/css' });
    });
  }

  /** A style sheet, or the value of a style attribute, with blobs. @param base of its addresses */
  async styleText(text: string, base: string, depth = 0): Promise<string> {
    const found: StyleAddress[] = [];
    rewriteStyle(text, (one) => {
      if (found.length < MAX_ADDRESSES && !isLocal(one.address)) found.push(one);
      return undefined;
    });
    const loaded = new Map<string, string>();
    await Promise.all(
      found.map(async ({ address, isSheet }) => {
        const url = URL.parse(address, base)?.href;
        if (url === undefined) return;
        const blob = await (isSheet ? this.sheet(url, depth) : this.media(url));
        if (blob !== undefined) loaded.set(address, blob);
      }),
    );
    return rewriteStyle(text, ({ address }) =>
      isLocal(address) ? undefined : (loaded.get(address) ?? 'about:blank'),
    );
  }
}
