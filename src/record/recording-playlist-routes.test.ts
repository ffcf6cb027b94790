import { expect, test } from 'bun:test';
import { playlist } from './recording-playlist-routes.ts';

test('an entry is one line of title and one absolute address below the service', () => {
  const entries = [
    {
      title: '一行目\n#EXTM3U\u2028二行目, 続き',
      durationMs: 1_799_600,
      url: 'api/recordings/7/file?source=ts',
    },
    { title: '録画中', durationMs: null, url: 'api/recordings/8/chase?codec=raw' },
  ];
  expect(playlist('録画', entries, 'https://tv.example/svc/').split('\n')).toEqual([
    ...['#EXTM3U', '#PLAYLIST:録画', '#EXTINF:1800,一行目 #EXTM3U 二行目, 続き'],
    ...['https://tv.example/svc/api/recordings/7/file?source=ts', '#EXTINF:-1,録画中'],
    ...['https://tv.example/svc/api/recordings/8/chase?codec=raw', ''],
  ]);
});
