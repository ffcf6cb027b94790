import { expect, test } from 'bun:test';
import { fstatSync, readdirSync, readlinkSync } from 'node:fs';
import { CommandPipe } from './command-pipe.ts';

const MEGABYTES = 5;

function spawn(pipe: CommandPipe, command: string[]) {
  return Bun.spawn(command, { stdio: ['ignore', pipe.writeEnd, 'ignore'] });
}

/** Targets of the descriptors of this process. */
function descriptors(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

test('every octet of a command arrives in order, then its end, and no descriptor is left', async () => {
  const over = Promise.withResolvers<string | undefined>();
  const parts: Uint8Array[] = [];
  const pipe = new CommandPipe({ data: (bytes) => parts.push(bytes), ended: over.resolve });
  const child = spawn(pipe, ['seq', '-w', String((MEGABYTES * 1e6) / 8)]);
  // Owned by the pipe, not by the runtime, which would close it a second time.
  const link = `pipe:[${fstatSync(pipe.writeEnd).ino}]`;
  expect(descriptors().filter((one) => one === link)).toHaveLength(2);
  pipe.start();
  expect(await over.promise).toBeUndefined();
  const lines = Buffer.concat(parts).toString().trimEnd().split('\n');
  expect(lines).toHaveLength((MEGABYTES * 1e6) / 8);
  expect(lines.every((line, index) => Number(line) === index + 1)).toBe(true);
  expect(await child.exited).toBe(0);
  expect(descriptors()).not.toContain(link);
});

test('a command whose pipe is closed cannot write any more, and nothing is reported', async () => {
  const calls: string[] = [];
  const first = Promise.withResolvers<void>();
  const pipe = new CommandPipe({
    data: () => {
      calls.push('data');
      first.resolve();
      pipe.close();
    },
    ended: () => calls.push('ended'),
  });
  const child = spawn(pipe, ['yes']);
  pipe.start();
  await first.promise;
  await child.exited;
  expect(child.signalCode).toBe('SIGPIPE');
  pipe.close();
  expect(calls).toEqual(['data']);
});
