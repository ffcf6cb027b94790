/** Scenes of drama, animation, landscapes and journeys. */
import type { Random } from '../../random.ts';
import { type Canvas, HIGH, tone, WIDE } from './canvas.ts';
import { cloud, person, ridge, skyline } from './figures.ts';
import type { Scene, Sprite } from './scene.ts';

export function livingRoom(hue: number, random: Random): Scene {
  const pair: readonly Sprite[] = [0, 1].map((side) => ({
    box: { x: 1.4 + 6 * side, y: 1.8, w: 6.6, h: 7.2 },
    sway: { x: 0.25, y: 0.08, seconds: 2.6 - 0.6 * side },
    draw: (canvas: Canvas) =>
      person(canvas, 4.7 + 6 * side, 3.7, 1.35, {
        skin: side === 0 ? 0xd9a981 : 0xe6bb96,
        hair: side === 0 ? 0x15110f : 0x2e1a10,
        clothes: side === 0 ? 0x2b3440 : tone(hue + 180, 0.4, 0.5),
        ...(side === 0 ? { tie: 0x5c2430 } : {}),
        ...(side === 1 ? { isLong: true as const } : {}),
      }),
  }));
  return {
    pan: 1.25,
    grain: 8,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [0x6a4a34, 0x8a6444]);
      for (const x of [0.6, 8.6]) {
        canvas.rect(x, 2.7, 4.6, 3.8, 0x3c2818);
        canvas.rect(x + 0.2, 2.9, 4.2, 3.4, [0xffb25c, 0xf06a44]);
        canvas.ellipse(x + 2.9, 4.9, 0.75, 0.75, 0xfff0b0);
        canvas.rect(x + 2.2, 2.9, 0.16, 3.4, 0x3c2818);
        canvas.rect(x + 0.2, 4.1, 4.2, 0.16, 0x3c2818);
        canvas.rect(x - 0.4, 2.6, 0.9, 4.5, [tone(hue, 0.3, 0.5), tone(hue, 0.35, 0.3)]);
        canvas.rect(x + 4.3, 2.6, 0.9, 4.5, [tone(hue, 0.3, 0.5), tone(hue, 0.35, 0.3)]);
        canvas.rect(x + 5.6, 3.0, 1.7, 1.4, 0x2e1e12);
        canvas.rect(x + 5.75, 3.15, 1.4, 1.1, tone(hue + 60 * random.next(), 0.4, 0.6));
      }
      canvas.rect(0, 7.1, WIDE, 1.9, [0x4a301e, 0x33200f]);
    },
    sprites: pair,
  };
}

