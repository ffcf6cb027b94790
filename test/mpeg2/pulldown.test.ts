/**
 * Film in interlaced frames without flags in the stream: every field is known, so every output picture can be
 * checked.
 */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { AccessUnits } from '../../web/raw/access-units.ts';
import { FilmCadence } from '../../web/raw/film-cadence.ts';
import { Mpeg2Decoder } from '../../web/raw/mpeg2-decoder.ts';
import { seeded } from './random-picture.ts';
import { encodeFields, psnr, samplesOf } from './reference.ts';

const WASM = join(import.meta.dir, '..', '..', 'lib', 'wasm', 'built', 'mpeg2.wasm');
const WIDTH = 320;
const HEIGHT = 256;
const LUMA = WIDTH * HEIGHT;
const FIELD = 1501.5;

/**
 * A moving scene without vertical detail that a field cannot represent, like film prepared for broadcast.
 * @param at s
 */
function scene(at: number): Uint8Array {
  const picture = new Uint8Array((LUMA * 3) / 2).fill(128, LUMA);
  const [ballX, ballY] = [160 + 110 * Math.sin(at * 2.1), 128 + 60 * Math.cos(at * 1.7)];
  const across = Float32Array.from({ length: WIDTH }, (_, x) => 50 * Math.sin((x + at * 130) / 11));
  for (let y = 0; y < HEIGHT; y += 1) {
    const down = Math.cos(y / 17);
    const isNear = Math.abs(y - ballY) < 50;
    for (let x = 0; x < WIDTH; x += 1) {
      const inside = isNear ? 40 - Math.hypot(x - ballX, y - ballY) : -10;
      const ball = inside > -10 ? 80 / (1 + Math.exp(-inside / 2)) : 0;
      picture[y * WIDTH + x] = 110 + (across[x] ?? 0) * down + ball;
    }
  }
  return picture;
}

const film = (frame: number): Uint8Array => scene((frame * 1001) / 24_000);
const video = (field: number): Uint8Array => scene((field * 1001) / 60_000);

/** Draws a band of bars that moves with every field over a copy of the picture. */
function withTicker(picture: Uint8Array, field: number): Uint8Array {
  const whole = picture.slice();
  for (let y = 200; y < 240; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) whole[y * WIDTH + x] = ((x + field * 4) & 63) < 32 ? 220 : 30;
  }
  return whole;
}

/** Fields of film, starting with picture `first`: alternately 3 and 2 per picture. */
function pulledDown(first: number, pictures: number): Uint8Array[] {
  return Array.from({ length: pictures }, (_, at) => {
    const picture = film(first + at);
    return at % 2 === 0 ? [picture, picture, picture] : [picture, picture];
  }).flat();
}

interface Shown {
  /** The field at whose time it is shown, and its duration in fields. */
  readonly field: number;
  readonly fields: number;
  readonly luma: Uint8Array;
}

/** @param fields whole pictures, of which only the lines of the field's parity are used */
async function shown(fields: readonly Uint8Array[]): Promise<Shown[]> {
  const stream = await encodeFields(`${WIDTH}x${HEIGHT}`, fields);
  const decoder = await Mpeg2Decoder.create(await WebAssembly.compile(await Bun.file(WASM).arrayBuffer()));
  const found: Shown[] = [];
  const cutter = new AccessUnits();
  for (const [index, unit] of [...cutter.push(stream), ...cutter.end()].entries()) {
    decoder.decode(unit.bytes, index === 0 ? 0 : undefined);
    for (const picture of decoder.pictures()) {
      const luma = samplesOf(picture).subarray(0, LUMA);
      found.push({
        field: Math.round(picture.time / FIELD),
        fields: Math.round(picture.duration / FIELD),
        luma,
      });
    }
  }
  return found;
}

const isFilm = ({ fields }: Shown): boolean => fields > 1;
const isVideo = ({ fields }: Shown): boolean => fields === 1;

/** PSNR of the worst picture compared with its source, dB. */
function worst(pictures: readonly Shown[], source: readonly Uint8Array[]): number {
  return Math.min(...pictures.map(({ field, luma }) => psnr(luma, source[field]?.subarray(0, LUMA) ?? luma)));
}

/** Pictures follow each other without a gap; a film picture ends early if the cadence breaks within it. */
function expectContinuous(pictures: readonly Shown[]): void {
  for (const [index, { field, fields }] of pictures.entries()) {
    const next = pictures[index + 1]?.field ?? field + fields;
    expect(next).toBeGreaterThan(field);
    expect(next).toBeLessThanOrEqual(field + fields);
  }
}

