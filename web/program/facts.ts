/** A programme's facts as text, the most important first. */
import type { ProgramDetail } from '../../wire/api.ts';
import { genreText } from '../words/genre.ts';
import { audioText, videoText } from '../words/media.ts';

interface ProgramFact {
  readonly name: string;
  readonly lines: readonly string[];
}

function seriesText(series: NonNullable<ProgramDetail['series']>): string {
  const { name, episode, last_episode: last } = series;
  if (episode === null || episode === 0) return name;
  return last === null || last === 0 ? `${name} 第${episode}回` : `${name} 第${episode}回／全${last}回`;
}

export function programFacts(program: ProgramDetail): ProgramFact[] {
  const genres = (program.genre_detail ?? []).flatMap(({ lv1, lv2 }) => genreText(lv1, lv2) ?? []);
  const video = videoText(program.video_type, program.video_resolution);
  const facts: ProgramFact[] = [
    { name: 'ジャンル', lines: [...new Set(genres)] },
    { name: 'シリーズ', lines: program.series === null ? [] : [seriesText(program.series)] },
    { name: '映像', lines: video === undefined ? [] : [video] },
    { name: '音声', lines: (program.audios ?? []).map(audioText) },
    { name: '料金', lines: [program.is_free ? '無料放送' : '有料放送（契約が必要です）'] },
    { name: 'コピー制御', lines: program.copy_never ? ['コピー禁止（録画できません）'] : [] },
  ];
  return facts.filter((fact) => fact.lines.length > 0);
}

const RELATIONS: Readonly<Record<ProgramDetail['relations'][number]['kind'], string>> = {
  shared: '同じ番組を放送',
  relay: 'つづきの放送',
  movement: '移動元の放送',
};

export function relationText(kind: ProgramDetail['relations'][number]['kind']): string {
  return RELATIONS[kind] ?? '関連する放送';
}
