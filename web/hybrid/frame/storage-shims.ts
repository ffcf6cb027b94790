/** localStorage, sessionStorage and cookies of the application: a frame without an origin has none of its own. */
import { BoundedValues, type Stored } from '../application-storage.ts';
import type { Region } from '../hybrid-messages.ts';
import type { PageLink } from './page-link.ts';

/** Names by which receivers give the viewer's region, as observed. */
const POSTAL_CODE = '_zipcode';
const PREFECTURE = '_prefecture';

interface Backing {
  get(key: string): string | null;
  keys(): string[];
  /** Undefined: removes it. */
  put(key: string, value: string | undefined): void;
  clear(): void;
}

/** As the Storage interface, with keys as properties. */
function storageOf(backing: Backing): object {
  const methods = {
    getItem: (key: string) => backing.get(String(key)),
    setItem: (key: string, value: string) => backing.put(String(key), String(value)),
    removeItem: (key: string) => backing.put(String(key), undefined),
    key: (index: number) => backing.keys()[index] ?? null,
    clear: () => backing.clear(),
    get length() {
      return backing.keys().length;
    },
  };
  return new Proxy(methods, {
    get: (target, key) =>
      typeof key === 'symbol' || key in target ? Reflect.get(target, key) : (backing.get(key) ?? undefined),
    set: (_target, key, value) => {
      if (typeof key === 'string') backing.put(key, String(value));
      return true;
    },
    deleteProperty: (_target, key) => {
      if (typeof key === 'string') backing.put(key, undefined);
      return true;
    },
    has: (target, key) => key in target || (typeof key === 'string' && backing.get(key) !== null),
    ownKeys: () => backing.keys(),
    getOwnPropertyDescriptor: (_target, key) => {
      const value = typeof key === 'string' ? backing.get(key) : null;
      return value === null ? undefined : { value, writable: true, enumerable: true, configurable: true };
    },
  });
}

class SessionValues implements Backing {
  readonly #values: BoundedValues;

  constructor(stored: Stored = {}) {
    this.#values = new BoundedValues(stored);
  }

  get(key: string): string | null {
    return this.#values.get(key);
  }

  keys(): string[] {
    return this.#values.keys();
  }

  put(key: string, value: string | undefined): void {
    if (!this.#values.put(key, value))
      throw new DOMException('the storage of the application is full', 'QuotaExceededError');
  }

  clear(): void {
    this.#values.clear();
  }
}

/** Kept by the page, where the AIT permits it; the region only with the viewer's consent, which is asked once. */
class LocalValues extends SessionValues {
  #region: Region | undefined;
  #isAsked = false;

  constructor(
    private readonly link: PageLink,
    stored: Stored,
    private readonly canStore: boolean,
    region: Region | undefined,
  ) {
    super(stored);
    this.#region = region;
  }

  override get(key: string): string | null {
    if (key !== POSTAL_CODE && key !== PREFECTURE) return super.get(key);
    if (this.#region === undefined) this.#ask();
    else return key === POSTAL_CODE ? this.#region.postalCode : String(this.#region.prefecture);
    return null;
  }

  override put(key: string, value: string | undefined): void {
    if (!this.canStore) throw new DOMException('not permitted by the AIT', 'QuotaExceededError');
    super.put(key, value);
    this.link.send({ kind: 'store', key, value });
  }

  override clear(): void {
    if (!this.canStore) return;
    super.clear();
    this.link.send({ kind: 'clearStore' });
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    void this.link.ask('region').then((answer) => {
      if (answer === undefined) return;
      this.#region = answer as Region;
      for (const key of [POSTAL_CODE, PREFECTURE])
        dispatchEvent(new StorageEvent('storage', { key, newValue: this.get(key) }));
    });
  }
}

export function installStorage(
  link: PageLink,
  facts: { readonly stored: Stored; readonly canStore: boolean; readonly region: Region | undefined },
): void {
  const local = storageOf(new LocalValues(link, facts.stored, facts.canStore, facts.region));
  const session = storageOf(new SessionValues());
  Object.defineProperty(window, 'localStorage', { value: local });
  Object.defineProperty(window, 'sessionStorage', { value: session });
  Object.defineProperty(document, 'cookie', { get: () => '', set: () => {}, configurable: true });
}
