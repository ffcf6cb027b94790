/**
 * The forms in which titles and summaries number episodes. An ambiguous form is ignored: a number left in the name at
 * worst causes a second recording, while a wrong number would merge two different programmes, so that one is lost.
 *
 * All texts are in normal form (`searchText`), so that a form has one width, one letter case and one dash.
 */

/** A numeral: digits, also with half an episode, or Chinese numerals. Never part of a longer one. */
const NUMERAL = String.raw`(?:(?<!\d)\d{1,4}(?:\.5)?(?!\d)|[〇一二三四五六七八九十百千]{1,5})`;
/** In brackets these are not numerals: there 参 is the House of Councillors. */
const WITH_FORMAL = `(?:${NUMERAL}|[壱弐参拾]{1,4})`;
const BETWEEN = String.raw`\s*(?:[・,、&~+\-]|から)\s*`;
/** Units that do not count episodes. */
const OTHER_COUNT = String.raw`(?!\s*(?:年|月|日(?!目)|時|分|秒|人|位|歳|才|%|円|周年|世紀|億|万|度|連発))`;

/** Units after 第: the first are used for episodes only, the second also for arcs. */
const EPISODE_UNITS = '話目?';
const TURN_UNITS = '回目?';
const PIECE_UNITS = '夜目?|幕|巻|集|弾|講|席|号|景|皿|杯|湯|訓|怪|帖|段|限|駅|便|通|時間目';
const ARC_UNITS = '章';
const WEEK_UNITS = '週目?';
/** Units of a contest: every day has a first match, a round many matches, a game of go a morning and an afternoon. */
const CONTEST_UNITS = '局|戦|試合|節';

/** Words before a number, in normal form. */
const EPISODE_WORDS = 'episode|エピソード|ep';
const PIECE_WORDS =
  'chapter|チャプター|volume|vol|ボリューム|no|file|ファイル|case|ケース|act|stage|ステージ|lesson|レッスン|step|ステップ|' +
  'round|ラウンド|scene|シーン|mission|ミッション|track|トラック|page|ページ|phase|フェーズ|story|talk|trip|level|part|パート';

interface NumberForm {
  readonly pattern: RegExp;
  /** If a text has several forms, the one with the largest weight is used. */
  readonly weight: number;
  /** Words after the number that show that it does not count episodes. */
  readonly suffix?: string;
  /** Counts an event that several programmes may show. */
  readonly isOfEvent?: boolean;
  /** Four digits may be a year. */
  readonly mayBeYear?: boolean;
}

function counted(units: string): RegExp {
  const list = `${WITH_FORMAL}(?:(?:${units})?${BETWEEN}第?${WITH_FORMAL})*`;
  return new RegExp(`第\\s*(?<list>${list})\\s*(?:${units})(?:\\s*/\\s*全?\\d+話?)?(?!から)`, 'gu');
}

function worded(words: string): RegExp {
  const list = `${NUMERAL}(?:${BETWEEN}(?:(?:${words})[.:]?\\s*)?${NUMERAL})*`;
  return new RegExp(
    `(?<![a-z\\p{sc=Katakana}])(?:${words})\\s*[.:]?\\s*(?<list>${list})${OTHER_COUNT}(?![a-z])`,
    'gu',
  );
}

const IN_BRACKETS = [
  [String.raw`\(`, String.raw`\)`],
  ['<', '>'],
  ['〈', '〉'],
  ['《', '》'],
  ['≪', '≫'],
  ['【', '】'],
  [String.raw`\[`, String.raw`\]`],
]
  .map(([open, close]) => `${open}\\s*${NUMERAL}(?:${BETWEEN}${NUMERAL}|/\\d+)*\\s*${close}`)
  .join('|');
const BRACKETED = new RegExp(
  `(?<list>(?:${IN_BRACKETS})(?:\\s*(?:[・,、&~\\-]|から)?\\s*(?:${IN_BRACKETS}))*)`,
  'gu',
);

export const WEEK_SUFFIX = '週';

export const NUMBER_FORMS: readonly NumberForm[] = [
  {
    pattern: new RegExp(
      String.raw`[#♯](?<list>\s*${NUMERAL}(?:(?:${BETWEEN}[#♯]?|\s*[#♯])\s*${NUMERAL})*)${OTHER_COUNT}(?:\s*/\s*\d+)?`,
      'gu',
    ),
    weight: 10,
  },
  { pattern: /(?<![a-z\d])s(?<season>\d{1,2})\s*e(?:p\.?)?\s*(?<list>\d{1,4})(?![a-z\d])/gu, weight: 10 },
  { pattern: counted(EPISODE_UNITS), weight: 9, mayBeYear: false },
  { pattern: worded(EPISODE_WORDS), weight: 9 },
  { pattern: BRACKETED, weight: 8 },
  { pattern: counted(TURN_UNITS), weight: 7, mayBeYear: false },
  {
    pattern: new RegExp(
      String.raw`(?<![全第計約各\d.])(?<list>\d{1,4}(?:${BETWEEN}\d{1,4})*)話(?!題|し|す|術|法|者)`,
      'gu',
    ),
    weight: 7,
  },
  { pattern: counted(PIECE_UNITS), weight: 6 },
  { pattern: worded(PIECE_WORDS), weight: 6 },
  {
    pattern: new RegExp(
      `(?:その|其の|其ノ|巻の|巻ノ|巻之|之)\\s*(?<list>${WITH_FORMAL})${OTHER_COUNT}(?![\\p{L}\\p{N}])`,
      'gu',
    ),
    weight: 6,
  },
  { pattern: /(?<list>[一二三四五六七八九十百]{1,4})の(?:巻|幕|段|章)/gu, weight: 6 },
  { pattern: counted(CONTEST_UNITS), weight: 6, isOfEvent: true },
  { pattern: counted(ARC_UNITS), weight: 5 },
  // A weekly digest has the number of the week, and often the subtitle of its episodes.
  { pattern: counted(WEEK_UNITS), weight: 5, suffix: WEEK_SUFFIX },
];

