/** Finds whole AAC frames in a stream payload that may start anywhere and have gaps. ISO/IEC 13818-7 6.2. */
import { ADTS_HEADER, readAdtsHeader } from '../../lib/arib/aac/adts.ts';

/** Sampling frequencies by index, ISO/IEC 13818-7 table 35. */
const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
];
const FRAME_SAMPLES = 1024;
/** frame_length has 13 bits. */
const MAX_FRAME = 8_191;

export class AdtsFrames {
  #buffer = new Uint8Array(2 * MAX_FRAME + 188);
  #length = 0;
  /** Duration of the last frame, 90 kHz. */
  ticks = (FRAME_SAMPLES * 90_000) / 48_000;

  /** Octets were lost: discards the incomplete frame. */
  reset(): void {
    this.#length = 0;
  }

  /** Takes the next octets; returns the frames that they complete. A frame counts once the next one has started. */
  feed(bytes: Uint8Array): Uint8Array<ArrayBuffer>[] {
    if (this.#length + bytes.length > this.#buffer.length) {
      const larger = new Uint8Array(this.#length + bytes.length + MAX_FRAME);
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    const frames: Uint8Array<ArrayBuffer>[] = [];
    let at = 0;
    while (at + ADTS_HEADER <= this.#length) {
      const held = this.#buffer.subarray(0, this.#length);
      const header = readAdtsHeader(held, at);
      if (header === undefined) {
        at += 1;
        continue;
      }
      const next = at + header.frameLength;
      if (next + 2 > this.#length) break;
      // The next sync word confirms the length.
      if (held[next] !== 0xff || ((held[next + 1] as number) & 0xf6) !== 0xf0) {
        at += 1;
        continue;
      }
      frames.push(this.#buffer.slice(at, next));
      this.ticks = (FRAME_SAMPLES * 90_000) / (SAMPLE_RATES[header.samplingIndex] ?? 48_000);
      at = next;
    }
    this.#buffer.copyWithin(0, at, this.#length);
    this.#length -= at;
    return frames;
  }
}
