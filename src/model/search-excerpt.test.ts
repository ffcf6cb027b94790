import { describe, expect, test } from 'bun:test';
import { searchExcerpt } from './search-excerpt.ts';
import { searchWords } from './search-text.ts';

const excerpt = (query: string, name: string, texts: [string, string][]) =>
  searchExcerpt(name, texts, searchWords(query));

describe('the excerpt of a search result', () => {
  test('is the text that has the words the name lacks, under its heading', () => {
    const texts: [string, string][] = [
      ['', '港の町の一日'],
      ['出演者', '山田太郎、\n海野　遥、髙橋ｹﾝ'],
    ];
    expect(excerpt('町 高橋ケン', '町の話', texts)).toEqual({
      ...{ heading: '出演者', text: '山田太郎、 海野 遥、髙橋ｹﾝ' },
    });
    expect(excerpt('一日', '町の話', texts)).toEqual({ heading: '', text: '港の町の一日' });
  });

  test('does not exist where the name has all words, or no text has one', () => {
    expect(excerpt('町', '町の話', [['', '町']])).toBeUndefined();
    expect(excerpt('海', '町の話', [['', '山']])).toBeUndefined();
  });

  test('is a window of a long text around the first match', () => {
    const body = `${'前'.repeat(300)}灯台守${'後'.repeat(300)}`;
    const found = excerpt('灯台守', '町の話', [['番組内容', body]]);
    expect(found?.text).toBe(`…${'前'.repeat(12)}灯台守${'後'.repeat(49)}…`);
  });

  test('begins with the body where only the heading matches', () => {
    expect(excerpt('出演者', '町の話', [['出演者', '山田太郎']])?.text).toBe('山田太郎');
  });
});
