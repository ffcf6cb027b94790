/** Pictures and sounds of a programme in words. */
import type { ProgramDetail } from '../../lib/wire/api.ts';
import { LANGUAGE_NAMES } from '../../lib/wire/languages.ts';

type Audio = NonNullable<ProgramDetail['audios']>[number];

/** component_type of an audio component: ARIB STD-B10 Part 2, 6.2.26, table of audio modes. */
const MODES: Readonly<Record<number, string>> = {
  1: 'モノラル',
  2: '二重音声（主・副）',
  3: 'ステレオ',
  4: '2/1ステレオ',
  5: '3/0ステレオ',
  6: '2/2サラウンド',
  7: '3/1サラウンド',
  8: '3/2サラウンド',
  9: '5.1chサラウンド',
  10: '3/3.1サラウンド',
  12: '5/2.1サラウンド',
  17: '22.2chサラウンド',
};

const RESOLUTIONS: Readonly<Record<string, string>> = {
  '4320p': '8K（4320p）',
  '2160p': '4K（2160p）',
  '1080p': 'フルハイビジョン（1080p）',
  '1080i': 'ハイビジョン（1080i）',
  '720p': 'ハイビジョン（720p）',
  '480p': '標準画質（480p）',
  '480i': '標準画質（480i）',
};

function languageText(code: string): string {
  const known = code.toLowerCase();
  return LANGUAGE_NAMES[known] ?? (known === 'etc' ? '外国語' : code);
}

/** `ステレオ・日本語`, with what the broadcaster calls it in brackets. */
export function audioText({ componentType, langs, text }: Audio): string {
  const words = [MODES[componentType] ?? '音声', ...langs.map(languageText)];
  const own = text?.trim() ?? '';
  return own === '' ? words.join('・') : `${words.join('・')}（${own}）`;
}

export function videoText(type: string | null, resolution: string | null): string | undefined {
  const words: string[] = [];
  if (resolution !== null) words.push(RESOLUTIONS[resolution] ?? resolution);
  if (type !== null) words.push(type.toUpperCase().replace('MPEG2', 'MPEG-2'));
  return words.length === 0 ? undefined : words.join('・');
}
