/** An independent reader reads back any text that captions can carry, in every way of encoding it. */
import { expect, test } from 'bun:test';
import { ARIBB24JapaneseJIS8Tokenizer } from 'aribb24.js';
import fc from 'fast-check';
import { ADDITIONAL_CHARACTERS, HABITS, TextCoder } from '../../synth/caption/coder.ts';
import { asPeer } from './caption-peer.ts';

const KANA = [...'あいうえおがぱゃっんアイウエオガパャッンヴー'];
const MARKS = [...'。、「」・（）！？…〜♪〒→※　'];
const KANJI = [...'字幕放送漢語電車駅前右左音楽鬱龠'];
const LETTERS = [...'ABCxyz0189!?#%&*+-/:;<=>@ ＡＢｃｄ０９'];
const REPERTOIRE = [...KANA, ...MARKS, ...KANJI, ...LETTERS, ...ADDITIONAL_CHARACTERS];

test.each(HABITS.map((habit, index) => ({ habit, index })))(
  'any text is read back: habit $index',
  ({ habit }) => {
    const stretch = fc.oneof(
      fc.array(fc.constantFrom(...KANA), { maxLength: 8 }),
      fc.array(fc.constantFrom(...LETTERS), { maxLength: 5 }),
      fc.array(fc.constantFrom(...REPERTOIRE), { maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 6 }), (stretches) => {
        const texts = stretches.map((characters) => characters.join(''));
        const coder = new TextCoder(habit);
        for (const text of texts) {
          coder.text(text);
          coder.close();
        }
        const tokens = new ARIBB24JapaneseJIS8Tokenizer().tokenizeStatement(Uint8Array.from(coder.bytes));
        const read = tokens.map((token) => {
          if (token.tag === 'Space') return '　';
          return token.tag === 'Character' ? token.character : `<${token.tag}>`;
        });
        expect(read.join('')).toBe([...texts.join('')].map(asPeer).join(''));
      }),
      { numRuns: 300 },
    );
  },
);

test('a character that captions cannot carry is rejected by name', () => {
  const coder = new TextCoder(HABITS[0]);
  for (const character of ['🎬', '´', '◯', '~'])
    expect(() => coder.text(`字${character}`)).toThrow(character);
});
