import { expect, test } from 'bun:test';
import { eventId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { Random } from '../random.ts';
import { isInside } from './compose.ts';
import { placeEnglish, placeText } from './layout.ts';
import { SCENES } from './scenes.ts';
import { type Captioned, SCENE_MS, sceneStatements, stationStyle } from './script.ts';
import { newsflashPage } from './track.ts';

const programme: Captioned = {
  eventId: eventId(7),
  startAt: broadcastMs(Date.UTC(2026, 10, 20)),
  genres: [[3, 0]],
};
const LENGTH_MS = 100_000;
const stretch = { from: 900_000, to: 900_000 + LENGTH_MS * 90 };
const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);

function tell(seed: number, index: number, bilingual = false) {
  return sceneStatements(
    { seed, serviceId: 1, programme, stretch, style: stationStyle(seed, 1), bilingual },
    index,
  );
}

test('every text of every scene and newsflash fits its area at every position', () => {
  for (const { voice, ja, en } of SCENES.flatMap(({ lines }) => lines)) {
    for (const seed of SEEDS.slice(0, 12)) {
      const placed = placeText(ja, voice, new Random(seed), seed % 2 === 0);
      const outside = placed.rows.flat().filter((run) => !isInside(placed.frame, run));
      expect(placed.frame.writing === 8 ? [] : outside).toEqual([]);
    }
    const english = placeEnglish(en, voice);
    expect(english.rows.flat().filter((run) => !isInside(english.frame, run))).toEqual([]);
  }
  for (const seed of SEEDS) {
    const { frame, steps } = newsflashPage(new Random(seed));
    expect(steps.flatMap(({ runs }) => runs).filter((run) => !isInside(frame, run))).toEqual([]);
  }
});

test('rows of a page never overlap, rubies are directly above their base', () => {
  const { rows } = placeText('｜上《うえ》の行\n｜下《した》の行', 'song', new Random(1), false);
  const [above = [], below = []] = rows;
  expect([...above, ...below].map(({ text, x, y, size }) => [text, x, y, size])).toEqual([
    ['うえ', 410, 359, 'small'],
    ['上', 410, 419, 'normal'],
    ['の行', 450, 419, 'normal'],
    ['した', 410, 449, 'small'],
    ['下', 410, 509, 'normal'],
    ['の行', 450, 509, 'normal'],
  ]);
});

test('pages last two to six seconds, and a scene ends erased before the next begins', () => {
  for (const seed of SEEDS) {
    for (const index of [0, 1, 2]) {
      const statements = tell(seed, index);
      expect(statements.length).toBeGreaterThan(2);
      let last = index * SCENE_MS - 1;
      for (const [number, { atMs, page }] of statements.entries()) {
        expect(atMs).toBeGreaterThan(last);
        if (page !== null && number > 0) expect(atMs - last).toBeLessThanOrEqual(7_200);
        last = atMs;
      }
      expect(statements.at(-1)?.page).toBeNull();
      expect(last).toBeLessThanOrEqual(Math.min((index + 1) * SCENE_MS, LENGTH_MS - 1_000));
    }
  }
});

test('no caption is shown in the last second, or after the programme', () => {
  // 10 s are left of scene 3.
  for (const seed of SEEDS)
    for (const { atMs } of tell(seed, 3)) expect(atMs).toBeLessThanOrEqual(LENGTH_MS - 1_000);
  expect(tell(1, 4)).toEqual([]);
});

test('a second language has a page for each of the first, and is erased with it', () => {
  for (const seed of SEEDS) {
    const statements = tell(seed, 1, true);
    const pages = (language: number) =>
      statements.filter((one) => one.language === language && one.page !== null).map(({ atMs }) => atMs);
    expect(pages(1)).toEqual(pages(0));
    expect(statements.findLast(({ language }) => language === 1)?.page).toBeNull();
  }
});

test('a script is deterministic, and differs between stations and moments', () => {
  expect(tell(5, 1)).toEqual(tell(5, 1));
  expect(tell(5, 1)).not.toEqual(tell(5, 2));
  expect(tell(5, 1)).not.toEqual(tell(6, 1));
});
