/**
 * Other content of a whole channel: references and maps at the measured intervals, a PES stream that no map
 * names.
 */
import { beforeAll, expect, test } from 'bun:test';
import { STC_ZERO } from '../../synth/clock.ts';
import { UNREFERENCED_PID } from '../../synth/scenario/layout.ts';
import { MINI } from '../../synth/scenario/mini.ts';
import { PACKET, type Packet, packetsOf, tune } from './tuning.ts';

const SECONDS = 10;
let stream: Uint8Array;
let packets: Packet[];
beforeAll(async () => {
  expect(MINI.channels[0]?.unreferencedPes).toBe(true);
  stream = await tune({ type: 'GR', channel: 'T27', at: STC_ZERO + 60_000_000, seconds: SECONDS });
  packets = [...packetsOf(stream)];
});

/** Average time between two of these packets, ms. */
function period(isOne: (packet: Packet) => boolean): number {
  const at = packets.filter(isOne).map((packet) => (packet.at / stream.length) * SECONDS * 1000);
  return ((at.at(-1) ?? 0) - (at[0] ?? 0)) / (at.length - 1);
}

test('clock references and one-segment maps come as often as measured', () => {
  expect(period(({ pid, pcr }) => pid === 0x1ff && pcr !== undefined)).toBeWithin(56, 58);
  expect(period(({ pid, pcr }) => pid === 0x3ff && pcr !== undefined)).toBeWithin(223, 227);
  expect(period(({ pid, begins }) => pid === 0x1fc8 && begins)).toBeWithin(495, 505);
  expect(period(({ pid, begins }) => pid === 0x24 && begins)).toBeWithin(990, 1_010);
  expect(period(({ pid, begins }) => pid === 0x11 && begins)).toBeWithin(1_980, 2_020);
});

test('a PES stream that no map names comes once a second', () => {
  const own = packets.filter(({ pid, begins }) => pid === UNREFERENCED_PID && begins);
  expect(own.length).toBeWithin(SECONDS - 1, SECONDS + 2);
  for (const { payload, at } of own) {
    // packet_start_code_prefix, private_stream_2.
    expect([...stream.subarray(payload, payload + 4)]).toEqual([0, 0, 1, 0xbf]);
    expect(payload).toBeLessThan(at + PACKET);
  }
});
