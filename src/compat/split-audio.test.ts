import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  adaptation,
  crcOf,
  PACKET,
  patSection,
  pesPacket,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
} from '../../test/stream-builder.ts';
import { SplitAudio } from './split-audio.ts';

const PMT = 0x1f0;
const AUDIO = 0x110;
const SECOND = 0x111;
const VIDEO = 0x100;
const OUT = [0x1e10, 0x1e11] as const;

/** A frame of silence: one channel element with no bands, or two. */
function frame(elements: 'pair' | 'single' | 'singles', mark = 0): Uint8Array {
  // global_gain (8), ics_info of a long window with max_sfb 0 (11), no pulses, no TNS, no gain control (3).
  const channel = `${mark.toString(2).padStart(8, '0')}${'0'.repeat(11)}000`;
  const bits =
    elements === 'pair'
      ? `00100000${channel}${channel}111`
      : elements === 'single'
        ? `0000000${channel}111`
        : `0000000${channel}0000001${channel}111`;
  const payload = (bits.match(/.{1,8}/g) ?? []).map((octet) => Number.parseInt(octet.padEnd(8, '0'), 2));
  const length = 7 + payload.length;
  const configuration = { pair: 2, single: 1, singles: 0 }[elements];
  return Uint8Array.from([
    ...[0xff, 0xf9, 0x4c, (configuration << 6) | (length >> 11), (length >> 3) & 0xff],
    ...[((length & 7) << 5) | 0x1f, 0xfc, ...payload],
  ]);
}

class Station {
  readonly builder = new StreamBuilder();
  #version = 0;

