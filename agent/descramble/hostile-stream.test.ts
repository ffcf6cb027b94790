/** Streams with invalid tables and ECMs: the other programme is descrambled completely, in bounded time and memory. */
import { expect, test } from 'bun:test';
import { packetPid } from '../../lib/arib/ts/packet.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { keysOf, scrambledStream, TEST_SYSTEM } from '../../test/scrambled-stream.ts';
import { caDescriptor, longSection, pmtSection, StreamBuilder } from '../../test/stream-builder.ts';
import { type CardSystem, KeyFailure } from './key-source.ts';
import { Multi2Decryptor } from './multi2-decryptor.ts';
import { StreamDescrambler } from './stream-descrambler.ts';

const SYSTEM: CardSystem = { ...TEST_SYSTEM, source: 'test reader' };
const GOOD = { number: 101, pmtPid: 0x1f0, ecmPid: 0x300, streams: [0x100, 0x110], seed: 1 };
const BAD = { number: 102, pmtPid: 0x1f1, ecmPid: 0x301, streams: [0x120], seed: 2 };
const PACKET = 188;
const ECM_BYTES = 21;
const CAT_TABLE_ID = 0x01;
const CAT_PID = 1;
/** Four seconds, by the simulated clock. */
const STREAM = scrambledStream({ programs: [GOOD, BAD], periods: 4, rounds: 500 });
const MS_A_PACKET = 4_000 / (STREAM.clear.length / PACKET);

const ecm = (body: readonly number[]): Uint8Array => longSection({ tableId: 0x82, extension: 0, body });
const octets = (length: number, seed: number): number[] =>
  Array.from({ length }, (_, index) => (index * 7 + seed * 13) & 0xff);

/** The stream with the packets of one PID replaced. @param sections of its n-th packet */
function replaced(pid: number, sections: (count: number) => readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const builder = new StreamBuilder();
  let count = 0;
  for (let at = 0; at < STREAM.scrambled.length; at += PACKET) {
    if (packetPid(STREAM.scrambled, at) !== pid) {
      parts.push(STREAM.scrambled.subarray(at, at + PACKET));
      continue;
    }
    const before = builder.length;
    for (const section of sections(count))
      builder.sections(section[0] === CAT_TABLE_ID ? CAT_PID : pid, section);
    parts.push(builder.bytes().subarray(before * PACKET));
    count += 1;
  }
  return new Uint8Array(Buffer.concat(parts));
}

function only(bytes: Uint8Array, pids: readonly number[]): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at + PACKET <= bytes.length; at += PACKET)
    if (pids.includes(packetPid(bytes, at))) parts.push(bytes.subarray(at, at + PACKET));
  return Buffer.concat(parts);
}

async function descrambled(bytes: Uint8Array) {
  const parts: Uint8Array[] = [];
  let now = monotonicMs(0);
  let asked = 0;
  let open = 0;
  let mostOpen = 0;
  const descrambler = new StreamDescrambler({
    source: {
      system: async () => SYSTEM,
      keys: async (message) => {
        asked += 1;
        open += 1;
        mostOpen = Math.max(mostOpen, open);
        await Promise.resolve();
        open -= 1;
        if (message.length !== ECM_BYTES) throw new KeyFailure('card_error', 'no ECM');
        return { ...keysOf(message), system: SYSTEM };
      },
    },
    clock: () => now,
    output: (packets) => parts.push(packets.slice()),
    onChange: () => {},
  });
  const piece = PACKET * 50;
  for (let at = 0; at < bytes.length; at += piece) {
    now = monotonicMs((at / PACKET) * MS_A_PACKET);
    descrambler.feed(bytes.slice(at, at + piece));
    // The stream's time does not advance while the module is compiled: compilation starts and ends after the descrambler's own.
    if (at === 0) await Multi2Decryptor.create(SYSTEM);
    await Bun.sleep(0);
  }
  now = monotonicMs(10_000);
  descrambler.flush();
  descrambler.close();
  return { received: new Uint8Array(Buffer.concat(parts)), asked, mostOpen };
}

const pmtOfBad = (ecmPid: number): Uint8Array =>
  pmtSection(BAD.number, {
    pcrPid: 0x120,
    descriptors: caDescriptor(TEST_SYSTEM.caSystemId, ecmPid),
    streams: [{ type: 0x02, pid: 0x120 }],
  });

const ROWS: readonly (readonly [string, () => Uint8Array])[] = [
  ['ECMs without a message', () => replaced(0x301, () => [ecm([])])],
  ['ECMs of one and two octets', () => replaced(0x301, (count) => [ecm(octets((count % 2) + 1, count))])],
  ['truncated ECMs', () => replaced(0x301, (count) => [ecm(octets(3 + (count % 18), count))])],
  ['oversized ECMs', () => replaced(0x301, (count) => [ecm(octets(300 + ((count * 97) % 3_700), count))])],
  ['ECMs with a wrong checksum', () => replaced(0x301, () => [ecm(octets(ECM_BYTES, 1)).fill(0, 30)])],
  [
    'a thousand different ECMs a second',
    () =>
      replaced(0x301, (count) =>
        Array.from({ length: 20 }, (_, index) => ecm(octets(ECM_BYTES, count * 20 + index))),
      ),
  ],
  ['an ECM PID on which nothing is sent', () => replaced(0x301, () => [])],
  ['a PMT whose ECM PID is the PID of its video', () => replaced(0x1f1, () => [pmtOfBad(0x120)])],
  ['a PMT whose ECM PID is the PAT', () => replaced(0x1f1, () => [pmtOfBad(0)])],
  ['a PMT whose ECM PID is the PMT', () => replaced(0x1f1, () => [pmtOfBad(0x1f1)])],
  [
    'a PMT whose ECM PID is missing and changes each time',
    () => replaced(0x1f1, (count) => [pmtOfBad(0x800 + (count % 0x400))]),
  ],
  ['a programme in the PAT without a PMT', () => replaced(0x1f1, () => [])],
  [
    'a CAT that names missing PIDs',
    () =>
      replaced(0x1f1, () => [
        pmtOfBad(0x301),
        longSection({
          tableId: CAT_TABLE_ID,
          extension: 0xffff,
          body: caDescriptor(TEST_SYSTEM.caSystemId, 0x7ff),
        }),
      ]),
  ],
];

test.each(ROWS)('%s', async (_, make) => {
  const bytes = make();
  const { received, asked, mostOpen } = await descrambled(bytes);
  expect(received.length).toBe(bytes.length);
  const good = [0x100, 0x110];
  const wanted = only(STREAM.clear, good);
  const got = only(received, good);
  expect(got.length).toBe(wanted.length);
  // Its own ECMs are read while the tables are incomplete, but packets before them may have been given up.
  const half = Math.floor(wanted.length / 2 / PACKET) * PACKET;
  expect(Buffer.compare(got.subarray(half), wanted.subarray(half))).toBe(0);
  expect(mostOpen).toBeLessThanOrEqual(2);
  expect(asked).toBeLessThan(1_000);
});
