/**
 * The episode of a programme: series, number and subtitle, from its title; missing parts from the summary, then from
 * the detail. Pure.
 */
import { removeTitleMarks } from '../../../lib/arib/text/title-marks.ts';
import { searchText } from '../../model/search-text.ts';
import { canonicalNumbers, EDITION_WEIGHT, NUMBER_FORMS, withPlainSeasons } from './number-forms.ts';

const DAY = '[月火水木金土日]';
/**
 * Kinds of programmes, with usual suffixes, and names of weekly slots in which successive series or films are shown.
 * Guides quote the series or film after them. All in normal form (`searchText`).
 */
const KINDS = [
  String.raw`ドラマ(?:\s*\d+|スペシャル|sp|シリーズ|シーズン|枠|ナイト|シアター|ストリーム|イズム|特区|\s*(?:[a-z]|next)|プレミア\s*\d*|(?:チューズ|ホリック)!?)?`,
  'アニメ(?:イズム|ナイト|アワー|タイム|ゾーン|ギルド|枠|劇場|シアター)?',
  '時代劇(?:劇場|スペシャル)?',
  'バラエティー?',
  '劇場|小説|特撮|人形劇|ドキュメンタリー|教養|音楽|情報|番組|紀行|ミニ番組|連続',
].join('|');
/** Short names of drama slots. They are also common endings of names, so they only count on their own. */
const SHORT = String.raw`(?:.*の)?(?:${DAY}|よる|夜|深夜|朝|昼|帯|韓|華|アジ|シン|スペ|ミニ|オシ)ドラ(?:\s*[★☆]?(?:\d+|イレブン|サタデー|ナイト))?`;
/** 月9, 土曜10時, 水曜ミステリー9. */
const HOUR = String.raw`${DAY}(?:曜日?)?\s*(?:\d{1,2}時?|ミステリー?\s*\d*)`;

const SERIES_SLOT = new RegExp(String.raw`^(?:.*(?:${KINDS})|${SHORT}|${HOUR}|新番組|新)\s*$`, 'u');
/** Slots of films or other standalone programmes: the quotation is the title of the programme. */
const PIECE_SLOT =
  /(?:(?:洋画|邦画|映画|名画)(?:劇場|シアター)?|長編アニメ|(?:シネマ|ワイド|サスペンス)劇場)\s*$/u;
/** A series of several parts if they are numbered, otherwise a standalone programme. */
const NUMBERED_SLOT = /^(?:シリーズ|特集)\s*$/u;

/**
 * Whether a quotation after this text names a series; after any other text it is a subtitle.
 * @param isNumbered whether an episode has a number
 */
function isSeriesSlot(before: string, isNumbered: boolean): boolean {
  // Bracketed words count as part of the name; a star is a separator.
  const name = before.replace(/[()<>〈〉《》≪≫【】[\]・]/gu, '').trim();
  if (isNumbered) return SERIES_SLOT.test(name) || NUMBERED_SLOT.test(name);
  return SERIES_SLOT.test(name) && !PIECE_SLOT.test(name);
}

export interface Episode {
  /** Includes season and arc; compared exactly. Never empty. */
  readonly series: string;
  /** `12`, `1,2`, `12後`, `3週`, `最終`; null: none. */
  readonly number: string | null;
  /** The number counts an event, such as a tournament or its matches, which several programmes may show. */
  readonly isOfEvent: boolean;
  /** null: none. */
  readonly subtitle: string | null;
  /** The whole title, for comparison of programmes without number and subtitle. */
  readonly title: string;
}

/** Texts that may name the episode. */
export interface EpisodeText {
  readonly name: string;
  readonly description: string;
  readonly extended: Readonly<Record<string, string>> | null;
}