  tables(audios: readonly number[], pcrPid = VIDEO): this {
    const streams = [
      { type: 0x02, pid: VIDEO },
      ...audios.map((pid, at) => ({ type: 0x0f, pid, descriptors: streamIdentifier(0x10 + at) })),
      { type: 0x06, pid: 0x130, descriptors: streamIdentifier(0x30) },
    ];
    this.builder.sections(0, patSection(1, [[1, PMT]]));
    this.builder.sections(PMT, pmtSection(1, { pcrPid, streams }, { version: this.#version }));
    this.#version += 1;
    return this;
  }

  pes(pid: number, data: Uint8Array, pts = 90_000): this {
    this.builder.pes(pid, pesPacket({ streamId: 0xc0, pts, data }));
    return this;
  }
}

interface Read {
  /** Complete payloads of PES packets and sections by PID. */
  readonly units: Map<number, Uint8Array[]>;
  readonly gaps: number;
}

/** Reads packets without the parsers of the product. */
function read(packets: Uint8Array): Read {
  const units = new Map<number, Uint8Array[]>();
  const counters = new Map<number, number>();
  let gaps = 0;
  for (let at = 0; at < packets.length; at += PACKET) {
    const octet = (index: number): number => packets[at + index] as number;
    expect(octet(0)).toBe(0x47);
    const pid = ((octet(1) & 0x1f) << 8) | octet(2);
    if ((octet(3) & 0x10) === 0) continue;
    const last = counters.get(pid);
    if (last !== undefined && ((last + 1) & 15) !== (octet(3) & 15)) gaps += 1;
    counters.set(pid, octet(3) & 15);
    const from = (octet(3) & 0x20) === 0 ? 4 : 5 + octet(4);
    const own = units.get(pid) ?? [];
    units.set(pid, own);
    const payload = packets.slice(at + from, at + PACKET);
    if ((octet(1) & 0x40) !== 0) own.push(payload);
    else own.push(Uint8Array.from([...(own.pop() ?? []), ...payload]));
  }
  return { units, gaps };
}

/** channel_configuration and global_gain of the frames in PES packets. */
function frames(units: readonly Uint8Array[] = []): [number, number][] {
  return units.flatMap((pes) => {
    const found: [number, number][] = [];
    let at = 9 + (pes[8] as number);
    const end = 6 + ((pes[4] as number) << 8) + (pes[5] as number);
    while (at < end) {
      const length =
        (((pes[at + 3] as number) & 3) << 11) |
        ((pes[at + 4] as number) << 3) |
        ((pes[at + 5] as number) >> 5);
      found.push([(pes[at + 3] as number) >> 6, pes[at + 8] as number]);
      at += length;
    }
    expect(at).toBe(end);
    return found;
  });
}

/** [type, PID] of the streams of a PMT section with its pointer_field. */
function listed(payload: Uint8Array): [number, number][] {
  const length = ((((payload[2] as number) & 15) << 8) | (payload[3] as number)) + 3;
  const section = payload.subarray(1, 1 + length);
  expect(crcOf(section)).toBe(0);
  const found: [number, number][] = [];
  for (let at = 12; at < length - 4; at += 5 + (section[at + 4] as number))
    found.push([
      section[at] as number,
      (((section[at + 1] as number) & 31) << 8) | (section[at + 2] as number),
    ]);
  return found;
}

test('the layout is constant from mono to dual mono to two streams', () => {
  const station = new Station();
  station.tables([AUDIO]).pes(AUDIO, frame('single', 1));
  station.tables([AUDIO]).pes(AUDIO, frame('singles', 2)).pes(AUDIO, frame('singles', 3));
  station.tables([AUDIO, SECOND]).pes(AUDIO, frame('pair', 4)).pes(SECOND, frame('pair', 5));
  station.tables([SECOND]).pes(SECOND, frame('pair', 6));
  const { units, gaps } = read(new SplitAudio().feed(station.builder.bytes()));
  expect(gaps).toBe(0);
  expect(units.get(PMT)?.map(listed)).toEqual(
    new Array(4).fill([
      [0x02, VIDEO],
      [0x06, 0x130],
      [0x0f, OUT[0]],
      [0x0f, OUT[1]],
    ]),
  );
  expect(frames(units.get(OUT[0])).map(([, mark]) => mark)).toEqual([1, 2, 3, 4, 6]);
  expect(frames(units.get(OUT[1])).map(([, mark]) => mark)).toEqual([1, 2, 3, 5, 6]);
  for (const pid of OUT)
    expect(new Set(frames(units.get(pid)).map(([layout]) => layout))).toEqual(new Set([2]));
  expect([units.has(AUDIO), units.has(SECOND)]).toEqual([false, false]);
});

test('nothing but tables is sent before the streams are known', () => {
  const station = new Station();
  station.builder.pes(VIDEO, pesPacket({ streamId: 0xe0, pts: 1, data: [0, 0, 1, 0] }));
  station.builder.sections(0x12, patSection(1, []));
  station.pes(AUDIO, frame('pair', 1)).tables([AUDIO]).pes(AUDIO, frame('pair', 2));
  const { units } = read(new SplitAudio().feed(station.builder.bytes()));
  expect([...units.keys()]).toEqual([0x12, 0, PMT, ...OUT]);
  expect(frames(units.get(OUT[0])).map(([, mark]) => mark)).toEqual([2]);
});

test('frames that cross the ends of PES packets stay in the one in which they begin', () => {
  const whole = Uint8Array.from([...frame('singles', 7), ...frame('singles', 8), ...frame('singles', 9)]);
  const cut = frame('singles').length + 5;
  const station = new Station().tables([AUDIO]);
  station.pes(AUDIO, whole.slice(0, cut), 1_000).pes(AUDIO, whole.slice(cut), 2_000);
  const { units } = read(new SplitAudio().feed(station.builder.bytes()));
  expect(units.get(OUT[1])?.map((pes) => frames([pes]).map(([, mark]) => mark))).toEqual([[7, 8], [9]]);
});

test('a lost packet costs its frames, and nothing later', () => {
  const station = new Station().tables([AUDIO]);
  const long = Uint8Array.from(Array.from({ length: 30 }, () => [...frame('singles', 1)]).flat());
  station.pes(AUDIO, long).pes(AUDIO, long);
  station.pes(AUDIO, frame('singles', 2)).pes(AUDIO, frame('singles', 3));
  const packets = station.builder.bytes();
  const lost = 4 * PACKET;
  const { units } = read(
    new SplitAudio().feed(Uint8Array.from([...packets.slice(0, lost), ...packets.slice(lost + PACKET)])),
  );
  const marks = frames(units.get(OUT[0])).map(([, mark]) => mark);
  expect(marks.filter((mark) => mark === 1)).toHaveLength(30);
  expect(marks.slice(-2)).toEqual([2, 3]);
});

test('a clock in an audio stream stays on its PID', () => {
  const station = new Station().tables([AUDIO], AUDIO);
  const unit = pesPacket({ streamId: 0xc0, pts: 1, data: frame('pair') });
  station.builder.pes(AUDIO, unit, adaptation({ pcr: 27_000_000 }));
  const packets = new SplitAudio().feed(station.builder.bytes());
  const clock = Array.from({ length: packets.length / PACKET }, (_, index) =>
    packets.subarray(index * PACKET),
  )
    .filter((one) => ((((one[1] as number) & 31) << 8) | (one[2] as number)) === AUDIO)
    .map((one) => [(one[3] as number) >> 4, (one[5] as number) & 0x10]);
  expect(clock).toEqual([[2, 0x10]]);
});

test('packets in any pieces give the same stream, and hostile ones whole packets', () => {
  const station = new Station().tables([AUDIO, SECOND]);
  for (let mark = 0; mark < 8; mark += 1)
    station.pes(AUDIO, frame('singles', mark)).pes(SECOND, frame('pair', mark));
  const packets = station.builder.bytes();
  const whole = new SplitAudio().feed(packets);
  const filter = new SplitAudio();
  const pieces = Array.from({ length: packets.length / PACKET }, (_, at) =>
    filter.feed(packets.slice(at * PACKET, (at + 1) * PACKET)),
  );
  expect(Buffer.concat(pieces).equals(whole)).toBe(true);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(packets.length - 1), fc.nat(255)), { maxLength: 200 }), (damage) => {
      const hostile = packets.slice();
      for (const [at, octet] of damage) if (at % PACKET !== 0) hostile[at] = octet;
      const out = new SplitAudio().feed(hostile);
      expect(out.length % PACKET).toBe(0);
      expect(out.length).toBeLessThan(8 * packets.length);
    }),
    { numRuns: 500 },
  );
});
