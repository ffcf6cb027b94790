/**
 * Modules of the tuned service as far as they were received, the copies that documents locked, and who waits for one
 * (ARIB STD-B24 Vol. 3; TR-B14 Vol. 3, 5.12). Fed with the messages of the data broadcast.
 */
import type {
  DataComponent,
  EventsMessage,
  ModuleListMessage,
  ModuleMessage,
  PmtMessage,
  ResponseMessage,
} from '../../../lib/wire/data-broadcast.ts';
import type { ComponentProgress } from '../bml-messages.ts';
import { fileKey, type ModuleAddress } from './address.ts';
import type { BroadcastClock } from './broadcast-clock.ts';
import type { Programme } from './programme.ts';

export interface StoredFile {
  /** Content-Location, decoded and in lower case; undefined: the module is this one file. */
  readonly name: string | undefined;
  /** As sent. */
  readonly type: string | undefined;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface StoredModule {
  readonly version: number;
  readonly dataEventId: number;
  readonly files: ReadonlyMap<string | undefined, StoredFile>;
  readonly octets: number;
}

interface ModuleList {
  readonly dataEventId: number;
  readonly returnToEntry: boolean;
  /** Version by module_id. */
  readonly versions: ReadonlyMap<number, number>;
  /** Octets as sent, by module_id. */
  readonly octets: ReadonlyMap<number, number>;
}

export interface ListChange {
  readonly component: number;
  readonly before: ModuleList | undefined;
  readonly now: ModuleList;
}

/** Lists and modules of a snapshot, beside those before. */
export interface StateChange {
  /** Of components whose list was known before and is known now. */
  readonly lists: readonly (ListChange & { readonly before: ModuleList })[];
  /** `keyOf` modules that have other contents and the same version: no event tells it. */
  readonly silent: ReadonlySet<number>;
}

/** lockModuleOnMemory or lockModuleOnMemoryEx. */
export type LockKind = 'plain' | 'extended';

interface Lock {
  readonly kind: LockKind;
  /** As the script wrote it. */
  readonly reference: string;
  /** Undefined while the module is awaited. */
  module: StoredModule | undefined;
  cancel: (() => void) | undefined;
}

/** A module is 256 kB; compressed ones grow. A component has 64 of them, stations at most some 2 MB in all. */
const MAX_COMPONENT_OCTETS = 12 << 20;
const MAX_TOTAL_OCTETS = 32 << 20;
const MAX_FILES = 1024;

type ModuleKey = number;
const keyOf = (component: number, module: number): ModuleKey => component * 0x10000 + module;

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    // Not every browser has it; it is a hundred times faster.
    if (typeof Uint8Array.fromBase64 === 'function') return Uint8Array.fromBase64(text);
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

function hasSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** Versions repeat within an hour: contents decide. */
function isSameModule(one: StoredModule, other: StoredModule): boolean {
  if (one.version !== other.version || one.dataEventId !== other.dataEventId) return false;
  if (one.files.size !== other.files.size) return false;
  return [...one.files].every(([name, { type, bytes }]) => {
    const file = other.files.get(name);
    return file !== undefined && file.type === type && hasSameBytes(file.bytes, bytes);
  });
}

export class ModuleStore {
  #components: ReadonlyMap<number, DataComponent> | undefined;
  readonly #lists = new Map<number, ModuleList>();
  readonly #modules = new Map<ModuleKey, StoredModule>();
  readonly #locks = new Map<ModuleKey, Lock>();
  readonly #waiting = new Map<ModuleKey, Set<(isPresent: boolean) => void>>();
  /** During `replace`: the modules before. */
  #earlier: ReadonlyMap<ModuleKey, StoredModule> | undefined;

  /** Undefined before the first PMT. */
  get components(): ReadonlyMap<number, DataComponent> | undefined {
    return this.#components;
  }

  list(component: number): ModuleList | undefined {
    return this.#lists.get(component);
  }

