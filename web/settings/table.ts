/**
 * Every setting of the screen: one row each, in display order. Only settings that have an effect have a row; a new
 * capability adds its own.
 */
import type { Settings } from '../../lib/wire/api.ts';
import { deviceCodec, deviceTheme, lateNight } from '../device/preferences.ts';
import type { Option } from '../ui/segments.tsx';

export const SECTIONS = [
  { key: 'recording', title: '録画' },
  { key: 'encode', title: '変換' },
  { key: 'live', title: 'ライブ' },
  { key: 'data', title: 'データ放送' },
  { key: 'guide', title: '番組表・時刻' },
  { key: 'display', title: '表示' },
  { key: 'notify', title: '通知' },
  { key: 'access', title: 'アクセス' },
  { key: 'devices', title: '連携（TV アプリ）' },
  { key: 'system', title: 'システム' },
] as const;

export type SectionKey = (typeof SECTIONS)[number]['key'];

export interface Described {
  readonly section: SectionKey;
  readonly label: string;
  /** A phrase below the label. */
  readonly note: string;
  /** Sentences, on demand. */
  readonly help?: string;
  /** Further words by which people look for it. */
  readonly words: string;
}

/** Keys whose values are of a type. */
type KeysOf<T> = { [Key in keyof Settings]: Settings[Key] extends T ? Key : never }[keyof Settings];

/** Held by the service, for all devices. */
export interface SwitchRow extends Described {
  readonly kind: 'switch';
  readonly key: KeysOf<boolean>;
}

export interface ChoiceRow extends Described {
  readonly kind: 'choice';
  readonly key: KeysOf<string>;
  readonly options: readonly Option[];
}

export interface NumberRow extends Described {
  readonly kind: 'number';
  readonly key: KeysOf<number>;
  readonly options: readonly { readonly value: number; readonly label: string }[];
}

/** One of many numbers, in a list that opens. */
export interface ListRow extends Described {
  readonly kind: 'list';
  readonly key: KeysOf<number>;
  readonly options: readonly { readonly value: number; readonly label: string }[];
}

/** A short text of digits, saved once it is complete. */
export interface DigitsRow extends Described {
  readonly kind: 'digits';
  readonly key: KeysOf<string>;
  readonly length: number;
  readonly placeholder: string;
}

/** Held by this device alone. */
export interface DeviceRow extends Described {
  readonly kind: 'device';
  readonly key: string;
  readonly options: readonly Option[];
  readonly read: () => string;
  readonly write: (value: string) => void;
  readonly standard: string;
}

export type SettingRow = SwitchRow | ChoiceRow | NumberRow | ListRow | DigitsRow | DeviceRow;

const THEMES: readonly Option[] = [
  { value: 'auto', label: '自動' },
  { value: 'light', label: 'ライト' },
  { value: 'dark', label: 'ダーク' },
];

const CODECS: readonly Option[] = [
  { value: 'h264', label: 'H.264' },
  { value: 'av1', label: 'AV1' },
];

const HOUSE: Option = { value: 'house', label: '共通の設定' };

/** The default and some that others use. */
const marginsWith = (standard: number) => [
  { value: 0, label: 'なし' },
  { value: standard, label: `${standard / 1000}秒` },
  { value: 30_000, label: '30秒' },
  { value: 60_000, label: '1分' },
  { value: 300_000, label: '5分' },
];

/** Numbers 1 to 50 of the areas in their order; 255 is none. ARIB STD-B10, target_region_descriptor. */
const AREAS = [
  '北海道（東部） 北海道（西部） 青森県 岩手県 宮城県 秋田県 山形県',
  '福島県 茨城県 栃木県 群馬県 埼玉県 千葉県 東京都',
  '神奈川県 新潟県 富山県 石川県 福井県 山梨県 長野県',
  '岐阜県 静岡県 愛知県 三重県 滋賀県 京都府 大阪府',
  '兵庫県 奈良県 和歌山県 鳥取県 島根県 岡山県 広島県',
  '山口県 徳島県 香川県 愛媛県 高知県 福岡県 佐賀県',
  '長崎県 熊本県 大分県 宮崎県 鹿児島県 沖縄県 東京都（島部）',
  '鹿児島県（島部）',
].flatMap((line) => line.split(' '));

const PREFECTURES = [
  { value: 255, label: '設定しない' },
  ...AREAS.map((label, index) => ({ value: index + 1, label })),
];

