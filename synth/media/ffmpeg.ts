/** Runs ffmpeg to make elementary streams: input by pipe, output by pipe, errors as text. */
import { spawn } from 'node:child_process';

/** ffmpeg is missing or failed; the message is shown to the user. */
export class FfmpegError extends Error {}

const TIMEOUT_MS = 180_000;
const MAX_ERROR_TEXT = 2_000;

export interface Ffmpeg {
  path: string;
}

/** `FFMPEG_PATH`, otherwise the one in PATH. */
export function findFfmpeg(environment: Record<string, string | undefined>): Ffmpeg {
  return { path: environment.FFMPEG_PATH || 'ffmpeg' };
}

/** Output bytes of one run. @throws FfmpegError */
export function runFfmpeg(ffmpeg: Ffmpeg, args: readonly string[], input: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const child = spawn(ffmpeg.path, ['-v', 'error', '-nostdin', '-y', ...args, 'pipe:1'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
    });
    const chunks: Uint8Array[] = [];
    let errors = '';
    child.stdout.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Uint8Array) => {
      if (errors.length < MAX_ERROR_TEXT) errors += new TextDecoder().decode(chunk);
    });
    // It may exit before it has read its input; the exit code is checked.
    child.stdin.on('error', () => {});
    child.on('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'ENOENT';
      reject(
        new FfmpegError(
          missing
            ? `ffmpeg が見つかりません (${ffmpeg.path})。ffmpeg を入れるか FFMPEG_PATH を設定してください`
            : `ffmpeg: ${error.message}`,
        ),
      );
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks));
      else reject(new FfmpegError(`ffmpeg failed (${signal ?? code}): ${errors.trim()}`));
    });
    child.stdin.end(input);
  });
}
