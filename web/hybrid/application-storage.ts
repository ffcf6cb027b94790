/**
 * What applications store on this device, a JSON object for each, and whether the viewer lets them know the region. Kept by
 * the page: an application has no storage of its own.
 */

/** Octets of an application's keys and values as JSON in UTF-8. */
export const MAX_STORED = 256 * 1024;
/** A script may store with each key that is pressed, or in a loop. */
const FLUSH_MS = 250;
const PREFIX = 'svc_hybrid_';
const CONSENT_PREFIX = 'svc_hybrid_region_';
/** Whose values are stored, the last used first. */
const OWNERS_KEY = 'svc_hybrid_owners';
/** The least recently used gives way: an AIT may name many applications, and browsers keep some 5 MB for a site. */
export const MOST_APPLICATIONS = 12;

export type Stored = Readonly<Record<string, string>>;

export interface ApplicationIds {
  /** organisation_id. */
  readonly organisation: number;
  /** application_id. */
  readonly application: number;
}

interface StoredApplication extends ApplicationIds {
  /** Of its first document: an AIT from another server may name the same numbers. */
  readonly origin: string;
}

interface Owner {
  /** organisation_id and application_id. */
  readonly ids: string;
  readonly origin: string;
}

/** The brace before the first entry. */
const OPENING = 1;

const utf8 = new TextEncoder();
const octetsOf = (text: string): number => utf8.encode(JSON.stringify(text)).length;
/** Colon, and the comma or brace after it. */
const octetsOfEntry = (key: string, value: string): number => octetsOf(key) + octetsOf(value) + 2;

/** Values within the bound; used by the page, and by the frame, whose script sees at once that a write fails. */
export class BoundedValues {
  readonly #values = new Map<string, string>();
  #octets = OPENING;

  constructor(stored: Stored) {
    for (const [key, value] of Object.entries(stored)) this.put(key, value);
  }

  get(key: string): string | null {
    return this.#values.get(key) ?? null;
  }

  keys(): string[] {
    return [...this.#values.keys()];
  }

  toRecord(): Stored {
    return Object.fromEntries(this.#values);
  }

  /** @param value undefined removes the key @returns false: it would exceed the bound */
  put(key: string, value: string | undefined): boolean {
    const before = this.#values.get(key);
    const freed = before === undefined ? 0 : octetsOfEntry(key, before);
    const needed = value === undefined || value.length > MAX_STORED ? 0 : octetsOfEntry(key, value);
    const octets = this.#octets - freed + needed;
    if ((value?.length ?? 0) > MAX_STORED || octets > MAX_STORED) return false;
    this.#octets = octets;
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
    return true;
  }

  clear(): void {
    this.#values.clear();
    this.#octets = OPENING;
  }
}

function readStored(text: string | null): Stored {
  const values = Object.create(null) as Record<string, string>;
  try {
    const read: unknown = JSON.parse(text ?? '{}');
    if (typeof read === 'object' && read !== null)
      for (const [key, value] of Object.entries(read)) if (typeof value === 'string') values[key] = value;
  } catch {
    // Damaged: it begins again.
  }
  return values;
}

function readOwners(storage: Storage): Owner[] {
  try {
    const read: unknown = JSON.parse(storage.getItem(OWNERS_KEY) ?? '[]');
    if (!Array.isArray(read)) return [];
    return read.flatMap((one: unknown) => {
      if (typeof one !== 'object' || one === null) return [];
      const { ids, origin } = one as Partial<Owner>;
      return typeof ids === 'string' && typeof origin === 'string' ? [{ ids, origin }] : [];
    });
  } catch {
    return [];
  }
}

function forget(storage: Storage, ids: string): void {
  storage.removeItem(PREFIX + ids);
  storage.removeItem(CONSENT_PREFIX + ids);
}

/** Of one application. Written to the browser's storage shortly after a change, and at the end. */
export class ApplicationStorage {
  readonly #storage: Storage;
  readonly #ids: string;
  readonly #origin: string;
  readonly #values: BoundedValues;
  readonly #onLost: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onLost the browser's storage refused what was written */
  constructor(
    storage: Storage,
    { organisation, application, origin }: StoredApplication,
    onLost: () => void,
  ) {
    this.#storage = storage;
    this.#ids = `${organisation}_${application}`;
    this.#origin = origin;
    this.#values = new BoundedValues(this.#isOwn() ? readStored(storage.getItem(PREFIX + this.#ids)) : {});
    this.#onLost = onLost;
  }

  get values(): Stored {
    return this.#values.toRecord();
  }

  /** Undefined: the viewer was not asked yet. */
  get regionConsent(): boolean | undefined {
    const given = this.#isOwn() ? this.#storage.getItem(CONSENT_PREFIX + this.#ids) : null;
    return given === null ? undefined : given === 'yes';
  }

  set regionConsent(isGiven: boolean) {
    try {
      this.#claim();
      this.#storage.setItem(CONSENT_PREFIX + this.#ids, isGiven ? 'yes' : 'no');
    } catch {
      // The question comes again.
    }
  }

  /** Whether what is stored under the numbers is this server's, or nobody's. */
  #isOwn(): boolean {
    const owner = readOwners(this.#storage).find(({ ids }) => ids === this.#ids);
    return owner === undefined || owner.origin === this.#origin;
  }

  /** Before each write. @throws DOMException where the browser's storage refuses */
  #claim(): void {
    if (!this.#isOwn()) forget(this.#storage, this.#ids);
    const others = readOwners(this.#storage).filter(({ ids }) => ids !== this.#ids);
    for (const { ids } of others.splice(MOST_APPLICATIONS - 1)) forget(this.#storage, ids);
    const own: Owner = { ids: this.#ids, origin: this.#origin };
    this.#storage.setItem(OWNERS_KEY, JSON.stringify([own, ...others]));
  }

  /** @param value undefined removes the key @returns false: it would exceed the bound */
  write(key: string, value: string | undefined): boolean {
    const isWritten = this.#values.put(key, value);
    if (isWritten) this.#flushSoon();
    return isWritten;
  }

  clear(): void {
    this.#values.clear();
    this.#flushSoon();
  }

  close(): void {
    if (this.#timer !== undefined) this.#flush();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.#claim();
      this.#storage.setItem(PREFIX + this.#ids, JSON.stringify(this.values));
    } catch {
      this.#onLost();
    }
  }
}
