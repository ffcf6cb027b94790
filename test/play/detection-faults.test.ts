/** Commercial detection with an ffmpeg that hangs, crashes or is missing, and files that disappear. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnalysisFailed, analyseStream } from '../../src/commercial/analyse-stream.ts';
import type { DetectAsk } from '../../src/commercial/detect-messages.ts';
import { until } from '../until.ts';
import { detectAsk } from './detect-ask.ts';
import { FFMPEG, madeStream } from './made-recording.ts';

const LIMIT_MS = 30_000;
let folder: string;
let ask: DetectAsk;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-detection-'));
  const path = join(folder, 'recording.ts');
  writeFileSync(path, await madeStream({ seconds: 25, flashAt: 1, clock: 10 }));
  ask = await detectAsk(path, FFMPEG);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function script(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function failure(changed: Partial<DetectAsk>, stallMs = LIMIT_MS): Promise<unknown> {
  const options = {
    resumed: async () => {},
    onProgress: () => {},
    signal: new AbortController().signal,
    stallMs,
  };
  return analyseStream({ ...ask, ...changed }, options).then(
    () => undefined,
    (error: unknown) => error,
  );
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('an ffmpeg that reads everything and outputs nothing is ended', async () => {
  const error = await failure({ ffmpeg: script('hangs', 'exec sleep 600') }, 300);
  expect(error).toBeInstanceOf(AnalysisFailed);
  expect(String(error)).toContain('gave nothing');
});

test('an ffmpeg that is killed, fails, writes invalid output or is missing is reported', async () => {
  const messages = await Promise.all(
    [
      script('killed', 'kill -9 $$'),
      script('fails', 'echo no such codec >&2; exit 1'),
      script('babbles', 'cat > /dev/null; head -c 100000 /dev/zero'),
      join(folder, 'missing'),
    ].map(async (ffmpeg) => await failure({ ffmpeg })),
  );
  for (const one of messages) expect(one).toBeInstanceOf(Error);
  expect(String(messages[1])).toContain('no such codec');
  expect(String(messages[2])).toContain('no Matroska');
});

test('a missing or truncated file ends the detection', async () => {
  expect(await failure({ paths: [join(folder, 'gone.ts')] })).toMatchObject({ code: 'not_found' });
  expect(await failure({ size: ask.size * 3 })).toBeUndefined();
});

test('while the machine is busy nothing is read, and an abort ends its ffmpeg', async () => {
  const pidFile = join(folder, 'pid');
  const ffmpeg = script('named', `echo $$ > ${pidFile}; exec ${FFMPEG} "$@"`);
  const abort = new AbortController();
  const held = Promise.withResolvers<void>();
  let asked = 0;
  const resumed = async (signal: AbortSignal): Promise<void> => {
    asked += 1;
    signal.addEventListener('abort', () => held.resolve(), { once: true });
    await held.promise;
  };
  const running = analyseStream({ ...ask, ffmpeg }, { resumed, onProgress: () => {}, signal: abort.signal });
  const outcome = running.catch((error: unknown) => error);
  const pid = await until(
    'ffmpeg runs',
    async () =>
      Number(
        (
          await Bun.file(pidFile)
            .text()
            .catch(() => '')
        ).trim(),
      ) || undefined,
  );
  await until('it was asked whether it may read', () => asked > 0);
  expect(asked).toBe(1);
  abort.abort(new Error('not wanted any more'));
  expect(String(await outcome)).toContain('not wanted any more');
  await until('its ffmpeg is gone', () => !isAlive(pid));
});
