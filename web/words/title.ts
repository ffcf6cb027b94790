/**
 * Splits a programme title as broadcast into the words that people read (with narrow letters and digits) and the
 * marks that are shown as badges. Which marks there are, and how they are spelled, `lib/arib` knows; here they get
 * their Japanese names and their looks.
 */
import { type MarkMeaning, removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import type { Mark, MarkTone } from '../ui/mark.ts';
import { narrow } from './channel.ts';

interface TitleParts {
  readonly title: string;
  readonly marks: readonly Mark[];
}

const LABELS: Readonly<Record<MarkMeaning, string>> = {
  'high-definition': 'ハイビジョン',
  'standard-definition': '標準画質',
  progressive: 'プログレッシブ',
  wide: 'ワイド',
  'multi-view': 'マルチビュー',
  'sign-language': '手話',
  captions: '字幕',
  interactive: '双方向',
  data: 'データ放送連動',
  stereo: 'ステレオ',
  bilingual: '二か国語',
  'multiple-audio': '音声多重',
  'audio-description': '解説音声',
  surround: 'サラウンド',
  'b-mode': '圧縮Bモード',
  news: 'ニュース',
  weather: '天気',
  traffic: '交通',
  film: '映画',
  free: '無料',
  pay: '有料',
  'parental-lock': '年齢制限',
  'first-part': '前編',
  'second-part': '後編',
  rerun: '再放送',
  'new-series': '新番組',
  'first-broadcast': '初放送',
  'last-episode': '最終回',
  live: '生放送',
  shopping: '通信販売',
  'voice-actors': '声の出演',
  dubbed: '吹き替え',
  'pay-per-view': 'ペイパービュー',
};

/** Those that decide whether one watches; all others are plain. */
const TONES: Partial<Record<MarkMeaning, MarkTone>> = {
  rerun: 'again',
  'new-series': 'fresh',
  'first-broadcast': 'fresh',
  'last-episode': 'last',
  live: 'live',
};

const SPACES = /[\s\u3000]+/gu;

/** Narrow letters, digits and gaps: what a broadcast writes wide reads better so. */
export function tidyTitle(title: string): string {
  return narrow(title).replace(SPACES, ' ').trim();
}

const EPISODE = /(第[\d一二三四五六七八九十百]+[話回夜章部]|#\d+)/u;

/** A title in pieces: the number of an episode is not broken over two lines. */
export function wholeEpisodes(
  title: string,
): readonly { readonly text: string; readonly isEpisode: boolean }[] {
  return title
    .split(EPISODE)
    .map((text, index) => ({ text, isEpisode: index % 2 === 1 }))
    .filter(({ text }) => text !== '');
}

/** The words without marks, and each mark once in the order of its first appearance. */
export function splitTitle(raw: string): TitleParts {
  const { title, marks } = removeTitleMarks(raw);
  return {
    title: tidyTitle(title),
    marks: marks.map(({ face, meaning }) => ({
      face,
      label: LABELS[meaning],
      tone: TONES[meaning] ?? 'plain',
    })),
  };
}
