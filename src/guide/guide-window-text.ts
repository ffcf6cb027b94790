/** Writes a window of the guide as JSON, station by station; yields to other requests in wide windows. */

import { removeTitleMarks } from '../../arib/text/title-marks.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import { type Genre, isGenre } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import type { GuideWindowStore, WindowRow } from '../store/guide-window.ts';
import { readList, readText } from '../store/stored-json.ts';

/** Time slice before other requests run. An evening of one broadcast type takes less. */
const SLICE_MS = 6;

/** There are 16 major genres with 16 each; programmes have up to a few. */
const MAX_ALIKE = 10_000;
/** Cache of genres in their JSON form, by their stored text, so that each is validated once. */
const sentGenres = new Map<string, string>();

/** Damaged values count as empty: the rest of the response must stay readable. */
function genresJson(stored: string): string {
  const known = sentGenres.get(stored);
  if (known !== undefined) return known;
  const sent = JSON.stringify(readList<Genre>(stored, isGenre));
  if (sentGenres.size < MAX_ALIKE) sentGenres.set(stored, sent);
  return sent;
}

/** JSON of a `GuideProgram`; undefined for a row whose id or times are damaged. */
function programJson(row: WindowRow): string | undefined {
  const [id, , startAt, endAt, openEnd, genres, isFree, copyNever, reservationId, state] = row;
  if (typeof startAt !== 'number' || typeof endAt !== 'number') return undefined;
  const [name, summary] = [readText(row[1]), readText(row[10])];
  const written = JSON.stringify(name);
  const { title } = removeTitleMarks(name);
  return (
    `{"id":${id},"title":${title === name ? written : JSON.stringify(title)},"name":${written},` +
    (summary === '' ? '' : `"description":${JSON.stringify(summary)},`) +
    `"startAt":${startAt},"endAt":${endAt},"openEnd":${openEnd === 1},"genres":${genresJson(genres)},` +
    `"isFree":${isFree === 1},"copyNever":${copyNever === 1},` +
    `"reservation":${reservationId === null ? 'null' : `{"id":${reservationId},"state":${JSON.stringify(readText(state))}}`}}`
  );
}

/** JSON of a `GuideWindow`. */
export async function writeWindow(
  guide: Pick<GuideWindowStore, 'ofStation'>,
  stations: readonly StationRecord[],
  from: BroadcastMs,
  to: BroadcastMs,
): Promise<string> {
  const written: string[] = [];
  let began = performance.now();
  for (const { id } of stations) {
    const programs = guide
      .ofStation(id, from, to)
      .map(programJson)
      .filter((one) => one !== undefined);
    written.push(`{"stationId":${id},"programs":[${programs.join(',')}]}`);
    if (performance.now() - began < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
  return `[${written.join(',')}]`;
}
