import { expect, test } from 'bun:test';
import { ffmpegLines } from './ffmpeg-lines.ts';

test('lines that differ only in numbers and addresses are one line with a count', () => {
  const stderr = [
    '[mpeg2video @ 0x55d1c0] ac-tex damaged at 12 30',
    '[mpeg2video @ 0x55d1c0] Warning MVs not available',
    '[mpeg2video @ 0x55e2f8] ac-tex damaged at 3 44',
    '    Last message repeated 5 times',
    '',
    'frame=  100\rframe=  200\r',
    'Conversion failed!',
  ].join('\n');
  expect(ffmpegLines(stderr)).toEqual([
    '[mpeg2video @ 0x55d1c0] ac-tex damaged at 12 30 (×7)',
    '[mpeg2video @ 0x55d1c0] Warning MVs not available',
    'frame=  100 (×2)',
    'Conversion failed!',
  ]);
});

test('a summary whose line was cut off is left out, and nothing gives nothing', () => {
  expect(ffmpegLines('    Last message repeated 1 times\nx')).toEqual(['x']);
  expect(ffmpegLines('')).toEqual([]);
});
