/**
 * A generated guide of any size for tests of the UI. It is deterministic: a station has the same programmes
 * at the same hours, without any stored state.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import type {
  FoundProgram,
  GuideProgram,
  GuideStatus,
  GuideWindow,
  ProgramDetail,
  SearchResult,
  Station,
} from '../../lib/wire/api.ts';
import { searchExcerpt } from '../../src/model/search-excerpt.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** 05:00 in Japan. */
const DAY_START_MS = 20 * HOUR_MS;

const PLACES = [
  'みなと',
  'しおかぜ',
  '青葉',
  'やまびこ',
  'ひばり',
  'あかつき',
  '星空',
  '若草',
  '川辺',
  '丘の上',
];
const KINDS = [
  '放送',
  'テレビ',
  'シネマ',
  'スポーツ',
  '音楽',
  'アニメ',
  '紀行',
  'ニュース',
  'ドラマ',
  '劇場',
];

/** Type, network id, first service id. */
const BANDS = [
  ['GR', 32740, 1024],
  ['BS', 4, 101],
  ['CS', 6, 220],
] as const;

/** @param counts stations of GR, BS and CS */
export function manyStations(counts: readonly [number, number, number]): Station[] {
  return BANDS.flatMap(([type, network, service], band) =>
    Array.from({ length: counts[band] ?? 0 }, (_, index): Station => {
      const networkId = type === 'GR' ? network + index : network;
      const serviceId = type === 'GR' ? service + index * 8 : service + index;
      const id = (networkId * 100_000 + serviceId) as StationId;
      const place = PLACES[(index * 7 + band) % PLACES.length] ?? '';
      const kind = KINDS[(index * 3 + Math.floor(index / 10) + band) % KINDS.length] ?? '';
      return {
        id,
        type,
        name: `${type === 'GR' ? '' : type}${place}${kind}`,
        remoteControlKey: type === 'GR' ? (index % 12) + 1 : serviceId,
        logo: null,
        live: `api/services/${id}/live`,
        now: null,
      };
    }),
  );
}

/** Title, genre, summary, duration in minutes. */
type Title = readonly [string, readonly [number, number], string, number];

const TITLES: readonly Title[] = [
  ['[字]ニュースきょう一日', [0, 0], '国内外の動きと、あすの天気を詳しく伝えます。各地の話題は中継で。', 30],
  [
    '[新][字]ドラマ「灯台守の娘」第1話　嵐の夜に帰ってきた人',
    [3, 0],
    '十年ぶりに島へ戻った遥は、灯りの消えた灯台で一冊の日誌を見つける。書いたのは行方の知れない父だった。',
    60,
  ],
  [
    '[生][字]みなとナイター　ブルーマリンズ対フォレスターズ',
    [1, 1],
    '首位攻防の三連戦。解説は元捕手の海野。試合の進みによって延長することがあります。',
    120,
  ],
  [
    '[字][二]世界の路地裏から　ポルト編',
    [8, 1],
    '坂の町を歩き、青いタイルの家に暮らす人々の一日をたずねる。',
    45,
  ],
  ['[再]山里の台所　囲炉裏の味をのこす', [2, 5], '山あいの集落に伝わる凍み豆腐づくり。', 25],
  ['天気予報', [0, 1], '', 5],
  ['[字]クイズ！まちかど博覧会', [5, 0], '全国の市場で見つけた謎の道具の使い方を当てる一時間。', 55],
  [
    '[字][SS]映画「さよならは朝の汽車で」',
    [6, 1],
    '廃線の決まった小さな駅で働く駅長と、最後の客となった少女の冬の物語。',
    115,
  ],
  [
    'アニメ　ほうき星の郵便屋さん　＃12',
    [7, 0],
    '流れ星に乗り遅れたトトは、月の裏側の局長に会いに行く。',
    30,
  ],
  ['ミュージックサロン　秋のピアノ特集', [4, 2], '若手三人による小品と連弾。', 60],
  ['[終][字]趣味の庭しごと　冬じたくと球根', [10, 1], '寄せ植えの植え替えと霜よけ。', 25],
  ['[手][字]みんなの手話　駅で道をたずねる', [11, 4], '', 15],
  ['寄席の時間　春風亭の三題噺', [9, 3], '客席からもらった三つの言葉で一席。', 30],
  ['名店通販スペシャル', [2, 4], '', 30],
];

