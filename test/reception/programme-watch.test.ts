/** Losses of picture or sound in broadcasts with known faults, and none in broadcasts without. */
import { describe, expect, test } from 'bun:test';
import { serviceId } from '../../lib/arib/ids.ts';
import { StationFilter } from '../../lib/arib/ts/station-filter.ts';
import { ProgrammeWatch, type UnwatchableSpan } from '../../src/reception/programme-watch.ts';
import { INVENTED_REGION, terrestrialService } from '../../synth/scenario/identity.ts';
import type { SmallChannel } from '../../synth/scenario/small.ts';
import {
  adaptation,
  patSection,
  pesPacket,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
} from '../stream-builder.ts';
import { type AirFault, airPackets } from '../synth/air-packets.ts';
import { PACKET, packetsOf, ticksAt } from '../synth/tuning.ts';

// Missing films are made first.
/** 2026-11-20T12:00:00Z. */
const AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const SECONDS = 14;
const PICTURE = 0x100;
const SOUND = 0x110;
const MODULUS = 2 ** 33;
/** Clock references come every 100 ms; pictures and frames are sent some of these before and after an edge. */
const TOLERANCE = 0.25;

type Loss = [cause: UnwatchableSpan['cause'], from: number, to: number];

/** Spans of a cause that are as close as clock references, joined; seconds. */
function joined(losses: readonly Loss[]): Loss[] {
  const out: Loss[] = [];
  for (const [cause, from, to] of losses) {
    const last = out.findLast((one) => one[0] === cause);
    if (last !== undefined && from - last[2] < 0.1) last[2] = to;
    else out.push([cause, from, to]);
  }
  return out.sort((a, b) => a[1] - b[1] || a[0].localeCompare(b[0]));
}

/** Feeds a second at a time, as the recorder does. @param start 90 kHz time of second 0 */
function lossesIn(packets: Uint8Array, start: number): Loss[] {
  const watch = new ProgrammeWatch();
  const losses: Loss[] = [];
  let second = 0;
  const collect = (): void => {
    for (const { cause, fromBeforeEndMs, toBeforeEndMs } of watch.take())
      losses.push([cause, second - fromBeforeEndMs / 1000, second - toBeforeEndMs / 1000]);
  };
  let from = 0;
  for (const { at, pcr } of packetsOf(packets)) {
    if (pcr === undefined) continue;
    const clock = ((pcr / 300 - start + 2 * MODULUS) % MODULUS) / 90_000;
    const isNext = Math.floor(clock) > Math.floor(second);
    // The clock may be set.
    if (clock < 1_000) second = clock;
    if (!isNext) continue;
    watch.feed(packets.subarray(from, at + PACKET));
    collect();
    from = at + PACKET;
  }
  watch.feed(packets.subarray(from));
  watch.end();
  collect();
  return joined(losses);
}

function firstService(packets: Uint8Array, index = 0): number {
  const table = [...packetsOf(packets)].find(({ pid }) => pid === 0);
  const loop = (table?.payload ?? 0) + 9;
  const services: number[] = [];
  for (let at = loop; at + 4 <= loop + 40; at += 4) {
    const service = ((packets[at] ?? 0) << 8) | (packets[at + 1] ?? 0);
    if (service !== 0) services.push(service);
  }
  return services[index] ?? 0;
}

async function lossesOf(
  channel: Partial<SmallChannel>,
  faults: readonly AirFault[],
  seconds = SECONDS,
  station = 0,
): Promise<Loss[]> {
  const air = await airPackets(channel, { at: AT, seconds, faults });
  const narrowed = new StationFilter(serviceId(firstService(air, station))).feed(air);
  return lossesIn(narrowed, ticksAt(AT) % MODULUS);
}

function expectLosses(found: readonly Loss[], wanted: readonly Loss[]): void {
  expect(found.map(([cause]) => cause)).toEqual(wanted.map(([cause]) => cause));
  for (const [index, [, from, to]] of wanted.entries()) {
    expect(Math.abs((found[index]?.[1] ?? 0) - from)).toBeLessThan(TOLERANCE);
    expect(Math.abs((found[index]?.[2] ?? 0) - to)).toBeLessThan(TOLERANCE);
  }
}

