/**
 * Recordings of any size that take no memory: the bytes of a picture are generated when they are read. Each
 * picture is a block of equal size with tables, clock, one video and one sound packet.
 */
import type { ByteSource } from '../../src/media/recording-bytes.ts';
import { adaptation, PACKET, patSection, pesPacket, pmtSection, StreamBuilder } from '../stream-builder.ts';

export const VIDEO = 0x100;
const SOUND = 0x110;
const PMT = 0x1f0;
/** Null packets. */
const NOTHING = 0x1fff;
const SERVICE = 1024;
/** 90 kHz ticks of a picture at 29.97 Hz. */
export const PICTURE = 3_003;
/** Number of pictures from one intra picture to the next. */
export const GOP = 15;
const MODULUS = 2 ** 33;

export interface VirtualRun {
  readonly pictures: number;
  /** Time stamp of its first picture. */
  readonly pts: number;
  /** Everything but the clock is scrambled. */
  readonly isScrambled?: boolean;
  /** The PMT contains a video stream, but its PID carries only the clock. */
  readonly lacksPicture?: boolean;
}

export class VirtualRecording implements ByteSource {
  readonly size: number;
  readonly #tables: Uint8Array;
  readonly #blocks = new Map<number, Uint8Array>();
  reads = 0;

  constructor(
    readonly runs: readonly VirtualRun[],
    /** Packets per block; 400 are 18 Mbit/s. */
    readonly packets = 400,
  ) {
    this.size = this.blockBytes * runs.reduce((sum, { pictures }) => sum + pictures, 0);
    const streams = [
      { type: 0x02, pid: VIDEO },
      { type: 0x0f, pid: SOUND },
    ];
    this.#tables = new StreamBuilder()
      .sections(0, patSection(0x7fe0, [[SERVICE, PMT]]))
      .sections(PMT, pmtSection(SERVICE, { pcrPid: VIDEO, streams }))
      .take();
  }

  get blockBytes(): number {
    return this.packets * PACKET;
  }

  /** Number of bytes before each run. */
  get starts(): number[] {
    let at = 0;
    return this.runs.map(({ pictures }) => {
      const start = at;
      at += pictures * this.blockBytes;
      return start;
    });
  }

  async read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    this.reads += 1;
    const end = Math.min(this.size, at + length);
    const out = new Uint8Array(Math.max(0, end - at));
    for (let position = at; position < end; ) {
      const block = Math.floor(position / this.blockBytes);
      const offset = position - block * this.blockBytes;
      const part = this.#block(block).subarray(offset, offset + end - position);
      out.set(part, position - at);
      position += part.length;
    }
    return out;
  }

  #block(index: number): Uint8Array {
    const known = this.#blocks.get(index);
    if (known !== undefined) return known;
    let before = 0;
    const run = this.runs.find(({ pictures }) => {
      if (index < before + pictures) return true;
      before += pictures;
      return false;
    });
    if (run === undefined) throw new RangeError(`no block ${index}`);
    const picture = index - before;
    const pts = (run.pts + picture * PICTURE) % MODULUS;
    const builder = new StreamBuilder();
    const header = picture % GOP === 0 ? [0, 0, 1, 0xb3, 0x5a, 0x04, 0x38, 0x34] : [0, 0, 1, 0x00];
    const clock = ((pts - 18_000 + MODULUS) % MODULUS) * 300;
    const scrambling = run.isScrambled === true ? 2 : 0;
    builder
      .packet(VIDEO, { adaptation: adaptation({ pcr: clock }) })
      .packet(run.lacksPicture === true ? NOTHING : VIDEO, {
        payload: pesPacket({ streamId: 0xe0, pts, unbounded: true, data: header }),
        start: run.lacksPicture !== true,
        scrambling,
      })
      .packet(SOUND, {
        payload: pesPacket({ streamId: 0xc0, pts: (pts + MODULUS - 9_000) % MODULUS, data: [0xff, 0xf1] }),
        start: true,
        scrambling,
      });
    const bytes = new Uint8Array(this.blockBytes).fill(0xff);
    const head = builder.take();
    bytes.set(this.#tables);
    bytes.set(head, this.#tables.length);
    for (let at = this.#tables.length + head.length; at < bytes.length; at += PACKET) {
      bytes.set([0x47, 0x1f, 0xff, 0x10], at);
    }
    if (this.#blocks.size > 64) this.#blocks.clear();
    this.#blocks.set(index, bytes);
    return bytes;
  }
}
