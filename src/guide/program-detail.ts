/** The response of `/api/programs/<id>`. */
import { type ProgramId, programId, stationId } from '../../arib/ids.ts';
import { removeTitleMarks } from '../../arib/text/title-marks.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { ProgramDetail } from '../../wire/api.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { GuideWindowStore } from '../store/guide-window.ts';

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