describe('film in interlaced frames', () => {
  test('is shown as its own pictures, in full, for 3 and 2 fields each', async () => {
    const fields = pulledDown(0, 48);
    const pictures = await shown(fields);
    expectContinuous(pictures);
    const found = pictures.filter(isFilm);
    // Detected within a second.
    expect(found[0]?.field).toBeLessThan(60);
    const rest = pictures.slice(pictures.indexOf(found[0] as Shown));
    expect(rest.every(isFilm)).toBe(true);
    for (const { field, fields: count } of rest) {
      expect(count).toBe(field % 5 === 0 ? 3 : 2);
      expect([0, 3]).toContain(field % 5);
    }
    expect(worst(rest, fields)).toBeGreaterThan(38);
  });

  test('of 30 pictures per second is shown as those', async () => {
    const fields = Array.from({ length: 60 }, (_, at) => [video(at * 2), video(at * 2)]).flat();
    const pictures = await shown(fields);
    expectContinuous(pictures);
    expect(pictures.slice(-30).map(({ fields: count }) => count)).toEqual(Array(30).fill(2));
    expect(worst(pictures.slice(-30), fields)).toBeGreaterThan(38);
  });

  test('between video, and edited so that its cadence breaks, never shows a combed picture', async () => {
    const count = 66;
    const fields = [
      ...Array.from({ length: count }, (_, at) => video(at)),
      ...pulledDown(30, 40),
      // An edit after the pulldown, in the middle of a picture.
      ...pulledDown(120, 40).slice(1, -1),
      ...Array.from({ length: count }, (_, at) => video(400 + at)),
    ];
    const pictures = await shown(fields);
    expectContinuous(pictures);
    const from = (start: number, end: number): Shown[] =>
      pictures.filter(({ field }) => field >= start && field < end);
    const [second, third, fourth] = [count, count + 100, count + 198];
    expect(from(0, second).every(isVideo)).toBe(true);
    expect(from(second + 60, third - 5).every(isFilm)).toBe(true);
    expect(from(third + 60, fourth - 5).every(isFilm)).toBe(true);
    expect(from(fourth + 3, fields.length).every(isVideo)).toBe(true);
    // A combed picture of two moments differs from both: 24 dB or less here.
    expect(worst(pictures.filter(isFilm), fields)).toBeGreaterThan(36);
    expect(worst(pictures, fields)).toBeGreaterThan(29);
  });

  test('under a text that moves with every field is shown as video, so that the text is not combed', async () => {
    const fields = pulledDown(0, 48).map((picture, field) => withTicker(picture, field));
    const pictures = await shown(fields);
    expectContinuous(pictures);
    expect(pictures.every(isVideo)).toBe(true);
  });
});

describe('the cadence', () => {
  test('is never detected in moving video, whatever the noise', () => {
    const random = seeded(31);
    for (let round = 0; round < 50; round += 1) {
      const cadence = new FilmCadence();
      const level = 5 + random() * 2_000;
      for (let field = 0; field < 600; field += 1) {
        expect(cadence.next(Math.round(level * (0.5 + random()))).kind).toBe('field');
      }
    }
  });

  test('of animation that changes every second or third film picture is detected, and stays during still pictures', () => {
    const cadence = new FilmCadence();
    const counts = { field: 0, film: 0, held: 0 };
    // Each drawing lasts 2 film pictures, which are 5 fields.
    for (let field = 0; field < 300; field += 1)
      counts[cadence.next(field % 5 === 4 ? 400 : field % 5 === 0 ? 20 : 0).kind] += 1;
    expect(counts.field).toBeLessThan(60);
    for (let field = 0; field < 600; field += 1) expect(cadence.next(0).kind).not.toBe('field');
    // Video begins.
    cadence.next(50);
    cadence.next(50);
    for (let field = 0; field < 300; field += 1) expect(cadence.next(50).kind).toBe('field');
  });

  test('is reset where a field cannot be measured', () => {
    const cadence = new FilmCadence();
    for (let field = 0; field < 100; field += 1) cadence.next(field % 2 === 0 ? 0 : 90);
    expect(cadence.next(0).kind).toBe('film');
    expect(cadence.next(undefined)).toEqual({ kind: 'field' });
    expect(cadence.next(0)).toEqual({ kind: 'field' });
  });
});
