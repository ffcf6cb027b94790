import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { adaptation, pesPacket, StreamBuilder } from '../../../test/stream-builder.ts';
import { pid } from '../ids.ts';
import { pts90k } from '../time.ts';
import { continuityCounter, PACKET_SIZE, packetPid, startsUnit } from './packet.ts';
import { PesAssembler, type PesPacket, packetizePes, readPes } from './pes.ts';

function data(length: number, seed = 0): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 7 + seed) & 0xff);
}

function assemble(builder: StreamBuilder, assembler = new PesAssembler()): PesPacket[] {
  const bytes = builder.bytes();
  const packets: PesPacket[] = [];
  for (let at = 0; at < bytes.length; at += 188) packets.push(...assembler.feed(bytes, at));
  packets.push(...assembler.flush());
  return packets;
}

describe('a PES packet', () => {
  test('is read field by field', () => {
    const bytes = Uint8Array.of(
      0x00, // packet_start_code_prefix
      0x00,
      0x01,
      0xe0, // stream_id: video
      0x00, // PES_packet_length 15
      0x0f,
      0x84, // '10', not scrambled, no priority, data_alignment_indicator 1
      0xc0, // PTS_DTS_flags 11
      0x0a, // PES_header_data_length 10
      0x3f, // '0011', PTS bits 32 to 30 = 111, marker
      0xff, // PTS bits 29 to 22
      0xff, // PTS bits 21 to 15, marker
      0xff, // PTS bits 14 to 7
      0xfd, // PTS bits 6 to 0 = 1111110, marker
      0x11, // '0001', DTS bits 32 to 30 = 000, marker
      0x00, // DTS bits 29 to 22
      0x03, // DTS bits 21 to 15 = 1, marker
      0x00, // DTS bits 14 to 7
      0x05, // DTS bits 6 to 0 = 2, marker
      0xaa, // PES_packet_data_byte
      0xbb,
    );
    expect(readPes(bytes)).toEqual({
      streamId: 0xe0,
      pts: pts90k(2 ** 33 - 2),
      dts: pts90k(0x8002),
      aligned: true,
      data: Uint8Array.of(0xaa, 0xbb),
    });
  });

  test('of private_stream_2 has its data directly after the length', () => {
    expect(readPes(pesPacket({ streamId: 0xbf, data: [1, 2, 3] }))).toMatchObject({
      streamId: 0xbf,
      pts: undefined,
      data: Uint8Array.of(1, 2, 3),
    });
  });

  test('without its start code, its marker bits or its header is rejected', () => {
    const whole = pesPacket({ streamId: 0xc0, pts: 5, data: [1] });
    expect(readPes(whole.subarray(1))).toBeUndefined();
    expect(readPes(whole.subarray(0, 11))).toBeUndefined();
    expect(readPes(Uint8Array.from(whole, (octet, at) => (at === 6 ? 0x00 : octet)))).toBeUndefined();
  });
});

describe('PES packets are reassembled', () => {
  test('as soon as PES_packet_length is reached', () => {
    const bytes = new StreamBuilder()
      .pes(
        0x110,
        pesPacket({ streamId: 0xc0, pts: 900, data: data(500) }),
        adaptation({ randomAccess: true }),
      )
      .bytes();
    const assembler = new PesAssembler();
    const found: PesPacket[] = [];
    for (let at = 0; at < bytes.length; at += 188) found.push(...assembler.feed(bytes, at));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ streamId: 0xc0, pts: pts90k(900), dts: undefined, data: data(500) });
  });

  test('up to the next start when PES_packet_length is 0', () => {
    const builder = new StreamBuilder();
    const pictures = [20_000, 90_000, 300].map(data);
    for (const [n, picture] of pictures.entries()) {
      builder.pes(
        0x100,
        pesPacket({ streamId: 0xe0, pts: n * 3003, dts: n * 3000, unbounded: true, data: picture }),
      );
    }
    const packets = assemble(builder);
    expect(packets.map((packet) => packet.data)).toEqual(pictures);
    expect(packets.map(({ pts, dts }) => [pts, dts])).toEqual([
      [pts90k(0), pts90k(0)],
      [pts90k(3003), pts90k(3000)],
      [pts90k(6006), pts90k(6000)],
    ]);
  });

  test('without the octets after their length', () => {
    const pes = pesPacket({ streamId: 0xbd, pts: 1, data: data(20) });
    const payload = new Uint8Array(184).fill(0xff);
    payload.set(pes);
    expect(assemble(new StreamBuilder().packet(0x130, { start: true, payload }))[0]?.data).toEqual(data(20));
  });

  test('from the first payload_unit_start_indicator on', () => {
    const builder = new StreamBuilder().packet(0x110, { payload: data(184) });
    builder.pes(0x110, pesPacket({ streamId: 0xc0, pts: 1, data: data(10) }));
    expect(assemble(builder)).toHaveLength(1);
  });
});

