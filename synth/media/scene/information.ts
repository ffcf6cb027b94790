/** Scenes of news, weather, lessons and cooking. */
import type { Random } from '../../random.ts';
import { type Canvas, HIGH, tone, WIDE } from './canvas.ts';
import { cloud, person, skyline, star } from './figures.ts';
import type { Scene, SceneText, Sprite } from './scene.ts';

const TALKING = { x: 0.05, y: 0.05, seconds: 2.6 } as const;

/** A caption at the bottom, as news have it: a coloured head and a white plate. */
function lowerThird(hue: number, head: string, text: string): Sprite {
  const box = { x: 0.9, y: 6.75, w: 12.6, h: 1.5 };
  const texts: SceneText[] = [
    { text: head, x: 1.2, y: 7.0, size: 0.62, colour: 0xffffff },
    { text, x: 4.5, y: 6.98, size: 0.72, colour: 0x10203c },
  ];
  return {
    box,
    texts,
    draw(canvas) {
      canvas.rect(0.9, 6.75, 12.6, 1.15, [0xfafcff, 0xd4deec]);
      canvas.rect(0.9, 6.75, 3.2, 1.15, [tone(hue, 0.75, 0.42), tone(hue, 0.8, 0.28)]);
      canvas.rect(0.9, 7.9, 12.6, 0.12, tone(hue, 0.8, 0.5));
    },
  };
}

export function newsDesk(hue: number, random: Random): Scene {
  const studio = 200 + (hue % 50);
  const male = { skin: 0xe9bf9d, hair: 0x1c1816, clothes: 0x22304e, tie: tone(hue, 0.7, 0.4) };
  const female = {
    skin: 0xf2cdb0,
    hair: 0x3a2418,
    clothes: tone(hue + 40, 0.45, 0.62),
    isLong: true,
  } as const;
  const anchors: readonly Sprite[] = [male, female].map((looks, index) => ({
    box: { x: 2.3 + 5 * index, y: 1.9, w: 5, h: 5.2 },
    sway: { ...TALKING, seconds: 2.6 + 0.7 * index },
    draw: (canvas: Canvas) => person(canvas, 4.8 + 5 * index, 3.35, 1.05, looks),
  }));
  const desk: Sprite = {
    box: { x: 0, y: 6, w: WIDE, h: 3 },
    draw(canvas) {
      canvas.polygon(
        [0, 6.5, 2, 6.1, 14, 6.1, 16, 6.5, 16, 9, 0, 9],
        [tone(studio, 0.35, 0.8), tone(studio, 0.5, 0.4)],
      );
      canvas.polygon([0, 6.7, 2, 6.3, 14, 6.3, 16, 6.7, 16, 7, 0, 7], tone(hue, 0.6, 0.36));
    },
  };
  return {
    pan: 1,
    grain: 10,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [tone(studio, 0.65, 0.18), tone(studio, 0.6, 0.42)]);
      for (let x = 0; x < WIDE; x += 4) canvas.rect(x, 0, 0.5, HIGH, tone(studio, 0.6, 0.55), 0.35);
      skyline(canvas, random, 7.4, 4.6, tone(studio, 0.5, 0.13), 0xffe9a8);
    },
    sprites: [...anchors, desk, lowerThird(hue, 'ニュース', '市の中心部で夏祭り始まる')],
  };
}

