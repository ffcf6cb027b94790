/**
 * Reading a guide, compared with a peer and for repeated sections: the EIT sections of a day of the synthetic
 * broadcaster, first seen, all descriptors and texts decoded, beside `@chinachu/aribts` doing the same; and the same
 * sections sent again, in packets. `bun test/bench/si.ts`. Ends with 1 when a figure is under its limit.
 *
 * The work is done in pieces of some 100 KB; a row is the sum of the best times of its pieces over some seconds,
 * so that other work on the machine costs little. A rate counts the octets of whole sections (packets, where it
 * reads packets); MB is a million.
 */

import { createRequire } from 'node:module';
import { pid } from '../../lib/arib/ids.ts';
import { EIT_PID, parseEit } from '../../lib/arib/si/eit.ts';
import { broadcastEvent } from '../../lib/arib/si/event.ts';
import { readSection, SectionDemux, SectionMemory } from '../../lib/arib/ts/section.ts';
import { StreamBuilder } from '../stream-builder.ts';
import { guideSections } from './streams/guide-sections.ts';

const MEGABYTE = 1_000_000;
const PIECE = 100_000;
const ROW_SECONDS = 6;
const ROUNDS = 5;
const PACKET = 188;
const FIRST_SEEN_RATE = 75;
const PEER_RATIO = 3;
const REPEATED_RATE = 1000;

interface PeerDescriptor {
  readonly descriptor_tag: number;
  readonly ISO_639_language_code?: Buffer;
  readonly event_name_char?: Buffer;
  readonly text_char?: Buffer;
  readonly items?: readonly { readonly item_description_char: Buffer; readonly item_char: Buffer }[];
}
interface PeerEit {
  readonly events: readonly { readonly descriptors: readonly PeerDescriptor[] }[];
}
const { TsChar, tsTable } = createRequire(import.meta.url)('@chinachu/aribts') as {
  TsChar: new (bytes: Buffer) => { decode(): string };
  tsTable: { TsTableEit: { decode(section: Buffer): PeerEit | null } };
};

/** Totals of what was read, to check that both did the same and that nothing is optimised away. */
interface Tally {
  events: number;
  /** UTF-16 code units of names, texts and item bodies. */
  units: number;
}

function readOurs(section: Uint8Array, tally: Tally): void {
  const read = readSection(section);
  const eit = read === undefined ? undefined : parseEit(read);
  if (eit === undefined) throw new Error('a section was not read');
  for (const each of eit.events) {
    const event = broadcastEvent(each);
    tally.events++;
    tally.units += event.name.length + event.text.length;
    for (const item of event.extended) tally.units += item[1].length;
  }
}

function peerText(bytes: Buffer): string {
  return new TsChar(bytes).decode();
}

function readPeers(section: Buffer, tally: Tally): void {
  const eit = tsTable.TsTableEit.decode(section);
  if (eit === null) throw new Error('the peer did not read a section');
  for (const event of eit.events) {
    tally.events++;
    for (const item of joinedItems(event.descriptors)) tally.units += peerText(item).length;
    for (const { event_name_char, text_char, items } of event.descriptors) {
      if (event_name_char !== undefined) tally.units += peerText(event_name_char).length;
      if (text_char === undefined || text_char.length === 0 || items !== undefined) continue;
      const text = peerText(text_char);
      if (event_name_char !== undefined) tally.units += text.length;
    }
  }
}

/** The bodies of an event's items; their headings are decoded on the way. */
function joinedItems(descriptors: readonly PeerDescriptor[]): Buffer[] {
  const bodies: Buffer[][] = [];
  for (const { items } of descriptors) {
    for (const { item_description_char, item_char } of items ?? []) {
      const last = bodies.at(-1);
      if (item_description_char.length === 0 && last !== undefined) last.push(item_char);
      else {
        peerText(item_description_char);
        bodies.push([item_char]);
      }
    }
  }
  return bodies.map((pieces) => Buffer.concat(pieces));
}

