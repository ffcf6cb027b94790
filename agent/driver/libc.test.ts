/** The real system calls through the C library, and the worker that makes them for the drivers. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { HardwareDriver, LnbSupply } from './hardware-driver.ts';
import { openLibc } from './libc.ts';
import { ERRNO, O_CLOEXEC, O_NONBLOCK, O_RDONLY, O_RDWR } from './system-calls.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'svc-libc-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const calls = openLibc();

describe('openLibc', () => {
  test('returns the negative errno of a failed call', () => {
    expect(calls.open(join(FOLDER, 'missing'), O_RDONLY)).toBe(-ERRNO.ENOENT);
    const path = join(FOLDER, 'file');
    writeFileSync(path, 'x');
    const fd = calls.open(path, O_RDONLY | O_CLOEXEC);
    expect(fd).toBeGreaterThan(2);
    expect(calls.ioctl(fd, 0x8d02, 0)).toBe(-ERRNO.ENOTTY);
    expect(calls.ioctl(fd, 0x40088d01, new Uint8Array(8))).toBe(-ERRNO.ENOTTY);
    expect(calls.ioctlProperties(fd, 0x40106f52, new Uint8Array(76), 1)).toBe(-ERRNO.ENOTTY);
    expect(calls.close(fd)).toBe(0);
    expect(calls.close(fd)).toBeLessThan(0);
    expect(calls.read(fd, new Uint8Array(1))).toBeLessThan(0);
  });

  test('waits for data and reads it into the given part of the buffer', () => {
    const path = join(FOLDER, 'pipe');
    Bun.spawnSync(['mkfifo', path]);
    const fd = calls.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    expect(calls.poll(fd, 1)).toBe(0);
    expect(calls.read(fd, new Uint8Array(4))).toBe(-ERRNO.EAGAIN);
    writeSync(openSync(path, 'w'), 'abc');
    expect(calls.poll(fd, 1_000) & 1).toBe(1);
    const buffer = new Uint8Array(8);
    expect(calls.read(fd, buffer.subarray(2, 6))).toBe(3);
    expect(new TextDecoder().decode(buffer)).toBe('\0\0abc\0\0\0');
    calls.close(fd);
  });

  test('fills in the result of an ioctl', () => {
    const FIONREAD = 0x541b;
    const path = join(FOLDER, 'pipe2');
    Bun.spawnSync(['mkfifo', path]);
    const fd = calls.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    writeSync(openSync(path, 'w'), 'abcde');
    const answer = new Uint8Array(4);
    expect(calls.ioctl(fd, FIONREAD, answer)).toBe(0);
    expect([...answer]).toEqual([5, 0, 0, 0]);
    calls.close(fd);
  });
});

test('a device worker reports a missing device', async () => {
  const driver = new HardwareDriver({
    driver: 'px4',
    startWorker: () => new Worker(new URL('../device.worker.ts', import.meta.url)),
    lnb: new LnbSupply(),
    lockMs: 1_000,
    log: SILENT_LOG,
  });
  const device = '/dev/px4video9999';
  const ended = Promise.withResolvers<[string, boolean]>();
  const session = driver.open(
    { id: 'a', name: 'a', driver: 'px4', device, types: ['GR'], disabled: false, lnb: false },
    { type: 'GR', channel: 'T27', tsid: null },
    {
      locked: () => {},
      data: () => {},
      ended: (reason, isDevice) => ended.resolve([reason, isDevice]),
    },
  );
  expect(await ended.promise).toEqual([expect.stringContaining(`${device} がありません`), true]);
  await session.close();
});
