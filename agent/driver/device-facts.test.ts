import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { MachineFacts } from './device-facts.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'svc-facts-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

test('finds the process that has a device open among the visible ones', () => {
  const proc = join(FOLDER, 'proc');
  for (const [pid, name, target] of [
    ['12', 'bash', '/dev/null'],
    ['345', 'recpt1', '/dev/px4video0'],
  ]) {
    mkdirSync(join(proc, pid ?? '', 'fd'), { recursive: true });
    writeFileSync(join(proc, pid ?? '', 'comm'), `${name}\n`);
    symlinkSync(target ?? '', join(proc, pid ?? '', 'fd', '3'));
  }
  mkdirSync(join(proc, '99'));
  mkdirSync(join(proc, 'sys'));
  const facts = new MachineFacts({ proc, groupFile: '/etc/group' });
  expect(facts.userOf('/dev/px4video0')).toEqual({ pid: 345, name: 'recpt1' });
  expect(facts.userOf('/dev/px4video1')).toBeUndefined();
  expect(new MachineFacts({ proc: join(FOLDER, 'none'), groupFile: '' }).userOf('/dev/null')).toBeUndefined();
});

test('names the group of a file, by its number where it has no name, and none for root’s', () => {
  const groupFile = join(FOLDER, 'group');
  const file = join(FOLDER, 'device');
  writeFileSync(file, '');
  chmodSync(file, 0o660);
  const { gid } = userInfo();
  writeFileSync(groupFile, `root:x:0:\nvideo:x:${gid}:someone\n`);
  const facts = new MachineFacts({ proc: '/proc', groupFile });
  expect(facts.group(file)).toBe(gid === 0 ? undefined : 'video');
  expect(facts.group(join(FOLDER, 'missing'))).toBeUndefined();
  expect([facts.exists(file), facts.exists(join(FOLDER, 'missing'))]).toEqual([true, false]);
  expect(facts.mayOpen(file, 'write')).toBe(true);
});
