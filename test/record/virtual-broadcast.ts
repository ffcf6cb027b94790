/**
 * The packets of one station as a pure function of time, with reception faults: tables, a clock reference and a
 * picture every 50 ms, and packets of picture, sound and data at a varying rate, so that a loss breaks continuity counters (with
 * a constant rate a counter could match again; by chance one of 16 still does).
 */
import { STC_ZERO } from '../../synth/clock.ts';
import { Random } from '../fuzz/random.ts';
import {
  adaptation,
  patSection,
  pesPacket,
  pmtSection,
  StreamBuilder,
  TINY_PICTURE,
} from '../stream-builder.ts';

export const STEP_MS = 50;
export const SERVICE_ID = 101;
const PMT = 0x1f0;
const CLOCK = 0x1ff;
const VIDEO = 0x100;
const SOUND = 0x110;
const CAPTION = 0x130;
const DATA = 0x140;
const FILL = new Uint8Array(184).fill(0x55);
const PAYLOAD = 184;
/** ADTS frames: as many octets as the data of a PES packet in one packet (ISO/IEC 13818-7 6.2). */
const PES_HEADER = 14;
const FRAME = PAYLOAD - PES_HEADER;
/** digital_copy_control_descriptor: never. */
const COPY_NEVER = [0xc1, 1, (3 << 6) | 0x04];
const TABLES_EVERY = 2;
const PCR_PER_MS = 27_000;

export interface AirFault {
  kind:
    | ('stall' | 'copy_never' | 'end' | 'scramble' | 'loss' | 'corrupt')
    | ('no_picture' | 'no_sound' | 'swap' | 'noise');
  /** Epoch ms. */
  from: number;
  to: number;
}

export class VirtualBroadcast {
  readonly #random: Random;
  /** For each step: the number of packets of picture and sound, and their continuity counters. */
  readonly #steps: { video: number; sound: number; videoAt: number; soundAt: number }[] = [];

  /** @param from epoch ms of the first step */
  constructor(
    readonly from: number,
    readonly faults: readonly AirFault[],
    seed: number,
  ) {
    this.#random = new Random(seed);
  }

  is(kind: AirFault['kind'], at: number): boolean {
    return this.faults.some((one) => one.kind === kind && at >= one.from && at < one.to);
  }

  /** The packets sent at a moment, without reception faults. */
  packets(at: number): Uint8Array {
    if (this.is('stall', at)) return new Uint8Array(0);
    const index = Math.round((at - this.from) / STEP_MS);
    const { video, sound, videoAt, soundAt } = this.#step(index);
    const builder = new StreamBuilder();
    if (index % TABLES_EVERY === 0) {
      const counter = (index / TABLES_EVERY) & 15;
      const streams = [
        { type: 0x02, pid: VIDEO },
        { type: 0x0f, pid: SOUND },
        { type: 0x06, pid: CAPTION },
        { type: 0x0d, pid: DATA },
      ];
      const descriptors = this.is('copy_never', at) ? COPY_NEVER : [];
      const map = pmtSection(SERVICE_ID, { pcrPid: CLOCK, streams, descriptors }, versionOf(descriptors));
      table(builder, 0, patSection(1, [[SERVICE_ID, PMT]]), counter);
      table(builder, PMT, map, counter);
    }
    builder.packet(CLOCK, { adaptation: adaptation({ pcr: pcrAt(at) }) });
    const isSwapped = this.is('swap', at);
    for (let each = 0; each < video; each += 1) {
      const data = each === 0 ? pictureAt(at) : undefined;
      if (!this.is('no_picture', at))
        this.#elementary(builder, isSwapped ? SOUND : VIDEO, videoAt + each, at, data);
    }
    for (let each = 0; each < sound; each += 1) {
      if (!this.is('no_sound', at))
        this.#elementary(builder, isSwapped ? VIDEO : SOUND, soundAt + each, at, soundAtMs(at));
    }
    this.#elementary(builder, CAPTION, index, at);
    for (let each = 0; each < sound + 1; each += 1)
      this.#elementary(builder, DATA, soundAt + index + each, at);
    return builder.take();
  }

  /** @param data of a PES packet that begins in it */
  #elementary(builder: StreamBuilder, pid: number, counter: number, at: number, data?: Uint8Array): void {
    if (this.is('loss', at) && this.#random.below(50) === 0) return;
    const error = this.is('corrupt', at) && this.#random.below(50) === 0;
    const scrambling = this.is('scramble', at) ? 2 : 0;
    // A repeated packet counts as sent twice.
    const payload = data ?? FILL.slice();
    new DataView(payload.buffer).setUint32(PAYLOAD - 4, counter);
    const isNoise = this.is('noise', at) && (pid === VIDEO || pid === SOUND);
    if (isNoise) for (const place of payload.keys()) payload[place] = this.#random.below(256);
    const start = data !== undefined;
    builder.packet(pid, { payload, start, counter: counter & 15, error, scrambling });
  }

  #step(index: number) {
    for (let at = this.#steps.length; at <= index; at += 1) {
      const before = this.#steps[at - 1];
      const videoAt = (before?.videoAt ?? 0) + (before?.video ?? 0);
      const soundAt = (before?.soundAt ?? 0) + (before?.sound ?? 0);
      this.#steps.push({
        video: 2 + this.#random.below(4),
        sound: 1 + this.#random.below(2),
        videoAt,
        soundAt,
      });
    }
    const step = this.#steps[index];
    if (step === undefined) throw new RangeError('before the broadcast');
    return step;
  }
}

function pictureAt(at: number): Uint8Array {
  const payload = FILL.slice();
  payload.set(pesPacket({ streamId: 0xe0, pts: ptsAt(at), unbounded: true, data: TINY_PICTURE }));
  return payload;
}

function soundAtMs(at: number): Uint8Array {
  const data = new Uint8Array(FRAME).fill(0x55);
  data.set([0xff, 0xf9, 0x4c, 0x80 | (FRAME >> 11), (FRAME >> 3) & 0xff, ((FRAME & 7) << 5) | 0x1f, 0xfc]);
  return pesPacket({ streamId: 0xc0, pts: ptsAt(at), data });
}

const ptsAt = (at: number): number => Math.floor(pcrAt(at) / 300);

const versionOf = (descriptors: readonly number[]) => ({ version: descriptors.length === 0 ? 0 : 1 });

function pcrAt(at: number): number {
  return ((at - STC_ZERO) * PCR_PER_MS) % (2 ** 33 * 300);
}

function table(builder: StreamBuilder, pid: number, section: Uint8Array, counter: number): void {
  const payload = new Uint8Array(184).fill(0xff);
  payload[0] = 0;
  payload.set(section, 1);
  builder.packet(pid, { start: true, payload, counter });
}