export function weatherMap(hue: number, random: Random): Scene {
  const land = [
    5.1, 7.5, 5.5, 6.7, 6.6, 6.4, 7.5, 6.0, 8.4, 5.9, 8.7, 5.2, 9.5, 4.7, 9.8, 3.8, 9.6, 3.2, 10.2, 3.0, 10.6,
    3.9, 10.5, 4.9, 10.1, 5.8, 9.3, 6.4, 8.3, 6.7, 7.5, 6.7, 6.7, 7.1, 6.1, 7.6,
  ];
  const island = [9.9, 2.6, 9.8, 1.8, 10.4, 1.0, 11.4, 1.5, 12.2, 1.9, 11.3, 2.6, 10.5, 2.5];
  const south = [4.6, 7.5, 5.0, 7.8, 4.9, 8.6, 4.3, 8.5, 4.1, 7.9];
  const map: Sprite = {
    box: { x: 3.5, y: 0.6, w: 9.5, h: 8.2 },
    draw(canvas) {
      for (const shape of [land, island, south]) {
        canvas.polygon(
          shape.map((value) => value + 0.1),
          0x0b3a5c,
          0.6,
        );
        canvas.polygon(shape, [0x9fd46a, 0x4f9e48]);
      }
    },
  };
  const bob = (seconds: number) => ({ x: 0, y: 0.16, seconds });
  const sun = (x: number, y: number, seconds: number): Sprite => ({
    box: { x: x - 1, y: y - 1, w: 2, h: 2 },
    sway: bob(seconds),
    draw(canvas) {
      canvas.polygon(star(x, y, 0.9, 0.6, 12), 0xff9a1c);
      canvas.ellipse(x, y, 0.52, 0.52, [0xffe14a, 0xff8a1c]);
    },
  });
  const rain = (x: number, y: number, seconds: number): Sprite => ({
    box: { x: x - 1.1, y: y - 0.8, w: 2.2, h: 2 },
    sway: bob(seconds),
    draw(canvas) {
      cloud(canvas, x, y, 0.5, [0xffffff, 0xaebdcc]);
      for (const dx of [-0.5, 0, 0.5])
        canvas.stroke(x + dx, y + 0.55, x + dx - 0.15, y + 0.95, 0.13, 0x1e6be0);
    },
  });
  const degrees = (x: number, y: number, text: string): Sprite => ({
    box: { x, y, w: 1.3, h: 0.8 },
    texts: [{ text, x: x + 0.65, y: y + 0.12, size: 0.52, colour: 0xd02020, centred: true }],
    draw: (canvas) => canvas.plate(x, y, 1.3, 0.8, 0.2, 0xffffff, 0.95),
  });
  const head: Sprite = {
    box: { x: 0.7, y: 1.7, w: 4.2, h: 1.1 },
    texts: [{ text: 'あすの天気', x: 1, y: 1.94, size: 0.66, colour: 0xffffff }],
    draw: (canvas) => canvas.plate(0.7, 1.7, 4.2, 1.1, 0.25, [tone(hue, 0.8, 0.42), tone(hue, 0.8, 0.28)]),
  };
  return {
    pan: -1,
    grain: 10,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [0x3b8fcf, 0x1c5f9e]);
      for (let band = 0; band < 12; band++)
        cloud(
          canvas,
          WIDE * random.next(),
          2.4 + 6.2 * random.next(),
          0.4 + 0.5 * random.next(),
          0xbfdcf0,
          0.75,
        );
    },
    sprites: [
      map,
      head,
      sun(6.4, 5.3, 2.2),
      degrees(7.5, 5.2, '31'),
      rain(11.4, 2.7, 2.7),
      degrees(12.7, 2.6, '22'),
      sun(11.6, 5.1, 2.4),
      degrees(12.7, 4.9, '29'),
      rain(3.2, 7.2, 2.9),
      degrees(1.0, 6.9, '26'),
    ],
  };
}

export function classroom(hue: number, random: Random): Scene {
  const teacher: Sprite = {
    box: { x: 9.6, y: 2.0, w: 5, h: 7 },
    sway: { x: 0.12, y: 0.06, seconds: 3 },
    draw: (canvas) =>
      person(canvas, 12.1, 4.2, 1.1, {
        skin: 0xeec4a2,
        hair: 0x2a1e18,
        clothes: tone(hue, 0.35, 0.4),
        tie: 0xb03030,
      }),
  };
  const board: Sprite = {
    box: { x: 1, y: 2, w: 8.4, h: 5 },
    texts: [
      { text: '三平方の定理', x: 1.7, y: 2.5, size: 0.8, colour: 0xf4f4e8 },
      { text: 'a×a + b×b = c×c', x: 1.7, y: 3.45, size: 0.7, colour: 0xffe680 },
    ],
    draw(canvas) {
      canvas.plate(1, 2, 8.4, 5, 0.15, 0x8a5f34);
      canvas.rect(1.2, 2.2, 8, 4.6, [0x24614a, 0x1a4a38]);
      for (const [x1, y1, x2, y2] of [
        [6.2, 6.2, 8.6, 6.2],
        [8.6, 6.2, 8.6, 4.3],
        [8.6, 4.3, 6.2, 6.2],
      ] as const)
        canvas.stroke(x1, y1, x2, y2, 0.09, 0xffffff);
    },
  };
  return {
    pan: 1,
    grain: 12,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [tone(hue, 0.3, 0.82), tone(hue, 0.35, 0.66)]);
      for (let x = 0; x < WIDE; x += 2) {
        canvas.rect(x, 5.6, 1.9, 3.4, tone(30, 0.4, 0.5 + 0.08 * random.next()));
        canvas.ellipse(x + 1, 4.4, 0.5, 0.5, tone(hue + 40 * x, 0.6, 0.6), 0.5);
      }
    },
    sprites: [board, teacher],
  };
}

