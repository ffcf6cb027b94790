/** Scenes of shows, music, sports and hobbies. */
import type { Random } from '../../random.ts';
import { type Canvas, HIGH, tone, WIDE } from './canvas.ts';
import { person, star } from './figures.ts';
import type { Scene, Sprite } from './scene.ts';

export function talkStudio(hue: number, random: Random): Scene {
  const guests: readonly Sprite[] = [0, 1, 2].map((index) => ({
    box: { x: 0.9 + 4.3 * index, y: 2.2, w: 4.4, h: 4.9 },
    sway: { x: 0.1, y: 0.1, seconds: 1.5 + 0.5 * index },
    draw: (canvas: Canvas) =>
      person(canvas, 3.1 + 4.3 * index, 3.6, 0.95, {
        skin: [0xf0c6a4, 0xe2b18c, 0xf6d4ba][index] ?? 0xf0c6a4,
        hair: [0x201814, 0x6a3c1c, 0x2a1c2c][index] ?? 0,
        clothes: tone(hue + 150 + 100 * index, 0.5, 0.48),
        ...(index === 1 ? {} : { isLong: true as const }),
      }),
  }));
  const table: Sprite = {
    box: { x: 0, y: 6.1, w: WIDE, h: 2.9 },
    texts: [{ text: 'えっ、本当ですか！？', x: 7, y: 7.25, size: 1.1, colour: 0xffffff, centred: true }],
    draw(canvas) {
      canvas.rect(0, 6.2, WIDE, 2.8, [0xfffaf0, 0xe8d8c0]);
      canvas.plate(1.2, 7.0, 11.6, 1.55, 0.4, [tone(hue + 190, 0.8, 0.5), tone(hue + 200, 0.85, 0.36)]);
      for (const x of [3, 7.4, 11.2]) canvas.plate(x, 5.95 + 0.2, 0.5, 0.6, 0.1, 0x70c8e8);
    },
  };
  return {
    pan: 1,
    grain: 8,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [tone(hue, 0.55, 0.6), tone(hue + 30, 0.6, 0.72)]);
      for (let x = 0; x < WIDE; x += 2) canvas.rect(x, 0, 1, HIGH, tone(hue + 15, 0.6, 0.7), 0.5);
      for (let dot = 0; dot < 30; dot++)
        canvas.polygon(
          star(WIDE * random.next(), 2.4 + 5 * random.next(), 0.45, 0.2, 5),
          tone(hue + 180 * random.next(), 0.9, 0.7),
          0.85,
        );
      canvas.rect(0, 2.9, WIDE, 0.14, 0xffffff);
    },
    sprites: [...guests, table],
  };
}

export function stage(hue: number, random: Random): Scene {
  const singer: Sprite = {
    box: { x: 4.6, y: 1.9, w: 6, h: 7.1 },
    sway: { x: 0.25, y: 0.12, seconds: 1.6 },
    draw(canvas) {
      person(canvas, 7.6, 3.8, 1.1, {
        skin: 0xf2c8a8,
        hair: 0x241410,
        clothes: tone(hue + 30, 0.8, 0.45),
        isLong: true,
      });
      canvas.stroke(9.2, 6.6, 8.2, 5.1, 0.5, 0xf2c8a8);
      canvas.stroke(8.3, 5.3, 7.85, 4.65, 0.16, 0x303038);
      canvas.ellipse(7.8, 4.55, 0.2, 0.22, 0x9a9aa6);
    },
  };
  const crowd: Sprite = {
    box: { x: 0, y: 6.4, w: WIDE, h: 2.6 },
    sway: { x: 0.1, y: 0.22, seconds: 0.9 },
    draw(canvas) {
      for (let x = 0.3; x < WIDE; x += 0.95) {
        const y = 8.2 + 0.5 * random.next();
        canvas.ellipse(x, y, 0.42, 0.5, 0x0c0a16);
        canvas.rect(x - 0.6, y + 0.3, 1.2, 1.5, 0x0c0a16);
        if (random.chance(0.55)) {
          canvas.stroke(x + 0.4, y + 0.5, x + 0.5, y - 0.7, 0.16, 0x0c0a16);
          canvas.stroke(x + 0.5, y - 0.75, x + 0.62, y - 1.35, 0.13, tone(hue + 300 * random.next(), 1, 0.7));
        }
      }
    },
  };
  return {
    pan: -1,
    grain: 8,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [tone(hue + 250, 0.7, 0.1), tone(hue + 280, 0.7, 0.3)]);
      for (let x = 1; x < WIDE; x += 2) {
        const slant = 1.6 * (random.next() - 0.5);
        canvas.polygon(
          [x - 0.1, 2.8, x + 0.1, 2.8, x + slant + 1.3, 9, x + slant - 1.3, 9],
          tone(hue + 70 * x, 0.95, 0.6),
          0.4,
        );
        canvas.ellipse(x, 2.8, 0.28, 0.2, 0xffffff);
      }
      canvas.rect(0, 2.6, WIDE, 0.12, 0x40404c);
    },
    sprites: [singer, crowd],
  };
}

