/** Caption pages as cells, the form in which different decoders are compared. */
import { colourName } from '../../lib/arib/caption/look.ts';
import type { CaptionPage } from '../../lib/arib/caption/page.ts';
import { asPeer, type TruthPage } from '../synth/caption-peer.ts';

const COLOURS = new Map(Array.from({ length: 128 }, (_, index) => [colourName(index), index]));

function marksOf(underline: boolean, flash: boolean, boxed: boolean, outlined: boolean): string {
  return [underline && 'underline', flash && 'flash', boxed && 'boxed', outlined && 'outlined']
    .filter((mark) => mark !== false)
    .join(' ');
}

function cell(what: string, box: readonly number[], colours: readonly number[], marks: string): string {
  return `${box.join(',')} ${what} ${colours.join('/')} ${marks}`;
}

/** One line per cell: left, top, width, height, character, colours, decoration; ordered by position. */
export function pageCells(page: CaptionPage): string[] {
  return page.runs
    .flatMap((run) => {
      const colours = [COLOURS.get(run.fg) ?? -1, COLOURS.get(run.bg) ?? -1];
      const marks = marksOf(
        run.underline === true,
        run.flash === true,
        (run.box ?? 0) !== 0,
        run.stroke !== undefined,
      );
      return [...run.text].map((character, index) => {
        const what = run.drcs === undefined ? asPeer(character) : `drcs:${run.drcs}`;
        return cell(what, [run.x + index * run.w, run.y, run.w, run.h], colours, marks);
      });
    })
    .sort();
}

/** The expected screen content after a page, given the content before it, by bottom left corner. */
export function addTruth(screen: Map<string, string>, page: TruthPage): void {
  if (page.clears) screen.clear();
  for (const run of page.runs) {
    const { cell: size } = run;
    const [width, height] = page.vertical ? [size.height, size.width] : [size.width, size.height];
    const drcs = new Map(run.drcs.map(({ index, md5 }) => [index, `drcs:${md5}`]));
    const colours = run.inverted ? [run.background, run.foreground] : [run.foreground, run.background];
    const marks = marksOf(run.underline, run.flash !== 'none', run.boxed, run.outlined);
    for (const [index, character] of [...run.text].entries()) {
      // The active position: bottom left of the cell, in vertical writing the middle of its top edge.
      const x = page.vertical ? run.x - width / 2 : run.x + index * width;
      const y = page.vertical ? run.y + index * height : run.y - height + 1;
      const what = drcs.get(index) ?? asPeer(character);
      screen.delete(`${x},${y + height}`);
      screen.set(`${x},${y + height}`, cell(what, [x, y, width, height], colours, marks));
    }
  }
}
