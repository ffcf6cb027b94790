/** A region that is drawn again looks as if all had been drawn: random changes on a coarse grid, compared cell by cell. */
import { expect, test } from 'bun:test';
import { Random } from '../../../test/fuzz/random.ts';
import { documentOf, FONTS, picture } from '../../../test/web/drawing-recorder.ts';
import { DEFAULT_PALETTE } from '../picture/palette.ts';
import type { DrawingContext } from './sources.ts';
import { DocumentView } from './view.ts';

const CELL = 60;
const [COLUMNS, ROWS] = [16, 9];
type Rect = readonly [left: number, top: number, width: number, height: number];

/** Every cell keeps what was drawn on it since it was cleared. */
class Grid implements DrawingContext {
  cells: string[] = Array.from({ length: COLUMNS * ROWS }, () => 'old');
  fillStyle: string = '';
  font = '';
  #clips: Rect[] = [[0, 0, COLUMNS * CELL, ROWS * CELL]];
  #saved: Rect[][] = [];
  #path: Rect = [0, 0, 0, 0];

  save(): void {
    this.#saved.push([...this.#clips]);
  }
  restore(): void {
    this.#clips = this.#saved.pop() ?? [];
  }
  beginPath(): void {}
  rect(...path: [number, number, number, number]): void {
    this.#path = path;
  }
  clip(): void {
    this.#clips.push(this.#path);
  }
  #draw([left, top, width, height]: Rect, drawn: (before: string) => string): void {
    for (let row = 0; row < ROWS; row++) {
      for (let column = 0; column < COLUMNS; column++) {
        const [x, y] = [(column + 0.5) * CELL, (row + 0.5) * CELL];
        const isIn = ([fromX, fromY, across, down]: Rect): boolean =>
          x > fromX && x < fromX + across && y > fromY && y < fromY + down;
        if (!isIn([left, top, width, height]) || !this.#clips.every(isIn)) continue;
        const index = row * COLUMNS + column;
        this.cells[index] = drawn(this.cells[index] ?? '');
      }
    }
  }
  clearRect(...rect: [number, number, number, number]): void {
    this.#draw(rect, () => '');
  }
  fillRect(...rect: [number, number, number, number]): void {
    const { fillStyle } = this;
    this.#draw(rect, (before) => (fillStyle.endsWith('ff') ? fillStyle : `${before} ${fillStyle}`));
  }
  fillText(text: string, x: number, baseline: number): void {
    const rect = [x, Math.round(baseline - CELL * FONTS.ascent), CELL, CELL] as const;
    this.#draw(rect, (before) => `${before} ${text}${this.fillStyle}${this.font}`);
  }
  drawImage(_image: unknown, ...numbers: number[]): void {
    const [sourceX, sourceY, , , left = 0, top = 0, width = 0, height = 0] = numbers;
    // Where in the picture the cell is, for a picture of the size of the plane.
    const offset = `${left - (sourceX ?? 0)},${top - (sourceY ?? 0)}`;
    this.#draw([left, top, width, height], (before) => `${before} image${offset}`);
  }
}

test('repaints', () => {
  const random = new Random(7);
  const image = picture(960, 540, false);
  const sources = { picture: () => image, palette: () => DEFAULT_PALETTE, glyph: () => null };
  const css = `p, div, object { font-size: ${CELL}px } p:focus { background-color-index: 70 } p:active { color-index: 4 }`;
  for (let round = 0; round < 80; round++) {
    const place = (): string =>
      `left:${(random.below(COLUMNS + 2) - 2) * CELL}px;top:${(random.below(ROWS + 2) - 2) * CELL}px;width:${random.below(9) * CELL}px;height:${random.below(6) * CELL}px`;
    const box = (depth: number): string => {
      const kind = random.below(4);
      const attributes = `id="e${random.below(1000)}" style="${place()};background-color-index:${random.pick([8, 1, 2, 66, 67])};${random.pick(['', 'visibility:visible'])}"`;
      if (kind === 0 && depth < 3)
        return `<div ${attributes}>${Array.from({ length: random.below(4) }, () => box(depth + 1)).join('')}</div>`;
      if (kind === 1)
        return `<object type="${random.pick(['image/X-arib-png', 'video/X-arib-mpeg2'])}" data="a" ${attributes}/>`;
      return `<p ${attributes}>あい<span>う</span>えおか</p>`;
    };
    const document = documentOf(Array.from({ length: 1 + random.below(8) }, () => box(0)).join(''), css);
    const grid = new Grid();
    const view = new DocumentView(document, grid, sources, FONTS);
    view.frame(0);
    for (let step = 0; step < 12; step++) {
      for (let changes = 1 + random.below(2); changes > 0; changes--) {
        const element = random.pick([...document.elements()]);
        const style = element.style('normal');
        const kind = random.below(6);
        if (kind === 0) style.set('left', (random.below(COLUMNS) - 1) * CELL);
        else if (kind === 1) style.set('height', random.below(6) * CELL);
        else if (kind === 2) style.set('visibility', random.pick(['hidden', 'visible']));
        else if (kind === 3) style.set('backgroundColorIndex', random.pick([8, 1, 2, 66, 67]));
        else if (kind === 4) document.currentFocus = element;
        else element.firstChild?.write('data', random.pick(['', 'か', 'きく\nけこさしすせそ']));
      }
      view.frame(step);
      const fresh = new Grid();
      new DocumentView(document, fresh, sources, FONTS).frame(step);
      expect({ round, step, cells: grid.cells }).toEqual({ round, step, cells: fresh.cells });
    }
  }
});
