import { describe, expect, test } from 'bun:test';
import { pid } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { PACKET_SIZE, packetPid, startsUnit } from '../../lib/arib/ts/packet.ts';
import { pesPacket, StreamBuilder } from '../../test/stream-builder.ts';
import { TimeGuard } from './time-guard.ts';

const SOUND = pid(0x110);
const OTHER = pid(0x120);
const SECOND = 90_000;
const WRAP = 2 ** 33;

/** A PES packet of three transport packets. */
function unit(time: number, on = SOUND, decode?: number): Uint8Array {
  const dts = decode === undefined ? {} : { dts: decode };
  const data = new Uint8Array(450).fill(0x55);
  return new StreamBuilder().pes(on, pesPacket({ streamId: 0xc0, pts: time % WRAP, ...dts, data })).bytes();
}

/** Result of each PES packet: passed completely (3), dropped (0), or `jump`. */
function verdicts(units: Uint8Array[]): (number | 'jump')[] {
  const guard = new TimeGuard([SOUND]);
  return units.map((packets) => {
    const given = guard.feed(packets);
    return given === 'jump' ? given : given.length / PACKET_SIZE;
  });
}

const at = (...seconds: number[]): Uint8Array[] => seconds.map((time) => unit(time * SECOND));

describe('TimeGuard', () => {
  test('passes a continuous stream as the same array, also across the wrap of the clock', () => {
    const packets = unit(100);
    expect(new TimeGuard([SOUND]).feed(packets)).toBe(packets);
    expect(verdicts(at(10, 10.1, 10.06, 10.2))).toEqual([3, 3, 3, 3]);
    expect(verdicts([unit(WRAP - 9000), unit(WRAP), unit(9000)])).toEqual([3, 3, 3]);
  });

  test('drops each access unit with a wrong time stamp completely, however often that happens', () => {
    expect(verdicts(at(10, 9000, 10.1, 0, 10.2, 70_000, 30_000, 10.3))).toEqual([3, 0, 3, 0, 3, 0, 0, 3]);
    expect(verdicts([unit(SECOND, SOUND, SECOND), unit(SECOND, SOUND, 900 * SECOND)])).toEqual([3, 0]);
  });

  test('continues after a loss of reception, and reports other discontinuities as a jump', () => {
    expect(verdicts(at(10, 15, 15.1, 15.2))).toEqual([3, 0, 3, 3]);
    expect(verdicts(at(10, 500, 500.1))).toEqual([3, 0, 'jump']);
    expect(verdicts(at(10, 5, 5.1))).toEqual([3, 0, 'jump']);
  });

  test('leaves other streams unchanged and drops damaged packets of any stream', () => {
    const damaged = unit(0, OTHER);
    damaged[PACKET_SIZE + 1] = (damaged[PACKET_SIZE + 1] ?? 0) | 0x80;
    const guard = new TimeGuard([SOUND]);
    guard.feed(unit(10 * SECOND));
    const given = guard.feed(joinBytes([unit(0, OTHER), unit(9000 * SECOND), damaged]));
    if (given === 'jump') throw new Error('jump');
    const kept = Array.from({ length: given.length / PACKET_SIZE }, (_, index) => index * PACKET_SIZE);
    expect(kept.map((offset) => packetPid(given, offset))).toEqual([OTHER, OTHER, OTHER, OTHER, OTHER]);
    expect(kept.map((offset) => startsUnit(given, offset))).toEqual([true, false, false, true, false]);
  });
});
