/**
 * A scrambled transport stream with its clear original: crypto periods, ECMs that announce the next key,
 * several programmes. The ECMs of tests contain their keys in clear, so that an emulated card can respond
 * without a secret.
 */
import { scheduleKeys } from '../lib/arib/conditional/multi2.ts';
import { encryptPayload } from './multi2.ts';
import {
  caDescriptor,
  longSection,
  PACKET,
  patSection,
  pmtSection,
  StreamBuilder,
} from './stream-builder.ts';

export const TEST_SYSTEM = {
  caSystemId: 0x0005,
  systemKey: Uint8Array.from({ length: 32 }, (_, index) => (index * 37 + 11) & 0xff),
  initialValue: Uint8Array.from([0xfe, 0x27, 0x19, 0x99, 0x19, 0x69, 0x09, 0x11].map((byte) => byte ^ 0x5a)),
};

/** The test key of a crypto period. */
export function testKey(seed: number, period: number): Uint8Array {
  return Uint8Array.from({ length: 8 }, (_, index) => (seed * 73 + period * 151 + index * 29 + 7) & 0xff);
}

/**
 * Period n uses the odd key if n is odd. This ECM, sent from the middle of period n to the middle of the next
 * one, carries the keys of both. @param cycle number of periods after which the first one follows again
 */
export function ecmMessage(seed: number, period: number, cycle?: number): Uint8Array {
  const next = cycle === period ? 1 : period + 1;
  const [odd, even] = period % 2 === 1 ? [period, next] : [next, period];
  return Uint8Array.from([0x00, 0x01, 0x02, ...testKey(seed, odd), ...testKey(seed, even), 0xaa, 0xbb]);
}

/** The card's response to `ecmMessage`. */
export function keysOf(message: Uint8Array): { odd: Uint8Array; even: Uint8Array } {
  return { odd: message.slice(3, 11), even: message.slice(11, 19) };
}

export interface TestProgram {
  number: number;
  pmtPid: number;
  /** Null: not scrambled. */
  ecmPid: number | null;
  streams: readonly number[];
  seed: number;
}

export interface ScrambledOptions {
  programs: readonly TestProgram[];
  periods: number;
  /** Rounds of one packet per stream, in each period. */
  rounds: number;
  /** Rounds between two repetitions of tables and ECMs. */
  tablesEvery?: number;
  caSystemId?: number;
  /**
   * The last period is followed by the first one, so that the stream can be repeated endlessly. Requires an
   * even number of periods.
   */
  cyclic?: boolean;
}

export interface ScrambledStream {
  scrambled: Uint8Array;
  clear: Uint8Array;
  /** Offsets at which the crypto periods begin. */
  periodStarts: number[];
  /** Offsets at which the ECMs change, in the middle of each period. */
  ecmChanges: number[];
}

const ECM_TABLE_ID = 0x82;

export function scrambledStream(options: ScrambledOptions): ScrambledStream {
  const { programs, periods, rounds, tablesEvery = 10, caSystemId = TEST_SYSTEM.caSystemId } = options;
  const cycle = options.cyclic === true ? periods : undefined;
  const clear = new StreamBuilder();
  const marks: { offset: number; seed: number; period: number }[] = [];
  const periodStarts: number[] = [];
  const ecmChanges: number[] = [];
  for (let period = 1; period <= periods; period += 1) {
    periodStarts.push(clear.length * PACKET);
    for (let round = 0; round < rounds; round += 1) {
      if (round === Math.ceil(rounds / 2)) ecmChanges.push(clear.length * PACKET);
      const before = period === 1 ? (cycle ?? 0) : period - 1;
      const messageOf = (seed: number): Uint8Array =>
        ecmMessage(seed, round < rounds / 2 ? before : period, cycle);
      if (round % tablesEvery === 0) writeTables(clear, programs, messageOf, caSystemId);
      for (const program of programs) {
        for (const pid of program.streams) {
          const payload = new Uint8Array(round % 7 === 3 ? 100 + (round % 80) : 184);
          for (let index = 0; index < payload.length; index += 1)
            payload[index] = index * 3 + round * 5 + period + pid;
          if (program.ecmPid !== null) {
            marks.push({ offset: clear.length * PACKET, seed: program.seed, period });
          }
          clear.packet(pid, { payload });
        }
      }
    }
  }
  const plain = clear.bytes();
  const scrambled = plain.slice();
  const schedules = new Map<string, ReturnType<typeof scheduleKeys>>();
  for (const { offset, seed, period } of marks) {
    const name = `${seed} ${period}`;
    const work = schedules.get(name) ?? scheduleKeys(TEST_SYSTEM.systemKey, testKey(seed, period));
    schedules.set(name, work);
    scramble(scrambled.subarray(offset, offset + PACKET), work, period);
  }
  return { scrambled, clear: plain, periodStarts, ecmChanges };
}

function writeTables(
  builder: StreamBuilder,
  programs: readonly TestProgram[],
  messageOf: (seed: number) => Uint8Array,
  caSystemId: number,
): void {
  builder.sections(
    0,
    patSection(
      1,
      programs.map(({ number, pmtPid }) => [number, pmtPid] as const),
    ),
  );
  for (const { number, pmtPid, ecmPid, streams, seed } of programs) {
    const descriptors = ecmPid === null ? [] : caDescriptor(caSystemId, ecmPid);
    const listed = streams.map((pid) => ({ type: 0x02, pid }));
    builder.sections(
      pmtPid,
      pmtSection(number, { pcrPid: streams[0] ?? 0x1fff, descriptors, streams: listed }),
    );
    if (ecmPid === null) continue;
    builder.sections(
      ecmPid,
      longSection({ tableId: ECM_TABLE_ID, extension: 0, body: [...messageOf(seed)] }),
    );
  }
}

function scramble(packet: Uint8Array, work: ReturnType<typeof scheduleKeys>, period: number): void {
  const flags = packet[3] as number;
  const header = (flags & 0x20) !== 0 ? 5 + (packet[4] as number) : 4;
  encryptPayload(packet.subarray(header), work, TEST_SYSTEM.initialValue);
  packet[3] = flags | (period % 2 === 1 ? 0xc0 : 0x80);
}