/** A face as in animated films, before the sky. */
export function animeFace(hue: number, random: Random): Scene {
  const hair = tone(hue + 300, 0.65, 0.5);
  const girl: Sprite = {
    box: { x: 3.4, y: 0.9, w: 8, h: 8.1 },
    sway: { x: 0.3, y: 0.2, seconds: 2.4 },
    draw(canvas) {
      const [x, y] = [7.4, 4.3];
      canvas.plate(x - 2.7, y - 2.6, 5.4, 7.2, 2, tone(hue + 300, 0.6, 0.38));
      canvas.polygon([x - 3.1, 9, x - 2, 7.2, x, 6.7, x + 2, 7.2, x + 3.1, 9], 0xfafafa);
      canvas.polygon(
        [x - 1.6, 7.2, x, 8.4, x + 1.6, 7.2, x + 0.9, 9, x - 0.9, 9],
        tone(hue + 200, 0.7, 0.45),
      );
      canvas.rect(x - 0.5, 6, 1, 1.2, 0xf2c4a4);
      canvas.polygon(
        [
          x - 2,
          y - 0.8,
          x - 1.95,
          y + 0.7,
          x - 1.2,
          y + 1.75,
          x,
          y + 2.4,
          x + 1.2,
          y + 1.75,
          x + 1.95,
          y + 0.7,
          x + 2,
          y - 0.8,
        ],
        0xffe0c8,
      );
      for (const side of [-1, 1]) {
        const eye = x + 0.95 * side;
        canvas.ellipse(eye, y + 0.55, 0.52, 0.72, 0xffffff);
        canvas.ellipse(eye, y + 0.6, 0.42, 0.64, [tone(hue + 200, 0.8, 0.2), tone(hue + 200, 0.85, 0.6)]);
        canvas.ellipse(eye, y + 0.6, 0.18, 0.32, 0x10101c);
        canvas.ellipse(eye - 0.14, y + 0.3, 0.15, 0.2, 0xffffff);
        canvas.stroke(eye - 0.5, y - 0.02, eye + 0.5, y - 0.02, 0.16, 0x301820);
        canvas.ellipse(x + 1.35 * side, y + 1.35, 0.35, 0.16, 0xff9a90, 0.7);
      }
      canvas.ellipse(x, y + 1.6, 0.36, 0.28, 0xc8483c, 1, 0, 0.5);
      canvas.polygon(
        [
          x - 2.35,
          y + 1.6,
          x - 2.5,
          y - 1,
          x - 1.6,
          y - 2.5,
          x,
          y - 3,
          x + 1.6,
          y - 2.5,
          x + 2.5,
          y - 1,
          x + 2.35,
          y + 1.6,
          x + 1.85,
          y - 0.2,
          x + 1.3,
          y + 0.2,
          x + 0.9,
          y - 0.7,
          x + 0.2,
          y + 0.3,
          x - 0.4,
          y - 0.7,
          x - 1.1,
          y + 0.25,
          x - 1.8,
          y - 0.3,
        ],
        hair,
      );
      canvas.ellipse(x - 0.6, y - 1.8, 1.1, 0.3, 0xffffff, 0.4);
    },
  };
  return {
    pan: 1.25,
    grain: 10,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [0x3f9cf0, 0xc8ecff]);
      for (const [x, y, size] of [
        [1.5, 4.4, 1.1],
        [5.2, 3.4, 0.8],
        [9.5, 4.8, 1.3],
        [13.6, 3.9, 0.9],
      ] as const)
        cloud(canvas, x, y, size, [0xffffff, 0xe2f2ff]);
      ridge(canvas, random, 7.4, 0.35, [0x6cc860, 0x3a9a48]);
      for (let x = 0.5; x < WIDE; x += 1.1 + random.next()) {
        canvas.ellipse(x, 7.0, 0.5, 0.75, [0x4cb050, 0x2c7c40]);
        canvas.rect(x - 0.07, 7.5, 0.14, 0.6, 0x6a4628);
      }
    },
    sprites: [girl],
  };
}

/** Skies of morning, noon and evening: top, bottom, and the far mountains. */
const SKIES = [
  [0x4a90d8, 0xfdeacc, 0x7c94c0],
  [0x2f7fd6, 0xd8f0ff, 0x6f9ab8],
  [0x4a3c84, 0xffa860, 0x6a5488],
] as const;

function hills(canvas: Canvas, random: Random, [top, bottom, far]: (typeof SKIES)[number]): void {
  canvas.rect(0, 0, WIDE, HIGH, [top, bottom]);
  canvas.ellipse(4, 3.2, 0.9, 0.9, 0xfff6d8);
  ridge(canvas, random, 4.4, 1.5, far);
  for (const x of [3.6, 11.9])
    canvas.polygon([x - 3, 5.6, x - 0.5, 2.7, x, 2.45, x + 0.5, 2.7, x + 3, 5.6], [0xf4f8ff, far]);
  ridge(canvas, random, 5.6, 0.5, [0x4c8258, 0x2f6440]);
}

export function lake(_hue: number, random: Random): Scene {
  return {
    pan: 1.25,
    grain: 10,
    background(canvas) {
      hills(canvas, random, random.pick(SKIES));
      canvas.rect(0, 6.2, WIDE, 2.8, [0x7fb4d8, 0x2a5f8c]);
      for (let line = 0; line < 26; line++)
        canvas.rect(
          WIDE * random.next(),
          6.35 + 2.4 * random.next(),
          0.8 + 1.8 * random.next(),
          0.05,
          0xffffff,
          0.45,
        );
      for (let x = 0.3; x < WIDE; x += 0.7 + random.next()) {
        const high = 0.7 + 0.8 * random.next();
        canvas.polygon([x - 0.35, 6.3, x, 6.3 - high, x + 0.35, 6.3], [0x3b7a44, 0x1b4426]);
      }
    },
    sprites: [
      {
        box: { x: 4.6, y: 5.6, w: 4.4, h: 2.6 },
        sway: { x: 0.5, y: 0.08, seconds: 4 },
        draw(canvas) {
          canvas.polygon([5, 7.3, 8.6, 7.3, 8.1, 7.95, 5.5, 7.95], [0xb8683a, 0x7a3f1e]);
          canvas.polygon([6.7, 7.2, 6.7, 5.7, 8.1, 7.2], 0xfdfdf6);
          canvas.rect(6.58, 5.65, 0.12, 1.7, 0x5c3a1e);
        },
      },
    ],
  };
}

