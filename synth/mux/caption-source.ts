/** Sends single PES packets of captions: ISO/IEC 13818-1 2.4.3, at the rate permitted by ARIB TR-B14. */
import type { Pid } from '../../lib/arib/ids.ts';
import { PartialCaptionTrack } from '../caption/partial.ts';
import { CaptionTrack, SuperimposeTrack, type Track, type Transmission } from '../caption/track.ts';
import { TICKS_PER_SECOND } from '../clock.ts';
import { PACKET_SIZE } from '../media/loop.ts';
import { GROUP_TICKS } from '../rundown/part.ts';
import { Sharing } from '../rundown/sharing.ts';
import { type CaptionPlace, NULL_PID } from '../scenario/layout.ts';
import type { EventStation } from '../si/eit.ts';
import type { PacketSource } from './source.ts';

/** Ticks of broadcast time per window. */
const WINDOW = 10 * TICKS_PER_SECOND;
/** 188 bytes at 256 kbit/s. */
const SPACING = Math.ceil((PACKET_SIZE * 8 * TICKS_PER_SECOND) / 256_000);
const HEADER = 4;
const PAYLOAD = PACKET_SIZE - HEADER;

export class CaptionSource implements PacketSource {
  due = 0;
  #window = 0;
  #waiting: Transmission[] = [];
  #sent = 0;
  #counter = 0;

  constructor(
    private readonly track: Track,
    private readonly pid: Pid,
  ) {}

  seek(ticks: number): void {
    this.#window = Math.floor(ticks / WINDOW);
    this.#waiting = this.track.transmissions(ticks, (this.#window + 1) * WINDOW);
    this.#sent = 0;
    this.#wait(ticks);
  }

  /** Waits until `earliest`. An empty window lasts to its end. */
  #wait(earliest: number): void {
    const [next] = this.#waiting;
    this.due = Math.max(earliest, next?.due ?? (this.#window + 1) * WINDOW);
  }

  emit(out: Uint8Array, at: number): void {
    const open = this.#waiting[0] ?? this.#nextWindow();
    if (open === undefined) {
      out.fill(0xff, at, at + PACKET_SIZE);
      out.set([0x47, NULL_PID >> 8, NULL_PID & 0xff, 0x10], at);
      this.#wait(this.due);
      return;
    }
    const rest = open.pes.length - this.#sent;
    const length = Math.min(rest, PAYLOAD);
    const begins = this.#sent === 0 ? 0x40 : 0;
    out[at] = 0x47;
    out[at + 1] = begins | (this.pid >> 8);
    out[at + 2] = this.pid & 0xff;
    out[at + 3] = (length < PAYLOAD ? 0x30 : 0x10) | this.#counter;
    this.#counter = (this.#counter + 1) & 0x0f;
    stuff(out, at + HEADER, PAYLOAD - length);
    out.set(open.pes.subarray(this.#sent, this.#sent + length), at + PACKET_SIZE - length);
    this.#advance(length);
  }

  /** The first packet of the next window, if it is already due. */
  #nextWindow(): Transmission | undefined {
    this.#window += 1;
    this.#waiting = this.track.transmissions(this.#window * WINDOW, (this.#window + 1) * WINDOW);
    const [first] = this.#waiting;
    return first !== undefined && first.due <= this.due ? first : undefined;
  }

  #advance(length: number): void {
    const [open] = this.#waiting;
    this.#sent += length;
    this.due += SPACING;
    if (open === undefined || this.#sent < open.pes.length) return;
    this.#waiting.shift();
    this.#sent = 0;
    if (this.#waiting.length === 0) {
      this.#window += 1;
      this.#waiting = this.track.transmissions(this.#window * WINDOW, (this.#window + 1) * WINDOW);
    }
    this.#wait(this.due);
  }
}

/** An empty adaptation field of `length` bytes; PES packets are not stuffed otherwise. */
function stuff(out: Uint8Array, at: number, length: number): void {
  if (length === 0) return;
  out[at] = length - 1;
  if (length === 1) return;
  out[at + 1] = 0;
  out.fill(0xff, at + 2, at + length);
}

/** A branch sends captions of its own only while it shows another programme than its main station. */
function whileSplit(sharing: Sharing, track: Track): Track {
  return {
    transmissions: (from, to) =>
      track.transmissions(from, to).filter(({ due }) => sharing.at(Math.floor(due / GROUP_TICKS)).split),
  };
}

/** The captions and superimposed texts of a channel's stations. */
export function captionSources(seed: number, stations: readonly EventStation[]): CaptionSource[] {
  return stations.flatMap((station) => {
    const { captions, superimpose, partialCaptions } = station.place;
    const sharing = station.main === undefined ? null : new Sharing(station.guide);
    const source = (track: Track, { pid }: CaptionPlace): CaptionSource =>
      new CaptionSource(sharing === null ? track : whileSplit(sharing, track), pid);
    const sources: CaptionSource[] = [];
    if (captions !== null) sources.push(source(new CaptionTrack(seed, station), captions));
    if (partialCaptions !== null) {
      sources.push(new CaptionSource(new PartialCaptionTrack(seed, stations), partialCaptions.pid));
    }
    if (superimpose !== null) sources.push(source(new SuperimposeTrack(seed, station), superimpose));
    return sources;
  });
}
