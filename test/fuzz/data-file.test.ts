/**
 * Damaged and hostile files with the data broadcast of a recording: no exception, bounded time and memory, and what is sent
 * is always JSON in order of time.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { FRAME, frameOf, MAGIC, messageHash, packMessage } from '../../src/media/data-file-format.ts';
import { DataFileIndex } from '../../src/media/data-file-index.ts';
import { DataLines } from '../../src/media/data-file-lines.ts';
import { dataRecording } from '../data/data-recording.ts';
import { RecordedFile } from '../data/recorded-file.ts';
import type { RecordedMessage } from '../data/recorded-message.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const seed = fuzzSeed();
const folder = mkdtempSync(join(tmpdir(), 'svc-data-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** Two days of seconds, and as many messages as a log may have here. */
const MOST_LINES = 48 * 3_600 + 200_000;

/** What a client gets. @throws if a line is none, or earlier than the one before */
async function read(
  bytes: Uint8Array,
  from = 0,
): Promise<{ index: DataFileIndex; lines: RecordedMessage[] }> {
  const path = join(folder, 'a.databroadcast');
  writeFileSync(path, bytes);
  const file = await open(path);
  try {
    const index = new DataFileIndex();
    await index.refresh(file);
    const lines: RecordedMessage[] = [];
    let time = from;
    for await (const line of new DataLines({ file, index, cuts: null, from }).more()) {
      const one = JSON.parse(line) as RecordedMessage;
      expect(line.endsWith('}\n') && typeof one.message.type === 'string').toBe(true);
      if (!(one.at >= time)) throw new Error(`${one.at} after ${time}, seed ${seed}`);
      time = one.at;
      lines.push(one);
      if (lines.length > MOST_LINES) throw new Error('endless');
    }
    return { index, lines };
  } finally {
    await file.close();
  }
}

const blob = (json: string, isModule = false): Uint8Array => {
  const bytes = new TextEncoder().encode(json);
  return frameOf(FRAME.blob, packMessage(messageHash(bytes), bytes, isModule));
};
const log = (frame: object): Uint8Array => frameOf(FRAME.log, deflateRawSync(JSON.stringify(frame)));
const PIECES = [{ from: 0, to: 1_000_000, pts: 0, start: 0, length: 900_000 }];
const fileOf = (...frames: readonly Uint8Array[]): Uint8Array => Buffer.concat([MAGIC, ...frames]);
const textOf = (message: RecordedMessage['message'] | undefined): string => JSON.stringify(message ?? null);

async function wellMade(): Promise<Uint8Array> {
  using file = new RecordedFile(dataRecording({ seconds: 12 }));
  await file.read();
  return readFileSync(file.path);
}

test(
  'damaged files give a part of what they had',
  async () => {
    const good = await wellMade();
    const known = new Set((await read(good)).lines.map(({ message }) => textOf(message)));
    const random = new Random(seed);
    let less = 0;
    for (let round = 0; round < fuzzRounds(150); round += 1) {
      let bytes = Buffer.from(good);
      const at = random.below(bytes.length);
      const kind = random.below(5);
      if (kind === 0) bytes = bytes.subarray(0, at);
      else if (kind === 1) bytes.fill(0, at, at + random.below(5_000));
      else if (kind === 2) bytes.set(random.bytes(1 + random.below(40)).subarray(0, bytes.length - at), at);
      else if (kind === 3)
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(random.below(at + 1))]);
      else for (let flips = 1 + random.below(5); flips > 0; flips -= 1) bytes[random.below(bytes.length)] = 1;
      const { lines } = await read(bytes, random.below(15));
      const messages = lines.filter(({ message }) => message.type !== 'currentTime');
      // Nothing is invented: each message is protected.
      expect([seed, round, messages.every(({ message }) => known.has(textOf(message)))]).toEqual([
        seed,
        round,
        true,
      ]);
      if (lines.length < known.size) less += 1;
    }
    expect(less).toBeGreaterThan(10);
  },
  FUZZ_TIMEOUT,
);

test(
  'random octets are no file',
  async () => {
    const random = new Random(seed + 1);
    for (let round = 0; round < fuzzRounds(50); round += 1) {
      const bytes = random.bytes(random.below(3_000));
      expect((await read(bytes)).lines).toEqual([]);
      expect((await read(Buffer.concat([MAGIC, bytes]))).lines).toEqual([]);
    }
  },
  FUZZ_TIMEOUT,
);

