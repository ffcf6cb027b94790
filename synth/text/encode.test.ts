import { describe, expect, test } from 'bun:test';
import { encodeText, fitText } from './encode.ts';

function hex(text: string): string {
  return Buffer.from(encodeText(text)).toString('hex');
}

describe('the 8-unit code as used in SI', () => {
  test.each([
    // Kanji through GL: 1-row-cell bytes 0x3441 and 0x3B7A.
    ['漢字', '34413b7a'],
    // Hiragana through GR, one byte a character: set G2, bit 8 on.
    ['ひらがな', 'd2e9acca'],
    // A short run of katakana stays in the Kanji set, row 5.
    ['テレビ', '2546256c2553'],
    // A long one goes through GL after LS3 (ESC 6F); back to Kanji by LS0.
    ['ドキュメント局', '1b6f49' + '2d' + '65' + '61' + '73' + '48' + '0f' + '3649'],
    // Full-width letters and digits are characters of the Kanji set, row 3.
    ['第１回', '4268' + '2331' + '3273'],
    // ASCII: middle size (89), LS1, the letters; normal size (8A) and LS0 before the next kanji.
    ['BS局', '890e4253' + '8a0f' + '3649'],
    // Spaces are as wide as the text around them.
    ['局　A B', '3649' + '20' + '890e41' + '20' + '42'],
    // Title marks stand in row 90: 7A56 captions, 7A6A rerun.
    ['🈑🈞', '7a567a6a'],
    // The punctuation of the hiragana set.
    ['「は」、。', 'fb' + 'cf' + 'fc' + 'fd' + 'fa'],
    ['一\n二', '306c' + '0d' + '4673'],
  ])('%s', (text, bytes) => {
    expect(hex(text)).toBe(bytes);
  });

  test('a character that broadcasts cannot carry is refused by name', () => {
    expect(() => encodeText('映画🎬')).toThrow('🎬');
    expect(() => encodeText('①')).toThrow('①');
  });
});

test('a text is cut between characters to what a field holds', () => {
  expect(fitText('漢字かな', 100)).toBe('漢字かな');
  expect(fitText('漢字かな', 5)).toBe('漢字か');
  expect(fitText('漢字かな', 3)).toBe('漢');
  expect(fitText('漢', 1)).toBe('');
});
