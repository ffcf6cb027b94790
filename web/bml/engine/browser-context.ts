/** What the functions of `browser` use of the engine and of the running document. */
import type { EventTimes, MediaState, PageRequest } from '../bml-messages.ts';
import type { HostClass } from '../script/host.ts';
import type { Machine } from '../script/machine.ts';
import type { Address, DocumentAddress, RemoteAddress } from './address.ts';
import type { Charset } from './binary-fields.ts';
import type { BroadcastClock } from './broadcast-clock.ts';
import type { ModuleStore } from './module-store.ts';
import type { Network } from './network.ts';
import type { Nvram } from './nvram.ts';
import type { Programme } from './programme.ts';
import type { ScriptTasks } from './script-tasks.ts';
import type { Timers } from './timers.ts';

const COUNT = 64;
/** Octets in the document's character set. */
const MAX_OCTETS = 256;

/** `Ureg` and `Greg`: 64 texts each (ARIB STD-B24 Vol. 2, 7.6.1; TR-B14 Vol. 3). Register 0 is the receiver's. */
export class Registers {
  readonly #values: string[];
  readonly #charset: Charset;
  readonly #written: (index: number, value: string) => void;

  /** @param written told of every change by a document */
  constructor(
    values: readonly string[],
    charset: Charset,
    written: (index: number, value: string) => void = () => undefined,
  ) {
    this.#values = Array.from({ length: COUNT }, (_, index) => values[index] ?? '');
    this.#charset = charset;
    this.#written = written;
  }

  /** Undefined: there is no such register. */
  get(index: number): string | undefined {
    return this.#values[index];
  }

  set(index: number, value: string): void {
    if (!(index > 0 && index < COUNT)) return;
    const text = this.#cut(value);
    this.#values[index] = text;
    this.#written(index, text);
  }

  /** Whole characters up to 256 octets. */
  #cut(value: string): string {
    let octets = 0;
    let text = '';
    for (const character of value.slice(0, MAX_OCTETS)) {
      octets += this.#charset.encode(character).length;
      if (octets > MAX_OCTETS) break;
      text += character;
    }
    return text;
  }

  /** A service was tuned: its registers are empty, the first one tells its number. */
  clear(serviceId: number): void {
    this.#values.fill('');
    this.#values[0] = `0x${serviceId.toString(16).padStart(4, '0')}`;
  }
}

/** What all documents of a session share. */
export interface Receiver {
  readonly store: ModuleStore;
  readonly programme: Programme;
  readonly broadcast: BroadcastClock;
  readonly nvram: Nvram;
  readonly network: Network;
  readonly serviceRegisters: Registers;
  readonly globalRegisters: Registers;
  readonly media: MediaState;
  random(): number;
  quit(): void;
  playRomSound(number: number): boolean;
  request(request: PageRequest): Promise<number | EventTimes | undefined>;
}

/** A document as its script sees it. `quit`: leaves it for the data broadcast's start. */
export interface BrowserContext extends Receiver {
  readonly machine: Machine;
  readonly tasks: ScriptTasks;
  readonly timers: Timers;
  readonly charset: Charset;
  readonly address: DocumentAddress;
  /** It was received by communication. */
  readonly isRemote: boolean;
  /** Ends with it. */
  readonly signal: AbortSignal;
  /** The unload handler is running: it may not begin anything. */
  readonly isUnloading: boolean;

  /** Of a module, or of a component. */
  resolve(reference: string): Address | undefined;
  /** Of a server; undefined: the reference names none. */
  resolveRemote(reference: string): RemoteAddress | undefined;
  fetchSoon(reference: string): Promise<Uint8Array | undefined>;
  /** A wait that ends with the document. */
  wait(ms: number): Promise<void>;
  /** Leaves the document; the script does not continue. */
  launch(reference: string): void;
  moduleLocked(component: number, module: number, reference: string, status: number): void;
  loadGlyphs(file: Uint8Array): boolean;
  unloadGlyphs(): void;
  lockScreen(isLocked: boolean): void;
  log(text: string): void;
}

/** Functions by their names in `browser`. */
export type BrowserFunctions = NonNullable<HostClass<BrowserContext>['methods']>;
