import { expect, test } from 'bun:test';
import { isBareDualMono } from '../../lib/arib/aac/dual-mono.ts';
import { pid } from '../../lib/arib/ids.ts';
import { continuityCounter, PACKET_SIZE, packetPid } from '../../lib/arib/ts/packet.ts';
import { PesAssembler, type PesPacket, packetizePes } from '../../lib/arib/ts/pes.ts';
import { DualMonoPackets } from './dual-mono.ts';

const AUDIO = pid(0x110);
const OTHER = pid(0x111);
const STEREO = 2;
const DUAL = 0;

/** An ADTS frame (AAC-LC, 48 kHz) of 200 octets whose payload begins with a channel pair or single channel element. */
function frame(channels: number): number[] {
  const length = 200;
  const head = [
    0xff,
    0xf9,
    0x4c,
    (channels << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
  ];
  return [...head, 0xfc, channels === DUAL ? 0x01 : 0x20, ...new Array<number>(length - 8).fill(0x5a)];
}

/** A PES packet of three frames with a PTS, in packets from `counter` on. */
function unit(channels: number, counter: number, on = AUDIO): Uint8Array {
  const frames = [...frame(channels), ...frame(channels), ...frame(channels)];
  const header = [0x00, 0x00, 0x01, 0xc0, 0x00, 0x00, 0x84, 0x80, 0x05, 0x21, 0x00, 0x01, 0x00, 0x01];
  return packetizePes(Uint8Array.from([...header, ...frames]), on, counter);
}

function counters(packets: Uint8Array, of: number): number[] {
  const found: number[] = [];
  for (let at = 0; at < packets.length; at += PACKET_SIZE) {
    if (packetPid(packets, at) === of) found.push(continuityCounter(packets, at));
  }
  return found;
}

test('audio that needs no change passes as the same array', () => {
  const packets = Uint8Array.from([...unit(STEREO, 0), ...unit(DUAL, 0, OTHER)]);
  expect(new DualMonoPackets([AUDIO]).feed(packets)).toBe(packets);
});

test('dual mono gets its configuration; times are kept and the continuity counter stays contiguous', () => {
  const layouts = [STEREO, DUAL, DUAL, STEREO, DUAL];
  const filter = new DualMonoPackets([AUDIO]);
  let counter = 14;
  const out: number[] = [];
  for (const channels of layouts) {
    const packets = unit(channels, counter);
    counter += packets.length / PACKET_SIZE;
    // Packet by packet, interleaved with another stream: the most difficult split.
    for (let at = 0; at < packets.length; at += PACKET_SIZE) {
      out.push(...filter.feed(packets.slice(at, at + PACKET_SIZE)), ...unit(STEREO, at / PACKET_SIZE, OTHER));
    }
  }
  const stream = Uint8Array.from(out);
  const seen = counters(stream, AUDIO);
  expect(seen).toEqual(seen.map((_, index) => (14 + index) & 15));
  const assembler = new PesAssembler();
  const read: PesPacket[] = [];
  for (let at = 0; at < stream.length; at += PACKET_SIZE) {
    if (packetPid(stream, at) === AUDIO) read.push(...assembler.feed(stream, at));
  }
  expect(read.map((one) => one.data.length)).toEqual(layouts.map((one) => 600 + (one === DUAL ? 21 : 0)));
  expect(read.every((one) => one.pts === read[0]?.pts && one.pts !== undefined)).toBe(true);
  expect(read.some((one) => isBareDualMono(one.data, 0))).toBe(false);
});
