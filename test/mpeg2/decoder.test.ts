import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type AccessUnit, AccessUnits } from '../../web/raw/access-units.ts';
import { type DecodedPicture, Mpeg2Decoder } from '../../web/raw/mpeg2-decoder.ts';
import { seeded } from './random-picture.ts';
import { joined, randomVideo } from './random-video.ts';
import { decodeByFfmpeg, encode, fieldFilm, largestDifference, psnr, samplesOf } from './reference.ts';

const WASM = join(import.meta.dir, '..', '..', 'lib', 'wasm', 'built', 'mpeg2.wasm');
let module: WebAssembly.Module;
beforeAll(async () => {
  module = await WebAssembly.compile(await Bun.file(WASM).arrayBuffer());
});

function unitsOf(stream: Uint8Array): AccessUnit[] {
  const cutter = new AccessUnits();
  return [...cutter.push(stream), ...cutter.end()];
}

/** The frames as coded, with both fields interleaved, as ffmpeg outputs them. */
async function frames(units: readonly AccessUnit[], decoder?: Mpeg2Decoder): Promise<Uint8Array[]> {
  const used = decoder ?? (await Mpeg2Decoder.create(module));
  const found: Uint8Array[] = [];
  const note = (pictures: Iterable<DecodedPicture>): void => {
    for (const picture of pictures) found.push(samplesOf(picture));
  };
  for (const unit of units) {
    used.decode(unit.bytes, unit.time);
    note(used.frames());
  }
  used.flush();
  note(used.frames());
  return found;
}

async function expectSame(stream: Uint8Array, count: number): Promise<void> {
  const reference = await decodeByFfmpeg(stream);
  const found = await frames(unitsOf(stream));
  expect(found).toHaveLength(count);
  expect(reference.length).toBe(found.reduce((sum, one) => sum + one.length, 0));
  let at = 0;
  for (const one of found) {
    expect(largestDifference(one, reference.subarray(at, at + one.length))).toBeLessThanOrEqual(1);
    at += one.length;
  }
}

describe('pictures are within 1 of those of ffmpeg', () => {
  const interlaced = ['-flags', '+ildct+ilme'];
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['frames', ['-g', '15', '-bf', '2', '-b:v', '2M']],
    [
      'interlaced, alternate scan',
      [...interlaced, '-alternate_scan', '1', '-top', '1', '-bf', '2', '-b:v', '2M'],
    ],
    [
      'non-linear scale, B.15',
      [...interlaced, '-non_linear_quant', '1', '-intra_vlc', '1', '-dc', '10', '-qmax', '28'],
    ],
    ['intra, 11 bits of mean', ['-g', '1', '-q:v', '1', '-dc', '11', '-intra_vlc', '1']],
    ['long chains of prediction', ['-g', '60', '-bf', '0', '-q:v', '3', '-dc', '9']],
    ['coarse', ['-g', '12', '-bf', '2', '-q:v', '31']],
  ];
  for (const [name, options] of cases) {
    test(`encoded: ${name}`, async () => {
      await expectSame(await encode('208x144', 1, options), 30);
    });
  }

  // Every tool of the main profile, including field pictures, 16x8, dual prime and concealment vectors.
  for (const seed of [7919, 15838, 23757, 31676, 39595, 47514]) {
    test(`random macroblocks, seed ${seed}`, async () => {
      const types = [...'IPPBBPBBIPBB'] as ('I' | 'P' | 'B')[];
      const units = randomVideo({ seed, width: 96, height: seed % 2 === 0 ? 80 : 96, types });
      await expectSame(joined(units), types.length);
    });
  }
});