/** Signs that some guides omit. `!` and `?` are part of names. */
const LOOSE_SIGNS = /[\s「」『』【】〈〉《》≪≫<>()[\]{}“”"'’`・:;,.、。\-_|/\\~▽▼◇◆★☆■□●○◎♪♫…§※→]+/gu;
/** Marks of repeats, which are not part of the title. */
const AGAIN_WORDS =
  '再放送|再|アンコール(?:放送|アワー)?|リピート(?:放送)?|見逃し(?:放送)?|セレクション再放送';
const TECHNICAL_WORDS = 'デジタルリマスター版?|hdリマスター版?|リマスター版|hd|4k|初|新|終|字|解|二';
/** Marks of films: uncut, first showing. */
const FIRST_WORDS = '(?:本編)?ノーカット(?:放送|版)?|(?:地上波|bs|テレビ)初(?:放送)?';
const NOISE = new RegExp(
  `[(<〈《≪【〔\\[]\\s*(?:${AGAIN_WORDS}|${TECHNICAL_WORDS}|${FIRST_WORDS})\\s*[)>〉》≫】〕\\]]|(?:^|(?<=[」』])|[\\s◇◆※])(?:再放送|アンコール放送|一挙放送|${FIRST_WORDS})(?=$|[\\s◇◆※])|(?<=ドラマ|小説)アンコール|[(【]?全\\d+(?:話|回)[)】]?`,
  'gu',
);
const QUOTED = /「([^「」]*(?:「[^「」]*」[^「」]*)*)」|『([^『』]*)』|“([^“”]*)”/u;
const QUOTED_ALL = new RegExp(QUOTED.source, 'gu');
/** Halves of a story. */
const PART = /(前|後|中|完結|解決|事件)[編篇]|[(<【](前|後|中|上|下)[)>】]|(?<=[\s」』])(上|下)巻?(?=\s*$)/u;
const LAST = /最終(?:話|回)/u;
/** Kinds of series, which some guides omit. */
const GENRE = '(?:tv|テレビ)?アニメ|(?:連続)?ドラマ|特撮';
const GENRE_PREFIX = new RegExp(
  `^(?:(?:${GENRE})(?:\\s+|(?=[「『]))|[<〈《【[](?:${GENRE})[>〉》】\\]]\\s*)`,
  'u',
);
/** The week of a daily series, counted separately from its episodes. */
const WEEK = /第\s*[\d一二三四五六七八九十]+\s*週目?/u;
/** Marks of length and of the last episode, which are not part of a subtitle. */
const EXTRA = String.raw`(?:(?:初回|最終(?:回|話))\s*)?(?:\d+分)?\s*(?:拡大|延長)\s*(?:sp|スペシャル|版)?|最終(?:回|話)`;
const EXTRA_AROUND = new RegExp(
  String.raw`^[\s<(【「『]*(?:${EXTRA})(?=$|[\s「『>)】])|(?<=^|[\s」』>)】])[<(【]?(?:${EXTRA})[>)】]?\s*$`,
  'gu',
);
/** Beginnings of a summary that are not a subtitle: guests, or an introduction. */
const NO_SUBTITLE =
  /^(?:あらすじ|ストーリー|物語|番組内容|(?:ゲスト|出演|主演|脚本|演出|監督|原作|語り|声)\s*[:/].*)$/u;
const ARC = /^[^\s「」]{1,20}[編篇章]$/u;
/** A summary that begins with its number, followed by its end, a quotation or a blank. */
const OPENING = /^[\s◆◇▽▼●○■□★☆※【〔<[(「『]*/u;
const AFTER_NUMBER = /^\s*(?:[】〕>\])]|$|[\s「『“:。、.~▽])/u;
const SUBTITLE_HEADINGS = /サブタイトル|副題|各話タイトル|話数/u;
const STORY_HEADINGS = /番組内容|内容|あらすじ|ストーリー|物語|エピソード|詳細/u;
/** A longer line is prose. */
const MAX_SUBTITLE = 60;
const MAX_LINES = 6;

interface Found {
  number: string;
  from: number;
  to: number;
  weight: number;
  season: string | undefined;
  isOfEvent: boolean;
}

/** Without the signs that some guides omit. */
export function looseText(text: string): string {
  return text.replace(LOOSE_SIGNS, '');
}

function orNull(text: string): string | null {
  const parsed = text.trim().replace(EXTRA_AROUND, '').trim();
  const bare = looseText(parsed);
  return bare === '' ? null : bare;
}

/** Replaces quotations by blanks of the same length. */
function outsideQuotes(text: string): string {
  return text.replace(QUOTED_ALL, (quotation) => '\0'.repeat(quotation.length));
}

/** The form with the largest weight in a text; the first among equals. */
function findNumber(text: string): Found | undefined {
  let best: Found | undefined;
  for (const { pattern, weight, mayBeYear, suffix = '', isOfEvent = false } of NUMBER_FORMS) {
    for (const match of text.matchAll(pattern)) {
      const number = canonicalNumbers(match.groups?.list ?? '', mayBeYear);
      if (number === undefined) continue;
      const isEdition = weight === 7 && text.slice(0, match.index).trim() === '';
      const found: Found = {
        number: `${number}${suffix}`,
        from: match.index,
        to: match.index + match[0].length,
        weight: isEdition ? EDITION_WEIGHT : weight,
        season: match.groups?.season,
        isOfEvent: isOfEvent || isEdition,
      };
      const better =
        best === undefined ||
        found.weight > best.weight ||
        (found.weight === best.weight && found.from < best.from);
      if (better) best = found;
    }
  }
  return best;
}

function quotation(text: string): { before: string; inside: string; after: string } | undefined {
  const match = QUOTED.exec(text);
  if (match === null) return undefined;
  const inside = match[1] ?? match[2] ?? match[3] ?? '';
  return { before: text.slice(0, match.index), inside, after: text.slice(match.index + match[0].length) };
}

interface TitleParts {
  series: string;
  number: string | null;
  isOfEvent?: boolean;
  subtitle: string | null;
}

/** Text after a number: an arc that belongs to the series, and the subtitle. */
function readBehind(text: string): { arc: string; subtitle: string } {
  const quoted = quotation(text);
  if (quoted === undefined) {
    const bare = text.trim();
    return ARC.test(bare) ? { arc: bare, subtitle: '' } : { arc: '', subtitle: bare };
  }
  const before = quoted.before.trim();
  if (ARC.test(looseText(before))) return { arc: before, subtitle: quoted.inside + quoted.after };
  return { arc: '', subtitle: text };
}

function numbered(text: string, found: Found): TitleParts {
  return { ...numberedBy(text, found), isOfEvent: found.isOfEvent };
}

function numberedBy(text: string, found: Found): TitleParts {
  const season = found.season === undefined ? '' : ` §${Number(found.season)}§`;
  const before = text.slice(0, found.from) + season;
  const behind = readBehind(text.slice(found.to).replace(WEEK, ' '));
  if (looseText(before) === '') return leading(found.number, behind);
  const { head, rest } = headOf(before, true);
  const week = WEEK.exec(rest);
  const quoted = quotation(week === null ? rest : rest.slice(week.index + week[0].length));
  const name = head + (week === null ? (quoted?.before ?? '') : rest.slice(0, week.index));
  const subtitle = orNull(behind.subtitle);
  const isSubtitle =
    quoted !== undefined &&
    subtitle === null &&
    looseText(name) !== '' &&
    looseText(quoted.after) === '' &&
    (week === null || looseText(quoted.before) === '');
  if (isSubtitle) return { series: name + behind.arc, number: found.number, subtitle: orNull(quoted.inside) };
  const series = week === null ? before : name;
  return { series: series + behind.arc, number: found.number, subtitle };
}

/** A slot with the series quoted after it, and the rest; otherwise everything is the rest. */
function headOf(text: string, isNumbered: boolean): { head: string; rest: string } {
  const quoted = quotation(text);
  if (quoted === undefined || !isSeriesSlot(quoted.before, isNumbered)) return { head: '', rest: text };
  const at = text.length - quoted.after.length;
  return { head: text.slice(0, at), rest: quoted.after };
}

/** The number is the first word: the series follows it. */
function leading(number: string, behind: { arc: string; subtitle: string }): TitleParts {
  const rest = unnumbered(behind.arc + behind.subtitle);
  return { ...rest, number };
}

function unnumbered(text: string): TitleParts {
  const { head, rest } = headOf(text, false);
  const quoted = quotation(rest);
  const series = head + (quoted?.before ?? '');
  if (quoted === undefined || looseText(series) === '') return { series: text, number: null, subtitle: null };
  return { series, number: null, subtitle: orNull(`${quoted.inside} ${quoted.after}`) };
}

/** A quotation that begins with a number. */
function numberedInside(text: string): TitleParts | undefined {
  const quoted = quotation(text);
  if (quoted === undefined) return undefined;
  const found = findNumber(quoted.inside);
  if (found === undefined || found.weight < 7 || quoted.inside.slice(0, found.from).trim() !== '')
    return undefined;
  const subtitle = `${quoted.inside.slice(found.to)} ${quoted.after}`;
  return { series: quoted.before, number: found.number, subtitle: orNull(subtitle) };
}

/** Removes 前編, 後編 and the like from a text. */
function takePart(text: string): { text: string; part: string } {
  const match = PART.exec(text);
  if (match === null) return { text, part: '' };
  const part = match[1] ?? match[2] ?? match[3] ?? '';
  return { text: `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`, part };
}

function partOfMarks(name: string): string {
  const { marks } = removeTitleMarks(name);
  if (marks.some((mark) => mark.meaning === 'first-part')) return '前';
  return marks.some((mark) => mark.meaning === 'second-part') ? '後' : '';
}

const SAME_PART: Readonly<Record<string, string>> = {
  上: '前',
  下: '後',
  完結: '後',
  解決: '後',
  事件: '前',
};

function readTitle(name: string): TitleParts & { title: string } {
  const bare = searchText(removeTitleMarks(name).title);
  const clean = withPlainSeasons(bare.replace(NOISE, ' ')).trim();
  const { text, part: written } = takePart(clean.replace(GENRE_PREFIX, ''));
  const part = written === '' ? partOfMarks(name) : written;
  const found = findNumber(outsideQuotes(text));
  const parsed = found === undefined ? (numberedInside(text) ?? unnumbered(text)) : numbered(text, found);
  const last = parsed.number === null && LAST.test(text) ? '最終' : null;
  const number = `${parsed.number ?? last ?? ''}${SAME_PART[part] ?? part}`;
  const series = parsed.number === null && last !== null ? parsed.series.replace(LAST, '') : parsed.series;
  return {
    series: looseText(series) || looseText(text) || bare,
    number: number === '' ? null : number,
    // 前編 of an event is a programme of its own.
    isOfEvent: parsed.isOfEvent === true && part === '',
    subtitle: parsed.subtitle,
    title: looseText(bare) || bare,
  };
}

/** Prefixes of a summary. */
function readLine(line: string): Omit<TitleParts, 'series'> | undefined {
  const text = searchText(line).replace(NOISE, ' ').trim();
  const start = OPENING.exec(text)?.[0].length ?? 0;
  for (const from of new Set([0, start])) {
    const rest = text.slice(from);
    const found = findNumber(rest);
    if (found === undefined || found.from !== 0 || !AFTER_NUMBER.test(rest.slice(found.to))) continue;
    const behind = rest.slice(found.to).replace(/^\s*[】〕>\])]?[\s:。、.~]*/u, '');
    // 第3回 at the beginning of a line belongs to that line.
    const isOfEvent = found.isOfEvent && found.weight !== EDITION_WEIGHT;
    return { number: found.number, isOfEvent, subtitle: subtitleBehind(behind) };
  }
  const quoted = quotation(text);
  const alone = quoted !== undefined && quoted.before === '' && /^(?:$|[\s。])/u.test(quoted.after);
  return alone ? { number: null, subtitle: orNull(quoted.inside) } : undefined;
}