export const ROWS: readonly SettingRow[] = [
  {
    kind: 'number',
    key: 'marginBefore',
    section: 'recording',
    label: '開始前のマージン',
    note: '番組の開始より前から録画',
    help: '予約やルールごとに変えられます。',
    words: '余白 録画マージン 前',
    options: marginsWith(10_000),
  },
  {
    kind: 'number',
    key: 'marginAfter',
    section: 'recording',
    label: '終了後のマージン',
    note: '番組の終了後も録画',
    help: '次の録画があるときは、そちらを優先します。予約やルールごとに変えられます。',
    words: '余白 録画マージン 後',
    options: marginsWith(15_000),
  },
  {
    kind: 'choice',
    key: 'retuneCost',
    section: 'recording',
    label: '続けて録画するとき',
    note: 'チューナーの切り替えにかかる数秒',
    help: '前の番組の終わりか、次の番組の始まりのどちらかが録画されません。',
    words: '切り替え チューナー 続けて 冒頭 末尾',
    options: [
      { value: 'first', label: '前の番組を早めに終える' },
      { value: 'second', label: '次の番組を遅れて始める' },
    ],
  },
  {
    kind: 'number',
    key: 'keepNewest',
    section: 'recording',
    label: '新しいルールで残す件数',
    note: '超えた録画はごみ箱へ',
    help: '視聴済みのもの、古いものから順に移します。ルールごとに変えられます。',
    words: '自動削除 保存 件数 残す 上書き',
    options: [
      { value: 0, label: 'すべて' },
      { value: 5, label: '5件' },
      { value: 10, label: '10件' },
      { value: 30, label: '30件' },
    ],
  },
  {
    kind: 'number',
    key: 'keepDays',
    section: 'recording',
    label: '新しいルールで残す日数',
    note: '過ぎた録画はごみ箱へ',
    help: 'ルールごとに変えられます。',
    words: '自動削除 保存 期間 日数 残す',
    options: [
      { value: 0, label: 'ずっと' },
      { value: 7, label: '7日' },
      { value: 30, label: '30日' },
      { value: 90, label: '90日' },
    ],
  },
  {
    kind: 'choice',
    key: 'retryDamaged',
    section: 'recording',
    label: '録画できなかった番組の再予約',
    note: '同じ回の別の放送を自動で予約',
    words: '再放送 失敗 欠落 乱れ やり直し',
    options: [
      { value: 'never', label: 'しない' },
      { value: 'failed', label: '失敗したとき' },
      { value: 'damaged', label: '一部に乱れのときも' },
    ],
  },
  {
    kind: 'choice',
    key: 'encode',
    section: 'encode',
    label: '録画後の変換',
    note: '録画を小さいファイルに変換',
    help: 'AV1 は最も小さく、H.264 はほとんどの機器で再生できます。',
    words: 'エンコード 圧縮 容量 av1 h264 形式',
    options: [
      { value: 'none', label: 'しない' },
      { value: 'av1', label: 'AV1' },
      { value: 'h264', label: 'H.264' },
      { value: 'both', label: '両方' },
    ],
  },
  {
    kind: 'choice',
    key: 'encodeQuality',
    section: 'encode',
    label: '変換の画質',
    note: '高画質ほど大きく、時間もかかる',
    words: 'エンコード 画質 容量 大きさ',
    options: [
      { value: 'small', label: '小さめ' },
      { value: 'standard', label: '標準' },
      { value: 'fine', label: '高画質' },
    ],
  },
  {
    kind: 'switch',
    key: 'keepTs',
    section: 'encode',
    label: '元の録画も残す',
    note: '放送のままのファイル',
    help: 'オフの間は、変換したファイルを検査してから元の録画を削除します。検査に通らないときは残します。',
    words: 'エンコード TS オリジナル 削除 放送画質',
  },
  {
    kind: 'choice',
    key: 'commercials',
    section: 'encode',
    label: 'CMの扱い',
    note: '録画からCMを検出',
    help: '「カット」では、変換したファイルにCMを含めません。',
    words: 'コマーシャル チャプター カット スキップ 検出',
    options: [
      { value: 'chapters', label: 'チャプターを付ける' },
      { value: 'cut', label: 'カット' },
      { value: 'none', label: '検出しない' },
    ],
  },
  {
    kind: 'switch',
    key: 'idleStills',
    section: 'live',
    label: 'ホームの画像に空きチューナーを使う',
    note: '放送中の各局の画像',
    help: 'ホームを開いている間だけ、録画や視聴に使っていないチューナーで各局の画像を受信します。',
    words: 'ホーム 静止画 サムネイル 放送中 チューナー',
  },
  {
    kind: 'choice',
    key: 'liveCodec',
    section: 'live',
    label: '映像の形式',
    note: 'AV1 は通信量が少なく、サーバーの負荷が高い',
    help: 'AV1 を再生できない端末では H.264 になります。',
    words: 'コーデック codec h264 av1 画質 通信量 視聴',
    options: CODECS,
  },
  {
    kind: 'device',
    key: 'device-codec',
    section: 'live',
    label: 'この端末での映像の形式',
    note: 'この端末だけの設定',
    words: 'コーデック codec h264 av1 端末',
    options: [HOUSE, ...CODECS],
    read: () => deviceCodec.value,
    write: (value) => {
      deviceCodec.value = value === 'h264' || value === 'av1' ? value : 'house';
    },
    standard: 'house',
  },
  {
    kind: 'digits',
    key: 'postalCode',
    section: 'data',
    label: '郵便番号',
    note: '天気など、地域の情報に使用',
    help: 'データ放送のページが使います。',
    words: '地域 住所 天気 d ボタン BML',
    length: 7,
    placeholder: '1000001',
  },
  {
    kind: 'list',
    key: 'prefecture',
    section: 'data',
    label: '都道府県',
    note: '地域を選ぶページの初期値',
    help: '離島と北海道の東西は放送の区分に合わせています。',
    words: '地域 県域 住所 d ボタン BML',
    options: PREFECTURES,
  },
  {
    kind: 'switch',
    key: 'bidirectional',
    section: 'data',
    label: '双方向通信（通信コンテンツ）',
    note: '放送局のサーバーとの通信',
    help: 'クイズへの参加や最新の情報などで、データ放送のページが放送局のサーバーと通信します。録画を見ているときは通信しません。',
    words: '受信 インターネット 通信 双方向 投票 クイズ d ボタン BML',
  },
  {
    kind: 'switch',
    key: 'collectGuide',
    section: 'guide',
    label: '番組表を自動で取得',
    note: '空いているチューナーで受信',
    help: 'オフにすると、視聴しているチャンネルの分だけになります。',
    words: 'EPG 番組表 収集 自動',
  },
  {
    kind: 'choice',
    key: 'theme',
    section: 'display',
    label: 'テーマ（配色）',
    note: 'すべての端末の配色',
    help: '「自動」は端末の設定に合わせます。',
    words: 'テーマ ダークモード ライト 色 見た目',
    options: THEMES,
  },
  {
    kind: 'device',
    key: 'device-theme',
    section: 'display',
    label: 'この端末のテーマ',
    note: 'この端末だけの設定',
    words: 'テーマ ダークモード ライト 色 端末',
    options: [HOUSE, ...THEMES],
    read: () => deviceTheme.value,
    write: (value) => {
      deviceTheme.value = value === 'auto' || value === 'light' || value === 'dark' ? value : 'house';
    },
    standard: 'house',
  },
  {
    kind: 'device',
    key: 'late-night',
    section: 'display',
    label: '深夜の時刻の表し方',
    note: '午前0時から5時までの番組',
    help: '「25:00」と「深夜1:00」では前日の日付で表示します。',
    words: '25時 24時 深夜 午前 時刻 日付 端末',
    options: [
      { value: 'hours', label: '25:00' },
      { value: 'words', label: '深夜1:00' },
      { value: 'calendar', label: '1:00' },
    ],
    read: () => lateNight.value,
    write: (value) => {
      lateNight.value = value === 'words' || value === 'calendar' ? value : 'hours';
    },
    standard: 'hours',
  },
  {
    kind: 'number',
    key: 'mirakurunRecordings',
    section: 'devices',
    label: 'EPGStation などの録画の優先度',
    note: 'Mirakurun 互換の接続での順位',
    help: 'この優先度以上を録画と同じ順位で扱います。EPGStation の録画は通常 2 です。「扱わない」では、この家の録画と視聴をつねに優先します。',
    words: 'Mirakurun EPGStation KonomiTV 優先度 priority 録画 チューナー',
    options: [
      { value: 0, label: '扱わない' },
      { value: 1, label: '1 以上' },
      { value: 2, label: '2 以上' },
      { value: 128, label: '128' },
    ],
  },
];

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Whether all words of the search stand somewhere in what describes it. */
export function matches({ section, label, note, help = '', words }: Described, search: string): boolean {
  const title = SECTIONS.find(({ key }) => key === section)?.title ?? '';
  const all = plain(`${title} ${label} ${note} ${help} ${words}`);
  return plain(search)
    .split(/\s+/u)
    .every((word) => all.includes(word));
}