const BS = { channel: 'BS01_0', type: 'BS' } as const;
const BOTH = (from: number, to: number): Loss[] => [
  ['no_picture', from, to],
  ['no_sound', from, to],
];

const FAULTS: readonly [string, readonly AirFault[], readonly Loss[]][] = [
  [
    'pictures gone, counters continue',
    [{ kind: 'absent', pids: [PICTURE], during: [4, 8] }],
    [['no_picture', 4, 8]],
  ],
  [
    'pictures gone, counters match by chance',
    [{ kind: 'absent', pids: [PICTURE], counters: 'matching', during: [4, 8] }],
    [['no_picture', 4, 8]],
  ],
  ['pictures lost', [{ kind: 'loss', rate: 1, pids: [PICTURE], during: [4, 8] }], [['no_picture', 4, 8]]],
  [
    'sound gone',
    [{ kind: 'absent', pids: [SOUND], counters: 'matching', during: [4, 8] }],
    [['no_sound', 4, 8]],
  ],
  ['picture and sound swapped', [{ kind: 'swap', pids: [PICTURE, SOUND], during: [4, 12] }], BOTH(4, 12)],
  [
    'noise from the middle of a picture on',
    [{ kind: 'noise', pids: [PICTURE], during: [4.017, 7.011] }],
    [['no_picture', 4.017, 7.011]],
  ],
  ['noise in picture and sound', [{ kind: 'noise', pids: [PICTURE, SOUND], during: [4, 7] }], BOTH(4, 7)],
  [
    'pictures gone from the beginning on',
    [{ kind: 'absent', pids: [PICTURE], during: [-1, 3] }],
    [['no_picture', 0.2, 3]],
  ],
  [
    'sound gone until the end',
    [{ kind: 'absent', pids: [SOUND], during: [9, 20] }],
    [['no_sound', 9, SECONDS]],
  ],
  [
    'all streams scrambled',
    [{ kind: 'scramble', during: [4, 8] }],
    [
      ['scrambled', 4, 8],
      ['scrambled', 4, 8],
    ],
  ],
];

describe.each([
  ['own clock PID', {}],
  ['clock in the pictures', BS],
] as const)('%s', (_, channel) => {
  test.each(FAULTS)('%s', async (_name, faults, wanted) => {
    const found = await lossesOf(channel, faults);
    // The spans of both streams have one cause.
    const isScrambled = wanted[0]?.[0] === 'scrambled';
    expectLosses(isScrambled ? found.slice(0, 1) : found, isScrambled ? wanted.slice(0, 1) : wanted);
  });
});

const MAIN = terrestrialService(INVENTED_REGION, 0, 'tv', 0);
const BRANCH = terrestrialService(INVENTED_REGION, 0, 'tv', 1);

const SECOND_SOUND = 0x111;
const HAND_SECONDS = 30;
const LISTED_PICTURE = { type: 0x02, pid: PICTURE };
const LISTED_SOUND = { type: 0x0f, pid: SOUND, descriptors: streamIdentifier(0x10) };
const LISTED_SECOND = { type: 0x0f, pid: SECOND_SOUND, descriptors: streamIdentifier(0x11) };
/** video_decode_control_descriptor with still_picture_flag, ARIB STD-B10 Part 2, 6.2.30. */
const STILL = [0xc8, 1, 0x80 | 0x40 | (1 << 2) | 3];
const ROWS = 68;
/** Access unit delimiter and a slice of an IDR picture, ITU-T H.264 7.3. */
const AVC = [0, 0, 0, 1, 0x09, 0x10, 0, 0, 1, 0x65, 0x88, 0x84, 0x21];

interface HandMade {
  streams: readonly { type: number; pid: number; descriptors?: readonly number[] }[];
  /** Called every 1/30 s. */
  unit(builder: StreamBuilder, at: number): void;
}

/** Tables, a clock reference every 1/10 s on a PID of its own, and what `unit` adds. */
function handMade({ streams, unit }: HandMade): Uint8Array {
  const builder = new StreamBuilder();
  const pat = patSection(1, [[101, 0x1f0]]);
  const pmt = pmtSection(101, { pcrPid: 0x1ff, streams });
  for (let frame = 0; frame < HAND_SECONDS * 30; frame += 1) {
    if (frame % 3 === 0) {
      builder.sections(0, pat).sections(0x1f0, pmt);
      builder.packet(0x1ff, { adaptation: adaptation({ pcr: frame * 900_000 }) });
    }
    unit(builder, frame / 30);
  }
  return builder.bytes();
}

