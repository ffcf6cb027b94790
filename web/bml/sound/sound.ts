/** Sounds of the data broadcast: those of a carousel, and the receiver's own. */

/** Sound as samples. */
export interface Pcm {
  /** Per second. */
  readonly rate: number;
  /** One array a channel, all of one length; −1 to 1. */
  readonly channels: readonly Float32Array<ArrayBuffer>[];
}

// AAC sounds of a carousel: the whole ADTS frames of a file (ISO/IEC 13818-7, 6.2), for the browser to decode.

/** Decoded, a minute of two channels at 48 kHz is 23 MB. */
const MAX_SECONDS = 60;
const MAX_BYTES = 1 << 20;
const SAMPLES_A_FRAME = 1024;
const SAMPLING_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
];

export interface AacSound {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly durationMs: number;
}

/** Undefined: the file does not begin with a frame. What follows the last whole frame is dropped. */
export function readAdts(file: Uint8Array): AacSound | undefined {
  let at = 0;
  let durationMs = 0;
  while (at + 7 <= file.length) {
    const [sync = 0, profile = 0, rest = 0, high = 0, middle = 0, low = 0] = file.subarray(at, at + 6);
    const rate = SAMPLING_RATES[(rest >> 2) & 15];
    const length = ((high & 3) << 11) | (middle << 3) | (low >> 5);
    if (sync !== 0xff || (profile & 0xf6) !== 0xf0 || rate === undefined || length < 7) break;
    const blocks = ((file[at + 6] ?? 0) & 3) + 1;
    const next = durationMs + (blocks * SAMPLES_A_FRAME * 1000) / rate;
    if (at + length > file.length || at + length > MAX_BYTES || next > MAX_SECONDS * 1000) break;
    at += length;
    durationMs = next;
  }
  return at === 0 ? undefined : { bytes: file.slice(0, at), durationMs };
}

// AIFF and AIFF-C sounds of a carousel: linear samples, in practice 12 kHz, one channel, 16 bits.

/** A minute at 48 kHz, two channels: 23 MB of samples. */
const MAX_SAMPLES = 48_000 * 60 * 2;
const MAX_CHUNKS = 256;

const nameAt = (file: Uint8Array, at: number): string => String.fromCharCode(...file.subarray(at, at + 4));

/** An extended number of 80 bits (IEEE 754): sign and exponent, then the mantissa with its leading one. */
function extended(view: DataView, at: number): number {
  const exponent = (view.getUint16(at) & 0x7fff) - 16_383;
  return (view.getUint32(at + 2) + view.getUint32(at + 6) / 2 ** 32) * 2 ** (exponent - 31);
}

interface Format {
  readonly channels: number;
  readonly frames: number;
  readonly bits: number;
  readonly rate: number;
  readonly isLittleEndian: boolean;
}

/** The common chunk; undefined if samples are compressed or the numbers are out of range. */
function readFormat(data: Uint8Array): Format | undefined {
  if (data.length < 18) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const compression = data.length >= 22 ? nameAt(data, 18) : 'NONE';
  const [channels, frames, bits, rate] = [
    view.getUint16(0),
    view.getUint32(2),
    view.getUint16(6),
    Math.round(extended(view, 8)),
  ];
  if (!['NONE', 'twos', 'sowt'].includes(compression)) return undefined;
  if (channels < 1 || channels > 2 || (bits !== 8 && bits !== 16) || !(rate >= 4000 && rate <= 96_000))
    return undefined;
  return { channels, frames, bits, rate, isLittleEndian: compression === 'sowt' };
}