/**
 * 第74回 before other forms counts how often an event took place, and a news break in the middle splits the event into
 * two programmes; every other form is more specific.
 */
export const EDITION_WEIGHT = 2;

const CHINESE_DIGITS = '〇一二三四五六七八九';
const FORMAL: Readonly<Record<string, string>> = { 壱: '一', 弐: '二', 参: '三', 拾: '十' };
const CHINESE_UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };

/** 十二, 百五, 一〇三, 二十. */
export function chineseNumber(text: string): number {
  if (!/[十百千]/.test(text))
    return Number(Array.from(text, (digit) => CHINESE_DIGITS.indexOf(digit)).join(''));
  let total = 0;
  let digit = 0;
  for (const letter of text) {
    const unit = CHINESE_UNITS[letter];
    if (unit === undefined) digit = CHINESE_DIGITS.indexOf(letter);
    else {
      total += (digit === 0 ? 1 : digit) * unit;
      digit = 0;
    }
  }
  return total + digit;
}

const FIRST_YEAR = 1900;
const LAST_YEAR = 2099;
const LONGEST_RANGE = 60;

function isYear(text: string): boolean {
  const value = Number(text);
  return text.length === 4 && value >= FIRST_YEAR && value <= LAST_YEAR;
}

/**
 * The numbers of a list, one spelling for `1・2`, `1~2` and `1,2`; undefined if it is not one, such as a year.
 * @param text the match of a form's `list`, including brackets
 * @param mayBeYear false: its form counts episodes and nothing else
 */
export function canonicalNumbers(text: string, mayBeYear = true): string | undefined {
  const bare = text
    .replace(/から/gu, '~')
    .replace(/\/\s*全?\d+/g, '')
    .replace(/[壱弐参拾]/gu, (letter) => FORMAL[letter] ?? letter);
  const parts = [...bare.matchAll(/\d+(?:\.5)?|[〇一二三四五六七八九十百千]+|[~-]/gu)].map(([part]) => part);
  const numbers: number[] = [];
  let range = false;
  for (const part of parts) {
    if (part === '~' || part === '-') {
      range = true;
      continue;
    }
    if (mayBeYear && isYear(part)) return undefined;
    const value = /^\d/.test(part) ? Number(part) : chineseNumber(part);
    const last = numbers.at(-1);
    if (range && last !== undefined && value > last && value - last <= LONGEST_RANGE) {
      for (let next = last + 1; next < value; next++) numbers.push(next);
    }
    range = false;
    numbers.push(value);
  }
  return numbers.length === 0 ? undefined : [...new Set(numbers)].join(',');
}

/** Seasons and series numbers belong to the name; each is normalised to one spelling. */
const NUMERAL_HERE = String.raw`\s*[.:]?\s*(\d{1,2}(?!\d)|[一二三四五六七八九十]{1,3})`;
const SEASONS: readonly RegExp[] = [
  new RegExp(`(?<![a-z])season${NUMERAL_HERE}`, 'gu'),
  new RegExp(`シーズン${NUMERAL_HERE}`, 'gu'),
  new RegExp(
    String.raw`第${NUMERAL_HERE}\s*(?:期(?![生末間待])|シリーズ|シーズン|クール|部(?!隊|長|分))`,
    'gu',
  ),
  /(?<!\d)(\d{1,2})\s*(?:st|nd|rd|th)\s*(?:season|series|シーズン|シリーズ)/gu,
  /(?<![\p{L}\d])(\d{1,2})期(?![生末間待])/gu,
  /(?<=[\s\p{L}])(?<![a-z])s(\d{1,2})(?=\s*(?:[#♯「『(]|第|ep))/gu,
  /(?<=\s)シリーズ(\d{1,2})(?!\d)/gu,
];

/** The text with every season spelled `§2§`. */
export function withPlainSeasons(text: string): string {
  let plain = text;
  for (const season of SEASONS) {
    plain = plain.replace(season, (_, number: string) => {
      const value = /^\d/.test(number) ? Number(number) : chineseNumber(number);
      return ` §${value}§ `;
    });
  }
  return plain;
}