describe('hostile files', () => {
  test('megabytes in a line, and what inflates to more', async () => {
    const large = JSON.stringify({
      type: 'moduleDownloaded',
      files: [{ dataBase64: 'A'.repeat(6_000_000) }],
    });
    const bomb = JSON.stringify({ type: 'x', padding: ' '.repeat(100_000_000) });
    const many = JSON.stringify({
      type: 'moduleDownloaded',
      files: Array.from({ length: 70_000 }, () => ({ dataBase64: '' })),
    });
    const entries = [0, 1, 2, 3].map((number) => [0, 0, 'e', number]);
    const bytes = fileOf(
      blob(large, true),
      blob(bomb),
      blob(many, true),
      blob(large),
      log({ read: 1, entries, pieces: PIECES }),
    );
    const { lines } = await read(bytes);
    expect(lines.map(({ message }) => textOf(message).length)).toEqual([]);
    const late = [0, 1, 2].map((number) => [9, 90_000, 'e', number]);
    const later = fileOf(
      ...[blob(large, true), blob(bomb), blob(many, true)],
      log({ read: 1, entries: late, pieces: PIECES }),
    );
    expect((await read(later)).lines.map(({ message }) => textOf(message).length)).toEqual([large.length]);
    const inflated = fileOf(
      log({ read: 1, entries: Array.from({ length: 2_000_000 }, () => [0, 0, 'g']), pieces: PIECES }),
    );
    expect((await read(inflated)).index.entries).toEqual([]);
  });

  test('a log of very many entries, and very many logs', async () => {
    const entries = Array.from({ length: 800_000 }, () => [0, 0, 'g']);
    const one = log({ read: 1, entries, pieces: PIECES });
    expect((await read(fileOf(one))).index.entries).toHaveLength(800_000);
    expect((await read(fileOf(one, one, one))).index.entries).toHaveLength(800_000);
  });

  test('times that run backwards', async () => {
    const random = new Random(seed + 2);
    const entries = Array.from({ length: 2_000 }, () => [
      random.below(2_000_000),
      random.below(2 ** 31) * 4,
      'e',
      0,
    ]);
    const bytes = fileOf(blob('{"type":"pmt","components":[]}'), log({ read: 5, entries, pieces: PIECES }));
    expect((await read(bytes)).lines.length).toBeGreaterThan(0);
  });

  test('the clock in 2099, and beyond all time', async () => {
    const at = Date.UTC(2099, 11, 31);
    const entries = [at, 1e300, -1e300, null, 'x'].map((time) => [1, 90_000, 't', time]);
    const bytes = fileOf(log({ read: 1, entries, pieces: PIECES, isFinal: true }));
    const { lines } = await read(bytes);
    expect(lines.length).toBeLessThan(12);
    expect(lines.map(({ message }) => message)).toContainEqual({ type: 'currentTime', at });
    expect(lines.every(({ message }) => message.type === 'currentTime' && message.at >= at)).toBe(true);
  });

  test('a scale of centuries', async () => {
    const length = Number.MAX_SAFE_INTEGER;
    const entries = [
      [1, 0, 't', 0],
      [2, 0, 'e', 0],
    ];
    for (const pieces of [
      [{ from: 0, to: 1, pts: 0, start: 0, length }],
      [{ from: 0, to: 1, pts: 0, start: length, length }],
    ]) {
      const bytes = fileOf(blob('{"type":"x"}'), log({ read: 1, entries, pieces, isFinal: true }));
      expect((await read(bytes)).lines.length).toBeLessThanOrEqual(48 * 3_600 + 3);
    }
  });

  test('messages and entries of unknown kinds, and of no kind', async () => {
    const blobs = [
      '{"type":"later","value":1}',
      '{"type":5}',
      '[]',
      '"x"',
      '{',
      `${'['.repeat(200_000)}`,
    ].map((json) => blob(json));
    const entries = [
      ...[0, 1, 2, 3, 4, 5, 6, 1e9, -1, 0.5, '0'].map((number) => [9, 90_000, 'e', number]),
      [9, 90_000, 'later', 1],
      [9, 90_000, 's', 5, 0, 0],
      [9, 90_000, 's', 'key', 'rank', 0],
      [9, -90_000, 'e', 0],
      ['9', 0, 'e', 0],
      null,
      7,
      {},
    ];
    const unknown = frameOf(77, new Uint8Array(100));
    const bytes = fileOf(unknown, ...blobs, unknown, log({ read: 1, entries, pieces: PIECES, more: {} }));
    expect((await read(bytes)).lines).toEqual([{ at: 1, message: { type: 'later', value: 1 } as never }]);
    for (const frame of [{}, { read: -1, entries: [] }, { read: 1, entries: {} }, [], 5, null])
      expect((await read(fileOf(log(frame as object)))).index.end).toBe(MAGIC.length);
    const odd = log({ read: 1, entries: [[9, 0, 'e', 0]], pieces: [{ from: 'x' }] });
    expect((await read(fileOf(blob('{"type":"x"}'), odd))).lines).toEqual([]);
  });

  test('zeros of a lost disk, and a million empty frames', async () => {
    const zeros = fileOf(new Uint8Array(64 * 1024 * 1024));
    expect((await read(zeros)).index.end).toBe(MAGIC.length);
    const empty = frameOf(77, new Uint8Array(0));
    const many = Buffer.alloc(empty.length * 2_000_000);
    for (let at = 0; at < many.length; at += empty.length) many.set(empty, at);
    const { index } = await read(
      fileOf(many, blob('{"type":"x"}'), log({ read: 1, entries: [[9, 0, 'e', 0]], pieces: PIECES })),
    );
    expect(index.end).toBe(MAGIC.length);
  });
});
