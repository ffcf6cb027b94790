/**
 * Captions of one-segment services: the captions of the channel's main station as plain text. Profile C of
 * ARIB STD-B24 (vol. 1 part 3, chapter 9), restricted by TR-B14 vol. 3 section 4: no positions and sizes,
 * kanji on the right side; receivers show the lines at the bottom of a plane of 320 by 180 dots.
 */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { TICKS_PER_SECOND, ticksAt, wrapTicks } from '../clock.ts';
import type { EventStation } from '../si/eit.ts';
import { kanjiCode } from '../text/tables.ts';
import { ERASE } from './compose.ts';
import { captionPes, DISPLAY, dataUnit, managementGroup, statementGroup, UNIT } from './data-group.ts';
import type { Page } from './page.ts';
import { CaptionTrack, presentedAt, type Track, type Transmission } from './track.ts';

/** Interval of management data. */
const MANAGEMENT_PERIOD = 2 * TICKS_PER_SECOND;
/** Time from the start of sending a packet to its presentation. */
const LEAD = TICKS_PER_SECOND;
/** Cells of 20 by 24 dots fill the plane: 16 across; more than three lines would cover the picture. */
const MAX_CHARACTERS = 16;
const MAX_LINES = 3;
const CS = 0x0c;
const APR = 0x0d;
const WHITE_FOREGROUND = 0x87;
/** Row and cell to the bytes of the right side. */
const RIGHT = 0xa0a0;

/** Full-width forms of ASCII, and the space of the kanji set. */
function wide(character: string): string {
  const code = character.charCodeAt(0);
  if (character === ' ') return '　';
  return code > 0x20 && code < 0x7f ? String.fromCharCode(code + 0xfee0) : character;
}

/** The text of a page without ruby, as lines of characters that the kanji set contains. */
function linesOf(page: Page): string[] {
  const texts = page.steps.flatMap(({ runs }) => runs.filter(({ role }) => role === 'text'));
  const lines = new Map<number, string>();
  for (const { y, text } of texts) lines.set(y, (lines.get(y) ?? '') + text);
  return [...lines.values()]
    .map((line) =>
      [...line]
        .map(wide)
        .filter((character) => kanjiCode(character) !== undefined)
        .slice(0, MAX_CHARACTERS)
        .join('')
        .trim(),
    )
    .filter((line) => line !== '')
    .slice(0, MAX_LINES);
}

function textUnit(lines: readonly string[]): Uint8Array {
  const bytes = [CS, WHITE_FOREGROUND];
  for (const [index, line] of lines.entries()) {
    if (index > 0) bytes.push(APR);
    for (const character of line) {
      const code = (kanjiCode(character) ?? 0) + RIGHT;
      bytes.push(code >> 8, code & 0xff);
    }
  }
  return dataUnit(UNIT.text, Uint8Array.from(bytes));
}

interface PartialStatement {
  /** Unwrapped 90 kHz time of its presentation. */
  readonly ticks: number;
  /** Empty: the previous page is erased. */
  readonly lines: readonly string[];
}

export class PartialCaptionTrack implements Track {
  readonly #main: CaptionTrack | undefined;

  /** @param stations of the channel */
  constructor(seed: number, stations: readonly EventStation[]) {
    const main = stations.find(({ place }) => place.captions !== null);
    this.#main = main === undefined ? undefined : new CaptionTrack(seed, main);
  }

  transmissions(from: number, to: number): Transmission[] {
    const management = managementGroup('A', [{ code: 'jpn', displayMode: DISPLAY.chosen }]);
    const sent: Transmission[] = [];
    const first = Math.ceil((from + LEAD) / MANAGEMENT_PERIOD) * MANAGEMENT_PERIOD;
    for (let at = first; at < to + LEAD; at += MANAGEMENT_PERIOD) {
      sent.push({ due: at - LEAD, pes: captionPes(at, management) });
    }
    for (const { ticks, lines } of this.statements(from + LEAD, to + LEAD)) {
      const units = lines.length === 0 ? [ERASE] : [textUnit(lines)];
      sent.push({ due: ticks - LEAD, pes: captionPes(ticks, statementGroup('A', 0, units)) });
    }
    return sent.sort((one, other) => one.due - other.due);
  }

  /** Those presented in `from <= ticks < to`, in order. */
  statements(from: number, to: number): PartialStatement[] {
    const spoken = (this.#main?.presentations(from, to) ?? []).filter(({ language }) => language === 0);
    return spoken.map(({ ticks, page }) => ({ ticks, lines: page === null ? [] : linesOf(page) }));
  }
}

/** The texts of a one-segment service in a time range, for tests and inspection. */
export function partialCaptionTruth(
  seed: number,
  stations: readonly EventStation[],
  at: BroadcastMs,
  seconds: number,
) {
  const from = ticksAt(at);
  const statements = new PartialCaptionTrack(seed, stations).statements(
    from,
    from + seconds * TICKS_PER_SECOND,
  );
  return {
    partialCaptions: statements.map(({ ticks, lines }) => ({
      pts: wrapTicks(ticks),
      at: presentedAt(ticks),
      lines,
    })),
  };
}
