/**
 * Reassembles the modules of a data carousel. Memory is bounded by the limits given, whatever sizes the broadcast
 * announces; each version of a module is returned once. ARIB STD-B24 Vol. 3, 6.2 and 6.3; a block is accepted if its
 * (downloadId, moduleId, moduleVersion) is listed in the DII.
 */
import { crc32, type Section } from '../ts/section.ts';
import { type CarouselModule, type Ddb, type Dii, parseDdb, parseDii } from './download-message.ts';

/** Octets that several carousels share. */
export interface SharedBytes {
  /** Of all carousels at present. */
  used: number;
  readonly most: number;
}

interface CarouselLimits {
  /** Octets of one module; larger ones are not collected. */
  readonly moduleBytes: number;
  /** Octets of all modules being reassembled. If they are used up, further modules wait. */
  readonly totalBytes: number;
  /** Number of DII messages that are kept, the latest ones. */
  readonly lists: number;
  /** If these are used up, further modules wait as well. */
  readonly shared?: SharedBytes;
}

export interface CompleteModule {
  readonly downloadId: number;
  readonly module: CarouselModule;
  /** As sent: still compressed if `module.info.compression` is set. The caller may keep the buffer. */
  readonly data: Uint8Array;
}

export interface CarouselOptions {
  readonly limits: CarouselLimits;
  /** Which modules to collect; default: all. */
  readonly wants?: (module: CarouselModule) => boolean;
}

interface Pending {
  readonly data: Uint8Array;
  /** One octet per block: 1 once it was received. */
  readonly seen: Uint8Array;
  missing: number;
}

interface Slot {
  readonly module: CarouselModule;
  /** Undefined before the first block, and again when complete. */
  pending: Pending | undefined;
  done: boolean;
  /** Number of times that all blocks were received but their CRC differed from that in the DII. */
  mismatches: number;
}

interface List {
  readonly dii: Dii;
  readonly slots: ReadonlyMap<number, Slot>;
}

export class Carousel {
  /** By downloadId, the latest last. */
  readonly #lists = new Map<number, List>();
  #bytes = 0;

  constructor(private readonly options: CarouselOptions) {}

