import { expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid } from '../../lib/arib/ids.ts';
import { asFarAsItCan, REPLACED, RecordedFile } from './recorded-file.ts';

const failing = (code: string) => async (): Promise<void> => {
  throw Object.assign(new Error(code), { code });
};

test('a file system that cannot sync folders is used anyway; a failing disk is not', async () => {
  for (const code of ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR'])
    await asFarAsItCan(failing(code));
  for (const code of ['EIO', 'ENOSPC', 'EROFS', 'EDQUOT'])
    await expect(asFarAsItCan(failing(code))).rejects.toThrow(code);
});

test('a file is created with its parent folders, and never replaces another', async () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-recorded-'));
  try {
    const path = join(root, 'new', 'deep', 'one.ts');
    const file = await RecordedFile.open({ path, mode: 'create' }, undefined);
    await file.append(new Uint8Array(188));
    await file.sync();
    await file.close();
    expect(existsSync(path)).toBe(true);
    writeFileSync(path, 'not to be lost');
    await expect(RecordedFile.open({ path, mode: 'create' }, undefined)).rejects.toThrow('EEXIST');
    expect(await Bun.file(path).text()).toBe('not to be lost');
  } finally {
    rmSync(root, { recursive: true });
  }
});

test.each([
  ['shortened', (path: string) => truncateSync(path, 2 * 188 + 7), 2],
  ['emptied', (path: string) => truncateSync(path, 0), 0],
  ['lengthened', (path: string) => appendFileSync(path, 'foreign'), 5],
] as const)(
  'a file that another program %s right before a write has no packet at a wrong place',
  async (_, change, left) => {
    const root = mkdtempSync(join(tmpdir(), 'svc-recorded-'));
    try {
      const path = join(root, 'raced.ts');
      const file = await RecordedFile.open({ path, mode: 'create' }, undefined);
      const packets = (count: number, value: number): Uint8Array => new Uint8Array(count * 188).fill(value);
      expect(await file.append(packets(5, 1))).toBeUndefined();
      expect(await file.restore()).toBe(0);
      change(path);
      expect(await file.append(packets(3, 2))).toBe((5 - left) * 188);
      expect(file.size).toBe(left * 188);
      // Written again, at a packet's boundary.
      expect(await file.append(packets(3, 2))).toBeUndefined();
      expect(readFileSync(path)).toEqual(Buffer.concat([packets(left, 1), packets(3, 2)]));
      // Shortened after a write: the next check detects it.
      truncateSync(path, 188 + 1);
      expect(await file.restore()).toBe((left + 3 - 1) * 188);
      await file.close();
    } finally {
      rmSync(root, { recursive: true });
    }
  },
);

test('a file of an earlier process is split where scrambling began and ended', async () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-recorded-'));
  try {
    const path = join(root, 'left.ts');
    const clock = pid(0x1ff);
    const picture = (index: number): Uint8Array => {
      const packet = new Uint8Array(188).fill(0xff);
      const isScrambled = index >= 300;
      // adaptation_field_control 1: payload alone
      packet.set([0x47, 0x01, 0x00, (isScrambled ? 0xc0 : 0) | 0x10 | (index & 15)]);
      return packet;
    };
    const reference = (index: number): Uint8Array => {
      const packet = new Uint8Array(188).fill(0xff);
      // adaptation_field_control 2, length 183, PCR_flag; every packet takes 2 ms: 180 of 90 kHz
      packet.set([0x47, 0x01, 0xff, 0x20, 183, 0x10]);
      new DataView(packet.buffer).setUint32(6, (index * 180) / 2);
      packet.set([0x7e, 0x00], 10);
      return packet;
    };
    const packets = Array.from({ length: 1000 }, (_, index) =>
      index % 20 === 0 ? reference(index) : picture(index),
    );
    // A tenth was already reported.
    writeFileSync(path, Buffer.concat(packets));
    const file = await RecordedFile.open({ path, mode: 'append', counted: 100 * 188 }, clock);
    await file.close();
    const [clear, scrambled, ...rest] = file.former?.runs ?? [];
    expect(rest).toEqual([]);
    expect(file.former?.recounted).toMatchObject({ packets: 900, scrambled: 665 });
    // From the packets 100 and 300 to the last reference, packet 980.
    expect(clear?.beforeEndMs).toBe(1760);
    expect(Math.abs((scrambled?.beforeEndMs ?? 0) - 1360)).toBeLessThanOrEqual(64);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('octets that another program cut off are counted, and those that it appended are cut off', async () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-recorded-'));
  try {
    const path = join(root, 'one.ts');
    const file = await RecordedFile.open({ path, mode: 'create' }, undefined);
    await file.append(new Uint8Array(1880).fill(1));
    expect(await file.restore()).toBe(0);
    appendFileSync(path, 'foreign octets');
    expect(await file.restore()).toBe(0);
    await file.append(new Uint8Array(188).fill(2));
    expect(readFileSync(path)).toEqual(Buffer.concat([Buffer.alloc(1880, 1), Buffer.alloc(188, 2)]));
    truncateSync(path, 1000);
    // Whole packets are left.
    expect([await file.restore(), file.size]).toEqual([2068 - 940, 940]);
    await file.append(new Uint8Array(188).fill(3));
    expect(readFileSync(path)).toEqual(Buffer.concat([Buffer.alloc(940, 1), Buffer.alloc(188, 3)]));
    truncateSync(path, 0);
    expect([await file.restore(), file.size]).toEqual([1128, 0]);
    await file.close();
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a file whose name is gone, or belongs to another file, is noticed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-recorded-'));
  try {
    const path = join(root, 'one.ts');
    const file = await RecordedFile.open({ path, mode: 'create' }, undefined);
    await file.append(new Uint8Array(188));
    await file.assertInPlace();
    renameSync(path, join(root, 'aside.ts'));
    await expect(file.assertInPlace()).rejects.toThrow('ENOENT');
    writeFileSync(path, 'another');
    await expect(file.assertInPlace()).rejects.toMatchObject({ code: REPLACED });
    renameSync(join(root, 'aside.ts'), path);
    await file.assertInPlace();
    await file.close();
  } finally {
    rmSync(root, { recursive: true });
  }
});