describe('a damaged stream', () => {
  test('of 10,000 corrupted pictures neither traps nor leaks', async () => {
    const decoder = await Mpeg2Decoder.create(module);
    const random = seeded(20_261_122);
    const streams = [1, 2, 3, 4].map((seed) =>
      randomVideo({ seed, width: 64, height: 64, types: [...'IPBBPBBP'] as ('I' | 'P' | 'B')[] }),
    );
    let memory = 0;
    let shown = 0;
    for (let count = 0; count < 10_000; count += 1) {
      const stream = streams[(count >> 4) % streams.length] ?? [];
      const unit = (stream[count % stream.length] ?? new Uint8Array()).slice();
      const changes = 1 + Math.floor(random() * 6);
      // A damaged sequence header of the first picture is excluded, because a larger picture would be
      // legitimate.
      const from = count % stream.length === 0 ? 40 : 0;
      for (let change = 0; change < changes; change += 1) {
        unit[from + Math.floor(random() * (unit.length - from))] = Math.floor(random() * 256);
      }
      decoder.decode(random() < 0.1 ? unit.subarray(0, Math.floor(random() * unit.length)) : unit, count);
      for (const picture of decoder.pictures()) shown += picture.planes.length > 0 ? 1 : 0;
      if (count === 2_000) memory = decoder.memoryBytes;
    }
    expect(shown).toBeGreaterThan(4_000);
    expect(decoder.takeConcealed()).toBeGreaterThan(1_000);
    // Even with damaged headers the size stays within the largest picture of the profile.
    expect(decoder.memoryBytes).toBeLessThanOrEqual(Math.max(memory, 34 << 20));
  });

  test('of noise, no data or endless start codes is survived', async () => {
    const decoder = await Mpeg2Decoder.create(module);
    const random = seeded(5);
    const noise = Uint8Array.from({ length: 300_000 }, () => Math.floor(random() * 256));
    for (const bytes of [noise, new Uint8Array(0), new Uint8Array(3_000_000), noise.subarray(0, 3)]) {
      decoder.decode(bytes, undefined);
      expect([...decoder.pictures()]).toEqual([]);
    }
    const codes = new Uint8Array(400_000);
    for (let at = 0; at < codes.length; at += 4) codes.set([0, 0, 1, at % 256], at);
    decoder.decode(codes, undefined);
    expect([...decoder.pictures()]).toEqual([]);
  });

  test('that lost a slice is concealed along the motion', async () => {
    const stream = await encode('208x144', 0.5, ['-g', '15', '-bf', '0', '-q:v', '4']);
    const whole = await frames(unitsOf(stream));
    const units = unitsOf(stream);
    const lost = units[5];
    if (lost === undefined) throw new Error('too few pictures');
    const bytes = lost.bytes.slice();
    // From the start code of slice 4 to that of slice 6, like lost packets.
    const slice = (number: number): number =>
      bytes.findIndex(
        (_, at) => bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1 && bytes[at + 3] === number,
      );
    bytes.fill(0xff, slice(4) + 4, slice(6));
    units[5] = { ...lost, bytes };
    const decoder = await Mpeg2Decoder.create(module);
    const damaged = await frames(units, decoder);
    expect(damaged).toHaveLength(whole.length);
    expect(decoder.takeConcealed()).toBeGreaterThanOrEqual(26);
    const [good, bad] = [whole[5], damaged[5]];
    if (good === undefined || bad === undefined) throw new Error('too few pictures');
    expect(psnr(good, bad)).toBeGreaterThan(20);
    expect(psnr(good, bad)).toBeLessThan(99);
    expect(whole[4]).toEqual(damaged[4]);
  });
});

describe('a stream', () => {
  test('that is joined at any point begins with an intra picture', async () => {
    const stream = await encode('208x144', 1, ['-g', '9', '-bf', '2', '-q:v', '4']);
    const units = unitsOf(stream);
    const whole = await frames(units);
    const intra = units.findIndex((unit, index) => index > 3 && unit.isIntra);
    const joinedAt = await frames(units.slice(3));
    // The B pictures after the first intra picture refer to pictures before it.
    const [first] = joinedAt;
    expect(intra).toBeGreaterThan(3);
    expect(whole.findIndex((one) => first !== undefined && Buffer.compare(one, first) === 0)).toBeGreaterThan(
      3,
    );
    expect(joinedAt).toEqual(whole.slice(whole.length - joinedAt.length));
  });

  test('that changes its picture size and aspect ratio continues', async () => {
    const decoder = await Mpeg2Decoder.create(module);
    const shapes: string[] = [];
    const note = (pictures: Iterable<DecodedPicture>): void => {
      for (const { shape } of pictures) {
        const text = `${shape.width}x${shape.height} ${shape.aspect.toFixed(2)}`;
        if (shapes.at(-1) !== text) shapes.push(text);
      }
    };
    for (const [size, aspect] of [
      ['208x144', '4:3'],
      ['352x288', '16:9'],
      ['96x80', '4:3'],
    ] as const) {
      const stream = await encode(size, 0.3, ['-aspect', aspect, '-bf', '2']);
      for (const unit of unitsOf(stream)) {
        decoder.decode(unit.bytes, unit.time);
        note(decoder.pictures());
      }
    }
    note(decoder.rest());
    expect(shapes).toEqual(['208x144 1.33', '352x288 1.78', '96x80 1.33']);
  });

  test('is split into the same units for any chunk sizes', async () => {
    const stream = joined(randomVideo({ seed: 9, width: 64, height: 64, types: ['I', 'P', 'B', 'B'] }));
    const whole = unitsOf(stream).map(({ bytes }) => bytes);
    const random = seeded(3);
    for (let round = 0; round < 20; round += 1) {
      const cutter = new AccessUnits();
      const found: AccessUnit[] = [];
      for (let at = 0; at < stream.length; ) {
        const next = at + 1 + Math.floor(random() * (round < 10 ? 7 : 500));
        found.push(...cutter.push(stream.subarray(at, next)));
        at = next;
      }
      found.push(...cutter.end());
      expect(found.map(({ bytes }) => bytes)).toEqual(whole);
    }
    expect(joined(whole)).toEqual(stream);
  });
});

