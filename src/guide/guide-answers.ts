/** The responses of `/api/programs/<id>` and of a window of the guide. */
import { type ProgramId, programId, stationId } from '../../lib/arib/ids.ts';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ProgramDetail } from '../../lib/wire/api.ts';
import { type Genre, isGenre, type ProgramRecord } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import type { GuideWindowStore, WindowRow } from '../store/guide-window.ts';
import { readList, storedText } from '../store/stored-json.ts';

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
  const [name, summary] = [storedText(row[1]), storedText(row[10])];
  const written = JSON.stringify(name);
  const { title } = removeTitleMarks(name);
  return (
    `{"id":${id},"title":${title === name ? written : JSON.stringify(title)},"name":${written},` +
    (summary === '' ? '' : `"description":${JSON.stringify(summary)},`) +
    `"startAt":${startAt},"endAt":${endAt},"openEnd":${openEnd === 1},"genres":${genresJson(genres)},` +
    `"isFree":${isFree === 1},"copyNever":${copyNever === 1},` +
    `"reservation":${reservationId === null ? 'null' : `{"id":${reservationId},"state":${JSON.stringify(storedText(state))}}`}}`
  );
}

/**
 * Writes a window of the guide as JSON, station by station; yields to other requests in wide windows.
 * JSON of a `GuideWindow`.
 */
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

interface ProgramDetailNeeds {
  now: () => BroadcastMs;
  guide: Pick<GuideWindowStore, 'stationNames' | 'others' | 'reservationOf'>;
  programs: { find(id: ProgramId): ProgramRecord | undefined };
}

function relationIds({ groups }: ProgramRecord) {
  return groups.flatMap(({ type, events }) =>
    events.map(({ networkId, serviceId, eventId }) => {
      const station = stationId(networkId, serviceId);
      return { kind: type, station, id: programId(station, eventId) };
    }),
  );
}

function seriesOf({ series }: ProgramRecord): ProgramDetail['series'] {
  if (series === null) return null;
  const { id, name, episode, lastEpisode, repeat } = series;
  return { id, name, episode, last_episode: lastEpisode, repeat_label: repeat };
}

function audiosOf({ audios }: ProgramRecord): ProgramDetail['audios'] {
  if (audios.length === 0) return null;
  return audios.map(({ componentType, languages, main, text }) => ({
    componentType,
    langs: languages,
    ...(main ? { main } : {}),
    ...(text === '' ? {} : { text }),
  }));
}

/** Undefined if the guide has no such programme. */
export function programDetail(
  { guide, programs, now }: ProgramDetailNeeds,
  id: ProgramId,
): ProgramDetail | undefined {
  const program = programs.find(id);
  if (program === undefined) return undefined;
  // A reference of a programme to itself is ignored.
  const relations = relationIds(program).filter((relation) => relation.id !== id);
  const names = guide.stationNames([program.stationId, ...relations.map(({ station }) => station)]);
  const { extended } = program;
  return {
    id,
    station_id: program.stationId,
    name: program.name,
    title: removeTitleMarks(program.name).title,
    service_name: names.get(program.stationId) ?? '',
    start_at: program.startAt,
    end_at: program.endAt,
    open_end: program.openEnd,
    description: program.description,
    extended: extended === null || Object.keys(extended).length === 0 ? null : extended,
    genre_detail: program.genres.length === 0 ? null : program.genres,
    audios: audiosOf(program),
    video_type: program.videoType,
    video_resolution: program.videoResolution,
    is_free: program.isFree,
    copy_never: program.copyNever,
    series: seriesOf(program),
    relations: relations.map((relation) => ({
      kind: relation.kind,
      id: relation.id,
      station_id: relation.station,
      service_name: names.get(relation.station) ?? null,
    })),
    others: guide.others(id, now()),
    reservation: guide.reservationOf(id),
  };
}
