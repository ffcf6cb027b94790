/** How broadcasters write the part number of a series: in the title, in the description or not at all. */

/** Parts of a season. */
export const SEASON_PARTS = 12;
const SEASONS = 4;
/** Parts of a series that runs for years, before the numbers restart. */
export const LONG_RUN = 400;

/** Position of a programme in its series. */
interface Part {
  /** Number in its season, from 1. */
  part: number;
  season: number;
  /** Number over all seasons, from 1. */
  running: number;
}

export function partOf(count: number): Part {
  const cycle = (value: number, length: number) => ((value % length) + length) % length;
  return {
    part: cycle(count, SEASON_PARTS) + 1,
    season: cycle(Math.floor(count / SEASON_PARTS), SEASONS) + 1,
    running: cycle(count, LONG_RUN) + 1,
  };
}

const WIDE_DIGITS = '０１２３４５６７８９';
const KANJI_DIGITS = '〇一二三四五六七八九';

/** In full-width digits. */
export function wide(value: number): string {
  return [...String(value)].map((digit) => WIDE_DIGITS[Number(digit)]).join('');
}

/** Numbers up to 99, for 第十二回. */
function kanji(value: number): string {
  const tens = Math.floor(value / 10);
  const head = tens === 0 ? '' : `${tens === 1 ? '' : KANJI_DIGITS[tens]}十`;
  return value % 10 === 0 ? head : `${head}${KANJI_DIGITS[value % 10]}`;
}

const ORDINALS = ['1st', '2nd', '3rd', '4th'] as const;
const ARCS = ['旅立ち編', '港町編', '嵐の海編', '故郷編'] as const;

interface Written {
  /** Appended to the name of the series. */
  title: string;
  /** Put before the description's own text. */
  description: string;
  /** For the series descriptor; 0: not given. */
  episode: number;
  lastEpisode: number;
}

type Style = (part: Part, subtitle: string) => Partial<Written> & { title: string };

const quoted = (subtitle: string) => (subtitle === '' ? '' : `「${subtitle}」`);
const inSeason = (part: Part) => ({ episode: part.part, lastEpisode: SEASON_PARTS });

/** Every form that is distinguished when episodes are compared. */
const STYLES: readonly Style[] = [
  (part, subtitle) => ({ title: ` #${part.part}${quoted(subtitle)}`, ...inSeason(part) }),
  (part, subtitle) => ({ title: `　＃${wide(part.part)}${quoted(subtitle)}`, ...inSeason(part) }),
  (part, subtitle) => ({ title: `　第${part.part}話${quoted(subtitle)}`, ...inSeason(part) }),
  (part, subtitle) => ({ title: `　第${kanji(part.part)}回${quoted(subtitle)}`, ...inSeason(part) }),
  (part, subtitle) => ({ title: `（${wide(part.part)}）${quoted(subtitle)}`, ...inSeason(part) }),
  (part) => ({ title: `(${part.part})`, ...inSeason(part) }),
  (part, subtitle) => ({ title: ` Chapter ${part.running}　${subtitle}`, episode: part.running }),
  (part, subtitle) => ({ title: ` Episode.${part.part}${quoted(subtitle)}`, ...inSeason(part) }),
  (part, subtitle) => ({ title: `　EP${part.running}${quoted(subtitle)}`, episode: part.running }),
  (part, subtitle) => ({
    title: `　シーズン${part.season} 第${part.part}話${quoted(subtitle)}`,
    ...inSeason(part),
  }),
  (part, subtitle) => ({
    title: `　${ORDINALS[part.season - 1]}シーズン　＃${wide(part.part)}${quoted(subtitle)}`,
    ...inSeason(part),
  }),
  (part, subtitle) => ({ title: `　${ARCS[part.season - 1]}（${wide(part.part)}）${subtitle}`, episode: 0 }),
  (part, subtitle) => ({
    title: '',
    description: `第${wide(part.part)}回${quoted(subtitle)}。`,
    ...inSeason(part),
  }),
  (part, subtitle) => ({ title: '', description: `＃${wide(part.running)}${quoted(subtitle)}　` }),
  (_, subtitle) => ({ title: quoted(subtitle) }),
  () => ({ title: '' }),
];

export const STYLE_COUNT = STYLES.length;

/** The number as one of the styles writes it. */
export function written(style: number, part: Part, subtitle: string): Written {
  const form = STYLES[style % STYLES.length] ?? (() => ({ title: '' }));
  return { description: '', episode: 0, lastEpisode: 0, ...form(part, subtitle) };
}

/** Whether a style numbers parts within seasons. */
export function hasSeasons(style: number): boolean {
  return written(style, partOf(0), '').lastEpisode > 0;
}
