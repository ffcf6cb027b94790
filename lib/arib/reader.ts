/**
 * Reads the basic types of a section or descriptor in the standard's order. Reading past the end never throws: it
 * returns zeros and sets `exhausted`, which a parser checks once at its end.
 */
import type { Pid } from './ids.ts';
import { type BroadcastMs, fromBcd, jstTime } from './time.ts';

/** 'jpn', the language of nearly every text in a guide. */
const JPN = 0x6a706e;

export class Reader {
  #position: number;
  readonly #end: number;
  #exhausted = false;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly start = 0,
    end: number = bytes.length,
  ) {
    this.#position = start;
    this.#end = Math.min(end, bytes.length);
  }

  /** True once anything was read beyond the end. Sticky. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  get remaining(): number {
    return this.#end - this.#position;
  }

  #take(count: number): number {
    const at = this.#position;
    if (count > this.#end - at) {
      this.#exhausted = true;
      this.#position = this.#end;
      return -1;
    }
    this.#position = at + count;
    return at;
  }

  u8(): number {
    const at = this.#take(1);
    return at < 0 ? 0 : (this.bytes[at] as number);
  }

  u16(): number {
    const at = this.#take(2);
    return at < 0 ? 0 : ((this.bytes[at] as number) << 8) | (this.bytes[at + 1] as number);
  }

  u24(): number {
    const at = this.#take(3);
    if (at < 0) return 0;
    return (
      ((this.bytes[at] as number) << 16) |
      ((this.bytes[at + 1] as number) << 8) |
      (this.bytes[at + 2] as number)
    );
  }

  u32(): number {
    const high = this.u16();
    return high * 0x10000 + this.u16();
  }

  /** Three reserved bits and a 13-bit PID. */
  pid(): Pid {
    return (this.u16() & 0x1fff) as Pid;
  }

  /** Four bits that are ignored, and a 12-bit length. */
  length12(): number {
    return this.u16() & 0x0fff;
  }

  /** A view of `count` bytes; empty if fewer are left. */
  take(count: number): Uint8Array {
    const at = this.#take(count);
    return at < 0 ? this.bytes.subarray(0, 0) : this.bytes.subarray(at, at + count);
  }

  /** A reader of the next `count` bytes; if fewer are left, an empty one, and this one is exhausted. */
  slice(count: number): Reader {
    const at = this.#take(count);
    return at < 0 ? new Reader(this.bytes, 0, 0) : new Reader(this.bytes, at, at + count);
  }

  /**
   * Calls `use` with the range of the next `count` bytes: avoids the view that `take` creates. An empty range if
   * fewer are left.
   */
  span<T>(count: number, use: (bytes: Uint8Array, start: number, end: number) => T): T {
    const at = this.#take(count);
    return at < 0 ? use(this.bytes, 0, 0) : use(this.bytes, at, at + count);
  }

  /** A view of all bytes of this reader, independent of the position. */
  whole(): Uint8Array {
    return this.bytes.subarray(this.start, this.#end);
  }

  rest(): Uint8Array {
    return this.take(this.remaining);
  }

  skip(count: number): void {
    this.#take(count);
  }

  /** ISO 639-2 or ISO 3166 code of three letters; invalid bytes are kept as Latin-1. */
  language(): string {
    if (this.remaining < 3) {
      this.skip(3);
      return '';
    }
    const code = this.u24();
    if (code === JPN) return 'jpn';
    return String.fromCharCode(code >> 16, (code >> 8) & 0xff, code & 0xff);
  }

  /** A number of two BCD digits per octet; undefined if a digit is above 9. */
  bcd(octets: number): number | undefined {
    let value: number | undefined = 0;
    for (let left = octets; left > 0; left--) {
      const digits = fromBcd(this.u8());
      value = value === undefined || digits === undefined ? undefined : value * 100 + digits;
    }
    return value;
  }

  /** 40-bit start_time (MJD and BCD hhmmss, JST), ARIB STD-B10 Part 2, Annex C; undefined = not defined. */
  mjdTime(): BroadcastMs | undefined {
    return jstTime(this.u16(), this.u8(), this.u8(), this.u8());
  }

  /** 24-bit BCD hhmmss in seconds (hours may exceed 23); undefined = not defined (all ones) or not BCD. */
  bcdDuration(): number | undefined {
    const hours = fromBcd(this.u8());
    const minutes = fromBcd(this.u8());
    const seconds = fromBcd(this.u8());
    if (hours === undefined || minutes === undefined || seconds === undefined) return undefined;
    return (hours * 60 + minutes) * 60 + seconds;
  }
}

/** Octets as the characters of the same numbers. */
export function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
