import { expect, test } from 'bun:test';
import { HalfPictures } from './picture-player.ts';

test('each sample is the mean of four, in every plane, and samples outside the picture are omitted', () => {
  const [width, height, stride] = [10, 6, 16];
  const shape = { width, height, stride, cb: stride * 8, cr: stride * 8 + 32, aspect: 16 / 9, matrix: 1 };
  const planes = new Uint8Array(stride * 8 + 64).fill(255);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) planes[y * stride + x] = x + 10 * y;
  for (let y = 0; y < height / 2; y += 1)
    for (let x = 0; x < width / 2; x += 1) {
      planes[shape.cb + (y * stride) / 2 + x] = 100 + x;
      planes[shape.cr + (y * stride) / 2 + x] = 50 + 2 * y;
    }
  const halves = new HalfPictures();
  const half = halves.shapeOf(shape);
  expect(half).toMatchObject({ width: 4, height: 2, stride: 4, cb: 8, cr: 10, aspect: 16 / 9 });
  expect(halves.shapeOf(shape)).toBe(half);
  const target = new Uint8Array(halves.lengthOf(half));
  halves.write({ time: 0, duration: 0, shape, planes }, target);
  expect([...target]).toEqual([6, 8, 10, 12, 26, 28, 30, 32, 101, 103, 51, 51]);
});
