/** Superimposed newsflashes: a chime and two or three rows at the top of the picture. */
import type { Random } from '../random.ts';
import { cellOf, type Page, PLAIN, type Run, SHADE, type Style, WHITE, WHOLE_FRAME } from './page.ts';
import { NEWSFLASHES } from './scenes.ts';

const RED = 1;
const MARGIN = 60;
const STYLE: Style = {
  habit: 1,
  motion: 'coordinates',
  compact: false,
  outlined: false,
  halfColours: false,
  raster: false,
};
/** Built-in sounds 0 to 4 are the chimes of newsflashes. */
const CHIMES = 5;

export function newsflashPage(random: Random): Page {
  const [heading = '', ...rows] = random.pick(NEWSFLASHES);
  const { height } = cellOf(WHOLE_FRAME, 'normal');
  const row = (text: string, index: number): Run => ({
    ...PLAIN,
    foreground: WHITE,
    background: index === 0 ? RED : SHADE,
    x: MARGIN,
    y: (index + 1) * height - 1,
    text,
    role: 'text',
  });
  const runs = [heading, ...rows].map((text, index) => row(text.replaceAll(' ', '　'), index));
  return {
    frame: WHOLE_FRAME,
    style: STYLE,
    steps: [{ waitMs: 0, clears: true, runs }],
    chime: random.below(CHIMES),
  };
}