  /** Octets in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Modules in the known DII messages, wanted or not. */
  get modules(): readonly CarouselModule[] {
    return [...this.#lists.values()].flatMap((list) => list.dii.modules);
  }

  /** Whether every wanted module of the known DII messages was returned; false before the first DII. */
  get complete(): boolean {
    if (this.#lists.size === 0) return false;
    return [...this.#lists.values()].every((list) => [...list.slots.values()].every((slot) => slot.done));
  }

  /** The module is collected again, because the caller had no use for it yet. */
  repeat({ downloadId, module }: CompleteModule): void {
    const slot = this.#lists.get(downloadId)?.slots.get(module.id);
    if (slot?.module === module && module.size > 0) slot.done = false;
  }

  /** Releases all memory. */
  close(): void {
    for (const downloadId of [...this.#lists.keys()]) this.#drop(downloadId, new Map());
  }

  /** Processes the next section; returns the modules that it completed. */
  feed(section: Section): CompleteModule[] {
    const dii = parseDii(section);
    if (dii !== undefined) return this.list(dii);
    const ddb = parseDdb(section);
    const complete = ddb === undefined ? undefined : this.#block(ddb);
    return complete === undefined ? [] : [complete];
  }

  /** A known DII is ignored; a new one keeps the modules that have not changed. Returns those without blocks. */
  list(dii: Dii): CompleteModule[] {
    const known = this.#lists.get(dii.downloadId);
    if (known?.dii.transactionId === dii.transactionId && sameModules(known.dii, dii)) return [];
    const slots = new Map<number, Slot>();
    const complete: CompleteModule[] = [];
    for (const module of dii.modules) {
      if (slots.has(module.id) || !this.#isWanted(module)) continue;
      const before = known?.slots.get(module.id);
      const kept = before !== undefined && known !== undefined && unchanged(before, module, known.dii, dii);
      const slot: Slot = kept ? before : { module, pending: undefined, done: false, mismatches: 0 };
      slots.set(module.id, slot);
      // A module without blocks is complete at once.
      if (module.size === 0 && !slot.done) {
        slot.done = true;
        complete.push({ downloadId: dii.downloadId, module, data: new Uint8Array(0) });
      }
    }
    if (known !== undefined) this.#drop(dii.downloadId, slots);
    else this.#makeRoom();
    this.#lists.set(dii.downloadId, { dii, slots });
    return complete;
  }

  #isWanted(module: CarouselModule): boolean {
    return module.size <= this.options.limits.moduleBytes && this.options.wants?.(module) !== false;
  }

  #makeRoom(): void {
    while (this.#lists.size >= this.options.limits.lists) {
      const [oldest] = this.#lists.keys();
      if (oldest === undefined) return;
      this.#drop(oldest, new Map());
    }
  }

  /** Drops a DII, except for the slots that the next one reuses. */
  #drop(downloadId: number, next: ReadonlyMap<number, Slot>): void {
    const list = this.#lists.get(downloadId);
    for (const [id, slot] of list?.slots ?? []) {
      if (next.get(id) === slot) continue;
      this.#hold(-heldBy(slot.pending));
      slot.pending = undefined;
    }
    this.#lists.delete(downloadId);
  }

  #block(ddb: Ddb): CompleteModule | undefined {
    const list = this.#lists.get(ddb.downloadId);
    const slot = list?.slots.get(ddb.moduleId);
    if (list === undefined || slot === undefined || slot.done) return undefined;
    const { module } = slot;
    const { blockSize } = list.dii;
    if (module.version !== ddb.moduleVersion) return undefined;
    const from = ddb.blockNumber * blockSize;
    if (from >= module.size || ddb.data.length !== Math.min(blockSize, module.size - from)) return undefined;
    const pending = slot.pending ?? this.#begin(slot, blockSize);
    if (pending === undefined || pending.seen[ddb.blockNumber] === 1) return undefined;
    pending.seen[ddb.blockNumber] = 1;
    pending.data.set(ddb.data, from);
    pending.missing--;
    return pending.missing > 0 ? undefined : this.#complete(list, slot, pending);
  }

  #begin(slot: Slot, blockSize: number): Pending | undefined {
    const { size } = slot.module;
    const blocks = Math.ceil(size / blockSize);
    // blockNumber has 16 bits: further blocks cannot be sent.
    if (blocks > 0x10000) return undefined;
    const { totalBytes, shared } = this.options.limits;
    const octets = size + blocks;
    if (this.#bytes + octets > totalBytes) return undefined;
    if (shared !== undefined && shared.used + octets > shared.most) return undefined;
    this.#hold(octets);
    slot.pending = { data: new Uint8Array(size), seen: new Uint8Array(blocks), missing: blocks };
    return slot.pending;
  }

  #complete(list: List, slot: Slot, pending: Pending): CompleteModule | undefined {
    this.#hold(-heldBy(pending));
    slot.pending = undefined;
    const { module } = slot;
    // Blocks of two contents with the same version: collected again. If it happens twice, the DII is wrong, since
    // every block passed the CRC of its section.
    if (module.info.crc32 !== undefined && crc32(pending.data) !== module.info.crc32) {
      slot.mismatches++;
      if (slot.mismatches < 2) return undefined;
    }
    slot.done = true;
    return { downloadId: list.dii.downloadId, module, data: pending.data };
  }

  #hold(octets: number): void {
    this.#bytes += octets;
    const { shared } = this.options.limits;
    if (shared !== undefined) shared.used += octets;
  }
}

function heldBy(pending: Pending | undefined): number {
  return pending === undefined ? 0 : pending.data.length + pending.seen.length;
}

function unchanged(slot: Slot, module: CarouselModule, before: Dii, now: Dii): boolean {
  return before.blockSize === now.blockSize && sameModule(slot.module, module);
}

export function sameModule(a: CarouselModule, b: CarouselModule): boolean {
  return (
    a.id === b.id &&
    a.version === b.version &&
    a.size === b.size &&
    a.info.type === b.info.type &&
    a.info.name === b.info.name &&
    a.info.crc32 === b.info.crc32 &&
    a.info.compression?.type === b.info.compression?.type &&
    a.info.compression?.originalSize === b.info.compression?.originalSize
  );
}

/** Whether both list the same modules in the same form. */
export function sameModules(a: Dii, b: Dii): boolean {
  return (
    a.downloadId === b.downloadId &&
    a.blockSize === b.blockSize &&
    a.modules.length === b.modules.length &&
    a.modules.every((module, index) => {
      const other = b.modules[index];
      return other !== undefined && sameModule(module, other);
    })
  );
}