export function dayOf(at: number): number {
  return Math.floor((at - DAY_START_MS) / DAY_MS) * DAY_MS + DAY_START_MS;
}

interface Made extends GuideProgram {
  readonly genreLv2: number;
}

/** A station's programmes of one broadcast day. */
function programsOf(stationId: number, day: number): Made[] {
  const programs: Made[] = [];
  const dayIndex = Math.round((day - DAY_START_MS) / DAY_MS);
  const seed = stationId % 9_973;
  for (let at = day, index = 0; at < day + DAY_MS; index += 1) {
    const pick = (seed * 31 + dayIndex * 17 + index * (5 + (seed % 3))) % TITLES.length;
    const [name, [lv1, lv2], description, minutes] = TITLES[pick] ?? ['番組', [15, 15], '', 30];
    const endAt = Math.min(day + DAY_MS, at + minutes * MINUTE_MS);
    programs.push({
      id: (stationId * 100_000 + ((dayIndex * 211 + index) % 65_000) + 1) as ProgramId,
      title: name.replace(/\[.\]|\[SS\]/gu, ''),
      name,
      description,
      startAt: broadcastMs(at),
      endAt: broadcastMs(endAt),
      openEnd: false,
      genres: [{ lv1, lv2 }],
      genreLv2: lv2,
      isFree: true,
      copyNever: pick === 9,
      reservation: null,
    });
    at = endAt;
  }
  return programs;
}

interface GuideWish {
  readonly from: number;
  readonly to: number;
  readonly type: string | null;
}

/** Number of days ahead for which the guide has data. */
export interface FakeGuide {
  readonly stations: readonly Station[];
  readonly days: number;
  /** Delay of a station's programmes in milliseconds, by station id. */
  readonly delays?: ReadonlyMap<number, number>;
}

export function guideWindow(guide: FakeGuide, { from, to, type }: GuideWish, now: number): GuideWindow {
  const end = guide.days === 0 ? 0 : Math.min(to, dayOf(now) + guide.days * DAY_MS);
  return guide.stations
    .filter((station) => type === null || station.type === type)
    .map((station) => {
      const programs: GuideProgram[] = [];
      const delay = guide.delays?.get(station.id) ?? 0;
      for (let day = dayOf(from - delay); day < end; day += DAY_MS) {
        for (const { genreLv2: _, ...planned } of programsOf(station.id, day)) {
          const program = {
            ...planned,
            startAt: plusMs(planned.startAt, delay),
            endAt: plusMs(planned.endAt, delay),
          };
          if (program.endAt > from && program.startAt < end) programs.push(program);
        }
      }
      return { stationId: station.id, programs };
    });
}

