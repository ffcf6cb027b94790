/** Commercials, and what surrounds programmes: sponsors, announcements, the pause of the night. */
import type { Random } from '../../random.ts';
import { type Canvas, HIGH, tone, WIDE } from './canvas.ts';
import { skyline, star } from './figures.ts';
import type { Scene, Sprite } from './scene.ts';

/** What is advertised: its name, and its picture around the point (8, 4.2). */
interface Product {
  readonly name: string;
  draw(canvas: Canvas, hue: number): void;
}

export const PRODUCTS: readonly Product[] = [
  {
    name: '見本の緑茶',
    draw(canvas) {
      canvas.plate(6.9, 2.2, 2.2, 5.1, 0.5, [0x9ad05c, 0x3c7c2c]);
      canvas.rect(7.5, 1.5, 1, 0.9, 0x84bc4c);
      canvas.plate(7.4, 1.1, 1.2, 0.6, 0.1, 0xfafafa);
      canvas.rect(6.9, 3.7, 2.2, 2.2, [0xfafaf0, 0xe0e8d0]);
      canvas.ellipse(8, 4.8, 0.75, 0.75, 0x2f7a3a);
    },
  },
  {
    name: '例田自動車',
    draw(canvas, hue) {
      const body = tone(hue + 180, 0.85, 0.45);
      canvas.ellipse(8, 6.6, 5, 0.4, 0x202020, 0.4);
      canvas.polygon([5.2, 4.6, 6.6, 2.9, 9.6, 2.9, 11.2, 4.6], body);
      canvas.polygon([5.8, 4.5, 6.9, 3.2, 8, 3.2, 8, 4.5], [0xd8f0ff, 0x6c9cc0]);
      canvas.polygon([8.3, 4.5, 8.3, 3.2, 9.4, 3.2, 10.6, 4.5], [0xd8f0ff, 0x6c9cc0]);
      canvas.plate(3.4, 4.4, 9.4, 1.9, 0.6, [body, tone(hue + 180, 0.85, 0.28)]);
      for (const x of [5.4, 10.6]) {
        canvas.ellipse(x, 6.2, 0.95, 0.95, 0x1a1a1e);
        canvas.ellipse(x, 6.2, 0.5, 0.5, 0xc8ccd4);
      }
      canvas.ellipse(12.5, 5.1, 0.3, 0.22, 0xfff4b0);
    },
  },
  {
    name: '架空製菓',
    draw(canvas) {
      canvas.ellipse(8, 6.6, 3.6, 0.5, 0xfafafa);
      canvas.plate(5.6, 4.3, 4.8, 2.2, 0.3, [0xf6d48c, 0xd89c48]);
      canvas.plate(5.4, 3.5, 5.2, 1.3, 0.5, [0xfffaf4, 0xf4dcd0]);
      for (const x of [6.3, 8, 9.7]) canvas.ellipse(x, 3.25, 0.55, 0.6, [0xff5a4c, 0xc81c28]);
    },
  },
  {
    name: '例田電機',
    draw(canvas, hue) {
      canvas.plate(6.4, 1.5, 3.2, 6, 0.4, 0x16181c);
      canvas.rect(6.65, 2, 2.7, 5, [tone(hue, 0.9, 0.6), tone(hue + 120, 0.9, 0.5)]);
      for (let row = 0; row < 3; row++) {
        for (let column = 0; column < 3; column++)
          canvas.plate(6.85 + 0.82 * column, 3.9 + 0.95 * row, 0.64, 0.64, 0.15, 0xffffff, 0.9);
      }
    },
  },
  {
    name: '模擬ハウス',
    draw(canvas) {
      canvas.rect(5, 4.2, 6, 3.1, [0xfdf6e8, 0xe0d0b8]);
      canvas.polygon([4.3, 4.3, 8, 1.6, 11.7, 4.3], [0xc85a3c, 0x983420]);
      canvas.rect(7.4, 5.4, 1.2, 1.9, 0x7a4a28);
      for (const x of [5.6, 9.2]) canvas.rect(x, 5, 1.2, 1.2, [0xd8f0ff, 0x84b8dc]);
      canvas.ellipse(12.6, 6, 1, 1.3, [0x6cc060, 0x2f7c3c]);
      canvas.ellipse(3.5, 6.2, 0.9, 1.1, [0x6cc060, 0x2f7c3c]);
    },
  },
  {
    name: '仮名の洗剤',
    draw(canvas, hue) {
      canvas.plate(6.2, 2.8, 3.6, 4.6, 0.7, [tone(hue + 200, 0.8, 0.6), tone(hue + 200, 0.8, 0.4)]);
      canvas.rect(7.3, 1.9, 1.4, 1, 0xffffff);
      canvas.plate(7, 1.3, 2, 0.8, 0.2, tone(hue + 20, 0.9, 0.55));
      canvas.polygon(star(8, 5, 1.4, 0.8, 12), 0xffffff);
      for (const [x, y, r] of [
        [4.6, 3, 0.6],
        [11.2, 2.6, 0.8],
        [4.2, 5.6, 0.8],
        [11.6, 5.6, 0.6],
        [5, 4.3, 0.3],
      ] as const) {
        canvas.ellipse(x, y, r, r, 0xffffff, 0.75);
        canvas.ellipse(x - 0.3 * r, y - 0.3 * r, 0.25 * r, 0.25 * r, 0xffffff);
      }
    },
  },
];

