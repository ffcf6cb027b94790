/**
 * Sends an elementary stream made of loops. The sending time of each packet is a pure function of time, and
 * so is its continuity counter: it is zero where a stretch begins, and the last packets of a stretch are
 * spread so that they complete a cycle of the counter.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import { type Loop, PACKET_SIZE } from '../media/loop.ts';
import { audioLoop, pesPayload, spreadPackets, writeStamps } from '../media/packetise.ts';
import { AUDIO_FRAME_TICKS } from '../media/recipes.ts';
import { groupIn, type Playlist, type Stretch } from './playlist.ts';
import type { PacketSource } from './source.ts';

const COUNTER_ROUND = 16;

/** Index of the first element that is not less than `value`. */
function lowerBound(sorted: Int32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Packets, modulo a cycle of the counter, from a stretch's begin to a group. */
function packetsBefore(stretch: Stretch, loop: Loop, group: number): number {
  const { groupPacket, groupLead } = loop;
  const groups = groupLead.length;
  const all = (groupPacket[groups] as number) % COUNTER_ROUND;
  const until = (at: number): number => {
    const rounds = Math.floor((at - stretch.phase) / groups) % COUNTER_ROUND;
    return rounds * all + (groupPacket[groupIn(loop, stretch.phase, at)] as number);
  };
  const begin = Number.isFinite(stretch.from) ? until(stretch.from) : 0;
  const count = (until(group) - begin) % COUNTER_ROUND;
  return count < 0 ? count + COUNTER_ROUND : count;
}

export class PlaylistSource implements PacketSource {
  due = Number.POSITIVE_INFINITY;
  /** The group of time that is being sent, and its source. */
  #group = 0;
  #stretch: Stretch;
  #units: Int32Array = new Int32Array(0);
  /** Its packets: `#count` from packet `#first` of `#packets` on; `#sent` of them have been sent. */
  #packets: Uint8Array = new Uint8Array(0);
  #first = 0;
  #count = 0;
  #sent = 0;
  #counter = 0;
  /** The next unit, the one after its last, and the loop's packet that corresponds to `#first`. */
  #unit = 0;
  #unitEnd = 0;
  #origin = 0;
  /** Ticks from the loop's time to that of the clock, the start of sending the group, and its duration. */
  #shift = 0;
  #begin = 0;
  #span = 0;

  /** @param groupTicks of all loops of the playlist */
  constructor(
    private readonly pid: Pid,
    private readonly groupTicks: number,
    private readonly playlist: Playlist,
  ) {
    this.#stretch = playlist(0);
  }

  seek(ticks: number): void {
    // Groups are sent before their time: those that are over have been sent completely.
    this.#enter(Math.floor(ticks / this.groupTicks));
    while (this.due < ticks) {
      if (this.#sent + 1 < this.#count) this.#step();
      else this.#enter(this.#group + 1);
    }
    const at = this.#origin + this.#sent;
    this.#unit = Math.min(this.#unitEnd, lowerBound(this.#units, at));
  }

  #stretchOf(group: number): Stretch {
    const stretch = this.#stretch;
    return group >= stretch.from && group < stretch.to ? stretch : this.playlist(group);
  }

  /** When sending a group begins: at its loop's rate, in the middle where two loops meet. */
  #beginOf(group: number, stretch: Stretch): number {
    const before = group > stretch.from ? stretch : this.#stretchOf(group - 1);
    const own = stretch.loop?.groupLead[groupIn(stretch.loop, stretch.phase, group)];
    const other = before.loop?.groupLead[groupIn(before.loop, before.phase, group)];
    const lead = own === undefined || other === undefined ? (own ?? other ?? 0) : (own + other) / 2;
    return group * this.groupTicks + lead;
  }

  /** Moves to a group, or to the next in which anything is sent. */
  #enter(group: number): void {
    let stretch = this.#stretchOf(group);
    let at = group;
    while (stretch.loop === undefined && Number.isFinite(stretch.to)) {
      at = stretch.to;
      stretch = this.playlist(at);
    }
    const { loop, phase } = stretch;
    if (loop === undefined) {
      this.due = Number.POSITIVE_INFINITY;
      return;
    }
    this.#group = at;
    this.#begin = this.#beginOf(at, stretch);
    this.#stretch = stretch;
    this.#span = this.#beginOf(at + 1, this.#stretchOf(at + 1)) - this.#begin;
    const index = groupIn(loop, phase, at);
    this.#shift = (at - index) * this.groupTicks;
    this.#units = loop.unitPacket;
    this.#packets = loop.packets;
    this.#origin = loop.groupPacket[index] as number;
    this.#first = this.#origin;
    const end = loop.groupPacket[index + 1] as number;
    this.#count = end - this.#origin;
    this.#unit = lowerBound(loop.unitPacket, this.#origin);
    this.#unitEnd = lowerBound(loop.unitPacket, end);
    this.#counter = packetsBefore(stretch, loop, at);
    this.#sent = 0;
    if (at + 1 === stretch.to) this.#fillRound(loop, end);
    this.due = this.#begin;
  }

  /**
   * Spreads the last unit of a stretch over as many additional packets as the counter needs to complete its
   * cycle.
   */
  #fillRound(loop: Loop, end: number): void {
    const missing = (COUNTER_ROUND - ((this.#counter + this.#count) % COUNTER_ROUND)) % COUNTER_ROUND;
    if (missing === 0) return;
    const last = loop.unitPacket[this.#unitEnd - 1] as number;
    const kept = loop.packets.subarray(this.#first * PACKET_SIZE, last * PACKET_SIZE);
    const unit = loop.packets.subarray(last * PACKET_SIZE, end * PACKET_SIZE);
    const spread = spreadPackets(unit, end - last + missing);
    this.#packets = new Uint8Array(kept.length + spread.length);
    this.#packets.set(kept);
    this.#packets.set(spread, kept.length);
    this.#first = 0;
    this.#count += missing;
  }

  /** Counter of the last packet that was sent, or would have been. */
  get lastCounter(): number {
    return (this.#counter + COUNTER_ROUND - 1) % COUNTER_ROUND;
  }

  /** Advances by one packet of the group. */
  #step(): void {
    this.#counter = (this.#counter + 1) % COUNTER_ROUND;
    this.#sent += 1;
    this.due = this.#begin + Math.floor((this.#sent / this.#count) * this.#span);
  }

  emit(out: Uint8Array, at: number): void {
    const packets = this.#packets;
    const from = (this.#first + this.#sent) * PACKET_SIZE;
    for (let i = 4; i < PACKET_SIZE; i++) out[at + i] = packets[from + i] as number;
    out[at] = 0x47;
    out[at + 1] = (packets[from + 1] as number) | (this.pid >> 8);
    out[at + 2] = this.pid & 0xff;
    out[at + 3] = (packets[from + 3] as number) | this.#counter;
    const unit = this.#unit;
    const { loop } = this.#stretch;
    if (loop !== undefined && unit < this.#unitEnd && this.#units[unit] === this.#origin + this.#sent) {
      const pts = this.#shift + (loop.unitPts[unit] as number);
      const dts = this.#shift + (loop.unitDts[unit] as number);
      writeStamps(out, at, pts, dts);
      this.#unit += 1;
    }
    if (this.#sent + 1 < this.#count) this.#step();
    else this.#enter(this.#group + 1);
  }
}

/** Several frames of sound in one PES packet, so that the sound may change in the middle of a packet. */
/** A source needs a group and its neighbours. */
const MAX_KNOWN = 4;

/** The frame of a loop at a frame of time. */
function frameOf({ loop, phase }: Stretch, frame: number): Uint8Array | undefined {
  if (loop === undefined) return undefined;
  const index = groupIn(loop, phase, frame);
  const from = (loop.groupPacket[index] as number) * PACKET_SIZE;
  const to = (loop.groupPacket[index + 1] as number) * PACKET_SIZE;
  return pesPayload(loop.packets.subarray(from, to));
}

function joined(frames: readonly Uint8Array[]): Loop {
  const bytes = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    bytes.set(frame, at);
    at += frame.length;
  }
  return audioLoop([bytes], frames.length * AUDIO_FRAME_TICKS);
}

/**
 * @param frames playlist of single frames @param count frames in a PES packet, which is a group of the result
 */
export function pesPlaylist(frames: Playlist, count: number): Playlist {
  const known = new Map<number, Stretch>();
  return (group) => {
    const found = known.get(group);
    if (found !== undefined) return found;
    const first = group * count;
    const parts = Array.from({ length: count }, (_, index) => frameOf(frames(first + index), first + index));
    const whole = parts.filter((frame) => frame !== undefined);
    // A stream that begins or ends within the packet does so with the next one.
    const loop = whole.length < count ? undefined : joined(whole);
    const stretch = { loop, from: group, to: group + 1, phase: group };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(group, stretch);
    return stretch;
  };
}