function player(canvas: Canvas, x: number, y: number, shirt: number, step: number): void {
  canvas.ellipse(x + 0.1, y + 2.35, 0.7, 0.14, 0x0c3414, 0.6);
  canvas.stroke(x - 0.12, y + 1.3, x - 0.35 * step, y + 2.25, 0.24, 0xe8bd99);
  canvas.stroke(x + 0.12, y + 1.3, x + 0.5 * step, y + 2.15, 0.24, 0xe8bd99);
  canvas.plate(x - 0.38, y + 1.0, 0.76, 0.55, 0.15, 0xf8f8f8);
  canvas.plate(x - 0.42, y + 0.25, 0.84, 0.95, 0.2, shirt);
  canvas.stroke(x - 0.38, y + 0.4, x - 0.75 * step, y + 0.95, 0.2, 0xe8bd99);
  canvas.stroke(x + 0.38, y + 0.4, x + 0.75 * step, y + 0.75, 0.2, 0xe8bd99);
  canvas.ellipse(x, y, 0.27, 0.32, 0xe8bd99);
  canvas.ellipse(x, y - 0.08, 0.29, 0.28, 0x1a1410, 1, 0.5, 1);
}

export function stadium(hue: number, random: Random): Scene {
  const [ours, theirs] = [tone(hue, 0.85, 0.48), tone(hue + 160, 0.75, 0.42)];
  const players: readonly Sprite[] = (
    [
      [3, 4.0, ours],
      [6.2, 5.0, theirs],
      [9.4, 4.2, ours],
      [12.2, 4.9, theirs],
    ] as const
  ).map(([x, y, shirt], index) => ({
    box: { x: x - 1.1, y: y - 0.5, w: 2.2, h: 3.1 },
    sway: { x: 0.5, y: 0.12, seconds: 1.2 + 0.35 * index },
    draw: (canvas: Canvas) => player(canvas, x, y, shirt, index % 2 === 0 ? 1 : -1),
  }));
  const ball: Sprite = {
    box: { x: 7.4, y: 6.0, w: 0.8, h: 0.8 },
    sway: { x: 2.2, y: 0.4, seconds: 2 },
    draw(canvas) {
      canvas.ellipse(7.8, 6.4, 0.3, 0.3, 0xffffff);
      canvas.polygon(star(7.8, 6.4, 0.16, 0.1, 5), 0x202020);
    },
  };
  const score: Sprite = {
    box: { x: 0.8, y: 7.6, w: 6.4, h: 0.9 },
    texts: [
      { text: '架空', x: 1.1, y: 7.79, size: 0.54, colour: 0xffffff },
      { text: '2 － 1', x: 3.15, y: 7.75, size: 0.62, colour: 0xffe14a },
      { text: '見本', x: 5.6, y: 7.79, size: 0.54, colour: 0xffffff },
    ],
    draw(canvas) {
      canvas.rect(0.8, 7.6, 6.4, 0.9, [0x1c2430, 0x0c1018]);
      canvas.rect(0.8, 7.6, 0.16, 0.9, ours);
      canvas.rect(7.04, 7.6, 0.16, 0.9, theirs);
    },
  };
  return {
    pan: 1,
    grain: 10,
    background(canvas) {
      canvas.rect(0, 0, WIDE, 2.8, [0x26384c, 0x3c5068]);
      canvas.rect(0, 2.7, WIDE, 0.9, 0x4a4e5c);
      for (let seat = 0; seat < 520; seat++)
        canvas.rect(
          WIDE * random.next(),
          2.75 + 0.75 * random.next(),
          0.12,
          0.11,
          random.pick([0xe8e8f0, ours, theirs, 0xf0c090, 0x303848]),
        );
      canvas.rect(0, 3.5, WIDE, 0.55, [0xf4f4f4, 0xc8ccd4]);
      for (let x = 0; x < WIDE; x += 4) canvas.rect(x, 3.56, 2.6, 0.42, tone(hue + 50 * x, 0.75, 0.45));
      for (let x = 0; x < WIDE; x += 2) {
        canvas.rect(x, 4.05, 1, 4.95, [0x3c9a3c, 0x2c7c30]);
        canvas.rect(x + 1, 4.05, 1, 4.95, [0x4cb04a, 0x38923a]);
      }
      canvas.rect(0, 4.6, WIDE, 0.08, 0xffffff, 0.9);
      canvas.rect(7.9, 4.6, 0.12, 4.4, 0xffffff, 0.9);
    },
    sprites: [...players, ball, score],
  };
}

