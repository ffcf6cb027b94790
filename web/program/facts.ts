/** A programme's facts as text, the most important first. */
import type { ProgramDetail } from '../../lib/wire/api.ts';
import { genreText } from '../words/genre.ts';
import { audioText, videoText } from '../words/media.ts';
import { TEXTS } from './texts.ts';

interface ProgramFact {
  readonly name: string;
  readonly lines: readonly string[];
}

function seriesText(series: NonNullable<ProgramDetail['series']>): string {
  const { name, episode, last_episode: last } = series;
  if (episode === null || episode === 0) return name;
  return last === null || last === 0 ? TEXTS.episode(name, episode) : TEXTS.episodeOf(name, episode, last);
}

export function programFacts(program: ProgramDetail): ProgramFact[] {
  const genres = (program.genre_detail ?? []).flatMap(({ lv1, lv2 }) => genreText(lv1, lv2) ?? []);
  const video = videoText(program.video_type, program.video_resolution);
  const facts: ProgramFact[] = [
    { name: TEXTS.genre, lines: [...new Set(genres)] },
    { name: TEXTS.series, lines: program.series === null ? [] : [seriesText(program.series)] },
    { name: TEXTS.video, lines: video === undefined ? [] : [video] },
    { name: TEXTS.sound, lines: (program.audios ?? []).map(audioText) },
    { name: TEXTS.charge, lines: [program.is_free ? TEXTS.free : TEXTS.paid] },
  ];
  return facts.filter((fact) => fact.lines.length > 0);
}

const RELATIONS: Readonly<Record<ProgramDetail['relations'][number]['kind'], string>> = {
  shared: TEXTS.sameProgram,
  relay: TEXTS.continued,
  movement: TEXTS.movedFrom,
};

export function relationText(kind: ProgramDetail['relations'][number]['kind']): string {
  return RELATIONS[kind] ?? TEXTS.related;
}