/** Splits the items into runs of about PIECE bytes. @returns the end indexes */
function pieceEnds(sizes: readonly number[]): number[] {
  const ends: number[] = [];
  let octets = 0;
  for (const [index, size] of sizes.entries()) {
    octets += size;
    if (octets < PIECE && index < sizes.length - 1) continue;
    ends.push(index + 1);
    octets = 0;
  }
  return ends;
}

/** MB/s at which `read` reads all items of these sizes. */
function measure(sizes: readonly number[], read: (index: number) => void): number {
  const ends = pieceEnds(sizes);
  const best: number[] = ends.map(() => Number.POSITIVE_INFINITY);
  const until = performance.now() + ROW_SECONDS * 1000;
  for (let round = 0; round < ROUNDS || performance.now() < until; round++) {
    let index = 0;
    for (const [piece, end] of ends.entries()) {
      const from = performance.now();
      for (; index < end; index++) read(index);
      best[piece] = Math.min(best[piece] ?? 0, performance.now() - from);
    }
  }
  const milliseconds = best.reduce((sum, each) => sum + each, 0);
  return sizes.reduce((sum, each) => sum + each, 0) / MEGABYTE / (milliseconds / 1000);
}

function show(name: string, rate: number, note = ''): void {
  console.log(`  ${name.padEnd(58)} ${rate.toFixed(0).padStart(6)} MB/s  ${note}`);
}

/**
 * Both read the same events; texts differ where the peer handles line ends or fragments of symbols
 * differently.
 */
function verify(sections: readonly Uint8Array[], buffers: readonly Buffer[]): void {
  const ours: Tally = { events: 0, units: 0 };
  const peers: Tally = { events: 0, units: 0 };
  for (const section of sections) readOurs(section, ours);
  for (const buffer of buffers) readPeers(buffer, peers);
  if (ours.events === 0 || ours.events !== peers.events || Math.abs(ours.units / peers.units - 1) > 0.02) {
    throw new Error(`the readers disagree: ${JSON.stringify({ ours, peers })}`);
  }
  console.log(`  ${ours.events} events, ${ours.units} characters`);
}

function measureRepeated(sections: readonly Uint8Array[]): number {
  const builder = new StreamBuilder();
  for (const section of sections) builder.sections(EIT_PID, section);
  const bytes = builder.bytes();
  const demux = new SectionDemux([pid(EIT_PID)], new SectionMemory());
  if (demux.feed(bytes).length !== sections.length) throw new Error('not every section is new at first');
  const step = 32 * PACKET;
  const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, n) =>
    bytes.subarray(n * step, (n + 1) * step),
  );
  let given = 0;
  const rate = measure(
    chunks.map((chunk) => chunk.length),
    (index) => {
      given += demux.feed(chunks[index] ?? bytes).length;
    },
  );
  if (given > 0) throw new Error(`${given} sections were given again`);
  return rate;
}

const sections = guideSections();
const buffers = sections.map((section) => Buffer.from(section));
const sizes = sections.map((section) => section.length);
const total = sizes.reduce((sum, size) => sum + size, 0);
console.log(`${sections.length} EIT sections, ${(total / MEGABYTE).toFixed(1)} MB`);
verify(sections, buffers);
const tally: Tally = { events: 0, units: 0 };
const none = new Uint8Array(0);
const noBuffer = Buffer.alloc(0);
const peer = measure(sizes, (index) => readPeers(buffers[index] ?? noBuffer, tally));
show('peer: TsTableEit and TsChar', peer);
const own = measure(sizes, (index) => readOurs(sections[index] ?? none, tally));
show('first seen: CRC, descriptors, texts, events', own, `(at least ${FIRST_SEEN_RATE})`);
const repeated = measureRepeated(sections);
show('sent again, out of packets', repeated, `(at least ${REPEATED_RATE})`);
console.log(`  ${(own / peer).toFixed(1)} times the peer (at least ${PEER_RATIO})`);
if (own < FIRST_SEEN_RATE || own / peer < PEER_RATIO || repeated < REPEATED_RATE) {
  console.log('  a figure is under its limit');
  process.exitCode = 1;
}
