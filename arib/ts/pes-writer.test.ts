import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { pid } from '../ids.ts';
import { continuityCounter, PACKET_SIZE, packetPid, startsUnit } from './packet.ts';
import { PesAssembler } from './pes.ts';
import { packetizePes } from './pes-writer.ts';

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
