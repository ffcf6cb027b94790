/**
 * The captions of a programme and their times: half a minute at a time, each a pure function of the station,
 * the programme and the position in it, so that any moment can be computed without the preceding ones.
 */
import type { Programme } from '../guide/programme.ts';
import { Random } from '../random.ts';
import { HABITS } from './coder.ts';
import { type Placed, placeEnglish, placeText } from './layout.ts';
import type { Page, Step, Style } from './page.ts';
import { type Line, MOODS, SCENES, type Scene } from './scenes.ts';

export const SCENE_MS = 30_000;
/** From the start of a stretch to its first caption, and from the end of the last one to the end of the stretch. */
const LEAD_IN_MS = 2_500;
const LEAD_OUT_MS = 1_000;
const SHORTEST_MS = 2_000;
const LONGEST_MS = 6_000;
const MS_PER_CHARACTER = 140;
/** Granularity of waits in a statement. */
const WAIT_MS = 100;

/** A statement of one language. */
interface Statement {
  /** Milliseconds after the stretch's begin. */
  atMs: number;
  /** 0 the first, 1 the second. */
  language: number;
  /** Null: only erases the previous page. */
  page: Page | null;
}

/** The writing style of a station's encoder. */
export function stationStyle(seed: number, serviceId: number): Style {
  const random = new Random(seed, serviceId, 'captioning');
  return {
    habit: random.below(HABITS.length),
    motion: random.pick(['coordinates', 'cells', 'returns']),
    compact: random.chance(0.4),
    outlined: random.chance(0.5),
    halfColours: random.chance(0.5),
    raster: random.chance(0.3),
  };
}

/** Properties of a programme that determine its captions. */
export type Captioned = Pick<Programme, 'eventId' | 'startAt' | 'genres'>;

/** A stretch of a programme without interruption, in unwrapped 90 kHz time. */
export interface Stretch {
  from: number;
  to: number;
}

function sceneOf(random: Random, programme: Captioned): Scene {
  const genre = programme.genres[0]?.[0] ?? 0xf;
  const moods = MOODS[genre] ?? MOODS.at(-1) ?? [];
  const mood = random.pick(moods);
  return random.pick(SCENES.filter((scene) => scene.mood === mood));
}

function durationOf(line: Line): number {
  const wanted = SHORTEST_MS + line.ja.length * MS_PER_CHARACTER;
  return Math.floor(Math.min(LONGEST_MS, wanted) / WAIT_MS) * WAIT_MS;
}

/** How a page ends: by the next one, by a statement that erases, or by a wait and an erasure of its own. */
type Ending = 'next' | 'erase' | 'wait';

function stepsOf({ rows }: Placed, durationMs: number, ending: Ending, random: Random): Step[] {
  const steps: Step[] = [];
  const [first = [], ...more] = rows;
  // Sometimes the second row appears later, like the answer to a question.
  const delayed = more.length > 0 && random.chance(0.15);
  const wait = Math.floor(durationMs / 3 / WAIT_MS) * WAIT_MS;
  steps.push({ waitMs: 0, clears: true, runs: delayed ? first : rows.flat() });
  if (delayed) steps.push({ waitMs: wait, clears: false, runs: more.flat() });
  if (ending === 'wait') steps.push({ waitMs: durationMs - (delayed ? wait : 0), clears: true, runs: [] });
  return steps;
}

interface Telling {
  seed: number;
  serviceId: number;
  programme: Captioned;
  stretch: Stretch;
  style: Style;
  bilingual: boolean;
}

/** The statements of scene number `index` of the stretch, ordered by time. */
export function sceneStatements(telling: Telling, index: number): Statement[] {
  const { seed, serviceId, programme, stretch, style, bilingual } = telling;
  const begin = index * SCENE_MS;
  const end = Math.min(begin + SCENE_MS, (stretch.to - stretch.from) / 90 - LEAD_OUT_MS);
  const random = new Random(seed, serviceId, 'captions', programme.eventId, stretch.from, index);
  const scene = sceneOf(random, programme);
  const half = random.chance(0.6);
  const statements: Statement[] = [];
  let at = begin + (index === 0 ? LEAD_IN_MS : 100) + random.below(700);
  for (const line of scene.lines) {
    const durationMs = durationOf(line);
    if (at + durationMs > end) break;
    const last = line === scene.lines.at(-1) || at + durationMs + LONGEST_MS > end;
    const ending = last ? 'erase' : random.pick<Ending>(['next', 'next', 'erase', 'wait']);
    const placed = placeText(line.ja, line.voice, random, half);
    const steps = stepsOf(placed, durationMs, ending, random);
    statements.push({ atMs: at, language: 0, page: { frame: placed.frame, style, steps, chime: null } });
    if (bilingual) statements.push({ atMs: at, language: 1, page: englishPage(line, style) });
    at += durationMs;
    if (ending === 'erase') statements.push({ atMs: at, language: 0, page: null });
    // The wait already erases this language; the other one needs a statement.
    if (ending !== 'next' && bilingual) statements.push({ atMs: at, language: 1, page: null });
    if (ending !== 'next') at += 200 + random.below(900);
  }
  return statements;
}

function englishPage(line: Line, style: Style): Page {
  const { frame, rows } = placeEnglish(line.en, line.voice);
  return { frame, style, steps: [{ waitMs: 0, clears: true, runs: rows.flat() }], chime: null };
}
