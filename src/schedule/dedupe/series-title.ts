/** The series title that groups recordings, spelled as broadcast. Pure. */
import { removeTitleMarks } from '../../../lib/arib/text/title-marks.ts';
import type { SeriesMark } from '../../model/recording.ts';
import { searchText } from '../../model/search-text.ts';
import { type EpisodeText, looseText, readEpisode } from './episode.ts';
import { WEEK_SUFFIX } from './number-forms.ts';

/** Longer titles are cut: names of series are not that long. */
const MAX_LETTERS = 80;
/** Opening quotation marks by their closing ones. */
const QUOTES: Readonly<Record<string, string>> = {
  '」': '「',
  '』': '『',
  '”': '“',
  '】': '【',
  '）': '（',
  ')': '(',
  '＞': '＜',
  '>': '<',
  '〉': '〈',
  '》': '《',
  ']': '[',
};
const LATIN = /^[a-z\d]$/u;
/** Signs at the beginning of a part after the name. */
const BEGUN = /[\s\u3000（(＜<〈《【［[「『#＃♯・]+$/u;
const PARTS: Readonly<Record<string, string>> = { 前: '前編', 中: '中編', 後: '後編', 最終: '最終回' };

/** null: the programme has no title. */
export function readSeries(text: EpisodeText): SeriesMark | null {
  const { title } = removeTitleMarks(text.name);
  if (searchText(title).trim() === '') return null;
  const { series: key, number, subtitle } = readEpisode(text);
  const quoted = subtitle === null ? null : spelled(subtitle, [title, text.description]);
  const episode = [numberForPeople(number), quoted === null ? null : quotedOnce(quoted)].filter(
    (part) => part !== null,
  );
  return {
    key,
    name: spelled(key, [title]) ?? beginning(key, title) ?? title.trim(),
    episode: episode.length === 0 ? null : episode.join(' '),
  };
}

/** The subtitle may already have quotation marks. */
function quotedOnce(subtitle: string): string {
  return /^[「『]/u.test(subtitle) ? subtitle : `「${subtitle}」`;
}

/** `12` → `#12`, `1,2` → `#1,2`, `12後` → `#12 後編`, `3週` → `第3週`, `最終` → `最終回`. */
function numberForPeople(number: string | null): string | null {
  if (number === null) return null;
  const [, digits = '', part = ''] = /^([\d,.]*)(.*)$/u.exec(number) ?? [];
  if (part === WEEK_SUFFIX) return `第${digits}週`;
  const words = [digits === '' ? '' : `#${digits}`, PARTS[part] ?? part].filter((word) => word !== '');
  return words.length === 0 ? null : words.join(' ');
}

/** The part of the texts that equals `loose` when signs and letter forms are ignored. */
function spelled(loose: string, texts: readonly string[]): string | null {
  for (const text of texts) {
    const letters = [...text.slice(0, 4 * MAX_LETTERS)].slice(0, MAX_LETTERS);
    for (let from = 0; from < letters.length; from += 1) {
      if (looseText(searchText(letters[from] ?? '')) === '') continue;
      const to = reaching(loose, letters, from);
      if (to !== undefined)
        return letters
          .slice(opened(letters, from, to), to)
          .join('')
          .trim();
    }
  }
  return null;
}

/** The part of a title that corresponds to the series: seasons have a normalised form, encores are omitted. */
function beginning(key: string, title: string): string | null {
  const letters = [...title].slice(0, MAX_LETTERS);
  for (let to = letters.length; to > 0; to -= 1) {
    const name = letters.slice(0, to).join('');
    const { series, number, subtitle } = readEpisode({ name, description: '', extended: null });
    if (series === key && number === null && subtitle === null) return name.replace(BEGUN, '');
  }
  return null;
}

/** Extends the range back to an opening bracket right before it whose closing bracket is inside. */
function opened(letters: readonly string[], from: number, to: number): number {
  const first = letters.slice(from, to).find((letter) => Object.hasOwn(QUOTES, letter));
  const opening = first === undefined ? undefined : QUOTES[first];
  if (opening === undefined || letters[from - 1] !== opening) return from;
  return letters.slice(from, to).includes(opening) ? from : from - 1;
}

/** Extends the range to a closing quotation mark right after it whose opening one is inside. */
function closed(letters: readonly string[], from: number, to: number): number {
  let end = to;
  for (;;) {
    const opening = QUOTES[letters[end] ?? ''];
    const stretch = letters.slice(from, end);
    const isOpen =
      opening !== undefined &&
      stretch.filter((letter) => letter === opening).length >
        stretch.filter((letter) => letter === letters[end]).length;
    if (!isOpen) return end;
    end += 1;
  }
}

/** End of the letters from `from` on that spell exactly `loose`. */
function reaching(loose: string, letters: readonly string[], from: number): number | undefined {
  if (!loose.startsWith(looseText(searchText(letters[from] ?? '')).slice(0, 1))) return undefined;
  for (let to = from + 1; to <= letters.length; to += 1) {
    const read = looseText(searchText(letters.slice(from, to).join('')));
    // `2` must not match the beginning of `2nd Season`.
    const isComplete = !(
      LATIN.test(searchText(letters[to - 1] ?? '')) && LATIN.test(searchText(letters[to] ?? ''))
    );
    if (read === loose && isComplete) return closed(letters, from, to);
    if (read.length > loose.length + 1) return undefined;
  }
  return undefined;
}
