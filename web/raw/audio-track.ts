/**
 * The sound of a station for a media source: ADTS frames from PES packets, as fragments on a timeline that begins near
 * 0 with the first of them. A gap in the broadcast is a gap on the timeline.
 */
import { ADTS_HEADER, type AdtsHeader, readAdtsHeader } from '../../lib/arib/aac/adts.ts';
import { isBareDualMono, twoChannelConfig } from '../../lib/arib/aac/dual-mono.ts';
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { AAC_FRAME_SAMPLES, aacFragment, aacInitSegment, samplingRate } from '../../lib/mp4/aac-writer.ts';

type AudioPart =
  /**
   * Decoding begins here, or continues with another number of channels. `isDual`: the left one is the main sound, the right
   * one the other.
   */
  | { readonly kind: 'init'; readonly bytes: Uint8Array; readonly isDual: boolean }
  | { readonly kind: 'media'; readonly bytes: Uint8Array }
  /** Sound that no fragment can carry. */
  | { readonly kind: 'unsupported' };

/** Times of PES packets are rounded and jitter by less; more is loss. */
const JITTER_S = 0.03;
/** A frame has at most 8191 bytes; more buffered data are not sound. */
const MAX_HELD = 64 * 1024;

export class AudioTrack {
  /** Time of the broadcast that is 0 on the time line, 90 kHz. */
  readonly origin: number;
  #config = '';
  #rate = 48_000;
  #sequence = 0;
  /** The next fragment's place, in samples; undefined after a loss. */
  #next: number | undefined;
  #held = new Uint8Array(0);

  constructor(origin: number) {
    this.origin = origin;
  }

  /** Where the sound so far ends, 90 kHz; undefined before the first. */
  get end(): number | undefined {
    return this.#next === undefined ? undefined : this.origin + (this.#next / this.#rate) * TICKS_PER_SECOND;
  }

  /** Octets are missing before what follows. */
  loss(): void {
    this.#held = new Uint8Array(0);
  }

  /** @param time presentation time of the first frame that begins here, 90 kHz, not wrapped */
  *push(bytes: Uint8Array, time: number | undefined): Generator<AudioPart> {
    const data = new Uint8Array(this.#held.length + bytes.length);
    data.set(this.#held);
    data.set(bytes, this.#held.length);
    const isAligned = this.#held.length === 0;
    let at = 0;
    const frames: Uint8Array[] = [];
    while (at + ADTS_HEADER <= data.length) {
      const header = readAdtsHeader(data, at);
      if (header === undefined) {
        at = this.#resync(data, at + 1);
        continue;
      }
      if (at + header.frameLength > data.length) break;
      const isDual = isBareDualMono(data, at);
      const config = `${header.profile} ${header.samplingIndex} ${header.channelConfiguration} ${isDual}`;
      if (config !== this.#config) {
        yield* this.#fragment(frames.splice(0), time, isAligned);
        const init = aacInitSegment(isDual ? { ...header, channelConfiguration: 2 } : header);
        if (init === undefined) {
          yield { kind: 'unsupported' };
          at += header.frameLength;
          continue;
        }
        this.#config = config;
        this.#rate = samplingRate(header.samplingIndex) ?? 48_000;
        this.#next = undefined;
        yield { kind: 'init', bytes: init, isDual };
      }
      const frame = data.subarray(at + header.headerLength, at + header.frameLength);
      frames.push(isDual ? withTwoChannels(header, frame) : frame);
      at += header.frameLength;
    }
    this.#held = data.length - at > MAX_HELD ? new Uint8Array(0) : data.slice(at);
    yield* this.#fragment(frames, time, isAligned);
  }

  #resync(data: Uint8Array, from: number): number {
    const found = data.indexOf(0xff, from);
    return found < 0 ? data.length : found;
  }

  *#fragment(
    frames: readonly Uint8Array[],
    time: number | undefined,
    isAligned: boolean,
  ): Generator<AudioPart> {
    if (frames.length === 0) return;
    const told =
      time === undefined ? undefined : Math.round(((time - this.origin) / TICKS_PER_SECOND) * this.#rate);
    const expected = this.#next;
    let start = expected ?? told;
    if (start === undefined) return;
    // A frame that began in the previous packet: the time stamp applies to the next frame.
    const within = JITTER_S * this.#rate + (isAligned ? 0 : AAC_FRAME_SAMPLES);
    if (told !== undefined && Math.abs(told - start) > within) start = told;
    if (start < 0) return;
    this.#next = start + frames.length * AAC_FRAME_SAMPLES;
    this.#sequence += 1;
    yield { kind: 'media', bytes: aacFragment(this.#sequence, start, frames) };
  }
}

/** The frame of two single channels tells so itself, in front of them: decoders then take it for two channels. */
function withTwoChannels({ profile, samplingIndex }: AdtsHeader, frame: Uint8Array): Uint8Array {
  const config = twoChannelConfig(profile, samplingIndex);
  const whole = new Uint8Array(config.length + frame.length);
  whole.set(config);
  whole.set(frame, config.length);
  return whole;
}
