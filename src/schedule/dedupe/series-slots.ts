/**
 * Names of weekly slots in which successive series or films are shown. Guides quote the series or film after
 * them. All in normal form (`searchText`). Pure.
 */

const DAY = '[月火水木金土日]';
/** Kinds of programmes, with usual suffixes. */
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
export function isSeriesSlot(before: string, isNumbered: boolean): boolean {
  // Bracketed words count as part of the name; a star is a separator.
  const name = before.replace(/[()<>〈〉《》≪≫【】[\]・]/gu, '').trim();
  if (isNumbered) return SERIES_SLOT.test(name) || NUMBERED_SLOT.test(name);
  return SERIES_SLOT.test(name) && !PIECE_SLOT.test(name);
}
