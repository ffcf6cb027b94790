import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { until } from '../../test/until.ts';
import { Encoders, type EncodersOptions, findFfmpeg } from './encoders.ts';

let folder: string;
let time = 0;
const made: Encoders[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-encoders-'));
});
afterAll(async () => {
  await Promise.all(made.map((encoders) => encoders.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** A fake ffmpeg that lists these encoders and runs the given shell commands for their trials. */
function pretend(name: string, trials: Record<string, string>): string {
  const path = join(folder, name);
  const lines = Object.keys(trials).map((encoder) => ` V....D ${encoder}   an encoder\\n`);
  const cases = Object.entries(trials).map(([encoder, words]) => `  *"-c:v ${encoder} "*) ${words};;`);
  const script = [
    '#!/bin/sh',
    'case "$*" in',
    '  *-version*) echo "ffmpeg version 7.0-pretended Copyright";;',
    `  *-encoders*) printf 'Encoders:\\n ------\\n${lines.join('')}';;`,
    ...cases,
    'esac',
  ];
  writeFileSync(path, `${script.join('\n')}\n`);
  chmodSync(path, 0o755);
  return path;
}

function encoders(path: string | undefined, searchPath = '', more: Partial<EncodersOptions> = {}): Encoders {
  const one = new Encoders({
    ...more,
    path,
    searchPath,
    log: SILENT_LOG,
    now: () => wallMs(time),
    folders: [folder],
  });
  made.push(one);
  return one;
}

describe('Encoders', () => {
  test('reports the version and the encoders that passed the trial, and prefers a working GPU', async () => {
    const path = pretend('good', {
      libx264: 'exit 0',
      h264_qsv: 'exit 1',
      h264_vaapi: 'exit 0',
      libsvtav1: 'exit 0',
    });
    const one = encoders(path);
    expect(await one.settled()).toMatchObject({
      state: 'ready',
      path,
      version: '7.0-pretended',
      usable: ['h264_vaapi', 'libx264', 'libsvtav1'],
      av1: { encoder: 'libsvtav1', fastEnough: true },
    });
    expect((await one.h264()).encoder.name).toBe('h264_vaapi');
    expect((await one.av1())?.encoder.name).toBe('libsvtav1');
  });

  test('H.264 is encoded in software while the trials are running', async () => {
    const one = encoders(pretend('early', { h264_vaapi: 'sleep 5', libx264: 'exit 0' }));
    expect(await one.h264()).toMatchObject({ encoder: { name: 'libx264' }, standIn: false });
    expect(one.status().state).toBe('probing');
    await one.close();
  });

  test('AV1 slower than 1.3 times real time is not used, and is tried again later', async () => {
    const one = encoders(pretend('slow', { libx264: 'exit 0', libsvtav1: 'sleep 1.8' }));
    const { av1 } = await one.settled();
    expect(av1?.fastEnough).toBe(false);
    expect(await one.av1()).toBeUndefined();
    expect(one.status().state).toBe('ready');
    time += 11 * 60_000;
    pretend('slow', { libx264: 'exit 0', libsvtav1: 'exit 0' });
    expect(await one.av1()).toBeUndefined();
    await one.settled();
    expect((await one.av1())?.encoder.name).toBe('libsvtav1');
  });

  test('AV1 that was slow on a busy machine is tried once more when the machine is idle', async () => {
    let isIdle = false;
    const one = encoders(pretend('busy', { libx264: 'exit 0', libsvtav1: 'sleep 1.8' }), '', {
      isIdle: () => isIdle,
      retrialMs: 10,
    });
    expect((await one.settled()).av1?.fastEnough).toBe(false);
    pretend('busy', { libx264: 'exit 0', libsvtav1: 'exit 0' });
    await Bun.sleep(50);
    expect(one.status()).toMatchObject({ state: 'ready', av1: { fastEnough: false } });
    isIdle = true;
    await until('the second trial', () => one.status().av1?.fastEnough === true);
  });

  test('a suspended encoder is used again after 15 minutes; software H.264 is never suspended', async () => {
    const one = encoders(pretend('two', { h264_vaapi: 'exit 0', libx264: 'exit 0' }));
    await one.settled();
    const gpu = await one.h264();
    one.suspend(gpu.encoder);
    const software = await one.h264();
    expect(software).toMatchObject({ encoder: { name: 'libx264' }, standIn: true });
    one.suspend(software.encoder);
    expect((await one.h264()).encoder.name).toBe('libx264');
    time += 15 * 60_000;
    expect(await one.h264()).toMatchObject({ encoder: { name: 'h264_vaapi' }, standIn: false });
  });

  test('is found when installed later, with a check every two seconds at most', async () => {
    const path = join(folder, 'later');
    const one = encoders(path);
    await expect(one.h264()).rejects.toMatchObject({ code: 'ffmpeg_unavailable' });
    expect(one.status().state).toBe('missing');
    pretend('later', { libx264: 'exit 0' });
    await expect(one.h264()).rejects.toMatchObject({ code: 'ffmpeg_unavailable' });
    time += 3000;
    expect((await one.h264()).ffmpeg).toBe(path);
    await one.settled();
  });

  test('an ffmpeg without an H.264 encoder, or one that cannot run, counts as missing', async () => {
    const bare = encoders(pretend('bare', { mpeg4: 'exit 0' }));
    await expect(bare.h264()).rejects.toMatchObject({ code: 'ffmpeg_unavailable' });
    const path = join(folder, 'text');
    writeFileSync(path, '#!/bin/sh\nexit 1\n');
    chmodSync(path, 0o755);
    await expect(encoders(path).ffmpeg()).rejects.toMatchObject({ code: 'ffmpeg_unavailable' });
  });
});

describe('findFfmpeg', () => {
  test('takes the given path, else PATH, else ffmpeg-static of a folder above', () => {
    const given = pretend('given', {});
    const onPath = pretend('ffmpeg', {});
    const deep = join(folder, 'a', 'b');
    mkdirSync(join(folder, 'node_modules', 'ffmpeg-static'), { recursive: true });
    mkdirSync(deep, { recursive: true });
    const installed = pretend(join('node_modules', 'ffmpeg-static', 'ffmpeg'), {});
    const look = (path: string | undefined, searchPath: string) =>
      findFfmpeg({ path, searchPath, folders: [deep] });
    expect(look(given, folder)).toBe(given);
    expect(look('/nowhere/ffmpeg', folder)).toBeUndefined();
    expect(look(undefined, folder)).toBe(onPath);
    expect(look(undefined, '/nowhere')).toBe(installed);
  });
});
