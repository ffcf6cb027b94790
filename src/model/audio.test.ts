import { describe, expect, test } from 'bun:test';
import { type AudioComponent, audioOptions } from './audio.ts';

function component(over: Partial<AudioComponent>): AudioComponent {
  return { componentTag: 0x10, componentType: 3, main: false, languages: ['jpn'], text: '', ...over };
}

describe('audioOptions', () => {
  test('without audio components 0:both is offered, without main', () => {
    expect(audioOptions([])).toEqual([{ id: '0:both', stream: 0, side: 'both', label: '主音声' }]);
  });

  test('one stereo stream is one option', () => {
    expect(audioOptions([component({ main: true })])).toEqual([
      { id: '0:both', stream: 0, side: 'both', label: '主音声（日本語）', main: true },
    ]);
  });

  test('main is absent when it is not declared', () => {
    expect(audioOptions([component({})]).every((option) => !('main' in option))).toBe(true);
  });

  test('dual mono yields main, sub and both, labelled by language', () => {
    const options = audioOptions([component({ componentType: 2, main: true, languages: ['jpn', 'eng'] })]);
    expect(options).toEqual([
      { id: '0:main', stream: 0, side: 'main', label: '主音声（日本語）', main: true },
      { id: '0:sub', stream: 0, side: 'sub', label: '副音声（英語）' },
      { id: '0:both', stream: 0, side: 'both', label: '主音声＋副音声' },
    ]);
  });

  test('the two lines of a dual-mono text name its sides', () => {
    const options = audioOptions([component({ componentType: 2, text: 'ステレオ解説なし\r解説' })]);
    expect(options.map((option) => option.label)).toEqual([
      '主音声（ステレオ解説なし）',
      '副音声（解説）',
      '主音声＋副音声',
    ]);
  });

  test('separate streams are numbered by component tag, whatever the order of descriptors', () => {
    const options = audioOptions([
      component({ componentTag: 0x11, text: '解説' }),
      component({ componentTag: 0x10, main: true }),
      component({ componentTag: 0x11, text: 'again' }),
    ]);
    expect(options.map(({ id, label, main }) => [id, label, main])).toEqual([
      ['0:both', '主音声（日本語）', true],
      ['1:both', '副音声（解説）', undefined],
    ]);
  });

  test('ids are unique and 0:both is always there', () => {
    for (const types of [[2], [3], [2, 2], [3, 2], [2, 3, 3]]) {
      const options = audioOptions(
        types.map((componentType, index) => component({ componentType, componentTag: 0x10 + index })),
      );
      const ids = options.map((option) => option.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toContain('0:both');
      expect(options.every((option) => option.label.length > 0)).toBe(true);
    }
  });

  test('an unknown language code is not shown', () => {
    expect(audioOptions([component({ languages: ['etc'] })])[0]?.label).toBe('主音声');
  });
});