describe('the output', () => {
  test('of interlaced frames is one picture per field, at even intervals', async () => {
    const interlaced = ['-flags', '+ildct+ilme', '-top', '1', '-bf', '2', '-q:v', '2'];
    const stream = await encode('208x144', 0.5, interlaced);
    const decoder = await Mpeg2Decoder.create(module);
    const times: number[] = [];
    for (const [index, unit] of unitsOf(stream).entries()) {
      decoder.decode(unit.bytes, index === 0 ? 3003 : undefined);
      for (const { time, duration } of decoder.pictures()) {
        expect(duration).toBeCloseTo(1501.5);
        times.push(time);
      }
    }
    for (const { time } of decoder.rest()) times.push(time);
    expect(times).toHaveLength(30);
    for (const [index, time] of times.entries()) expect(time).toBeCloseTo(3003 + index * 1501.5);
  });

  test('of moving content is closer to the picture at its time than the interleaved fields are', async () => {
    const { source, stream } = await fieldFilm('208x160', 0.5);
    const decoder = await Mpeg2Decoder.create(module);
    const woven = await frames(unitsOf(stream));
    const size = (208 * 160 * 3) / 2;
    const ours: number[] = [];
    const weave: number[] = [];
    const luma = 208 * 160;
    const note = (pictures: Iterable<DecodedPicture>): void => {
      for (const picture of pictures) {
        const index = ours.length;
        const truth = source.subarray(index * size, index * size + luma);
        if (truth.length < luma) return;
        ours.push(psnr(samplesOf(picture).subarray(0, luma), truth));
        weave.push(psnr(woven[index >> 1]?.subarray(0, luma) ?? truth, truth));
      }
    };
    for (const unit of unitsOf(stream)) {
      decoder.decode(unit.bytes, unit.time);
      note(decoder.pictures());
    }
    note(decoder.rest());
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, one) => sum + one, 0) / values.length;
    expect(ours.length).toBeGreaterThanOrEqual(28);
    expect(mean(ours)).toBeGreaterThan(mean(weave) + 2);
    expect(Math.min(...ours)).toBeGreaterThan(20);
  });

  test('of film shows each picture for as long as the stream signals: 3 and 2 fields', async () => {
    const units = unitsOf(await encode('208x160', 0.5, ['-g', '15', '-bf', '0', '-q:v', '4']));
    const decoder = await Mpeg2Decoder.create(module);
    const seen: { time: number; fields: number }[] = [];
    const note = (pictures: Iterable<DecodedPicture>): void => {
      for (const { time, duration } of pictures) seen.push({ time, fields: Math.round(duration / 1501.5) });
    };
    for (const [index, unit] of units.entries()) {
      decoder.decode(asFilm(unit.bytes, index % 2 === 0), index === 0 ? 900 : undefined);
      note(decoder.pictures());
    }
    note(decoder.rest());
    expect(seen.map(({ fields }) => fields)).toEqual(units.map((_, index) => (index % 2 === 0 ? 3 : 2)));
    let time = 900;
    for (const one of seen) {
      expect(one.time).toBeCloseTo(time, 3);
      time += one.fields * 1501.5;
    }
  });
});

/** The unit with progressive_sequence 0, progressive_frame 1 and the given repeat_first_field. */
function asFilm(unit: Uint8Array, isRepeated: boolean): Uint8Array {
  const bytes = unit.slice();
  for (let at = 0; at + 9 < bytes.length; at += 1) {
    if (bytes[at] !== 0 || bytes[at + 1] !== 0 || bytes[at + 2] !== 1 || bytes[at + 3] !== 0xb5) continue;
    const [first = 0, second = 0] = bytes.subarray(at + 4);
    if (first >> 4 === 1) bytes[at + 5] = second & ~0x08;
    if (first >> 4 !== 8) continue;
    // top_field_first is the highest bit, repeat_first_field the second lowest; progressive_frame begins the
    // next byte.
    bytes[at + 7] = ((bytes[at + 7] ?? 0) & ~0x02) | (isRepeated ? 0x82 : 0x80);
    bytes[at + 8] = (bytes[at + 8] ?? 0) | 0x80;
  }
  return bytes;
}
