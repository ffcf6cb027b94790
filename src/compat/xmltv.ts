/**
 * The guide as XMLTV, valid by its DTD: elements are in the DTD's order. What Jellyfin, Kodi and Plex decide by is
 * there: episode numbers, repeats, new series, categories in Japanese and English. Pure.
 */
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import { JST_OFFSET_MS } from '../../lib/arib/time.ts';
import type { AudioComponent } from '../model/audio.ts';
import type { Genre, ProgramSeries } from '../model/program.ts';

export interface XmltvStation {
  readonly id: number;
  readonly name: string;
  readonly number: string;
  /** Absolute. */
  readonly logo: string | null;
}

export interface XmltvProgram {
  readonly stationId: number;
  /** Epoch ms. */
  readonly startAt: number;
  readonly endAt: number;
  /** As broadcast. */
  readonly name: string;
  readonly description: string;
  readonly extended: Readonly<Record<string, string>> | null;
  readonly genres: readonly Genre[];
  readonly audios: readonly AudioComponent[];
  readonly videoResolution: string | null;
  readonly series: Pick<ProgramSeries, 'episode' | 'repeat'> | null;
}

/** content_nibble_level_1, ARIB STD-B10 Part 2, Annex H; the English words are those that clients know. */
const CATEGORIES: readonly (readonly [japanese: string, english: string] | undefined)[] = [
  ['ニュース／報道', 'News'],
  ['スポーツ', 'Sports'],
  ['情報／ワイドショー', 'Talk show'],
  ['ドラマ', 'Series'],
  ['音楽', 'Music'],
  ['バラエティ', 'Variety'],
  ['映画', 'Movie'],
  ['アニメ／特撮', 'Animation'],
  ['ドキュメンタリー／教養', 'Documentary'],
  ['劇場／公演', 'Arts'],
  ['趣味／教育', 'Educational'],
  ['福祉', 'Community'],
];
/** Children's animation (7,0) and educational programmes for them (10, 4 to 6) are for lists of children too. */
const FOR_CHILDREN = new Set(['10/4', '10/5', '10/6', '7/0']);
const DUAL_MONO = 2;
const MAX_ACTORS = 40;

/** Characters that XML 1.0 does not permit, 2.2; a lone surrogate is none. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' },
};

function escaped(text: string): string {
  return text.replace(FORBIDDEN, '').replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}

/** `20261125190000 +0900` */
function timeText(at: number): string {
  const local = new Date(at + JST_OFFSET_MS).toISOString();
  return `${local.slice(0, 19).replace(/\D/g, '')} +0900`;
}

/** Names of the cast: roles in brackets and notes are left out. */
function actorsOf(extended: XmltvProgram['extended']): string[] {
  const text = Object.entries(extended ?? {})
    .filter(([heading]) => /出演|キャスト|声の出演/u.test(heading))
    .map(([, body]) => body)
    .join('\n');
  const names = text
    .replace(/[【〔［[〈＜<][^】〕］\]〉＞>\n]*[】〕］\]〉＞>]/gu, '\n')
    .split(/[、，,／/\n\r…]+/u)
    .map((name) => name.replace(/[（(][^（）()]*[）)]/gu, '').trim())
    .filter((name) => name !== '' && name.length <= 40 && !/ほか$|^他$/u.test(name));
  return [...new Set(names)].slice(0, MAX_ACTORS);
}

function descriptionOf({ description, extended }: XmltvProgram): string {
  const more = Object.entries(extended ?? {}).map(([heading, body]) => `◇${heading}\n${body}`);
  return [description, ...more].filter((part) => part.trim() !== '').join('\n\n');
}

function categoriesOf(genres: readonly Genre[]): string[] {
  const lines: string[] = [];
  for (const { lv1, lv2 } of genres) {
    const names = CATEGORIES[lv1];
    if (names === undefined) continue;
    lines.push(`<category lang="ja">${names[0]}</category>`, `<category lang="en">${names[1]}</category>`);
    if (FOR_CHILDREN.has(`${lv1}/${lv2}`)) lines.push('<category lang="en">Children</category>');
  }
  return [...new Set(lines)];
}

/** Ids have the form of a host name, RFC 2838: validators demand it, and Jellyfin takes bare numbers for channel numbers. */
export function xmltvId(station: number): string {
  return `${station}.svc`;
}

/** @param episodeOf the number of an episode by its title and texts; undefined: it has none */
export function programmeElement(
  program: XmltvProgram,
  episodeOf: (program: XmltvProgram) => number | undefined,
): string {
  const { stationId, startAt, endAt, name, genres, audios, videoResolution, series } = program;
  const { title, marks: found } = removeTitleMarks(name);
  const marks = new Set(found.map(({ meaning }) => meaning));
  const description = descriptionOf(program);
  const actors = actorsOf(program.extended);
  const episode = series?.episode || episodeOf(program);
  const isRepeat = marks.has('rerun') || (series?.repeat ?? 0) > 0;
  const isBilingual = marks.has('bilingual') || audios.some((one) => one.componentType === DUAL_MONO);
  const isWide = videoResolution !== null && !videoResolution.startsWith('480');
  const lines = [
    `<title lang="ja">${escaped(title === '' ? name : title)}</title>`,
    ...(description === '' ? [] : [`<desc lang="ja">${escaped(description)}</desc>`]),
    ...(actors.length === 0
      ? []
      : [`<credits>${actors.map((one) => `<actor>${escaped(one)}</actor>`).join('')}</credits>`]),
    ...categoriesOf(genres),
    ...(episode === undefined || episode <= 0
      ? []
      : [
          `<episode-num system="xmltv_ns">.${episode - 1}.</episode-num>`,
          `<episode-num system="onscreen">E${String(episode).padStart(2, '0')}</episode-num>`,
        ]),
    ...(isWide ? ['<video><aspect>16:9</aspect><quality>HDTV</quality></video>'] : []),
    ...(isBilingual ? ['<audio><stereo>bilingual</stereo></audio>'] : []),
    ...(isRepeat ? ['<previously-shown/>'] : []),
    ...(marks.has('new-series') || marks.has('first-broadcast') ? ['<new/>'] : []),
    ...(marks.has('captions') ? ['<subtitles type="teletext"/>'] : []),
  ];
  const times = `start="${timeText(startAt)}" stop="${timeText(endAt)}"`;
  return `<programme ${times} channel="${xmltvId(stationId)}">${lines.join('')}</programme>\n`;
}

/** @param stations those with programmes: validators refuse others */
export function xmltvHead(stations: readonly XmltvStation[]): string {
  const channels = stations.map(({ id, name, number, logo }) => {
    const names = `<display-name lang="ja">${escaped(name)}</display-name><display-name>${number}</display-name>`;
    const icon = logo === null ? '' : `<icon src="${escaped(logo)}"/>`;
    return `<channel id="${xmltvId(id)}">${names}${icon}</channel>\n`;
  });
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tv SYSTEM "xmltv.dtd">\n';
  return `${head}<tv generator-info-name="svc">\n${channels.join('')}`;
}

export const XMLTV_END = '</tv>\n';
