import { describe, expect, test } from 'bun:test';
import { pts90k } from '../../lib/arib/time.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { captionFrames } from '../../test/caption/frames.ts';
import { until } from '../../test/until.ts';
import type { CaptionItem, CaptionTrackItem } from '../reception/caption-reader.ts';
import type { Frame, SideFrame } from './frame.ts';
import { sideBody } from './side-body.ts';
import { captionRow } from './side-rows.ts';
import { ViewerQueue } from './viewer-queue.ts';

const caption = (item: CaptionItem, time: number | undefined): SideFrame => ({
  ...{ kind: 'side', row: captionRow, item },
  ...(time === undefined ? {} : { time: pts90k(time) }),
});
const page = (language: number, time: number, runs: string[] = [], superimpose = false): SideFrame => {
  const json = JSON.stringify({ v: 1, plane: [960, 540], duration: null, runs });
  return caption({ kind: 'page', superimpose, language, time: pts90k(0), json, key: null, size: 0 }, time);
};
const track = (languages: CaptionTrackItem['languages'], superimpose = false, time?: number): SideFrame =>
  caption({ kind: 'track', superimpose, languages, key: null, size: 0 }, time);
const JAPANESE = { index: 1, code: 'jpn' };
const ENGLISH = { index: 2, code: 'eng' };

/** These frames as a client reads them: `kind time runs`, or the notice. */
async function read(language: number, frames: readonly Frame[]): Promise<unknown[]> {
  const viewer = new ViewerQueue({
    maxBytes: 100_000,
    signal: new AbortController().signal,
    onLeft: () => {},
  });
  for (const frame of frames) viewer.push(frame);
  viewer.end();
  const seen: unknown[] = [];
  for await (const { kind, time, payload } of captionFrames(
    sideBody(viewer, { row: captionRow, language }),
  )) {
    if (kind === LIVE_CHANNEL.control) seen.push(payload);
    else seen.push([kind, time, (payload as { runs: string[] }).runs]);
  }
  return seen;
}

describe('a stream of captions', () => {
  test('announces the tracks, then sends the pages at their times', async () => {
    const late = 2 ** 33 - 1;
    expect(await read(1, [track([JAPANESE]), page(1, 5, ['a']), page(1, late)])).toEqual([
      { type: 'captions', tracks: [{ index: 0, lang: 'jpn', label: '日本語' }], track: 0 },
      [LIVE_CHANNEL.caption, 5, ['a']],
      [LIVE_CHANNEL.caption, late, []],
    ]);
  });

  test('sends the requested language, or the first one if it is missing', async () => {
    const frames = [track([JAPANESE, ENGLISH]), page(1, 5, ['a']), page(2, 6, ['b'])];
    const languages = [
      { ...JAPANESE, label: '日本語' },
      { ...ENGLISH, label: '英語' },
    ];
    expect(await read(2, frames)).toEqual([
      {
        ...{ type: 'captions', tracks: [{ index: 0, lang: 'eng', label: '英語' }], track: 0 },
        ...{ languages, language: 2 },
      },
      [LIVE_CHANNEL.caption, 6, ['b']],
    ]);
    expect((await read(5, frames)).at(-1)).toEqual([LIVE_CHANNEL.caption, 5, ['a']]);
    expect((await read(5, frames))[0]).toMatchObject({ language: 1 });
  });

  test('clears the screen when the captions end or restart', async () => {
    const ended = [
      track([JAPANESE]),
      page(1, 5, ['a']),
      track(null, false, 700),
      track([]),
      track([JAPANESE]),
    ];
    const seen = await read(1, ended);
    // At the time of the end, not at that of the page.
    expect(seen[2]).toEqual([LIVE_CHANNEL.caption, 700, []]);
    expect(seen.slice(3)).toEqual([
      { type: 'captions', tracks: [{ index: 0, lang: null, label: '日本語' }], track: 0 },
      { type: 'captions', tracks: [{ index: 0, lang: 'jpn', label: '日本語' }], track: 0 },
    ]);
    const restarted = [track([JAPANESE]), page(1, 5, ['a']), track([JAPANESE], false, 800)];
    expect((await read(1, restarted))[2]).toEqual([LIVE_CHANNEL.caption, 800, []]);
    const text = [track([JAPANESE], true), page(1, 9, ['s'], true), track(null, true, 900)];
    expect((await read(1, text)).at(-1)).toEqual([LIVE_CHANNEL.superimpose, 900, []]);
  });

  test('names no language that the programme does not have', async () => {
    const unknown = { type: 'captions', tracks: [{ index: 0, lang: null, label: '日本語' }], track: 0 };
    expect(await read(5, [track([])])).toEqual([unknown]);
    const [notice, shown] = await read(1, [track([ENGLISH]), page(2, 6, ['b'])]);
    expect(notice).toEqual({ ...unknown, tracks: [{ index: 0, lang: 'eng', label: '英語' }] });
    expect(shown).toEqual([LIVE_CHANNEL.caption, 6, ['b']]);
  });

  test('sends superimposed text as a separate kind, also without captions', async () => {
    expect(await read(1, [track([JAPANESE], true), page(1, 9, ['s'], true)])).toEqual([
      [LIVE_CHANNEL.superimpose, 9, ['s']],
    ]);
  });

  test('sends keep-alives to a client that reads, and no more than one to a client that does not', async () => {
    const abort = new AbortController();
    let left = 0;
    const viewer = new ViewerQueue({ maxBytes: 1000, signal: abort.signal, onLeft: () => (left += 1) });
    const reader = sideBody(viewer, { row: captionRow, language: 1, pingMs: 1 }).getReader();
    const { value } = await reader.read();
    expect(value?.[4]).toBe(LIVE_CHANNEL.control);
    expect(new TextDecoder().decode(value?.subarray(13))).toBe('{"type":"ping"}');
    abort.abort();
    await until('the stream ends', async () => (await reader.read()).done);
    expect(left).toBe(1);
  });

  test('aborts when the viewer fails, and leaves when the client disconnects', async () => {
    const signal = new AbortController().signal;
    const failing = new ViewerQueue({ maxBytes: 1000, signal, onLeft: () => {} });
    const reader = sideBody(failing, { row: captionRow, language: 1 }).getReader();
    failing.fail(new Error('too slow'));
    await expect(reader.read()).rejects.toThrow('too slow');
    let left = 0;
    const leaving = new ViewerQueue({ maxBytes: 1000, signal, onLeft: () => (left += 1) });
    await sideBody(leaving, { row: captionRow, language: 1 }).cancel();
    expect(left).toBe(1);
  });
});

test('frames of other kinds are not sent', async () => {
  const other = { ...track([JAPANESE]), row: { ...captionRow } };
  expect(await read(1, [{ kind: 'packets', bytes: new Uint8Array(188) }, other])).toEqual([]);
});