  /** @returns the components before */
  takePmt({ components }: PmtMessage): ReadonlyMap<number, DataComponent> | undefined {
    const before = this.#components;
    this.#components = new Map(components.map((component) => [component.componentId, component]));
    for (const component of [...this.#lists.keys()])
      if (!this.#components.has(component)) {
        this.#lists.delete(component);
        this.#drop(component);
      }
    this.#settle();
    return before;
  }

  /**
   * A snapshot of a recording: `take` takes all that is received by then. A module with the same contents stays the
   * same object.
   */
  replace(take: () => void): StateChange {
    const before = new Map(this.#lists);
    const earlier = new Map(this.#modules);
    this.#earlier = earlier;
    this.#components = undefined;
    this.#lists.clear();
    this.#modules.clear();
    try {
      take();
    } finally {
      this.#earlier = undefined;
    }
    this.#settle();
    const lists = [...this.#lists].flatMap(([component, now]) => {
      const old = before.get(component);
      return old === undefined ? [] : [{ component, before: old, now }];
    });
    const silent = lists.flatMap(({ component, before: old, now }) =>
      [...now.versions]
        .filter(([module, version]) => old.versions.get(module) === version)
        .map(([module]) => keyOf(component, module))
        .filter((key) => earlier.get(key) !== this.#modules.get(key)),
    );
    return { lists, silent: new Set(silent) };
  }

  takeList(message: ModuleListMessage): ListChange {
    const component = message.componentId;
    const before = this.#lists.get(component);
    const now: ModuleList = {
      dataEventId: message.dataEventId,
      returnToEntry: message.returnToEntryFlag,
      versions: new Map(message.modules.map(({ id, version }) => [id, version])),
      octets: new Map(message.modules.map(({ id, size }) => [id, size])),
    };
    this.#lists.set(component, now);
    this.#drop(
      component,
      (module, stored) =>
        stored.dataEventId !== now.dataEventId || now.versions.get(module) !== stored.version,
    );
    this.#settle();
    return { component, before, now };
  }

  takeModule(message: ModuleMessage): void {
    const { componentId, moduleId, version, dataEventId } = message;
    const list = this.#lists.get(componentId);
    if (list !== undefined && list.dataEventId !== dataEventId) return;
    const files = new Map<string | undefined, StoredFile>();
    let octets = 0;
    let left = Math.min(
      MAX_COMPONENT_OCTETS - this.#octets(componentId, moduleId),
      MAX_TOTAL_OCTETS - this.#octets(undefined, moduleId),
    );
    for (const { contentLocation, contentType, dataBase64 } of message.files.slice(0, MAX_FILES)) {
      left -= dataBase64.length * 0.75;
      // The module counts as received, so that no document waits for it.
      if (left < 0) break;
      const name = contentLocation === null ? undefined : fileKey(contentLocation);
      const bytes = decodeBase64(dataBase64);
      octets += bytes.length;
      if (!files.has(name)) files.set(name, { name, type: contentType ?? undefined, bytes });
    }
    const key = keyOf(componentId, moduleId);
    const stored = { version, dataEventId, files, octets };
    const earlier = this.#earlier?.get(key);
    this.#modules.set(key, earlier !== undefined && isSameModule(earlier, stored) ? earlier : stored);
    this.#settle();
  }

  #octets(component: number | undefined, except: number): number {
    let sum = 0;
    for (const [key, { octets }] of this.#modules)
      if ((component === undefined || Math.floor(key / 0x10000) === component) && (key & 0xffff) !== except)
        sum += octets;
    return sum;
  }

  #drop(component: number, isOld: (module: number, stored: StoredModule) => boolean = () => true): void {
    for (const [key, stored] of this.#modules)
      if (Math.floor(key / 0x10000) === component && isOld(key & 0xffff, stored)) this.#modules.delete(key);
  }

  /** The locked copy, otherwise the current version. */
  file({ component, module, file }: ModuleAddress): StoredFile | undefined {
    return this.module(component, module)?.files.get(file);
  }

  /** As `file` finds it; the same object as long as it has the same contents. */
  module(component: number, module: number): StoredModule | undefined {
    const key = keyOf(component, module);
    return this.#locks.get(key)?.module ?? this.#modules.get(key);
  }

  /** Whether this is the module as it is broadcast now. */
  isCurrent(component: number, module: number, stored: StoredModule | undefined): boolean {
    return this.#modules.get(keyOf(component, module)) === stored;
  }

  /** What is locked and here. */
  get lockedModules(): { component: number; module: number; stored: StoredModule }[] {
    return [...this.#locks].flatMap(([key, { module }]) =>
      module === undefined
        ? []
        : [{ component: Math.floor(key / 0x10000), module: key & 0xffff, stored: module }],
    );
  }

  /** Whether the module is here, is not broadcast, or has to be waited for. */
  state(component: number, module: number): 'here' | 'absent' | 'awaited' {
    const key = keyOf(component, module);
    if (this.#locks.get(key)?.module !== undefined || this.#modules.has(key)) return 'here';
    return this.isBroadcast(component, module) === false ? 'absent' : 'awaited';
  }

  /** Undefined while PMT or DII have not been received. */
  isBroadcast(component: number, module: number): boolean | undefined {
    if (this.#components !== undefined && !this.#components.has(component)) return false;
    return this.#lists.get(component)?.versions.has(module);
  }

  /** Calls back, at once or later, when the module is here or is known to be absent. @returns cancels */
  await(component: number, module: number, call: (isPresent: boolean) => void): () => void {
    const state = this.state(component, module);
    if (state !== 'awaited') {
      call(state === 'here');
      return () => undefined;
    }
    const key = keyOf(component, module);
    const waiting = this.#waiting.get(key) ?? new Set();
    waiting.add(call);
    this.#waiting.set(key, waiting);
    return () => waiting.delete(call);
  }

  /** Waits until the module is here or is known to be absent. */
  arrival({ component, module }: { component: number; module: number }): Promise<void> {
    return new Promise((resolve) => this.await(component, module, () => resolve()));
  }

  /** How much of each component was received. */
  get progress(): ComponentProgress[] {
    return [...this.#lists].map(([component, { octets }]) => ({
      component,
      modules: [...octets].map(([id, size]) => ({
        id,
        octets: size,
        isReceived: this.#modules.has(keyOf(component, id)),
      })),
    }));
  }

  get isAwaiting(): boolean {
    return [...this.#waiting.values()].some(({ size }) => size > 0);
  }

  #settle(): void {
    if (this.#earlier !== undefined) return;
    for (const [key, waiting] of [...this.#waiting]) {
      const state = this.state(Math.floor(key / 0x10000), key & 0xffff);
      if (state === 'awaited') continue;
      this.#waiting.delete(key);
      for (const call of [...waiting]) call(state === 'here');
    }
  }

  /**
   * Keeps a copy of the module as it is, or as it will be when it has been received.
   * @param settled called once, at once or later, unless the lock is removed before
   */
  lock(
    { component, module }: ModuleAddress,
    reference: string,
    kind: LockKind,
    settled: (isPresent: boolean) => void,
  ): void {
    const key = keyOf(component, module);
    this.#locks.get(key)?.cancel?.();
    const lock: Lock = { kind, reference, module: undefined, cancel: undefined };
    this.#locks.set(key, lock);
    lock.cancel = this.await(component, module, (isPresent) => {
      lock.cancel = undefined;
      lock.module = this.#modules.get(key);
      if (lock.module === undefined && this.#locks.get(key) === lock) this.#locks.delete(key);
      settled(isPresent && lock.module !== undefined);
    });
  }

  lockKind(component: number, module: number): LockKind | undefined {
    return this.#locks.get(keyOf(component, module))?.kind;
  }

  /** @returns whether there was such a lock */
  unlock(component: number, module: number, kind: LockKind): boolean {
    const key = keyOf(component, module);
    const lock = this.#locks.get(key);
    if (lock?.kind !== kind) return false;
    lock.cancel?.();
    return this.#locks.delete(key);
  }

  /** @param kind undefined: all */
  unlockAll(kind?: LockKind): void {
    for (const [key, lock] of this.#locks)
      if (kind === undefined || lock.kind === kind) {
        lock.cancel?.();
        this.#locks.delete(key);
      }
  }

  /** getLockedModuleInfo: reference, 1 or 2 by the kind of lock, 1 locked or 2 awaited. */
  get locked(): [reference: string, kind: number, state: number][] {
    return [...this.#locks.values()].map(({ reference, kind, module }) => [
      reference,
      kind === 'plain' ? 1 : 2,
      module === undefined ? 2 : 1,
    ]);
  }
}

interface UsedModule {
  readonly component: number;
  readonly module: number;
}

/** The modules that a document was made of, as they were then. */
export class UsedModules {
  readonly #store: ModuleStore;
  readonly #used = new Map<number, UsedModule & { readonly stored: StoredModule | undefined }>();

  constructor(store: ModuleStore) {
    this.#store = store;
  }

  add({ component, module }: UsedModule): void {
    const stored = this.#store.module(component, module);
    this.#used.set(keyOf(component, module), { component, module, stored });
  }

  /** @param hears whether the document is told of a change of that module */
  areTheSame({ silent }: StateChange, hears: (component: number, module: number) => boolean): boolean {
    return [...this.#used.values(), ...this.#store.lockedModules].every(
      ({ component, module, stored }) =>
        this.#store.isCurrent(component, module, stored) ||
        (!silent.has(keyOf(component, module)) && hears(component, module)),
    );
  }
}

// A snapshot of a recording, after a seek: all that a receiver would have by then, in place of what the engine has.
// Times that are given as messages are those of the recording.

interface ComponentReceiver {
  readonly store: ModuleStore;
  readonly programme: Programme;
  readonly broadcast: BroadcastClock;
}

interface AppliedSnapshot {
  readonly change: StateChange;
  /** Events that are to come. */
  readonly events: readonly EventsMessage[];
}

/** A carousel has 64 modules, a station 16 components. */
const MAX_MESSAGES = 4096;

/** Collects the messages until all are here, so that no document sees half of them. */
export class SnapshotCollector {
  readonly #messages: ResponseMessage[] = [];

  take(message: ResponseMessage): void {
    if (this.#messages.length < MAX_MESSAGES) this.#messages.push(message);
  }

  apply({ store, programme, broadcast }: ComponentReceiver): AppliedSnapshot {
    const events: EventsMessage[] = [];
    broadcast.clearReferences();
    const change = store.replace(() => {
      for (const message of this.#messages) {
        switch (message.type) {
          case 'pmt':
            store.takePmt(message);
            break;
          case 'programInfo':
            programme.take(message);
            break;
          case 'bit':
            programme.takeBit(message);
            break;
          case 'moduleListUpdated':
            store.takeList(message);
            break;
          case 'moduleDownloaded':
            store.takeModule(message);
            break;
          case 'esEventUpdated':
            for (const event of message.events)
              if (event.type === 'nptReference') broadcast.setReference(message.componentId, event);
            events.push(message);
            break;
          case 'currentTime':
            broadcast.set(message.at);
            break;
        }
      }
    });
    return { change, events };
  }
}
