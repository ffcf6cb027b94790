import { expect, test } from 'bun:test';
import { encodedTracks } from './encoded-tracks.ts';

const component = (componentTag: number, componentType: number, more = {}) => ({
  ...{ componentTag, componentType, main: componentTag === 0x10, languages: ['jpn'], text: '' },
  ...more,
});
const tracks = (...given: Parameters<typeof encodedTracks>) =>
  encodedTracks(...given).map(({ id, side, channels, language, isMain }) => [
    id,
    side,
    channels,
    language,
    isMain,
  ]);

test('both channels of dual mono become tracks with their languages', () => {
  const dual = component(0x10, 2, { languages: ['jpn', 'eng'] });
  expect(tracks([dual], 1)).toEqual([
    ['0:main', 'main', 1, 'jpn', true],
    ['0:sub', 'sub', 1, 'eng', false],
  ]);
});

test('each stream becomes a track, the main one marked, surround kept', () => {
  const list = [component(0x10, 9, { main: false }), component(0x11, 3, { main: true, languages: ['eng'] })];
  expect(tracks(list, 2)).toEqual([
    ['0:both', 'both', 6, 'jpn', false],
    ['1:both', 'both', 2, 'eng', true],
  ]);
});

test('an announced stream that is not sent becomes no track, an unannounced one that is sent becomes a track', () => {
  expect(tracks([component(0x10, 3), component(0x11, 3)], 1)).toEqual([['0:both', 'both', 2, 'jpn', true]]);
  expect(tracks([], 2)).toEqual([
    ['0:both', 'both', 2, 'und', true],
    ['1:both', 'both', 2, 'und', false],
  ]);
  expect(tracks([], 0)).toEqual([]);
});
