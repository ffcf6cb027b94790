/** The tables of a channel as they are sent, cut into sections by our own demultiplexer. */
import { pid } from '../../arib/ids.ts';
import { type EpochMs, epochMs } from '../../arib/time.ts';
import { PacketFramer } from '../../arib/ts/framer.ts';
import { type Section, SectionDemux } from '../../arib/ts/section.ts';
import { SectionMemory } from '../../arib/ts/section-memory.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { ticksAt } from '../../synth/clock.ts';
import { tableSources } from '../../synth/mux/tables.ts';
import { placeChannel } from '../../synth/scenario/layout.ts';
import type { ChannelPlan, Scenario } from '../../synth/scenario/model.ts';

export const AT: EpochMs = epochMs(Date.UTC(2026, 10, 20, 12, 0, 0));
const TICKS_PER_SECOND = 90_000;
const PACKET = 188;

/** The packets of a channel's tables, one after another: no pictures, no sound, nothing between. */
export function tablePackets(scenario: Scenario, plan: ChannelPlan, seconds: number, at = AT): Uint8Array {
  const sources = tableSources(scenario, placeChannel(plan), (other) => eventStations(scenario, other));
  const start = ticksAt(at);
  for (const source of sources) source.seek(start);
  const packets: Uint8Array[] = [];
  for (;;) {
    const next = sources.reduce((first, other) => (other.due < first.due ? other : first));
    if (next.due >= start + seconds * TICKS_PER_SECOND) break;
    const packet = new Uint8Array(PACKET);
    next.emit(packet, 0);
    packets.push(packet);
  }
  const bytes = new Uint8Array(packets.length * PACKET);
  for (const [index, packet] of packets.entries()) bytes.set(packet, index * PACKET);
  return bytes;
}

/** Each section once, until it changes. */
export function sectionsOf(bytes: Uint8Array): Section[] {
  const packets = new PacketFramer().feed(bytes);
  const pids = new Set<number>();
  for (let at = 0; at < packets.length; at += PACKET) {
    pids.add((((packets[at + 1] ?? 0) & 0x1f) << 8) | (packets[at + 2] ?? 0));
  }
  return [...new SectionDemux([...pids].map(pid), new SectionMemory()).feed(packets)];
}
