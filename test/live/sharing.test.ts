/** Stations watched in every format: the output, what is shared, and when the tuner is released. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { AudioOption } from '../../lib/wire/api.ts';
import { until } from '../until.ts';
import { boxTypes, firstTime, flashes, onsets, pictures, sound, tone } from './media.ts';
import { DUAL_MONO, descriptors, encoderPids, HD, ONE_SEGMENT, prepareAir, Rig } from './rig.ts';

// Broadcasts run in real time, on a machine that may be busy.

const AUDIOS: AudioOption[] = [
  { id: '0:both', stream: 0, side: 'both', label: '主音声', main: true },
  { id: '0:main', stream: 0, side: 'main', label: '主' },
  { id: '0:sub', stream: 0, side: 'sub', label: '副' },
  { id: '1:both', stream: 1, side: 'both', label: '副音声' },
];

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({ stations: await prepareAir(), audios: AUDIOS, ffmpeg: 'ffmpeg' });
  rig.encoders.start();
});
afterEach(() => rig.leaveAll());
afterAll(() => rig.close());

describe('a watched station', () => {
  test('has moving pictures and sound on one timeline that starts near 0', async () => {
    const watching = await rig.watch(HD);
    expect(watching.feed.contentType).toBe('video/mp4');
    expect(watching.feed.mime).toMatch(/^video\/mp4; codecs="avc1\.[0-9a-f]{6},mp4a\.40\.2"$/);
    expect(watching.feed.tunerId).toBe('gr-0');
    expect(await rig.uses()).toEqual(['live GR/T27']);
    await until('three flashes', () => boxTypes(watching.content()).length > 44);
    const file = watching.content();
    const frames = await pictures(file);
    const audio = await sound(file);
    expect(await firstTime(file, 'v')).toBeLessThan(0.5);
    expect(audio.start).toBeLessThan(0.5);
    expect(Math.min(audio.start, await firstTime(file, 'v'))).toBeLessThan(0.001);
    const beeps = onsets(audio);
    const seen = flashes(frames).filter((time) => beeps.some((beep) => Math.abs(beep - time) < 0.5));
    expect(seen.length).toBeGreaterThanOrEqual(2);
    for (const flash of seen) {
      const nearest = Math.min(...beeps.map((beep) => Math.abs(beep - flash)));
      expect(nearest).toBeLessThan(0.04);
    }
  });

  test('is encoded once per format and audio; a later viewer starts with a key frame near time 0', async () => {
    const first = await rig.watch(HD);
    await until('two seconds of stream', () => boxTypes(first.content()).length > 44);
    const second = await rig.watch(HD);
    const third = await rig.watch(HD, 'h264', 'no such audio');
    expect(encoderPids()).toHaveLength(1);
    expect(await rig.uses()).toEqual(['live GR/T27']);
    const continues = (watching: typeof first): boolean => boxTypes(watching.content()).length > 12;
    await until('both continue', () => [second, third].every(continues));
    const types = boxTypes(second.content());
    expect(types.slice(0, 4)).toEqual(['ftyp', 'moov', 'moof', 'mdat']);
    // The session has run for seconds: without a timeline of its own the second viewer would start there.
    const starts = [await firstTime(second.content(), 'v'), await firstTime(second.content(), 'a')];
    expect(Math.min(...starts)).toBeLessThan(0.001);
    expect(Math.max(...starts)).toBeLessThan(0.5);
    const frames = await pictures(second.content());
    expect(frames.length).toBeGreaterThan(3);
    await first.leave();
    await third.leave();
    const before = second.bytes;
    await until('the last one continues', () => second.bytes > before + 20_000);
  });

  test('another format joins the tuning with an encoder of its own', async () => {
    const encoded = await rig.watch(HD);
    await until('a second of stream', () => encoded.bytes > 40_000);
    const audio = await rig.watch(HD, 'h264', 'only');
    expect(audio.feed).toMatchObject({
      contentType: 'audio/mp4',
      mime: 'audio/mp4; codecs="mp4a.40.2"',
    });
    expect(await rig.uses()).toEqual(['live GR/T27']);
    expect(encoderPids()).toHaveLength(2);
    await audio.leave();
    await until('its encoder is gone', () => encoderPids().length === 1);
    expect(encoded.ending).toBeUndefined();
  });

  test('raw is the narrowed stream, shared whatever the audio, complete from its first packet', async () => {
    const first = await rig.watch(HD, 'raw');
    expect(first.feed).toMatchObject({ contentType: 'video/mp2t', mime: 'video/mp2t', notices: [] });
    await until('some stream', () => first.bytes > 200_000);
    const second = await rig.watch(HD, 'raw', '1:both');
    await until('some more', () => second.bytes > 100_000);
    expect(encoderPids()).toHaveLength(0);
    expect(await rig.uses()).toEqual(['live GR/T27']);
    const packets = second.content();
    const counters = new Map<number, number>();
    let wrong = 0;
    const pids = new Set<number>();
    for (let at = 0; at + 188 <= packets.length; at += 188) {
      if (packets[at] !== 0x47) throw new Error(`no packet at ${at}`);
      const pid = (((packets[at + 1] ?? 0) & 0x1f) << 8) | (packets[at + 2] ?? 0);
      const counter = (packets[at + 3] ?? 0) & 15;
      if (((packets[at + 3] ?? 0) & 0x10) === 0) continue;
      const last = counters.get(pid);
      if (last !== undefined && counter !== ((last + 1) & 15)) wrong += 1;
      counters.set(pid, counter);
      pids.add(pid);
    }
    expect(wrong).toBe(0);
    // Begins with a PAT and contains both audio streams, nothing of the branch station, and no null packets.
    expect([packets[1], packets[2]]).toEqual([0x40, 0x00]);
    expect([256, 272, 273].every((pid) => pids.has(pid))).toBe(true);
    expect([512, 528, 0x1fff].some((pid) => pids.has(pid))).toBe(false);
  });

  test('each channel of a dual-mono station and a second audio stream can be chosen, and are played on both sides', async () => {
    const [main, sub, second] = await Promise.all([
      rig.watch(DUAL_MONO, 'h264', '0:main'),
      rig.watch(DUAL_MONO, 'h264', '0:sub'),
      rig.watch(HD, 'h264', '1:both'),
    ]);
    expect(encoderPids()).toHaveLength(3);
    const enough = (watching: typeof main) => boxTypes(watching.content()).length > 34;
    await until('a beep each', () => [main, sub, second].every(enough));
    const expected = [
      { watching: main, own: 800, other: 1600 },
      { watching: sub, own: 1600, other: 800 },
      { watching: second, own: 2000, other: 1000 },
    ];
    for (const { watching, own, other } of expected) {
      const audio = await sound(watching.content());
      for (const ear of [audio.left, audio.right]) {
        expect(tone(ear, own)).toBeGreaterThan(20 * tone(ear, other));
      }
    }
  });

  test('a one-segment station keeps its small picture', async () => {
    const watching = await rig.watch(ONE_SEGMENT);
    await until('some pictures', () => boxTypes(watching.content()).length > 10);
    expect((await pictures(watching.content())).length).toBeGreaterThan(3);
    expect(watching.feed.mime).toContain('avc1.640028');
  });

  test('AV1 with Opus where the machine is fast enough, else H.264 with a notice', async () => {
    const status = await rig.encoders.settled();
    const watching = await rig.watch(HD, 'av1');
    if (status.av1?.fastEnough === true && watching.feed.notices.length === 0) {
      expect(watching.feed.mime).toMatch(/^video\/mp4; codecs="av01\.0\.\d\dM\.08,opus"$/);
    } else {
      expect(watching.feed.notices).toEqual(['codec_fallback']);
      expect(watching.feed.mime).toContain('avc1');
    }
    await until('some pictures', () => boxTypes(watching.content()).length > 10);
    expect((await pictures(watching.content())).length).toBeGreaterThan(3);
  });

  test('leaks neither process nor descriptor', async () => {
    const cycle = async (): Promise<void> => {
      await rig.watch(HD, 'raw');
      await rig.watch(HD, 'h264', 'only');
      await rig.leaveAll();
    };
    await cycle();
    const before = descriptors();
    for (let index = 0; index < 3; index += 1) await cycle();
    expect(descriptors()).toBeLessThanOrEqual(before + 4);
  });

  test('a viewer who disconnects while the station is tuned frees the tuner', async () => {
    const abort = new AbortController();
    const opening = rig.watch(HD, 'h264', undefined, abort.signal);
    await until('the tuner is requested', async () => (await rig.uses()).length === 1);
    abort.abort(new Error('gone'));
    await expect(opening).rejects.toThrow('gone');
    await until('the tuner is free', async () => (await rig.uses()).length === 0);
  });
});
