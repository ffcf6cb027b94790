import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { FfmpegProcess } from './process.ts';
import { withoutRealTimePriority } from './thread-priority.ts';

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
