/**
 * The marks of programme titles: their meanings, and titles without them. They are characters of row 90 of the
 * additional symbols, also written in brackets ([字]) where these characters are not available. ARIB STD-B24 Vol. 1
 * Part 2, 7.1 (90-48 to 90-82); their use by ARIB TR-B14 and TR-B15 Vol. 4. 90-83 (㊙) and 90-84 (ほか) are words of the
 * title and are kept.
 */

interface TitleMark {
  /** The text in the frame or between brackets: one to three letters in NFKC form. */
  readonly face: string;
  /** The character of the additional symbols. */
  readonly character: string;
  /** Cell of row 90. */
  readonly cell: number;
  readonly meaning: MarkMeaning;
}

export type MarkMeaning = (typeof MARKS)[number][3];

/** Cell of row 90, character, face, meaning. */
const MARKS = [
  [48, '\u{1F14A}', 'HV', 'high-definition'],
  [49, '\u{1F14C}', 'SD', 'standard-definition'],
  [50, '\u{1F13F}', 'P', 'progressive'],
  [51, '\u{1F146}', 'W', 'wide'],
  [52, '\u{1F14B}', 'MV', 'multi-view'],
  [53, '\u{1F210}', '手', 'sign-language'],
  [54, '\u{1F211}', '字', 'captions'],
  [55, '\u{1F212}', '双', 'interactive'],
  [56, '\u{1F213}', 'デ', 'data'],
  [57, '\u{1F142}', 'S', 'stereo'],
  [58, '\u{1F214}', '二', 'bilingual'],
  [59, '\u{1F215}', '多', 'multiple-audio'],
  [60, '\u{1F216}', '解', 'audio-description'],
  [61, '\u{1F14D}', 'SS', 'surround'],
  [62, '\u{1F131}', 'B', 'b-mode'],
  [63, '\u{1F13D}', 'N', 'news'],
  [66, '\u{1F217}', '天', 'weather'],
  [67, '\u{1F218}', '交', 'traffic'],
  [68, '\u{1F219}', '映', 'film'],
  [69, '\u{1F21A}', '無', 'free'],
  [70, '\u{1F21B}', '料', 'pay'],
  [71, '\u{26BF}', '年齢制限', 'parental-lock'],
  [72, '\u{1F21C}', '前', 'first-part'],
  [73, '\u{1F21D}', '後', 'second-part'],
  [74, '\u{1F21E}', '再', 'rerun'],
  [75, '\u{1F21F}', '新', 'new-series'],
  [76, '\u{1F220}', '初', 'first-broadcast'],
  [77, '\u{1F221}', '終', 'last-episode'],
  [78, '\u{1F222}', '生', 'live'],
  [79, '\u{1F223}', '販', 'shopping'],
  [80, '\u{1F224}', '声', 'voice-actors'],
  [81, '\u{1F225}', '吹', 'dubbed'],
  [82, '\u{1F14E}', 'PPV', 'pay-per-view'],
] as const;

/** In the order of their cells. */
export const TITLE_MARKS: readonly TitleMark[] = MARKS.map(([cell, character, face, meaning]) => ({
  face,
  character,
  cell,
  meaning,
}));

const BY_CHARACTER = new Map(TITLE_MARKS.map((mark) => [mark.character, mark]));
const BY_FACE = new Map(TITLE_MARKS.map((mark) => [mark.face, mark]));

interface BareTitle {
  /** Without marks, leading and trailing spaces, and double spaces left by marks. */
  readonly title: string;
  /** Each once, in order of occurrence. */
  readonly marks: readonly TitleMark[];
}

const CHARACTERS = TITLE_MARKS.map(({ character }) => character).join('');
/** A mark's character, or up to four letters in brackets, which are then looked up. */
const CANDIDATE = new RegExp(`[${CHARACTERS}]|[[［【]([^[\\]［］【】]{1,4})[\\]］】]`, 'gu');
/** Placeholder of a mark until the spaces around it are fixed; does not occur in texts. */
const TAKEN = '\0';
const TAKEN_RUN = /\s*\0[\s\0]*/g;

/**
 * Splits a title into its words and its marks. A mark between words is replaced by a space. A title that only
 * consists of marks is kept unchanged.
 */
export function removeTitleMarks(name: string): BareTitle {
  const marks: TitleMark[] = [];
  const taken = name.replace(CANDIDATE, (whole, bracketed: string | undefined) => {
    const mark =
      bracketed === undefined ? BY_CHARACTER.get(whole) : BY_FACE.get(bracketed.normalize('NFKC').trim());
    if (mark === undefined) return whole;
    if (!marks.includes(mark)) marks.push(mark);
    return TAKEN;
  });
  const title = taken.replace(TAKEN_RUN, ' ').trim();
  return { title: title === '' ? name.trim() : title, marks };
}