function productOf(number: number): Product {
  return PRODUCTS[number % PRODUCTS.length] ?? (PRODUCTS[0] as Product);
}

/** Lightness of the bands behind products: as different as the backgrounds on which a logo may stand. */
const LIGHTNESS = [0.12, 0.3, 0.45, 0.6, 0.75, 0.9, 0.5, 0.2];

function bands(canvas: Canvas, hue: number): void {
  for (const [index, lightness] of LIGHTNESS.entries()) {
    canvas.rect(2 * index, 0, 2, HIGH, tone(hue, 0.7, lightness));
  }
}

/** The two shots of a commercial: the product before rays, and its name on a card. */
export function product(hue: number, number: number): Scene {
  const { draw } = productOf(number);
  return {
    pan: number % 2 === 0 ? 1 : -1,
    grain: 6,
    background(canvas) {
      bands(canvas, hue);
      for (let x = 0; x < WIDE; x += 2)
        canvas.polygon([x, 9, x + 1, 9, x + 2.4, 2.8, x + 1.4, 2.8], tone(hue + 20, 0.8, 0.8), 0.8);
    },
    sprites: [
      {
        box: { x: 2, y: 0.8, w: 12, h: 6.8 },
        sway: { x: 0.2, y: 0.3, seconds: 1.4 + 0.2 * number },
        draw: (canvas) => draw(canvas, hue),
      },
    ],
  };
}

export function nameCard(hue: number, number: number): Scene {
  const { name, draw } = productOf(number);
  const card: Sprite = {
    box: { x: 2, y: 6.3, w: 12, h: 1.9 },
    sway: { x: 0.1, y: 0.1, seconds: 2 },
    texts: [{ text: name, x: 8, y: 6.65, size: 1.15, colour: 0xffffff, centred: true }],
    draw: (canvas) =>
      canvas.plate(2, 6.3, 12, 1.9, 0.6, [tone(hue + 190, 0.85, 0.4), tone(hue + 200, 0.9, 0.28)]),
  };
  return {
    pan: number % 2 === 0 ? -1 : 1,
    grain: 6,
    background(canvas) {
      bands(canvas, hue + 200);
      for (let x = 0; x < WIDE; x += 2) {
        for (let y = 3.6 + (x % 4) / 2; y < HIGH; y += 2)
          canvas.ellipse(x + 1, y, 0.6, 0.6, tone(hue, 0.9, 0.75), 0.8);
      }
    },
    sprites: [{ box: { x: 2, y: 0.8, w: 12, h: 6.8 }, draw: (canvas) => draw(canvas, hue) }, card],
  };
}

function disc(canvas: Canvas, x: number, y: number, r: number): void {
  canvas.ellipse(x, y, r, r, 0xffffff, 0.25);
}

export function announcement(hue: number, random: Random): Scene {
  const card: Sprite = {
    box: { x: 1.6, y: 2.2, w: 12.8, h: 5.2 },
    sway: { x: 0.1, y: 0.12, seconds: 2.5 },
    texts: [
      { text: '番組のお知らせ', x: 8, y: 2.75, size: 1.0, colour: 0xffffff, centred: true },
      { text: '今夜　新しい旅がはじまる', x: 8, y: 5.2, size: 0.85, colour: 0x30204c, centred: true },
    ],
    draw(canvas) {
      canvas.plate(1.6, 2.2, 12.8, 5.2, 0.5, 0xffffff);
      canvas.plate(1.6, 2.2, 12.8, 1.9, 0.5, [tone(hue, 0.7, 0.5), tone(hue, 0.75, 0.38)]);
    },
  };
  return {
    pan: 1,
    grain: 8,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [tone(hue, 0.55, 0.75), tone(hue + 40, 0.6, 0.6)]);
      for (let dot = 0; dot < 34; dot++)
        disc(canvas, WIDE * random.next(), HIGH * random.next(), 0.2 + 0.7 * random.next());
    },
    sprites: [card],
  };
}

/** The names of sponsors before a town in the evening. */
export function sponsors(hue: number, random: Random): Scene {
  return {
    pan: 0,
    grain: 8,
    background(canvas) {
      canvas.rect(0, 0, WIDE, HIGH, [0x20285c, 0xe88a5c]);
      skyline(canvas, random, 8.4, 3, tone(hue, 0.3, 0.14), 0xffdf90);
    },
    sprites: [],
  };
}

export function black(): Scene {
  return { pan: 0, grain: 0, sprites: [], background: (canvas) => canvas.rect(0, 0, WIDE, HIGH, 0) };
}

/** Colour bars. */
export function bars(): Scene {
  const colours = [0xbfbfbf, 0xbfbf00, 0x00bfbf, 0x00bf00, 0xbf00bf, 0xbf0000, 0x0000bf];
  return {
    pan: 0,
    grain: 0,
    background(canvas) {
      for (const [index, colour] of colours.entries())
        canvas.rect((index * WIDE) / 7, 0, WIDE / 7 + 0.02, HIGH, colour);
      canvas.rect(0, 6.6, WIDE, 2.4, [0x101010, 0x303030]);
    },
    sprites: [],
  };
}
