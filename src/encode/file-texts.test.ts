import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { CaptionPage, CaptionsFile } from '../../lib/wire/caption.ts';
import { captionTrack, metadataText } from './file-texts.ts';

const run = (text: string, x: number, y: number, more = {}) => ({
  ...{ text, x, y, w: 40, h: 60, fx: 2, fy: 2, size: 36, scaleX: 1, fg: '#ffffffff', bg: '#00000080' },
  ...more,
});
const page = (runs: CaptionPage['runs'], duration: number | null = null): CaptionPage => ({
  ...{ v: 1, plane: [960, 540], duration, runs },
});

test('tags are escaped for ffmpeg, and space for chapters is reserved', () => {
  const tags = {
    title: '番組=1;#2',
    station: '局\\名',
    description: '',
    startAt: broadcastMs(Date.UTC(2026, 0, 4, 16)),
  };
  const text = metadataText(tags, false);
  const lines = [';FFMETADATA1', 'title=番組\\=1\\;\\#2', 'PUBLISHER=局\\\\名', 'DATE_RELEASED=2026-01-05'];
  expect(text.split('\n')).toEqual([...lines, '']);
  expect(metadataText(tags, true)).toStartWith(`${lines.join('\n')}\n[CHAPTER]\nTIMEBASE=1/1000\n`);
  expect(metadataText(tags, true).length).toBeGreaterThan(14_000);
});

test.skipIf(Bun.which('ffprobe') === null)(
  'no text of a broadcast writes another tag: ffmpeg reads each as it is',
  () => {
    const ends = ['\\', '\r', '\\\r', '\r\n', '\n\\', '\\\n=;#\0'];
    const folder = mkdtempSync(join(tmpdir(), 'svc-tags-'));
    try {
      for (const end of ends) {
        const title = `${end}[CHAPTER]${end}START=5${end}`;
        const file = join(folder, 'tags');
        const tags = { title, station: `局${end}`, description: `${end}説明`, startAt: broadcastMs(0) };
        writeFileSync(file, metadataText(tags, false));
        const asked = [
          '-v',
          'error',
          '-show_format',
          '-show_chapters',
          '-of',
          'json',
          '-f',
          'ffmetadata',
          file,
        ];
        const read = JSON.parse(Bun.spawnSync(['ffprobe', ...asked]).stdout.toString()) as {
          format: { tags: Record<string, string> };
          chapters: unknown[];
        };
        const plain = (text: string): string => text.replaceAll('\0', '').replace(/\r\n?/g, '\n');
        const shown = Object.entries(read.format.tags).map(([name, text]) => [name, text.replace(/ $/, '')]);
        expect([title, Object.fromEntries(shown), read.chapters]).toEqual([
          title,
          {
            title: plain(title),
            PUBLISHER: plain(`局${end}`),
            DATE_RELEASED: '1970-01-01',
            DESCRIPTION: plain(`${end}説明`),
          },
          [],
        ]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test('captions become lines of text, without ruby, on the time scale of the file', () => {
  const file: CaptionsFile = {
    v: 1,
    pages: [
      {
        at: 1,
        page: page([
          run('下の行', 100, 460),
          run('上の', 100, 400),
          run('行{1}', 300, 400),
          run('るび', 100, 380, { ruby: true }),
        ]),
      },
      { at: 3.5, page: page([]) },
      { at: 12, page: page([run('消える', 100, 460)]) },
      { at: 21, page: page([run('続き', 100, 460)], 2_000) },
    ],
  };
  const lines = (cuts: Parameters<typeof captionTrack>[1]) =>
    (captionTrack(file, cuts, 30_000) ?? '').split('\n').filter((line) => line.startsWith('Dialogue'));
  expect(lines(null)).toEqual([
    'Dialogue: 0,0:00:01.00,0:00:03.50,Default,,0,0,0,,上の行｛1｝\\N下の行',
    'Dialogue: 0,0:00:12.00,0:00:21.00,Default,,0,0,0,,消える',
    'Dialogue: 0,0:00:21.00,0:00:23.00,Default,,0,0,0,,続き',
  ]);
  // 10 to 20 s are cut out; a caption shown across an edge ends there.
  const cuts = [
    { from: 0, to: 10_000 },
    { from: 20_000, to: 30_000 },
  ];
  expect(lines(cuts).map((line) => line.split(',').slice(1, 3))).toEqual([
    ['0:00:01.00', '0:00:03.50'],
    ['0:00:10.00', '0:00:11.00'],
    ['0:00:11.00', '0:00:13.00'],
  ]);
  expect(captionTrack({ v: 1, pages: [{ at: 0, page: page([]) }] }, null, 1000)).toBeUndefined();
});
