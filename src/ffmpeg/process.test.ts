import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { FfmpegProcess, run, withoutRealTimePriority } from './process.ts';

const descriptors = (): number => readdirSync('/proc/self/fd').length;

async function sizeOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return size;
}

test('a command that is cancelled before its begin is not started', async () => {
  const started = performance.now();
  const { code } = await run(['sleep', '30'], { timeoutMs: 60_000, signal: AbortSignal.abort() });
  expect(code).toBe(137);
  expect(performance.now() - started).toBeLessThan(10_000);
});

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

const ALL = (1n << 41n) - 1n;
const SYS_NICE = 1n << 23n;
const AV1 = ['ffmpeg', '-c:v', 'libsvtav1', 'out.mkv'];
const SETPRIV = '/usr/bin/setpriv';

/** Field 41 of proc_pid_stat(5), counted after the name in parentheses: 0 is SCHED_OTHER, 1 SCHED_FIFO. */
function schedulingPolicies(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);
  });
}

describe('withoutRealTimePriority', () => {
  test('drops CAP_SYS_NICE for SVT-AV1 only, and only where the process has it', () => {
    const found = () => SETPRIV;
    expect(withoutRealTimePriority(AV1, ALL, found).slice(0, 1)).toEqual([SETPRIV]);
    expect(withoutRealTimePriority(AV1, ALL, found).slice(-AV1.length)).toEqual(AV1);
    expect(withoutRealTimePriority(AV1, ALL & ~SYS_NICE, found)).toEqual(AV1);
    expect(withoutRealTimePriority(AV1, SYS_NICE, found)).toEqual(AV1);
    expect(withoutRealTimePriority(AV1, ALL, () => null)).toEqual(AV1);
    expect(withoutRealTimePriority(['ffmpeg', '-c:v', 'libx264'], ALL, found)[0]).toBe('ffmpeg');
  });

  test('no thread of a running AV1 encode has real-time priority', async () => {
    const input = ['-v', 'error', '-re', '-f', 'lavfi', '-i', 'color=s=320x180:r=30'];
    const encode = ['-c:v', 'libsvtav1', '-preset', '12', '-f', 'matroska', 'pipe:1'];
    const child = new FfmpegProcess(['ffmpeg', ...input, ...encode], 1000);
    try {
      // The encoder's threads exist when output arrives.
      const first = await child.output.getReader().read();
      expect(first.done).toBe(false);
      const policies = schedulingPolicies(child.pid);
      expect(policies.length).toBeGreaterThan(10);
      expect(policies.filter((policy) => policy !== 0)).toEqual([]);
    } finally {
      await child.stop();
    }
  });
});
