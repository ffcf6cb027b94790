/** Fictitious people, places and sentences, enough of them that long texts do not repeat themselves. */
import type { Random } from '../random.ts';

const FAMILY_NAMES = [
  '架空',
  '仮野',
  '例田',
  '見本',
  '空木',
  '夢川',
  '霧島野',
  '想沢',
  '灯',
  '水無月',
  '影山田',
  '雲井沢',
] as const;
const GIVEN_NAMES = [
  '太郎',
  '花子',
  '一歩',
  'みのり',
  '航',
  'つばさ',
  '桜子',
  '源三',
  'ゆき',
  '春馬',
  'マリア',
  'ジョージ',
] as const;
export const PLACES = [
  'ひばり市',
  'あさぎり町',
  'こもれび村',
  'かわせみ島',
  '星空高原',
  'すなどけい浜',
  'みなとＮｏ．７倉庫',
] as const;
const ROLES = [
  '新人の記者',
  '町の医者',
  '引退した船長',
  '駅長の娘',
  '無口な料理人',
  '謎のバイオリニスト',
  '時計職人',
];
const WHEN = ['雨の降る朝', '祭りの前の晩', '冬の終わり', '二十年ぶりの同窓会の日', '停電の夜', 'ある日曜日'];
const DEEDS = [
  '古い手紙を見つける',
  'かつての友と再会する',
  '誰にも言えない約束を思い出す',
  '一枚の写真の謎を追い始める',
  '町を離れる決心をする',
  'コンクールの舞台に立つ',
  'Ｂ２７と書かれた鍵を受け取る',
  'なくしたはずの指輪を手にする',
];
const TURNS = [
  'しかし、思いもよらない人物が現れて…。',
  'その時、電話のベルが鳴り響いた。',
  'やがて明らかになる意外な真実とは？',
  '残された時間はあと２４時間。',
  'そして物語は大きく動き出す。',
  '一方そのころ、港では船が出ようとしていた。',
];

function person(random: Random): string {
  return `${random.pick(FAMILY_NAMES)}${random.pick(GIVEN_NAMES)}`;
}

export function people(random: Random, count: number): string {
  return Array.from({ length: count }, () => person(random)).join('、');
}

export function sentence(random: Random): string {
  const scene = `${random.pick(WHEN)}、${random.pick(PLACES)}で${random.pick(ROLES)}の${person(random)}は`;
  return `${scene}${random.pick(DEEDS)}。${random.chance(0.4) ? random.pick(TURNS) : ''}`;
}

const VISITS = [
  'を訪ねます。',
  'の今を追いました。',
  'で話を聞きました。',
  'から生中継でお伝えします。',
  'の魅力を語ります。',
];
const THINGS = [
  '朝市',
  '古い劇場',
  '町工場',
  '小学校',
  '灯台',
  'ＡＩ研究所',
  '棚田',
  '漁港',
  '図書館',
  '商店街',
];

/** For programmes without a story. */
export function report(random: Random): string {
  return `${person(random)}さんが${random.pick(PLACES)}の${random.pick(THINGS)}${random.pick(VISITS)}`;
}

/** At least this many characters of sentences, in paragraphs. */
export function paragraphs(random: Random, characters: number, make: (random: Random) => string): string {
  let text = '';
  while (text.length < characters) {
    if (text !== '' && random.chance(0.3)) text += '\n';
    text += make(random);
  }
  return text;
}