export function railway(hue: number, random: Random): Scene {
  const train: Sprite = {
    box: { x: 0.2, y: 4.9, w: 15.2, h: 3.1 },
    sway: { x: 0.06, y: 0.05, seconds: 0.7 },
    draw(canvas) {
      for (const x of [0.3, 5.3, 10.3]) {
        canvas.plate(x, 5.1, 4.9, 2.3, 0.3, [0xfaf8f0, 0xd8d4c8]);
        canvas.rect(x, 6.5, 4.9, 0.45, tone(hue, 0.8, 0.42));
        for (let window = 0; window < 4; window++)
          canvas.plate(x + 0.35 + 1.1 * window, 5.5, 0.9, 0.75, 0.1, [0x2e4a66, 0x7fa6c4]);
        for (const wheel of [0.9, 1.7, 3.3, 4.1]) canvas.ellipse(x + wheel, 7.5, 0.32, 0.32, 0x24262a);
      }
    },
  };
  return {
    pan: 1.5,
    grain: 10,
    background(canvas) {
      hills(canvas, random, SKIES[1]);
      canvas.rect(0, 6.3, WIDE, 2.7, [0x9cc85c, 0x5c8c34]);
      for (let x = 0; x < WIDE; x += 1.6) canvas.rect(x, 3.9, 0.16, 3.8, 0x4a4440);
      canvas.rect(0, 4.2, WIDE, 0.05, 0x4a4440);
      canvas.rect(0, 7.7, WIDE, 0.55, [0x8c7a66, 0x6a5a48]);
      for (let x = 0; x < WIDE; x += 0.5) canvas.rect(x, 7.75, 0.25, 0.4, 0x4e4034);
      for (let x = 0; x < WIDE; x += 0.9)
        canvas.ellipse(x + random.next(), 8.7, 0.5, 0.4, tone(90, 0.5, 0.25 + 0.15 * random.next()));
    },
    sprites: [train],
  };
}

export function street(hue: number, random: Random): Scene {
  const walkers: readonly Sprite[] = [0, 1].map((index) => ({
    box: { x: 3 + 5 * index, y: 2.2, w: 5, h: 6.8 },
    sway: { x: 0.08, y: 0.16, seconds: 0.9 + 0.2 * index },
    draw: (canvas: Canvas) =>
      person(canvas, 5.5 + 5 * index, 3.9, 1, {
        skin: 0xe8bd99,
        hair: index === 0 ? 0x1a1512 : 0x5a3318,
        clothes: tone(hue + 130 * index, 0.5, 0.45),
        ...(index === 1 ? { isLong: true as const } : {}),
      }),
  }));
  return {
    pan: 1.25,
    grain: 8,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [0x9cc4e8, 0xeef4f8]);
      skyline(canvas, random, 7, 4.6, 0x7f8796, 0xd8e6f4);
      for (let x = 0; x < WIDE; x += 2) {
        canvas.rect(x, 5.2, 1.9, 2.2, tone(20 + 60 * random.next(), 0.4, 0.55));
        canvas.rect(x + 0.2, 5.9, 1.5, 1.5, 0x31424e);
        for (let stripe = 0; stripe < 4; stripe++)
          canvas.rect(x + 0.475 * stripe, 5.3, 0.24, 0.5, tone(hue + 30 * x, 0.7, 0.5));
      }
      canvas.rect(0, 7.4, WIDE, 1.6, [0xb4b0aa, 0x8a8680]);
    },
    sprites: walkers,
  };
}