export function kitchen(hue: number, random: Random): Scene {
  const cook: Sprite = {
    box: { x: 3, y: 0.9, w: 5.4, h: 6.4 },
    sway: { x: 0.1, y: 0.06, seconds: 2.2 },
    draw(canvas) {
      person(canvas, 5.7, 3.6, 1.1, { skin: 0xf0c8a6, hair: 0x2a1a12, clothes: 0xfafafa });
      canvas.rect(4.75, 1.75, 1.9, 1.25, [0xffffff, 0xdfe4ea]);
      for (const x of [5, 5.7, 6.4]) canvas.ellipse(x, 1.6, 0.55, 0.5, 0xffffff);
      canvas.polygon([4.6, 5.0, 6.8, 5.0, 5.7, 5.8], tone(hue, 0.8, 0.5));
    },
  };
  const table: Sprite = {
    box: { x: 0, y: 6.3, w: WIDE, h: 2.7 },
    draw(canvas) {
      canvas.rect(0, 6.7, WIDE, 2.3, [0xd9a066, 0xa8703c]);
      canvas.rect(0, 6.6, WIDE, 0.18, 0xefc48c);
      canvas.plate(1, 7.0, 3, 0.3, 0.1, 0xf6f0e4);
      for (const [x, colour] of [
        [1.4, 0xe23b2e],
        [2.1, 0x4fa83a],
        [2.8, 0xf29a24],
        [3.4, 0xe23b2e],
      ] as const)
        canvas.ellipse(x, 6.85, 0.34, 0.32, colour);
    },
  };
  const pan: Sprite = {
    box: { x: 8.3, y: 5, w: 6, h: 3 },
    sway: { x: 0.14, y: 0.1, seconds: 1.3 },
    draw(canvas) {
      canvas.ellipse(10.6, 6.6, 2.1, 0.75, 0x26282c);
      canvas.stroke(12.4, 6.5, 14, 6.1, 0.3, 0x26282c);
      canvas.ellipse(10.6, 6.45, 1.75, 0.52, 0xd8862c);
      for (let piece = 0; piece < 14; piece++)
        canvas.ellipse(
          9.3 + 2.6 * random.next(),
          6.25 + 0.35 * random.next(),
          0.2,
          0.14,
          random.pick([0xe8402e, 0x58b03c, 0xf6d254, 0xfff2d8]),
        );
      for (const x of [9.6, 10.6, 11.5]) canvas.ellipse(x, 5.55, 0.18, 0.5, 0xffffff, 0.4);
    },
  };
  const title: Sprite = {
    box: { x: 0.8, y: 7.75, w: 9.4, h: 1 },
    texts: [{ text: '今日の一品　彩り野菜炒め', x: 1.1, y: 7.95, size: 0.62, colour: 0xffffff }],
    draw: (canvas) => canvas.plate(0.8, 7.75, 9.4, 1, 0.45, tone(hue, 0.75, 0.42)),
  };
  return {
    pan: 1,
    grain: 12,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [0xfff4dc, 0xf3dcb4]);
      for (let x = 0; x < WIDE; x += 1) {
        canvas.rect(x, 3.6, 0.96, 3.2, tone(hue, 0.3, x % 2 === 0 ? 0.86 : 0.8));
        canvas.rect(x, 4.5, 1, 0.05, 0xffffff, 0.8);
        canvas.rect(x, 5.6, 1, 0.05, 0xffffff, 0.8);
      }
      for (let x = 0.6; x < WIDE; x += 4) {
        canvas.plate(x, 3.15, 2.4, 0.16, 0.05, 0x8f6236);
        for (const [dx, colour] of [
          [0.2, 0x4a9a5c],
          [0.8, 0xd65a3a],
          [1.5, 0x3f78b8],
        ] as const)
          canvas.plate(x + dx, 2.6, 0.45, 0.56, 0.1, colour);
      }
    },
    sprites: [cook, table, pan, title],
  };
}
