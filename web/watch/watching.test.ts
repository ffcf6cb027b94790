/** Pure parts of watching: the reported position, the next episode, the file's name, the state. */
import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { settingsOf, styleOf } from '../caption/caption-choice.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../caption/caption-settings.ts';
import { screenshotName } from '../player/shown-picture.ts';
import { codecFor, nextEpisode, placeToReport, recordedSpan, type WatchSource } from './watch-source.ts';

const source: WatchSource = {
  recordingId: recordingId(1),
  kind: 'watch',
  growing: false,
  duration: 1800,
  file: 'ts',
  audios: [],
  codecs: ['h264', 'av1'],
  gaps: [],
  hasVideo: true,
  feed: () => ({ read: async function* () {} }),
  data: undefined,
  broadcastAt: null,
  captions: async () => 'unchanged',
  remember: async () => {},
};

test('a position is reported with the length and the file that it refers to, once', () => {
  const place = { position: 600.1234, length: 1800, watched: true };
  expect(placeToReport(source, place, undefined, false)).toEqual({ at: 600.123, length: 1800, source: 'ts' });
  expect(placeToReport(source, place, 599, false)).toBeUndefined();
  expect(placeToReport(source, { ...place, watched: false }, undefined, false)).toBeUndefined();
  expect(placeToReport(source, place, 1790, true)).toEqual({ at: 1800, length: 1800, source: 'ts' });
  // What still grows has no end that could be near.
  expect(placeToReport({ ...source, growing: true }, place, undefined, false)).toEqual({
    at: 600.123,
    source: 'ts',
  });
});

test('the next episode is the first later one that can be played', () => {
  const episode = (id: number, startAt: number, state: 'recorded' | 'failed' = 'recorded') => ({
    id: recordingId(id),
    startAt: broadcastMs(startAt),
    state,
    binnedAt: null,
    files: [{ source: 'ts' as const, codec: 'mpeg2' as const, url: '' }],
  });
  const series = [episode(1, 100), episode(2, 200), episode(3, 300, 'failed'), episode(4, 400)];
  expect(nextEpisode(series, { id: recordingId(1), startAt: broadcastMs(100) })?.id).toBe<unknown>(2);
  expect(nextEpisode(series, { id: recordingId(2), startAt: broadcastMs(200) })?.id).toBe<unknown>(4);
  expect(nextEpisode(series, { id: recordingId(4), startAt: broadcastMs(400) })).toBeUndefined();
});

test('a recording that was begun in the middle tells when', () => {
  const [startAt, endAt] = [broadcastMs(0), broadcastMs(1_800_000)];
  const span = (headMs: number, tailMs: number) =>
    recordedSpan({ startAt, endAt, verdict: { headMs, tailMs } as never }).map(Number);
  expect(span(-540_000, 15_000)).toEqual([540_000, 1_800_000]);
  expect(span(-20_000, -300_000)).toEqual([0, 1_500_000]);
  expect(span(-1_800_000, -1_800_000)).toEqual([0, 1_800_000]);
  expect(recordedSpan({ startAt, endAt, verdict: null }).map(Number)).toEqual([0, 1_800_000]);
});

test('a screenshot is named after its content, in characters that every system accepts', () => {
  expect(screenshotName('映画「A/B」：夜', 754)).toBe('映画「A B」：夜 12-34.png');
  expect(screenshotName('', 3_661)).toBe('画面 1-01-01.png');
});

test('AV1 is used where it is offered, selected and playable', () => {
  const wish = { chosen: undefined, usual: 'av1', av1: true } as const;
  expect(codecFor(source, wish)).toBe('av1');
  expect(codecFor(source, { ...wish, av1: false })).toBe('h264');
  expect(codecFor({ codecs: ['av1'] }, { ...wish, usual: 'h264' })).toBe('av1');
  expect(codecFor({ codecs: [] }, wish)).toBeUndefined();
});

test('an encoded file that the device plays as it is is not converted, unless the viewer asks for it', () => {
  const wish = { chosen: undefined, usual: 'h264', av1: true } as const;
  const file = { ...source, own: 'av1' as const };
  expect(codecFor(file, wish)).toBe('av1');
  expect(codecFor(file, { ...wish, av1: false })).toBe('h264');
  expect(codecFor(file, { ...wish, chosen: 'h264' })).toBe('h264');
  expect(codecFor({ ...source, own: 'h264' }, { ...wish, usual: 'av1' })).toBe('h264');
});

test('the household’s captions are read and written as they are shown', () => {
  const style = { scale: 1.25, font: 'rounded', background: 'none', ruby: false } as const;
  const settings = settingsOf(style);
  expect(settings).toEqual({ ...DEFAULT_CAPTION_SETTINGS, size: 1.25, background: 0, ruby: false });
  expect(styleOf(settings, style)).toMatchObject(style);
  expect(settingsOf(undefined)).toEqual(DEFAULT_CAPTION_SETTINGS);
});