/** Undefined: not such a file. Samples that the header promises and the file does not have are left out. */
export function readAiff(file: Uint8Array): Pcm | undefined {
  if (nameAt(file, 0) !== 'FORM' || !['AIFF', 'AIFC'].includes(nameAt(file, 8))) return undefined;
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  let format: Format | undefined;
  let sound: Uint8Array | undefined;
  let at = 12;
  for (let count = 0; count < MAX_CHUNKS && at + 8 <= file.length; count++) {
    const length = view.getUint32(at + 4);
    const data = file.subarray(at + 8, at + 8 + length);
    if (nameAt(file, at) === 'COMM') format = readFormat(data);
    // An offset and a block size come first; both are 0 in practice.
    if (nameAt(file, at) === 'SSND' && data.length >= 8)
      sound = data.subarray(8 + new DataView(data.buffer, data.byteOffset).getUint32(0));
    at += 8 + length + (length & 1);
  }
  if (format === undefined || sound === undefined) return undefined;
  const width = format.bits >> 3;
  const frames = Math.min(
    format.frames,
    Math.floor(sound.length / (width * format.channels)),
    Math.floor(MAX_SAMPLES / format.channels),
  );
  if (frames === 0) return undefined;
  const samples = new DataView(sound.buffer, sound.byteOffset, sound.length);
  const { channels, isLittleEndian, rate } = format;
  return {
    rate,
    channels: Array.from({ length: channels }, (_, channel) =>
      Float32Array.from({ length: frames }, (_unused, frame) => {
        const offset = (frame * channels + channel) * width;
        return width === 1
          ? samples.getInt8(offset) / 128
          : samples.getInt16(offset, isLittleEndian) / 32_768;
      }),
    ),
  };
}

// The receiver's own sounds, `romsound://0` to `13` (ARIB TR-B14 Vol. 3): chimes for news, tones of buttons, an alert.
// The standard gives only their purpose; these are synthesised.

const RATE = 24_000;

/** A tone: begin and length in seconds, frequency in Hz, loudness 0 to 1, and how fast it decays (1/s). */
type Tone = readonly [at: number, seconds: number, hertz: number, loudness: number, decay: number];

const chime = (...notes: readonly number[]): readonly Tone[] =>
  notes.map((hertz, index) => [index * 0.22, 0.9, hertz, 0.4, 4] as const);
const click = (hertz: number, seconds = 0.08): readonly Tone[] => [[0, seconds, hertz, 0.4, 30]];

/** By number. */
const SOUNDS: readonly (readonly Tone[])[] = [
  // News and other announcements.
  chime(659.3, 784, 1046.5),
  chime(784, 659.3, 523.3),
  chime(523.3, 659.3, 784, 1046.5),
  chime(880, 1174.7),
  chime(1046.5, 784, 880),
  // Buttons: focus moves, decision, back, refusal and others.
  click(1760),
  click(1318.5),
  click(2093, 0.05),
  [...click(1046.5), [0.08, 0.12, 1568, 0.4, 20]],
  [...click(1568), [0.08, 0.12, 1046.5, 0.4, 20]],
  click(880, 0.15),
  [...click(659.3, 0.1), [0.12, 0.1, 659.3, 0.4, 30]],
  [...click(2637, 0.06), [0.06, 0.06, 2637, 0.3, 30]],
  // Alert.
  Array.from({ length: 4 }, (_, index) => [index * 0.3, 0.2, index % 2 === 0 ? 988 : 740, 0.5, 1] as const),
];

export const ROM_SOUND_COUNT = SOUNDS.length;

const [ATTACK_S, RELEASE_S] = [0.004, 0.02];

/** Undefined: no such sound. */
export function createRomSound(number: number): Pcm | undefined {
  const tones = SOUNDS[number];
  if (tones === undefined) return undefined;
  const length = Math.max(...tones.map(([at, seconds]) => at + seconds));
  const samples = new Float32Array(Math.ceil(length * RATE));
  for (const [at, seconds, hertz, loudness, decay] of tones) {
    const first = Math.round(at * RATE);
    for (let index = 0; index < seconds * RATE && first + index < samples.length; index++) {
      const time = index / RATE;
      const envelope =
        Math.min(1, time / ATTACK_S, (seconds - time) / RELEASE_S) * Math.exp(-decay * time) * loudness;
      const phase = 2 * Math.PI * hertz * time;
      samples[first + index] =
        (samples[first + index] ?? 0) + envelope * (Math.sin(phase) + 0.2 * Math.sin(2 * phase));
    }
  }
  return { rate: RATE, channels: [samples.map((sample) => Math.max(-1, Math.min(1, sample)))] };
}
