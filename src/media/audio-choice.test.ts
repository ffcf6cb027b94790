import { describe, expect, test } from 'bun:test';
import type { AudioOption } from '../../lib/wire/api.ts';
import { audioKey, chooseAudio } from './audio-choice.ts';

const stereo: AudioOption = { id: '0:both', stream: 0, side: 'both', label: 'ステレオ', main: true };
const commentary: AudioOption = { id: '1:both', stream: 1, side: 'both', label: '解説' };
const dual: AudioOption[] = [
  { id: '0:main', stream: 0, side: 'main', label: '日本語', main: true },
  { id: '0:sub', stream: 0, side: 'sub', label: '英語' },
  { id: '0:both', stream: 0, side: 'both', label: '日本語+英語' },
];

describe('chooseAudio', () => {
  test('selects what was requested', () => {
    expect(chooseAudio([stereo, commentary], '1:both', 2)).toEqual({ stream: 1, side: 'both' });
    expect(chooseAudio(dual, '0:sub', 1)).toEqual({ stream: 0, side: 'sub' });
  });

  test('selects the main audio when nothing, or something unknown, was requested', () => {
    expect(chooseAudio([commentary, stereo], undefined, 2)).toEqual({ stream: 0, side: 'both' });
    expect(chooseAudio(dual, 'nonsense', 1)).toEqual({ stream: 0, side: 'main' });
  });

  test('selects the first when none is declared main', () => {
    const options = dual.map(({ main: _, ...option }) => option);
    expect(chooseAudio(options, undefined, 1)).toEqual({ stream: 0, side: 'main' });
  });

  test('ignores an option whose stream the station does not send', () => {
    expect(chooseAudio([stereo, commentary], '1:both', 1)).toEqual({ stream: 0, side: 'both' });
    expect(chooseAudio([commentary], '1:both', 1)).toEqual({ stream: 0, side: 'both' });
    expect(chooseAudio([stereo], undefined, 0)).toBeUndefined();
  });

  test('viewers share an encoder by the selected audio, not by the wording of the request', () => {
    expect(audioKey(chooseAudio(dual, undefined, 1))).toBe(audioKey(chooseAudio(dual, '0:main', 1)));
    expect(audioKey(chooseAudio(dual, '0:sub', 1))).not.toBe(audioKey(chooseAudio(dual, '0:both', 1)));
  });
});
