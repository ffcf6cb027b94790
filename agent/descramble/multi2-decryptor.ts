/**
 * The MULTI2 module (`lib/wasm/multi2`) with keys by PID: decrypts the scrambled packets of complete, aligned packets.
 */
/// <reference path="../../lib/wasm/wasm.d.ts" />
import { scheduleKeys } from '../../lib/arib/conditional/multi2.ts';
import type { Pid } from '../../lib/arib/ids.ts';
import { PACKET_SIZE } from '../../lib/arib/ts/packet.ts';

interface Multi2Exports {
  readonly memory: WebAssembly.Memory;
  readonly MAX_PACKETS: WebAssembly.Global;
  readonly SLOTS: WebAssembly.Global;
  readonly SLOT_BYTES: WebAssembly.Global;
  packets(): number;
  pidSlots(): number;
  keys(): number;
  initial(): number;
  decrypt(count: number): number;
}

/** Parameters of a card, equal for all its keys. ARIB STD-B25 Part 1, 4.3.3.2. */
export interface SystemParameters {
  /** Descrambler system key, 32 octets. */
  readonly systemKey: Uint8Array;
  /** Initial CBC value, 8 octets. */
  readonly initialValue: Uint8Array;
}

/** The card's response to an ECM. */
export interface ScramblingKeys {
  /** 8 octets. */
  readonly odd: Uint8Array;
  /** 8 octets. */
  readonly even: Uint8Array;
}

export type Parity = 'odd' | 'even';

const WORK_KEY_BYTES = 32;
const FLAGS_OFFSET = 64;
const HAS_KEY: Record<Parity, number> = { odd: 1, even: 2 };

let compiled: Promise<WebAssembly.Module> | undefined;

/** Compiled once per process, when the first scrambled programme needs it. */
function loadModule(): Promise<WebAssembly.Module> {
  compiled ??= (async () => {
    const { default: path } = await import('../../lib/wasm/built/multi2.wasm', { with: { type: 'file' } });
    return WebAssembly.compile(await Bun.file(path).bytes());
  })();
  return compiled;
}

export class Multi2Decryptor {
  readonly #exports: Multi2Exports;
  readonly #memory: Uint8Array;
  readonly #packetsAt: number;
  readonly #pidSlotsAt: number;
  readonly #keysAt: number;
  readonly #slotBytes: number;
  readonly #maxPackets: number;
  readonly #systemKey: Uint8Array;

  private constructor(instance: WebAssembly.Instance, system: SystemParameters) {
    this.#exports = instance.exports as unknown as Multi2Exports;
    const { memory, MAX_PACKETS, SLOT_BYTES } = this.#exports;
    this.#memory = new Uint8Array(memory.buffer);
    this.#packetsAt = this.#exports.packets();
    this.#pidSlotsAt = this.#exports.pidSlots();
    this.#keysAt = this.#exports.keys();
    this.#maxPackets = MAX_PACKETS.value as number;
    this.#slotBytes = SLOT_BYTES.value as number;
    this.#systemKey = system.systemKey;
    this.#memory.set(system.initialValue.subarray(0, 8), this.#exports.initial());
  }

  static async create(system: SystemParameters): Promise<Multi2Decryptor> {
    const instance = await WebAssembly.instantiate(await loadModule(), {
      env: {
        abort: () => {
          throw new Error('MULTI2 module aborted');
        },
      },
    });
    return new Multi2Decryptor(instance, system);
  }

  /** Number of key slots that a PID can be assigned to, numbered from 1. */
  get slotCount(): number {
    return (this.#exports.SLOTS.value as number) - 1;
  }

  /** @param slot 0: the PID has no key */
  assign(pid: Pid, slot: number): void {
    this.#memory[this.#pidSlotsAt + pid] = slot;
  }

  setKeys(slot: number, keys: ScramblingKeys): void {
    const at = this.#keysAt + slot * this.#slotBytes;
    const words = new Uint32Array(this.#memory.buffer, at, (2 * WORK_KEY_BYTES) / 4);
    words.set(scheduleKeys(this.#systemKey, keys.odd), 0);
    words.set(scheduleKeys(this.#systemKey, keys.even), WORK_KEY_BYTES / 4);
    this.#memory[at + FLAGS_OFFSET] = HAS_KEY.odd | HAS_KEY.even;
  }

  /** From now on packets with this key of the slot stay scrambled. */
  clearKey(slot: number, parity: Parity): void {
    const at = this.#keysAt + slot * this.#slotBytes + FLAGS_OFFSET;
    this.#memory[at] = (this.#memory[at] as number) & ~HAS_KEY[parity];
  }

  /** From now on packets of this slot stay scrambled. */
  clearKeys(slot: number): void {
    const at = this.#keysAt + slot * this.#slotBytes;
    this.#memory.fill(0, at, at + this.#slotBytes);
  }

  /** Decrypts in place. @param packets complete packets of 188 octets @returns number of decrypted packets */
  decrypt(packets: Uint8Array): number {
    const step = this.#maxPackets * PACKET_SIZE;
    let decrypted = 0;
    for (let from = 0; from < packets.length; from += step) {
      const part = packets.subarray(from, from + step);
      this.#memory.set(part, this.#packetsAt);
      const count = this.#exports.decrypt(Math.floor(part.length / PACKET_SIZE));
      if (count === 0) continue;
      decrypted += count;
      part.set(this.#memory.subarray(this.#packetsAt, this.#packetsAt + part.length));
    }
    return decrypted;
  }
}