/** Sequence header of 1440x1088, an intra picture, its slices: ISO/IEC 13818-2 6.2. */
function picture(builder: StreamBuilder, at: number, rows = ROWS): void {
  const slices = Array.from({ length: rows }, (_, row) => [0, 0, 1, row + 1, 0x0a, 0x55, 0x55]).flat();
  const data = [0, 0, 1, 0xb3, 0x5a, 0x04, 0x40, 0x34, 0, 0, 1, 0, 0, 0x0f, 0xff, 0xf8, ...slices];
  builder.pes(PICTURE, pesPacket({ streamId: 0xe0, pts: at * 90_000, unbounded: true, data }));
}

/** A frame of 100 octets, always the same, as in silence: ISO/IEC 13818-7 6.2. */
function sound(builder: StreamBuilder, at: number, pid = SOUND): void {
  const data = new Uint8Array(100);
  data.set([0xff, 0xf9, 0x4c, 0x80, 100 >> 3, ((100 & 7) << 5) | 0x1f, 0xfc]);
  builder.pes(pid, pesPacket({ streamId: 0xc0, pts: at * 90_000, data }));
}

const HAND_MADE: readonly [string, () => Uint8Array][] = [
  ['radio', () => handMade({ streams: [LISTED_SOUND], unit: sound })],
  [
    'silence beside a picture that does not change',
    () =>
      handMade({
        streams: [LISTED_PICTURE, LISTED_SOUND],
        unit: (builder, at) => {
          sound(builder, at);
          picture(builder, at);
        },
      }),
  ],
  [
    'a still picture that is announced as one',
    () =>
      handMade({
        streams: [{ ...LISTED_PICTURE, descriptors: STILL }, LISTED_SOUND],
        unit: (builder, at) => {
          sound(builder, at);
          if (at % 10 === 0) picture(builder, at);
        },
      }),
  ],
  [
    'a picture every two seconds',
    () =>
      handMade({
        streams: [LISTED_PICTURE, LISTED_SOUND],
        unit: (builder, at) => {
          sound(builder, at);
          if (at % 2 === 0) picture(builder, at);
        },
      }),
  ],
  [
    'a second sound that is listed and not sent',
    () => handMade({ streams: [LISTED_SOUND, LISTED_SECOND], unit: sound }),
  ],
  [
    'a second sound that ends',
    () =>
      handMade({
        streams: [LISTED_SOUND, LISTED_SECOND],
        unit: (builder, at) => {
          sound(builder, at);
          if (at < 10) sound(builder, at, SECOND_SOUND);
        },
      }),
  ],
  [
    'packets that are sent twice',
    () =>
      handMade({
        streams: [LISTED_PICTURE, LISTED_SOUND],
        unit: (builder, at) => {
          builder.repeat();
          sound(builder, at);
          builder.repeat();
          picture(builder, at);
          builder.repeat();
        },
      }),
  ],
  [
    'a pause of 1.5 s between two sequences',
    () =>
      handMade({
        streams: [LISTED_PICTURE],
        unit: (builder, at) => {
          if (at === 10) builder.packet(PICTURE, { payload: [0, 0, 1, 0xb7] });
          if (at < 10 || at > 11.5) picture(builder, at);
        },
      }),
  ],
  [
    'a large picture that takes 0.6 s to arrive, in time for its decoding',
    () =>
      handMade({
        streams: [LISTED_PICTURE],
        unit: (builder, at) => {
          const isSlow = at > 10 && at < 10.6;
          if (!isSlow) picture(builder, at < 10.6 ? at + 0.65 : at);
        },
      }),
  ],
];

