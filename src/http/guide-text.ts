/** Writes a window of the guide as JSON, station by station, giving way to other requests in wide windows. */
import { removeTitleMarks } from '../../arib/text/title-marks.ts';
import type { StationRecord } from '../model/station.ts';
import type { WindowRow } from '../store/guide-window.ts';
import type { ApiParts } from './parts.ts';

/** Longest stretch of work without a look at other requests. An evening of one type takes less. */
const SLICE_MS = 6;

/** A `GuideProgram`. Genres are stored as the JSON that is sent. */
function programJson(row: WindowRow): string {
  const [id, name, startAt, endAt, openEnd, genres, isFree, copyNever, reservationId, state, summary] = row;
  const written = JSON.stringify(name);
  const { title } = removeTitleMarks(name);
  return (
    `{"id":${id},"title":${title === name ? written : JSON.stringify(title)},"name":${written},` +
    (summary === '' ? '' : `"description":${JSON.stringify(summary)},`) +
    `"startAt":${startAt},"endAt":${endAt},"openEnd":${openEnd === 1},"genres":${genres},` +
    `"isFree":${isFree === 1},"copyNever":${copyNever === 1},` +
    `"reservation":${reservationId === null ? 'null' : `{"id":${reservationId},"state":"${state}"}`}}`
  );
}

/** A `GuideWindow`. */
export async function writeWindow(
  guide: ApiParts['guide'],
  stations: readonly StationRecord[],
  from: number,
  to: number,
): Promise<string> {
  const written: string[] = [];
  let began = performance.now();
  for (const { id } of stations) {
    const programs = guide.ofStation(id, from, to).map(programJson);
    written.push(`{"stationId":${id},"programs":[${programs.join(',')}]}`);
    if (performance.now() - began < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
  return `[${written.join(',')}]`;
}
