/**
 * A short recording made by ffmpeg once per test run: black, a uniform card, a scene, ten seconds each, with
 * sound, at a constant bit rate like a broadcast.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunResult, run } from '../../src/ffmpeg/process.ts';
import { RecordingBytes } from '../../src/media/recording-bytes.ts';
import { RecordingIndexer } from '../../src/media/recording-index.ts';
import type { OpenRecording } from '../../src/play/open-recordings.ts';

export const CLIP = { black: 10, card: 10, scene: 10, seconds: 30 } as const;

const SIZE = 's=352x240:r=30000/1001';

async function made(command: readonly string[]): Promise<void> {
  const result: RunResult = await run(command, { timeoutMs: 60_000 });
  if (result.code !== 0) throw new Error(result.stderr);
}

/** @returns its path; removed when the process exits */
async function make(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-clip-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'clip.ts');
  await made([
    ...['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', `color=black:${SIZE}:d=${CLIP.black}`],
    ...['-f', 'lavfi', '-i', `color=0x2040c0:${SIZE}:d=${CLIP.card}`],
    ...['-f', 'lavfi', '-i', `testsrc2=${SIZE}:d=${CLIP.scene}`, '-f', 'lavfi', '-i', 'sine=d=30'],
    ...['-filter_complex', '[0][1][2]concat=n=3[v]', '-map', '[v]', '-map', '3', '-aspect', '4:3'],
    ...['-c:v', 'mpeg2video', '-g', '15', '-bf', '2', '-b:v', '1M', '-c:a', 'aac'],
    ...['-muxrate', '2M', '-f', 'mpegts', path],
  ]);
  return path;
}

let clip: Promise<string> | undefined;

export function clipPath(): Promise<string> {
  clip ??= make();
  return clip;
}

/** Opens it like the service. */
export async function openClip(path: string): Promise<OpenRecording> {
  const bytes = await RecordingBytes.open(() => [path]);
  const input = { source: bytes, breaks: [], beganAt: undefined, serviceId: undefined };
  const index = await new RecordingIndexer().index(input);
  return { bytes, index, renew: async () => index, breakCount: () => 0, close: () => void bytes.close() };
}