function subtitleBehind(text: string): string | null {
  const quoted = quotation(text);
  if (quoted?.before === '') return orNull(quoted.inside);
  const bare = text.replace(/[」』]\s*$/u, '');
  if (bare.length > MAX_SUBTITLE || /[。!?…]/u.test(bare) || NO_SUBTITLE.test(bare.trim())) return null;
  return orNull(bare);
}

function split(text: string, isSubtitle: boolean): { line: string; isSubtitle: boolean }[] {
  return text
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_LINES)
    .map((line) => ({ line, isSubtitle }));
}

/** Reads only the needed part of a long text. */
function* linesOf(text: EpisodeText): Generator<{ line: string; isSubtitle: boolean }> {
  yield* split(text.description, false);
  for (const [heading, body] of Object.entries(text.extended ?? {})) {
    const isSubtitle = SUBTITLE_HEADINGS.test(heading);
    if (isSubtitle || STORY_HEADINGS.test(heading)) yield* split(body, isSubtitle);
  }
}

export function readEpisode(text: EpisodeText): Episode {
  const parsed = readTitle(text.name);
  let { number, subtitle, isOfEvent = false } = parsed;
  const fromTitle = { number: number !== null, subtitle: subtitle !== null };
  const known = number !== null && subtitle !== null;
  for (const { line, isSubtitle } of known ? [] : linesOf(text)) {
    if (number !== null && subtitle !== null) break;
    const said = readLine(line);
    // A quotation is a subtitle only with an episode number, or under its own heading.
    const isNumbered = number !== null && !isOfEvent;
    const trusted = said !== undefined && (said.number !== null || isNumbered || isSubtitle);
    if (trusted) {
      const agrees = number === null || said.number === null || said.number === number;
      if (!agrees) continue;
      if (number === null && said.number !== null) ({ number, isOfEvent = false } = said);
      if (!fromTitle.subtitle) subtitle ??= said.subtitle;
    } else if (isSubtitle && !fromTitle.subtitle) subtitle ??= orNull(searchText(line));
  }
  return { series: parsed.series, number, isOfEvent, subtitle, title: parsed.title };
}
