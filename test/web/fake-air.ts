/** Fake stations for tests of the UI, and a short fragmented MP4 that ffmpeg makes once per test run. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { boxesIn } from '../../lib/mp4/boxes.ts';
import type { AudioOption, Station } from '../../lib/wire/api.ts';

const MINUTE_MS = 60_000;
const MAIN: AudioOption = { id: '0:both', stream: 0, side: 'both', label: 'ステレオ', main: true };
const BILINGUAL: AudioOption[] = [
  { id: '0:main', stream: 0, side: 'main', label: '日本語', main: true },
  { id: '0:sub', stream: 0, side: 'sub', label: '英語' },
  { id: '1:both', stream: 1, side: 'both', label: '解説' },
];

/** Network, service, key, name, title, minutes since the programme began, minutes until it ends. */
type Row = readonly [Station['type'], number, number, number, string, string | null, number, number];

const ROWS: readonly Row[] = [
  ['GR', 32740, 1024, 1, 'みなと総合', '\u{1F214}\u{1F211}ニュースきょう一日', 12, 18],
  ['GR', 32741, 1032, 2, 'みなとEテレビ', '\u{1F211}\u{1F210}みんなの手話「駅で道をたずねる」', 5, 20],
  ['GR', 32742, 1040, 3, 'しおかぜ放送', '[新][字]ドラマ「灯台守の娘」第1話 嵐の夜に帰ってきた人', 34, 20],
  [
    'GR',
    32743,
    1048,
    4,
    '青葉テレビ',
    '\u{1F222}\u{1F213}青葉ナイター 中継 みなとブルーマリンズ対やまびこフォレスターズ ～最終回まで放送～',
    95,
    85,
  ],
  ['GR', 32743, 1049, 4, '青葉テレビ2', null, 0, 0],
  ['GR', 32744, 1056, 5, 'テレビやまびこ', '\u{1F221}\u{1F211}山里の台所 最終回 囲炉裏の味をのこす', 50, 4],
  ['GR', 32745, 1064, 7, 'ミライTV', '\u{1F21E}宇宙のはしっこ紀行', 20, 40],
  ['GR', 32746, 1072, 8, 'TSK丘の上', '[字][SS]映画「さよならは朝の汽車で」', 71, 0.6],
  ['BS', 4, 101, 101, 'BSみなと', '\u{1F211}世界の路地裏から ポルト編', 10, 50],
  ['BS', 4, 141, 141, 'BS星空', '\u{1F222}天体観測生中継', 40, 80],
  ['BS', 4, 211, 211, 'BSシネマ倶楽部', '\u{1F219}\u{1F21A}モノクローム名画座', 90, 30],
  ['CS', 6, 296, 296, 'ちゃんねる鉄道', '単線ローカル線の旅', 3, 57],
];

export function fakeStations(now: number): Station[] {
  return ROWS.map(([type, network, service, key, name, title, since, left]) => {
    const id = (network * 100_000 + service) as StationId;
    return {
      id,
      type,
      name,
      remoteControlKey: key,
      logo: null,
      live: `api/services/${id}/live`,
      now:
        title === null
          ? null
          : {
              id: (id * 100_000 + 1) as ProgramId,
              title: removeTitleMarks(title).title,
              name: title,
              startAt: broadcastMs(now - since * MINUTE_MS),
              endAt: broadcastMs(now + left * MINUTE_MS),
              reserved: false,
              recording: false,
              audios: service === 1024 ? BILINGUAL : [MAIN],
            },
    };
  });
}

export interface FakeStream {
  readonly init: Uint8Array;
  /** Fragments of half a second each. */
  readonly fragments: readonly Uint8Array[];
}

export const FRAGMENT_MS = 500;

const PICTURE = 'testsrc2=size=640x360:rate=12';
const SOUND = 'sine=frequency=440:beep_factor=2:sample_rate=48000';

declare global {
  // Test files may be loaded as separate module graphs; they share only the process.
  var svcTestStream: Promise<FakeStream> | undefined;
}

/** Video and audio in fragments, made once per process. */
export function makeStream(): Promise<FakeStream> {
  globalThis.svcTestStream ??= encodeStream('ffmpeg');
  return globalThis.svcTestStream;
}

async function encodeStream(ffmpeg: string): Promise<FakeStream> {
  const file = join(await mkdtemp(join(tmpdir(), 'web-air-')), 'air.mp4');
  const words = [
    ...['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', PICTURE, '-f', 'lavfi', '-i', SOUND, '-t', '30'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '6', '-bf', '0'],
    ...['-c:a', 'aac', '-ac', '2', '-b:a', '96k', '-movflags', 'empty_moov+default_base_moof+frag_keyframe'],
    file,
  ];
  const child = Bun.spawn([ffmpeg, ...words], { stdout: 'ignore', stderr: 'inherit' });
  if ((await child.exited) !== 0) throw new Error('ffmpeg could not make the test stream');
  return cutFragments(new Uint8Array(await readFile(file)));
}

function cutFragments(bytes: Uint8Array): FakeStream {
  const fragments: Uint8Array[] = [];
  let initEnd = 0;
  let start = 0;
  for (const { type, end } of boxesIn(bytes)) {
    if (type === 'moov') initEnd = end;
    if (type === 'moov' || type === 'ftyp') start = end;
    if (type !== 'mdat') continue;
    fragments.push(bytes.subarray(start, end));
    start = end;
  }
  return { init: bytes.subarray(0, initEnd), fragments };
}
