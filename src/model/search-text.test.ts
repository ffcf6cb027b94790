import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ADDITIONAL_ROWS } from '../../lib/arib/text/additional-symbols.ts';
import { TITLE_MARKS } from '../../lib/arib/text/title-marks.ts';
import { foldPlain, plainTable } from './plain-text.ts';
import { cutQuery, foldAny, matchText, searchText, searchWords, titleText } from './search-text.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

function same(...spellings: string[]): void {
  expect([...new Set(spellings.map(searchText))]).toHaveLength(1);
}

describe('searchText', () => {
  test('width, letter case and the width of kana are ignored', () => {
    same('ＮＨＫニュース７', 'NHKニュース7', 'nhkﾆｭｰｽ7', 'Ｎｈｋﾆｭｰｽ７');
    same('ガンダム', 'ｶﾞﾝﾀﾞﾑ', 'カ\u3099ンタ\u3099ム');
    same('「相棒」・。', '｢相棒｣･｡');
    same('東京　タワー', '東京 タワー', ' 東京 \n\t タワー ');
    same('ΣΑΣ', 'σας');
  });

  test('hiragana and katakana stay apart', () => {
    expect(searchText('すもう')).not.toBe(searchText('スモウ'));
  });

  test('a broadcast symbol is the same in every spelling and never a plain letter', () => {
    for (const { character, face } of TITLE_MARKS) {
      same(`題${character}`, `題[${face}]`, `題［${face}］`, `題【${face}】`, `題[ ${face} ]`);
      expect(searchText(character)).toBe(`[${face.toLowerCase()}]`);
    }
    expect(searchText('【東京】')).toBe('【東京】');
  });

  test('broadcast symbols become what people type, and words stay whole', () => {
    expect(searchText('㈱№㎞①Ⅳ')).toBe('(株)nokm1iv');
    // Variants of kanji that Unicode normalises to the same character.
    same('\u{fa10}', '塚');
    expect(searchText('あ゛っ')).toBe('あ\u3099っ');
    for (const [row, cells] of ADDITIONAL_ROWS) {
      for (const symbol of cells.flatMap((line) => line.split(' '))) {
        if (symbol.trim() === '') continue;
        const text = searchText(symbol);
        expect([row, symbol, text]).toEqual([row, symbol, expect.stringMatching(/^\S+$/u)]);
      }
    }
  });

  test('all dashes are equal, as are wave dashes and apostrophes; the long vowel mark is a letter', () => {
    same('Let’s', "Let's", 'Ｌｅｔ＇ｓ', 'Ｌｅｔ’ｓ', 'Let´s', 'Letʼs');
    same('’９０年代', "'90年代", '‘90年代');
    same('A−B', 'A–B', 'A—B', 'A―B', 'Ａ－Ｂ', 'a-b');
    same('10〜12時', '10～12時', '10~12時');
    expect(searchText('カー')).toBe('カー');
  });

  test('invisible characters are ignored', () => {
    same('❤️', '❤');
    same('葛\u{e0100}城', '葛城');
    same('ｺ\u200bーヒー', 'コーヒー');
    expect(searchText('a\0b')).toBe('a b');
    expect(searchText('x\ud800y')).toBe('x\ufffdy');
  });

  test('is idempotent and never splits a word', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'【[］ ]字ＨＶｶﾞ゛゜🈑−〜’´ςΣ\u{fe0f}\u{e0100}\u3099Aé') }),
    );
    fc.assert(
      fc.property(unit, (text) => {
        const once = searchText(text);
        expect(searchText(once)).toBe(once);
        expect(once).not.toMatch(/^\s|\s$|\s\s|\0/);
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });
});

test('titleText omits broadcast symbols', () => {
  expect(titleText('🈟ドラマ「灯台」＃１[字]')).toBe('ドラマ「灯台」#1');
});

describe('searchWords', () => {
  test('are separated by white space of any kind, without duplicates', () => {
    expect(searchWords('　相棒  Season　ＳＥＡＳＯＮ ')).toEqual(['相棒', 'season']);
    expect(searchWords(' 　\t\n')).toEqual([]);
    expect(searchWords('\u200b')).toEqual([]);
  });
});

test('cutQuery counts characters and splits no surrogate pair', () => {
  expect(cutQuery('あ'.repeat(101), 100)).toBe('あ'.repeat(100));
  expect(cutQuery('😀'.repeat(10_000), 100)).toBe('😀'.repeat(100));
  expect(cutQuery('short', 100)).toBe('short');
});

describe('variants of kanji in names and of symbols', () => {
  test('are equal in searches and rules, whichever is typed', () => {
    for (const [broadcast, typed] of [
      ['髙橋', '高橋'],
      ['山﨑', '山崎'],
      ['𠮷田', '吉田'],
      ['渡邊', '渡辺'],
      ['齋藤', '斉藤'],
      ['Ａ×Ｂ', 'axb'],
      ['“夏”', '"夏"'],
    ] as const) {
      expect(matchText(broadcast)).toBe(matchText(typed));
      expect(searchWords(broadcast)).toEqual(searchWords(typed));
    }
  });

  test('differ where titles are compared with each other', () => {
    expect(titleText('髙橋')).not.toBe(titleText('高橋'));
  });

  test('folding twice changes nothing', () => {
    const once = matchText('髙﨑“×”龍');
    expect(matchText(once)).toBe(once);
  });
});

describe('texts of common characters', () => {
  const table = plainTable();

  test('the fast path folds each character like the general one, whatever its neighbours', () => {
    for (let unit = 0; unit < 0x1_0000; unit++) {
      if (table[unit] === 0) continue;
      const one = String.fromCharCode(unit);
      for (const text of [one, `か${one}は`, `A ${one}`]) {
        const plain = foldPlain(text, table);
        if (plain !== undefined && plain !== foldAny(text))
          expect([unit, plain]).toEqual([unit, foldAny(text)]);
      }
    }
    expect(foldPlain('🈞第１回　「夜…」［字］〜🅊', table)).toBe('[再]第1回 「夜...」[字]~[hv]');
  });

  test('both paths give the same for any text', () => {
    const letters = fc.constantFrom(
      ...'[]【】［］ \u3000\n字再新…・ーかガＡａZ0９〜～-−–’\'"“×´゛\u3099\u309a①㈱ｶﾞσΣ邊邉髙高★♪🈑𠮷\ud83c\u0301\0',
    );
    const texts = fc.oneof(
      fc.array(letters, { maxLength: 12 }).map((list) => list.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(searchText(text)).toBe(foldAny(text));
        expect(searchText(matchText(text))).toBe(matchText(text));
        expect(matchText(text)).toBe(matchText(foldAny(text)));
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });
});
