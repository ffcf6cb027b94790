import { expect, test } from 'bun:test';
import { mostTelling, pictureScore, replaceBlack, type SmallPicture } from './picture-score.ts';

const WIDTH = 64;
const HEIGHT = 36;

function draw(colour: (x: number, y: number) => readonly [number, number, number]): SmallPicture {
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) pixels.set(colour(x, y), (y * WIDTH + x) * 3);
  }
  return { width: WIDTH, height: HEIGHT, pixels };
}

const black = draw(() => [3, 3, 4]);
const white = draw(() => [250, 250, 250]);
const blue = draw(() => [20, 40, 190]);
/** White letters on one colour. */
const card = draw((x, y) =>
  y > 14 && y < 22 && x > 12 && x < 52 && (x + y) % 3 === 0 ? [255, 255, 255] : [20, 40, 190],
);
const credits = draw((x, y) => (y % 6 < 3 && x > 20 && x < 44 && x % 2 === 0 ? [240, 240, 240] : [2, 2, 2]));
const night = draw((x, y) => [10 + ((x * 7 + y * 3) % 17), 10 + ((x + y) % 12), 20 + ((x * y) % 15)]);
const columns = draw((x) => [(x * 67) % 256, (x * 151) % 256, (x * 29) % 256]);
const lines = draw((_x, y) => [(y * 67) % 256, (y * 151) % 256, (y * 29) % 256]);
/** Colour bars over a smaller row of them. */
const bars = draw((x, y) => {
  const bar = Math.floor((y < 26 ? x : WIDTH - x) / 9);
  return [(bar & 4) * 48, (bar & 2) * 96, (bar & 1) * 192];
});
const scene = draw((x, y) => [60 + ((x * 5) % 130), 50 + ((y * 9) % 150), 40 + ((x * y) % 140)]);

test('black, white and single-colour pictures score lowest', () => {
  for (const picture of [black, white, blue]) expect(pictureScore(picture)).toBe(0);
  expect(mostTelling([black, blue, white])).toBe(-1);
});

test('a scene scores higher than a title card, credits or a dark picture, at any position', () => {
  const others = [black, card, credits, night, blue];
  for (let at = 0; at <= others.length; at += 1) {
    expect(mostTelling([...others.slice(0, at), scene, ...others.slice(at)])).toBe(at);
  }
});

test('a scene scores higher than stripes and colour bars, which are better than nothing', () => {
  for (const striped of [columns, lines, bars]) {
    expect(mostTelling([striped, scene])).toBe(1);
    expect(mostTelling([black, striped])).toBe(1);
  }
});

test('a title card scores above an empty picture, and of equal scores the earlier picture wins', () => {
  expect(mostTelling([black, card, black])).toBe(1);
  expect(mostTelling([scene, scene])).toBe(0);
});

test('an incomplete picture has no score', () => {
  expect(pictureScore({ ...scene, pixels: scene.pixels.subarray(0, 100) })).toBe(0);
  expect(pictureScore({ width: 0, height: 0, pixels: new Uint8Array(0) })).toBe(0);
});

test('a black picture is replaced by the nearest other one, within reach', () => {
  const pictures = [black, scene, blue, black, card, black, black, black].map((one) => ({
    ...one,
    pixels: one.pixels.slice(),
  }));
  replaceBlack(pictures, 2);
  const expected = [scene, scene, blue, card, card, card, card, black];
  expect(pictures.map(({ pixels }) => Buffer.compare(pixels, black.pixels) === 0)).toEqual(
    expected.map((one) => one === black),
  );
  for (const [index, { pixels }] of pictures.entries())
    expect(Buffer.compare(pixels, expected[index]?.pixels ?? black.pixels)).toBe(0);
});