export function programDetail(guide: FakeGuide, id: ProgramId, now: number): ProgramDetail | undefined {
  const stationId = Math.floor(id / 100_000);
  const station = guide.stations.find((candidate) => candidate.id === stationId);
  const day = dayOf(now);
  for (let index = -1; index < guide.days; index += 1) {
    const found = programsOf(stationId, day + index * DAY_MS).find((program) => program.id === id);
    if (found === undefined || station === undefined) continue;
    const others = guide.stations
      .filter((other) => other.type === station.type && other.id !== stationId)
      .slice(0, 12)
      .flatMap((other) => programsOf(other.id, day + DAY_MS).map((program) => ({ other, program })))
      .filter(({ program }) => program.name === found.name)
      .slice(0, 3)
      .map(({ other, program }) => ({
        id: program.id,
        service_name: other.name,
        start_at: program.startAt,
        end_at: program.endAt,
      }));
    return {
      id,
      station_id: stationId as StationId,
      name: found.name,
      title: found.title,
      service_name: station.name,
      start_at: found.startAt,
      end_at: found.endAt,
      open_end: false,
      description: found.description ?? '',
      extended: {
        出演者: '【語り】海野遥、【出演】青葉まこと、みなと一平、丘の上こずえ',
        番組内容:
          '港町に生きる人々の四季を、一年にわたって見つめました。撮影には最新の機材を用い、夜の海の光を記録しています。',
        スタッフ: '【脚本】川辺しおり　【音楽】若草隆　【演出】星空めぐる',
      },
      genre_detail: found.genres,
      audios: [
        { componentType: 3, langs: ['jpn'], main: true, text: 'ステレオ' },
        { componentType: 1, langs: ['jpn'], text: '解説' },
      ],
      video_type: 'mpeg2',
      video_resolution: '1080i',
      is_free: true,
      copy_never: found.copyNever,
      series: found.name.includes('第1話')
        ? { id: 7, name: '灯台守の娘', episode: 1, last_episode: 10, repeat_label: 0 }
        : null,
      relations: found.name.includes('ナイター')
        ? [
            {
              kind: 'relay',
              id: others[0]?.id ?? id,
              station_id: stationId as StationId,
              service_name: station.name,
            },
          ]
        : [],
      others,
      reservation: null,
    };
  }
  return undefined;
}

function matchIn({ name, description }: GuideProgram, words: string[]): Pick<FoundProgram, 'match'> {
  const match = searchExcerpt(name, [['', description ?? '']], words);
  return match === undefined ? {} : { match };
}

export function searchGuide(
  guide: FakeGuide,
  q: string,
  { limit, offset }: { limit: number; offset: number },
  now: number,
): SearchResult {
  const words = q
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  const none = { more: false, rows: [] };
  if (words.length === 0) return { q, programs: none, recordings: none, reservations: none, rules: none };
  const found = guideWindow(guide, { from: now, to: now + DAY_MS, type: null }, now)
    .flatMap(({ stationId, programs }) => programs.map((program) => ({ stationId, program })))
    .filter(({ program }) => {
      const text = `${program.name} ${program.description ?? ''}`.normalize('NFKC').toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => a.program.startAt - b.program.startAt || a.program.id - b.program.id);
  const names = new Map(guide.stations.map((station) => [station.id, station.name]));
  const rows = found.slice(offset, offset + limit).map(({ stationId, program }) => ({
    id: program.id,
    name: program.name,
    service_name: names.get(stationId) ?? '',
    start_at: program.startAt,
    end_at: program.endAt,
    reservation_state: null,
    ...matchIn(program, words),
  }));
  return {
    q,
    programs: { more: found.length > offset + limit, rows },
    recordings: none,
    reservations: none,
    rules: none,
  };
}

export function guideStatus(guide: FakeGuide, now: number): GuideStatus {
  return {
    stations: guide.stations.map(({ id }, index) => {
      const days = guide.days === 0 ? 0 : index % 9 === 4 ? 1.4 : index % 13 === 7 ? 0 : guide.days;
      return {
        stationId: id,
        filledUntil: days === 0 ? null : broadcastMs(now + days * DAY_MS),
        lastReadAt: days === 0 ? null : wallMs(now - (index + 1) * 7 * MINUTE_MS),
        thin: days < 3,
        noGuide: false,
      };
    }),
    visits: [],
    troubles: [],
    pressed: false,
    progress: null,
    clocks: [
      {
        networkId: 32740,
        type: 'GR',
        offsetMs: 120,
        measuredAt: wallMs(now - 4 * MINUTE_MS),
        warning: false,
      },
      { networkId: 4, type: 'BS', offsetMs: 30, measuredAt: wallMs(now - 40 * MINUTE_MS), warning: false },
    ],
  };
}