const QUIET: readonly [string, Partial<SmallChannel>, readonly AirFault[], number?][] = [
  ['a usual station', {}, []],
  ['2 % loss', {}, [{ kind: 'loss', rate: 0.02, burst: 1, pids: [PICTURE, SOUND] }]],
  ['2 % damaged packets', {}, [{ kind: 'corrupt', rate: 0.02, flagged: true, sync: false }]],
  ['gone for 0.3 s', {}, [{ kind: 'absent', pids: [PICTURE], during: [4, 4.3] }]],
  ['a sound that comes and goes', {}, [{ kind: 'pmt', audios: 0, everySec: 10, forSec: 5 }], 24],
  ['a jump of the clock', {}, [{ kind: 'clock', offsetMs: 5_000, announced: true, during: [4, 600] }]],
  ['a small jump of the clock', {}, [{ kind: 'clock', offsetMs: 700, announced: true, during: [4, 600] }]],
  ['a clock set back', {}, [{ kind: 'clock', offsetMs: -5_000, announced: true, during: [4, 600] }]],
  ['a wrap of the clock', {}, [{ kind: 'wrap', during: [5, 600] }]],
  ['dual mono', { stations: [{ audios: [{ mode: 'dual', bitrate: 48_000 }] }] }, []],
  ['5.1', { stations: [{ audios: [{ mode: 'surround', bitrate: 128_000 }] }] }, []],
  [
    'several frames in a PES packet',
    { stations: [{ audios: [{ mode: 'stereo', bitrate: 48_000, framesPerPes: 7 }] }] },
    [],
  ],
];

describe('no loss is reported for', () => {
  test.each(QUIET)('%s', async (_, channel, faults, seconds = SECONDS) => {
    expect(await lossesOf(channel, faults, seconds)).toEqual([]);
  });

  test('a branch that splits off, and another picture format of its main station meanwhile', async () => {
    const sharedWith = [MAIN, BRANCH];
    const programmes = (own: string) => [
      { durationSec: 5, title: '二つで同じ🈑', sharedWith },
      { durationSec: 5, title: own },
    ];
    const low = { codec: 'mpeg2', width: 160, height: 96, bitrate: 200_000 };
    const stations = [
      { pictures: { split: low }, programmes: programmes('主だけ') },
      { video: low, branch: true, programmes: programmes('副だけ') },
    ];
    const channel = { bitrate: 3_000_000, stations };
    expect(await lossesOf(channel, [], 24, 0)).toEqual([]);
    expect(await lossesOf(channel, [], 24, 1)).toEqual([]);
  });

  test.each(HAND_MADE)('%s', (_, build) => {
    expect(lossesIn(build(), 0)).toEqual([]);
  });
});

describe('a loss is reported for', () => {
  test('a picture that is listed and not sent', () => {
    const found = lossesIn(handMade({ streams: [LISTED_PICTURE, LISTED_SOUND], unit: sound }), 0);
    expectLosses(found, [['no_picture', 0, HAND_SECONDS]]);
  });

  test('a sequence that ends and is not followed by another one', () => {
    const unit = (builder: StreamBuilder, at: number): void => {
      if (at === 10) builder.packet(PICTURE, { payload: [0, 0, 1, 0xb7] });
      if (at < 10 || at > 15) picture(builder, at);
    };
    const found = lossesIn(handMade({ streams: [LISTED_PICTURE], unit }), 0);
    expectLosses(found, [['no_picture', 10, 15]]);
  });

  test('a second sound that returns soon', () => {
    const unit = (builder: StreamBuilder, at: number): void => {
      sound(builder, at);
      if (at < 4 || at > 9) sound(builder, at, SECOND_SOUND);
    };
    const found = lossesIn(handMade({ streams: [LISTED_SOUND, LISTED_SECOND], unit }), 0);
    expectLosses(found, [['no_sound', 4, 9]]);
  });

  test('H.264 pictures that are gone', () => {
    const unit = (builder: StreamBuilder, at: number): void => {
      if (at < 4 || at > 9) builder.pes(PICTURE, pesPacket({ streamId: 0xe0, pts: at * 90_000, data: AVC }));
    };
    const found = lossesIn(handMade({ streams: [{ type: 0x1b, pid: PICTURE }], unit }), 0);
    expectLosses(found, [['no_picture', 4, 9]]);
  });
});

test('of pictures whose slices are mostly missing, nothing can be watched', () => {
  const unit = (builder: StreamBuilder, at: number): void =>
    picture(builder, at, at > 4 && at < 9 ? 1 : ROWS);
  const found = lossesIn(handMade({ streams: [LISTED_PICTURE], unit }), 0);
  expectLosses(found, [['no_picture', 4, 9]]);
});
