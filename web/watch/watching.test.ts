/** Pure parts of watching: the reported position, the next episode, the file's name, the state. */

import { expect, test } from 'bun:test';
import { broadcastMs } from '../../arib/time.ts';
import { recordingId } from '../../wire/ids.ts';
import { settingsOf, styleOf } from '../caption/caption-choice.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../caption/caption-settings.ts';
import { screenshotName } from '../player/screenshot.ts';
import { ApiFailure } from '../query/api.ts';
import { nextEpisode } from './next-episode.ts';
import { placeToTell } from './resume-report.ts';
import { codecFor, type WatchSource } from './watch-source.ts';
import { isCovered, nextState } from './watch-state.ts';

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
  url: () => new URL('http://localhost/'),
};

test('a position is reported with the length and the file that it refers to, once', () => {
  const place = { position: 600.1234, length: 1800, watched: true };
  expect(placeToTell(source, place, undefined, false)).toEqual({ at: 600.123, length: 1800, source: 'ts' });
  expect(placeToTell(source, place, 599, false)).toBeUndefined();
  expect(placeToTell(source, { ...place, watched: false }, undefined, false)).toBeUndefined();
  expect(placeToTell(source, place, 1790, true)).toEqual({ at: 1800, length: 1800, source: 'ts' });
  // What still grows has no end that could be near.
  expect(placeToTell({ ...source, growing: true }, place, undefined, false)).toEqual({
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

test('a screenshot is named after its content, in characters that every system accepts', () => {
  expect(screenshotName('映画「A/B」：夜', 754)).toBe('映画「A B」：夜 12-34.png');
  expect(screenshotName('', 3_661)).toBe('画面 1-01-01.png');
});

test('AV1 is used where it is offered, selected and playable', () => {
  expect(codecFor(source, 'av1', true)).toBe('av1');
  expect(codecFor(source, 'av1', false)).toBe('h264');
  expect(codecFor({ codecs: ['av1'] }, 'h264', true)).toBe('av1');
  expect(codecFor({ codecs: [] }, 'h264', true)).toBeUndefined();
});

test('the picture stays during a seek, and is covered before the first one', () => {
  const opening = nextState({ kind: 'playing' }, { kind: 'open' });
  expect(isCovered(nextState(opening, { kind: 'seek' }))).toBe(true);
  const seeking = nextState({ kind: 'playing' }, { kind: 'seek' });
  expect([seeking.kind, isCovered(seeking)]).toEqual(['seeking', false]);
  expect(nextState(seeking, { kind: 'picture' }).kind).toBe('playing');
  const failure = new ApiFailure('busy', 'サーバが混んでいます');
  expect(
    isCovered(nextState(opening, { kind: 'retryLater', failure, until: broadcastMs(0), kept: false })),
  ).toBe(true);
});

test('the household’s captions are read and written as they are shown', () => {
  const style = { scale: 1.25, font: 'rounded', background: 'none', ruby: false } as const;
  const settings = settingsOf(style);
  expect(settings).toEqual({ ...DEFAULT_CAPTION_SETTINGS, size: 1.25, background: 0, ruby: false });
  expect(styleOf(settings, style)).toMatchObject(style);
  expect(settingsOf(undefined)).toEqual(DEFAULT_CAPTION_SETTINGS);
});
