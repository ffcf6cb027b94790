import { expect, test } from 'bun:test';
import { type ServiceId, serviceId } from '../../lib/arib/ids.ts';
import { PACKET_SIZE, packetPid } from '../../lib/arib/ts/packet.ts';
import { patSection, pesPacket, pmtSection, StreamBuilder } from '../../test/stream-builder.ts';
import { type IntraPicture, StillReader } from './still-reader.ts';

const MAIN = serviceId(101);
const SUB = serviceId(102);
const RADIO = serviceId(103);
const VIDEO = { [MAIN]: 0x100, [SUB]: 0x200 };
const SEQUENCE = [0, 0, 1, 0xb3, 0x14, 0x00, 0xf0, 0x23];
const PICTURE = [0, 0, 1, 0x00, 0, 0x08, 0, 0];

/** An elementary stream of one PES packet; longer than one TS packet. */
function unit(mark: number, isIntra: boolean): number[] {
  return [...(isIntra ? SEQUENCE : []), ...PICTURE, ...new Array<number>(400).fill(mark)];
}

const pes = (data: number[], pts: number): Uint8Array =>
  pesPacket({ streamId: 0xe0, pts, data: Uint8Array.from(data) });

function tables(builder: StreamBuilder): StreamBuilder {
  const streams = (pid: number) => ({ pcrPid: pid, streams: [{ type: 0x02, pid }] });
  return builder
    .sections(
      0,
      patSection(1, [
        [MAIN, 0x1f0],
        [SUB, 0x1f1],
        [RADIO, 0x1f2],
      ]),
    )
    .sections(0x1f0, pmtSection(MAIN, streams(VIDEO[MAIN] ?? 0)))
    .sections(0x1f1, pmtSection(SUB, streams(VIDEO[SUB] ?? 0)))
    .sections(0x1f2, pmtSection(RADIO, { pcrPid: 0x300, streams: [{ type: 0x0f, pid: 0x300 }] }));
}

/** A predicted picture, then an intra picture and what follows it, of both stations. */
function broadcast(): Uint8Array {
  const builder = tables(new StreamBuilder());
  for (const [at, isIntra] of [false, true, false, false, false].entries())
    for (const pid of Object.values(VIDEO)) builder.pes(pid, pes(unit(pid / 16 + at, isIntra), at * 3_003));
  return builder.take();
}

/** Packet by packet: a table is read from the packet after the one that named it on. */
function feedAll(reader: StillReader, bytes: Uint8Array): IntraPicture[] {
  return Array.from({ length: bytes.length / PACKET_SIZE }, (_, at) =>
    reader.feed(bytes.subarray(at * PACKET_SIZE, (at + 1) * PACKET_SIZE)),
  ).flat();
}

function read(bytes: Uint8Array, wanted: ServiceId[]): { pictures: IntraPicture[]; reader: StillReader } {
  const reader = new StillReader(wanted);
  return { pictures: feedAll(reader, bytes), reader };
}

test('the first intra picture of each wanted station, with its follower, as elementary stream', () => {
  const { pictures, reader } = read(broadcast(), [MAIN, SUB]);
  expect(pictures.map(({ serviceId: id, kind }) => [id, kind])).toEqual([
    [MAIN, 'mpeg2'],
    [SUB, 'mpeg2'],
  ]);
  expect([...(pictures[0]?.bytes ?? [])]).toEqual([...unit(0x11, true), ...unit(0x12, false)]);
  expect(reader.complete).toBe(true);
});

test('selects only what it needs, and nothing of a station that is done', () => {
  const selections: number[][] = [];
  const reader = new StillReader([SUB], (pids) => void selections.push([...pids]));
  feedAll(reader, broadcast());
  expect(selections).toEqual([[0], [0, 0x1f1], [0, 0x1f1, 0x200], [0, 0x1f1]]);
});

test('a scrambled station and one without video have no picture', () => {
  const bytes = broadcast();
  for (let at = 0; at < bytes.length; at += PACKET_SIZE)
    if (packetPid(bytes, at) === VIDEO[MAIN]) (bytes[at + 3] as number) |= 0x80;
  const { pictures, reader } = read(bytes, [MAIN, RADIO]);
  expect(pictures).toEqual([]);
  expect(reader.complete).toBe(false);
});

test('a picture with a lost packet is passed over', () => {
  const bytes = broadcast();
  const packets = Array.from({ length: bytes.length / PACKET_SIZE }, (_, at) =>
    bytes.subarray(at * PACKET_SIZE, (at + 1) * PACKET_SIZE),
  );
  const ofMain = packets.filter((packet) => packetPid(packet, 0) === VIDEO[MAIN]);
  const second = ofMain.length / 5 + 1;
  const left = packets.filter((packet) => packet !== ofMain[second]);
  expect(read(new Uint8Array(Buffer.concat(left)), [MAIN]).pictures).toEqual([]);
});
