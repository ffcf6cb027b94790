/** What a recording offers is what its streams contain, on a machine that encodes AV1 fast enough and on a slow one. */
import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Playback, PlaybackOffer } from '../../lib/wire/api.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { SocketClient } from '../live/socket-client.ts';
import { RecordedHome } from '../service/recorded-home.ts';
import { until } from '../until.ts';
import { FFMPEG, madeStream } from './made-recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-offers-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** @param trial shell command in place of the trials of AV1 @param conversion in place of conversions to AV1 */
async function homeWith(trial: string, conversion = `exec ${FFMPEG} "$@"`): Promise<RecordedHome> {
  const path = join(folder, `ffmpeg${Bun.hash(trial + conversion)}`);
  const cases = [
    `*lavfi*"-c:v libsvtav1"*) ${trial} ;;`,
    '*lavfi*"-c:v libx264"*) exit 0 ;;',
    '*lavfi*) exit 1 ;;',
    `*"-c:v libsvtav1"*) ${conversion} ;;`,
    `*) exec ${FFMPEG} "$@" ;;`,
  ];
  writeFileSync(path, `#!/bin/sh\ncase "$*" in\n${cases.join('\n')}\nesac\n`);
  chmodSync(path, 0o755);
  return RecordedHome.start({ FFMPEG_PATH: path });
}

async function offersOf(home: RecordedHome, id: number): Promise<string[]> {
  const { offers } = (await (await home.get(`/api/recordings/${id}/playback`)).json()) as Playback;
  return offers.filter(({ way }) => way === 'stream').map(({ codec }) => codec);
}

/** Codecs of video and audio as ffprobe reads them. */
async function codecsIn(bytes: Uint8Array): Promise<string[]> {
  const words = ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', '-'];
  const child = Bun.spawn([Bun.which('ffprobe') ?? 'ffprobe', ...words], { stdin: bytes, stdout: 'pipe' });
  return (await new Response(child.stdout).text()).trim().split('\n').sort();
}

/** RFC 6381 names without profile and level. */
function familiesOf({ codecs = '' }: PlaybackOffer): string[] {
  const names: Record<string, string> = { avc1: 'h264', av01: 'av1', mp4a: 'aac', opus: 'opus' };
  return codecs
    .split(',')
    .map((codec) => names[codec.split('.')[0] ?? ''] ?? codec)
    .sort();
}

async function refusal(response: Response): Promise<unknown[]> {
  const { code, path } = (await response.json()) as { code: string; path?: string };
  return [response.status, code, path];
}

test('every stream that is offered contains the codecs of its offer', async () => {
  await using home = await homeWith('exit 0');
  const id = home.put({ content: await madeStream({ seconds: 2, flashAt: 1, clock: 50 }) });
  await until('AV1 is offered', async () => (await offersOf(home, id)).includes('av1'));
  const { offers } = (await (await home.get(`/api/recordings/${id}/playback`)).json()) as Playback;
  const streams = offers.filter(({ way }) => way === 'stream');
  expect(streams.map(({ codec }) => codec)).toEqual(['h264', 'av1']);
  for (const offer of streams) {
    const response = await home.get(`/api/recordings/${id}/stream?codec=${offer.codec}`);
    expect([response.status, response.headers.get('x-svc-notice')]).toEqual([200, null]);
    expect(await codecsIn(await response.bytes())).toEqual(familiesOf(offer));
  }
});

test('AV1 slower than real time is neither offered nor replaced by H.264; the live socket says that it is', async () => {
  await using home = await homeWith('sleep 4');
  const id = home.put({ content: await madeStream({ seconds: 9, flashAt: 6, clock: 700 }) });
  for (const way of ['stream', 'chase']) {
    const response = await home.get(`/api/recordings/${id}/${way}?codec=av1`);
    expect([way, ...(await refusal(response))]).toEqual([way, 404, 'not_found', 'codec']);
  }
  expect(await offersOf(home, id)).toEqual(['h264']);
  const client = await SocketClient.open(home.service.url);
  client.send({ type: 'chase', recordingId: recordingId(id), from: 0, codec: 'av1' });
  const { codec, mime } = await client.message('tuned');
  expect([codec, mime.includes('avc1')]).toEqual(['h264', true]);
  expect(await client.message('notice')).toMatchObject({ code: 'codec_fallback' });
  await client.leave();
});

test('an AV1 encoder that fails is not replaced by H.264, and AV1 is no longer offered', async () => {
  await using home = await homeWith('exit 0', 'exit 1');
  const id = home.put({ content: await madeStream({ seconds: 2, flashAt: 1, clock: 50 }) });
  await until('AV1 is offered', async () => (await offersOf(home, id)).includes('av1'));
  const failed = await home.get(`/api/recordings/${id}/stream?codec=av1`);
  expect(await refusal(failed)).toEqual([500, 'internal', undefined]);
  expect(await offersOf(home, id)).toEqual(['h264']);
  expect(await refusal(await home.get(`/api/recordings/${id}/stream?codec=av1`))).toEqual([
    404,
    'not_found',
    'codec',
  ]);
});
