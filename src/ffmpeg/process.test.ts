import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { FfmpegProcess } from './process.ts';
import { run } from './run.ts';

const descriptors = (): number => readdirSync('/proc/self/fd').length;

async function sizeOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return size;
}

describe('FfmpegProcess', () => {
  test("and commands that run to their end get none of the service's secrets", async () => {
    process.env.OIDC_CLIENT_SECRET = 'do-not-pass-on';
    try {
      const child = new FfmpegProcess(['env'], 1_000);
      child.finish();
      for (const text of [
        await new Response(child.output).text(),
        (await run(['env'], { timeoutMs: 10_000 })).stdout,
      ]) {
        expect(text).toContain('SVT_LOG=1');
        expect(text).not.toContain('do-not-pass-on');
      }
    } finally {
      delete process.env.OIDC_CLIENT_SECRET;
    }
  });

  test('receives every accepted byte, then exits normally', async () => {
    const child = new FfmpegProcess(['cat'], 1_000_000);
    const size = sizeOf(child.output);
    for (let index = 0; index < 8; index += 1) expect(child.write(new Uint8Array(100_000))).toBe(true);
    child.finish();
    expect(await size).toBe(800_000);
    expect((await child.ended).code).toBe(0);
  });

  test('refuses bytes beyond its bound instead of buffering them', async () => {
    const child = new FfmpegProcess(['sleep', '30'], 1_000_000);
    let taken = 0;
    while (taken < 20_000_000 && child.write(new Uint8Array(250_000))) taken += 250_000;
    expect(taken).toBeGreaterThanOrEqual(1_000_000);
    expect(taken).toBeLessThan(5_000_000);
    await child.stop();
    expect((await child.ended).code).toBe(143);
  });

  test('kills a process that ignores SIGTERM', async () => {
    const child = new FfmpegProcess(['sh', '-c', 'trap "" TERM; echo up; while :; do sleep 0.1; done'], 1000);
    const reader = child.output.getReader();
    await reader.read();
    await child.stop();
    expect((await child.ended).code).toBe(137);
  });

  test('keeps the last lines of stderr, and accepts no bytes after the exit', async () => {
    const child = new FfmpegProcess(['sh', '-c', 'echo "no such encoder" >&2; exit 3'], 1000);
    expect(await child.ended).toEqual({ code: 3, stderr: 'no such encoder' });
    expect(child.write(new Uint8Array(5000))).toBe(true);
    expect(child.queuedBytes).toBe(0);
  });

  test('leaks no file descriptor', async () => {
    const cycle = async (): Promise<void> => {
      const child = new FfmpegProcess(['cat'], 100_000);
      const size = sizeOf(child.output);
      child.write(new Uint8Array(1000));
      await child.stop();
      await size;
    };
    await cycle();
    const before = descriptors();
    for (let index = 0; index < 10; index += 1) await cycle();
    // The last ones are closed slightly later.
    for (let tries = 0; descriptors() > before + 2 && tries < 100; tries += 1) await Bun.sleep(20);
    expect(descriptors()).toBeLessThanOrEqual(before + 2);
  });

  test('a missing executable is an error at once', () => {
    expect(() => new FfmpegProcess(['/nowhere/ffmpeg'], 1000)).toThrow();
  });
});

describe('run', () => {
  test('kills a process that takes too long', async () => {
    const result = await run(['sleep', '30'], { timeoutMs: 50 });
    expect(result.code).toBe(137);
    expect(result.elapsedMs).toBeLessThan(5000);
  });
});
