/**
 * Normal form of texts for comparison in searches and rule conditions: width, letter case, the width of kana and the
 * spelling of marks, dashes and apostrophes are ignored. Titles, descriptions and queries pass through the same
 * function; a text matches if it contains the words of the query. Hiragana and katakana differ. Searches and rule
 * keywords also ignore variants of kanji in names (`matchText`); comparing titles with each other does not.
 *
 * Normal form KC does most of it. Characters that it would break are replaced before: a mark of row 90 (🈑) would
 * become a plain letter that matches everywhere, so it becomes its other spelling, [字]; spacing sound marks would
 * become a space that splits words.
 */
import { removeTitleMarks, TITLE_MARKS } from '../../lib/arib/text/title-marks.ts';
import { foldPlain, plainTable, replacedIn } from './plain-text.ts';

const FACE_OF_CHARACTER = new Map(TITLE_MARKS.map(({ character, face }) => [character, face]));
const MARK_CHARACTER = new RegExp(`[${[...FACE_OF_CHARACTER.keys()].join('')}]`, 'gu');

/** Texts of marks after normalisation. */
const FACES = new Set(TITLE_MARKS.map(({ face }) => face.toLowerCase()));
/**
 * Lenticular brackets are not compatibility characters: 【字】 becomes [字] only if it is a mark. Blanks are already
 * collapsed here.
 */
const BRACKETED = /[[【] ?([^[\]【】]{1,4}?) ?[\]】]/gu;

/** Standalone sound marks: normalisation would put a space before them. */
const SOUND_MARK = /[\u309b\u309c]/g;

/**
 * Characters that correspond to one key or one code point of a broadcast, and only differ by the conversion table
 * used: dashes and minus, the wave dash and the full-width tilde, and apostrophes (a broadcast has the curved one, a
 * keyboard the straight one).
 */
const DASH = /[\u2010-\u2015\u2212]/g;
const WAVE = /[\u301c\u3030]/g;
const APOSTROPHE = /[\u2018\u2019\u201b\u02bc\u2032]/g;
/** Used as an apostrophe; normalisation would put a space before it. */
const ACUTE = /\u00b4/g;

/** Variation selectors, joiners, soft hyphens: neither visible nor typed. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;
const BLANK = /[\s\p{Cc}]+/gu;
const PLAIN_TABLE = plainTable();

function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
    .replace(IGNORED, '')
    .normalize('NFC');
}

/** Marks in their other spelling. */
function withFaces(text: string): string {
  return text.replace(MARK_CHARACTER, (character) => `[${FACE_OF_CHARACTER.get(character) ?? character}]`);
}

/** The normal form of a text for comparing. Applying it twice changes nothing. */
export function searchText(text: string): string {
  return foldPlain(text, PLAIN_TABLE) ?? foldAny(text);
}

/** The general path, for any text. */
export function foldAny(text: string): string {
  const prepared = withFaces(text.toWellFormed())
    .replace(SOUND_MARK, (mark) => (mark === '\u309b' ? '\u3099' : '\u309a'))
    .replace(ACUTE, "'");
  return fold(prepared)
    .replace(DASH, '-')
    .replace(WAVE, '~')
    .replace(APOSTROPHE, "'")
    .replace(BLANK, ' ')
    .replace(BRACKETED, (whole, inner: string) => (FACES.has(inner) ? `[${inner}]` : whole))
    .trim();
}

/**
 * Variants of kanji in names, with the most commonly typed character: Unicode distinguishes them, and broadcasters
 * and keyboards choose differently. 旧字体 of the 常用漢字表 that occur in names, and 異体字 (はしごだか, たつさき, つちよし).
 */
const NAME_VARIANTS =
  '髙高 﨑崎 嵜崎 濵浜 濱浜 邊辺 邉辺 齋斉 齊斉 斎斉 澤沢 櫻桜 國国 廣広 德徳 惠恵 眞真 龍竜 瀧滝 嶋島 嶌島 冨富 𠮷吉 栁柳 ' +
  '槇槙 驒騨 萬万 圓円 學学 條条 與与 壽寿 榮栄 禮礼 淺浅 藏蔵 應応 寬寛 增増 曾曽 彌弥 豐豊 瀨瀬 賴頼 鷗鴎 蘆芦 莊荘 ' +
  '晉晋 靜静 峯峰 桒桑 舘館 埜野 檜桧 礒磯 遙遥 瑤瑶 堯尭 凛凜 黑黒 關関 鹽塩 戶戸 瘦痩 顏顔';
/** Signs that are typed differently: curved double quotation marks, and the multiplication sign (`×`) between names. */
const SIGN_VARIANTS = '“" ”" „" ‟" ″" 〝" 〞" 〟" ×x';
const VARIANTS = new Map(
  `${NAME_VARIANTS} ${SIGN_VARIANTS}`.split(' ').map((pair): [string, string] => {
    const [variant = '', common = ''] = Array.from(pair);
    return [variant, common];
  }),
);
const VARIANT_TABLE = replacedIn(PLAIN_TABLE, VARIANTS);
const VARIANT = new RegExp(`[${[...VARIANTS.keys()].join('')}]`, 'gu');

/**
 * `searchText` that also ignores variants of kanji in names and of signs: for texts and queries of searches and
 * rules.
 */
export function matchText(text: string): string {
  return (
    foldPlain(text, VARIANT_TABLE) ??
    foldAny(text).replace(VARIANT, (variant) => VARIANTS.get(variant) ?? variant)
  );
}

/** A name without its marks, in normal form: equal for the airings of one programme. */
export function titleText(name: string): string {
  return searchText(removeTitleMarks(name).title);
}

/** Sort key of titles: numbers by their value, so that 第2話 comes before 第10話. */
export function titleOrder(name: string): string {
  return titleText(name).replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, '').padStart(6, '0'));
}

/** A query's words, all of which must be contained; none for a query of blanks. Each word once. */
export function searchWords(query: string): string[] {
  const words = matchText(query).split(' ');
  return [...new Set(words)].filter((word) => word !== '');
}

/** Cut to at most this many characters, never inside one. */
export function cutQuery(query: string, length: number): string {
  // Most queries are shorter in code units already.
  if (query.length <= length) return query;
  return Array.from(query.slice(0, length * 2))
    .slice(0, length)
    .join('');
}
