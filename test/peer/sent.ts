/** The sent tables of a channel, split into sections by this project's demultiplexer. */
import { type Pid, pid } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { type Section, SectionDemux, SectionMemory } from '../../lib/arib/ts/section.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { ticksAt } from '../../synth/clock.ts';
import type { SectionSource } from '../../synth/mux/section-source.ts';
import { tableSources } from '../../synth/mux/tables.ts';
import { NULL_PID, placeChannel } from '../../synth/scenario/layout.ts';
import type { ChannelPlan, Scenario } from '../../synth/scenario/model.ts';
import type { EventStation } from '../../synth/si/eit.ts';

export const AT: BroadcastMs = broadcastMs(Date.UTC(2026, 10, 20, 12, 0, 0));
const TICKS_PER_SECOND = 90_000;
const PACKET = 188;

/** Packets of tables per chunk. */
const PIECE_PACKETS = 4_096;

/** Made once: most of the tables' cost is the guides, which the channels of a network share, and the logos. */
class Tables {
  readonly #scenario: Scenario;
  readonly #stations = new Map<ChannelPlan, EventStation[]>();
  readonly #sources = new Map<ChannelPlan, SectionSource[]>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  sourcesOf(plan: ChannelPlan): SectionSource[] {
    const known = this.#sources.get(plan);
    if (known !== undefined) return known;
    const made = tableSources(this.#scenario, placeChannel(plan), (other) => this.#stationsOf(other));
    this.#sources.set(plan, made);
    return made;
  }

  #stationsOf(plan: ChannelPlan): EventStation[] {
    const known = this.#stations.get(plan);
    if (known !== undefined) return known;
    const made = eventStations(this.#scenario, plan);
    this.#stations.set(plan, made);
    return made;
  }
}

const tables = new WeakMap<Scenario, Tables>();

/** All tables that a channel sends in a time range; a chunk is valid until the next is requested. */
function* pieces(
  scenario: Scenario,
  plan: ChannelPlan,
  seconds: number,
  at: BroadcastMs,
): Generator<Uint8Array> {
  const made = tables.get(scenario) ?? new Tables(scenario);
  tables.set(scenario, made);
  const sources = made.sourcesOf(plan);
  const start = ticksAt(at);
  for (const source of sources) source.seek(start);
  const piece = new Uint8Array(PIECE_PACKETS * PACKET);
  let length = 0;
  for (;;) {
    const next = sources.reduce((first, other) => (other.due < first.due ? other : first));
    if (next.due >= start + seconds * TICKS_PER_SECOND) break;
    next.emit(piece, length);
    length += PACKET;
    if (length < piece.length) continue;
    yield piece;
    length = 0;
  }
  yield piece.subarray(0, length);
}

/** The same in copies of their own, one for each interval of so many ticks. */
export function* tableBeats(
  scenario: Scenario,
  plan: ChannelPlan,
  seconds: number,
  { at, ticks }: { at: BroadcastMs; ticks: number },
): Generator<Uint8Array> {
  const made = tables.get(scenario) ?? new Tables(scenario);
  tables.set(scenario, made);
  const sources = made.sourcesOf(plan);
  const start = ticksAt(at);
  for (const source of sources) source.seek(start);
  for (let end = start + ticks; end <= start + seconds * TICKS_PER_SECOND; end += ticks) {
    const packets: Uint8Array[] = [];
    for (;;) {
      const next = sources.reduce((first, other) => (other.due < first.due ? other : first));
      if (next.due >= end) break;
      const packet = new Uint8Array(PACKET);
      next.emit(packet, 0);
      packets.push(packet);
    }
    yield Buffer.concat(packets);
  }
}

/** Packets of the channel's tables only, without pictures and sound. */
export function tablePackets(scenario: Scenario, plan: ChannelPlan, seconds: number, at = AT): Uint8Array {
  const copies: Uint8Array[] = [];
  for (const piece of pieces(scenario, plan, seconds, at)) copies.push(piece.slice());
  return Buffer.concat(copies);
}

function pidsOf(packets: Uint8Array): Pid[] {
  const pids = new Set<number>();
  for (let at = 0; at < packets.length; at += PACKET) {
    pids.add((((packets[at + 1] ?? 0) & 0x1f) << 8) | (packets[at + 2] ?? 0));
  }
  return [...pids].map(pid);
}

/** Each section once per version. */
export function sectionsOf(bytes: Uint8Array): Section[] {
  const packets = new PacketFramer().feed(bytes);
  return [...new SectionDemux(pidsOf(packets), new SectionMemory()).feed(packets)];
}

/** Like `sectionsOf`, for a range that is too long to be held in memory: the channel stays tuned. */
export function* sectionsThrough(
  scenario: Scenario,
  plan: ChannelPlan,
  seconds: number,
  at = AT,
): Generator<Section> {
  const everywhere = Array.from({ length: NULL_PID }, (_, number) => pid(number));
  const demux = new SectionDemux(everywhere, new SectionMemory());
  for (const piece of pieces(scenario, plan, seconds, at)) yield* demux.feed(piece);
}