/** A game on a board of wood, seen from above. */
export function boardGame(hue: number, random: Random): Scene {
  const board: Sprite = {
    box: { x: 2.2, y: 1.9, w: 9.6, h: 7 },
    draw(canvas) {
      canvas.polygon([3.6, 2, 10.4, 2, 11.7, 8.6, 2.3, 8.6], [0xe8b868, 0xc48c3c]);
      for (let line = 0; line <= 8; line++) {
        const part = line / 8;
        const y = 2.3 + 6 * part ** 1.1;
        canvas.stroke(3.85 - 1.25 * part ** 1.1, y, 10.15 + 1.25 * part ** 1.1, y, 0.04, 0x4c3414);
        canvas.stroke(3.85 + 6.3 * part, 2.3, 2.6 + 8.8 * part, 8.3, 0.04, 0x4c3414);
      }
      for (let stone = 0; stone < 26; stone++) {
        const [row, column] = [random.below(9) / 8, random.below(9) / 8];
        const x = 3.85 - 1.25 * row ** 1.1 + (6.3 + 2.5 * row ** 1.1) * column;
        canvas.ellipse(
          x,
          2.3 + 6 * row ** 1.1,
          0.32 + 0.1 * row,
          0.25 + 0.1 * row,
          stone % 2 === 0 ? [0x484850, 0x0c0c10] : [0xffffff, 0xd8d8d0],
        );
      }
    },
  };
  const hand: Sprite = {
    box: { x: 9, y: 3.6, w: 5, h: 4 },
    sway: { x: 0.4, y: 0.3, seconds: 2.4 },
    draw(canvas) {
      canvas.stroke(14, 7.3, 11.4, 5.6, 1.2, tone(hue + 200, 0.3, 0.3));
      canvas.ellipse(10.9, 5.2, 0.75, 0.55, 0xeec4a2);
      canvas.stroke(10.7, 5, 9.6, 4.4, 0.28, 0xeec4a2);
      canvas.ellipse(9.5, 4.35, 0.32, 0.24, 0x18181c);
    },
  };
  return {
    pan: 1,
    grain: 10,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [0x8c9860, 0xb4b878]);
      for (let y = 2.8; y < HIGH; y += 0.35) canvas.rect(0, y, WIDE, 0.06, 0x7c8850, 0.7);
      for (const x of [0, 8]) canvas.rect(x, 0, 0.7, HIGH, tone(hue, 0.4, 0.25));
    },
    sprites: [board, hand],
  };
}
