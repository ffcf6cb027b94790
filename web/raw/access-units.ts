/**
 * Splits an MPEG-2 video elementary stream into access units: the headers of a picture and its slices, one frame or
 * field (ISO/IEC 13818-2, 6.1.1.11). Units are found by start codes, independent of PES alignment.
 */

export interface AccessUnit {
  readonly bytes: Uint8Array;
  /** PTS of the PES packet in which the picture begins, when it is the first one there; 90 kHz, not wrapped. */
  readonly time: number | undefined;
  /** An I picture: decoding can begin here. */
  readonly isIntra: boolean;
}

const PICTURE = 0x00;
const LAST_SLICE = 0xaf;
const SEQUENCE = 0xb3;
const GROUP = 0xb8;
/** sequence_error_code, inserted where bytes are missing: it ends the damaged slice. */
const LOSS = Uint8Array.of(0x00, 0x00, 0x01, 0xb4);
/** The largest unit of the level is 1.2 MB; longer ones are invalid. */
const MAX_UNIT = 1_536 * 1024;
const INITIAL = 64 * 1024;
const INTRA_TYPE = 1;

export class AccessUnits {
  #buffer = new Uint8Array(INITIAL);
  #length = 0;
  /** Everything before it was searched for start codes. */
  #searched = 0;
  #hasSlice = false;
  #hasPicture = false;
  #isIntra = false;
  /** PTS of the bytes from `#stampAt` on, until a picture starts there. */
  #stamp: number | undefined;
  #stampAt = 0;
  #time: number | undefined;

  /** The payload of a PES packet, or a part of it. @param time its PTS where it begins and carries one */
  *push(bytes: Uint8Array, time?: number): Generator<AccessUnit> {
    if (time !== undefined) {
      this.#stamp = time;
      this.#stampAt = this.#length;
    }
    this.#append(bytes);
    yield* this.#search();
  }

  /** Octets are missing between what was pushed and what follows. */
  *loss(): Generator<AccessUnit> {
    if (this.#length === 0) return;
    yield* this.push(LOSS);
  }

  /** The unit begun is whole: what follows begins another one. */
  *end(): Generator<AccessUnit> {
    if (this.#hasSlice) yield this.#cut(this.#length);
  }

  reset(): void {
    this.#length = 0;
    this.#searched = 0;
    this.#hasSlice = false;
    this.#hasPicture = false;
    this.#isIntra = false;
    this.#stamp = undefined;
    this.#time = undefined;
  }

  #append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > MAX_UNIT) this.reset();
    const used = bytes.subarray(Math.max(0, bytes.length - MAX_UNIT));
    const length = this.#length + used.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(MAX_UNIT, Math.max(length, this.#buffer.length * 2)));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(used, this.#length);
    this.#length = length;
  }

  *#search(): Generator<AccessUnit> {
    const MARGIN = 6;
    let at = this.#searched;
    for (;;) {
      // The picture type is in the sixth byte after its start code.
      at = this.#buffer.indexOf(1, at + 2) - 2;
      if (at < 0 || at + MARGIN > this.#length) break;
      if (this.#buffer[at] !== 0 || this.#buffer[at + 1] !== 0) {
        at += 1;
        continue;
      }
      const code = this.#buffer[at + 3] ?? 0;
      const begins = code === PICTURE || code === SEQUENCE || code === GROUP;
      if (begins && this.#hasSlice) {
        yield this.#cut(at);
        at = 0;
      }
      if (code === PICTURE) this.#beginPicture(at);
      else if (code > PICTURE && code <= LAST_SLICE) this.#hasSlice = this.#hasPicture;
      at += 3;
    }
    this.#searched = Math.max(0, at >= 0 ? Math.min(at, this.#length - MARGIN) : this.#length - MARGIN);
  }

  #beginPicture(at: number): void {
    this.#hasPicture = true;
    this.#isIntra = (((this.#buffer[at + 5] ?? 0) >> 3) & 7) === INTRA_TYPE;
    this.#time = undefined;
    if (this.#stamp === undefined || this.#stampAt > at) return;
    this.#time = this.#stamp;
    this.#stamp = undefined;
  }

  /** The unit before `at`; what follows begins the next one. */
  #cut(at: number): AccessUnit {
    const unit = { bytes: this.#buffer.slice(0, at), time: this.#time, isIntra: this.#isIntra };
    this.#buffer.copyWithin(0, at, this.#length);
    this.#length -= at;
    this.#searched = 0;
    this.#stampAt = Math.max(0, this.#stampAt - at);
    this.#hasSlice = false;
    this.#hasPicture = false;
    this.#time = undefined;
    return unit;
  }
}