describe('a PES packet is dropped', () => {
  const pes = pesPacket({ streamId: 0xc0, pts: 1, data: data(700) });
  const next = pesPacket({ streamId: 0xc0, pts: 2, data: data(30) });
  const packets = new StreamBuilder().pes(0x110, pes).pes(0x110, next).bytes();

  function lost(
    change: (packet: Uint8Array, index: number) => Uint8Array | undefined,
  ): [number, number, number] {
    const builder = new StreamBuilder();
    for (let at = 0; at < packets.length; at += 188) {
      const packet = change(packets.slice(at, at + 188), at / 188);
      if (packet !== undefined) builder.raw(packet);
    }
    const assembler = new PesAssembler();
    const found = assemble(builder, assembler);
    return [found.length, assembler.incompletePackets, assembler.invalidPackets];
  }

  test('not if nothing is wrong', () => {
    expect(lost((packet) => packet)).toEqual([2, 0, 0]);
  });

  test('if a packet is missing', () => {
    expect(lost((packet, index) => (index === 1 ? undefined : packet))).toEqual([1, 1, 0]);
  });

  test('if a packet is scrambled', () => {
    const scramble = (packet: Uint8Array): Uint8Array => packet.fill((packet[3] ?? 0) | 0x80, 3, 4);
    expect(lost((packet, index) => (index === 1 ? scramble(packet) : packet))).toEqual([1, 1, 0]);
  });

  test('if the next one starts too early', () => {
    const builder = new StreamBuilder().packet(0x110, { start: true, payload: pes.subarray(0, 184) });
    const assembler = new PesAssembler();
    expect(assemble(builder.pes(0x110, next), assembler)).toHaveLength(1);
    expect(assembler.incompletePackets).toBe(1);
  });

  test('if it is longer than the limit', () => {
    const builder = new StreamBuilder();
    builder.pes(0x100, pesPacket({ streamId: 0xe0, unbounded: true, pts: 1, data: data(5000) }));
    builder.pes(0x100, pesPacket({ streamId: 0xe0, unbounded: true, pts: 2, data: data(900) }));
    const assembler = new PesAssembler(1000);
    expect(assemble(builder, assembler).map((packet) => packet.pts)).toEqual([pts90k(2)]);
    expect(assembler.invalidPackets).toBe(1);
  });
});

const PID = pid(0x110);

/** stream_id 0xc0, length to be written, no optional fields. */
function pes(data: Uint8Array): Uint8Array {
  return Uint8Array.from([0x00, 0x00, 0x01, 0xc0, 0xee, 0xee, 0x80, 0x00, 0x00, ...data]);
}

test('a written PES packet is read back, whatever its size', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1200 }), fc.integer({ min: 0, max: 15 }), (data, counter) => {
      const packets = packetizePes(pes(data), PID, counter);
      const assembler = new PesAssembler();
      const read = [];
      for (let at = 0; at < packets.length; at += PACKET_SIZE) {
        expect(packetPid(packets, at)).toBe(PID);
        expect(startsUnit(packets, at)).toBe(at === 0);
        expect(continuityCounter(packets, at)).toBe((counter + at / PACKET_SIZE) & 15);
        read.push(...assembler.feed(packets, at));
      }
      expect(read.map((one) => [...one.data])).toEqual([[...data]]);
      expect(assembler.incompletePackets).toBe(0);
    }),
  );
});

test('every size around that of a TS packet is stuffed exactly', () => {
  for (let length = 0; length <= 400; length += 1) {
    const packets = packetizePes(pes(new Uint8Array(length).fill(0x55)), PID, 0);
    expect(packets.length).toBe(Math.ceil((length + 9) / 184) * PACKET_SIZE);
    const read = [];
    const assembler = new PesAssembler();
    for (let at = 0; at < packets.length; at += PACKET_SIZE) read.push(...assembler.feed(packets, at));
    expect([length, read[0]?.data.length]).toEqual([length, length]);
  }
});
