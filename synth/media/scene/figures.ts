/** People and things that occur in several scenes. */
import type { Random } from '../../random.ts';
import { type Canvas, HIGH, type Paint, WIDE } from './canvas.ts';

interface Looks {
  readonly skin: number;
  readonly hair: number;
  readonly clothes: number;
  readonly isLong?: true;
  readonly tie?: number;
}

/** Head and shoulders, facing the viewer. @param size half of the height of the head @param y its centre */
export function person(canvas: Canvas, x: number, y: number, size: number, looks: Looks): void {
  const { skin, hair, clothes, isLong, tie } = looks;
  const s = size;
  if (isLong) canvas.plate(x - 0.95 * s, y - 0.9 * s, 1.9 * s, 2.3 * s, 0.8 * s, hair);
  const shoulders = [-2.1, 6, -1.95, 2.5, -1.5, 1.9, -0.5, 1.45, 0.5, 1.45, 1.5, 1.9, 1.95, 2.5, 2.1, 6];
  const placed = (points: readonly number[]): number[] =>
    points.map((value, index) => (index % 2 === 0 ? x : y) + s * value);
  canvas.polygon(placed(shoulders), clothes);
  canvas.polygon(placed([0.9, 6, 1.2, 1.7, 1.95, 2.5, 2.1, 6]), 0, 0.16);
  if (tie === undefined) canvas.polygon(placed([-0.58, 1.42, 0.58, 1.42, 0, 2.05]), skin);
  else canvas.polygon(placed([-0.62, 1.42, 0.62, 1.42, 0, 3.1]), 0xf4f4f6);
  canvas.rect(x - 0.32 * s, y + 0.7 * s, 0.64 * s, 0.85 * s, skin);
  if (tie !== undefined) canvas.polygon(placed([-0.14, 1.6, 0.14, 1.6, 0.22, 2.9, 0, 3.1, -0.22, 2.9]), tie);
  canvas.ellipse(x, y + 1.1 * s, 0.32 * s, 0.2 * s, 0x7c3c20, 0.35);
  canvas.ellipse(x, y, 0.78 * s, s, skin);
  canvas.ellipse(x, y - 0.35 * s, 0.86 * s, 0.78 * s, hair, 1, 0.5, 1);
  canvas.polygon(
    placed([
      -0.86, -0.36, -0.6, -0.6, 0.2, -0.5, 0.86, -0.36, 0.74, 0.15, 0.62, -0.25, -0.62, -0.25, -0.74, 0.15,
    ]),
    hair,
  );
  for (const side of [-1, 1]) {
    canvas.ellipse(x + 0.3 * side * s, y + 0.05 * s, 0.09 * s, 0.11 * s, 0x201814);
    canvas.rect(x + 0.3 * side * s - 0.16 * s, y - 0.2 * s, 0.32 * s, 0.07 * s, hair);
  }
  canvas.ellipse(x - 0.25 * s, y - 0.78 * s, 0.4 * s, 0.12 * s, 0xffffff, 0.16);
  canvas.ellipse(x, y + 0.3 * s, 0.08 * s, 0.06 * s, 0x7c3c20, 0.4);
  canvas.ellipse(x, y + 0.52 * s, 0.24 * s, 0.1 * s, 0xb0463c, 1, 0, 0.5);
}

/** A ridge over the whole width that meets itself at the sides. */
export function ridge(canvas: Canvas, random: Random, y: number, rise: number, paint: Paint): void {
  const waves = [1, 2, 3, 5, 8].map((count) => ({
    count,
    turn: 7 * random.next(),
    part: 0.75 / count ** 0.8,
  }));
  const points: number[] = [];
  for (let step = 0; step <= 96; step++) {
    const x = (step * WIDE) / 96;
    const up = waves.reduce(
      (sum, { count, turn, part }) => sum + part * Math.sin((2 * Math.PI * count * x) / WIDE + turn),
      0,
    );
    points.push(x, y - rise * up);
  }
  canvas.polygon([...points, WIDE, HIGH, 0, HIGH], paint);
}

export function cloud(canvas: Canvas, x: number, y: number, size: number, paint: Paint, alpha = 1): void {
  for (const [dx, dy, r] of [
    [0, 0, 1],
    [-1.1, 0.25, 0.7],
    [1.15, 0.2, 0.75],
    [0.5, -0.45, 0.75],
    [-0.5, -0.3, 0.7],
  ] as const)
    canvas.ellipse(x + dx * size, y + dy * size, r * size, 0.72 * r * size, paint, alpha);
  canvas.plate(x - 1.8 * size, y + 0.1 * size, 3.7 * size, 0.65 * size, 0.3 * size, paint, alpha);
}

/** Houses or high buildings with lit windows, along the whole width. */
export function skyline(
  canvas: Canvas,
  random: Random,
  y: number,
  high: number,
  paint: number,
  lit: number,
): void {
  for (let x = 0; x < WIDE; ) {
    const wide = Math.min(WIDE - x, 0.6 + random.next());
    const top = y - high * (0.35 + 0.65 * random.next());
    canvas.rect(x, top, wide + 0.02, HIGH - top, paint);
    for (let row = top + 0.2; row < y; row += 0.34) {
      for (let column = x + 0.14; column < x + wide - 0.16; column += 0.3)
        if (random.chance(0.55)) canvas.rect(column, row, 0.15, 0.18, lit, 0.85);
    }
    x += wide;
  }
}

/** Points of a star, or of a flower with short spikes. */
export function star(x: number, y: number, outer: number, inner: number, spikes: number): number[] {
  return Array.from({ length: 2 * spikes }, (_, index) => {
    const [angle, radius] = [(Math.PI * index) / spikes - Math.PI / 2, index % 2 === 0 ? outer : inner];
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  }).flat();
}
