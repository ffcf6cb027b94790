import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { SETTING_SCHEMAS, settingDefaults } from '../../lib/wire/settings.ts';
import { Failure } from '../model/failure.ts';
import { Hub } from '../notify/hub.ts';
import { openDatabase } from '../store/database.ts';
import { SettingStore } from '../store/setting-store.ts';
import { SettingsService } from './settings.ts';
import { databaseBytes, folderFacts } from './system.ts';

let database: Database;
let gpu: boolean;
let published: string[];
let lines: string[];

beforeEach(() => {
  database = openDatabase(':memory:');
  gpu = false;
  published = [];
  lines = [];
});

afterEach(() => {
  database.close();
});

function open(): SettingsService {
  const log = createLog({ level: 'debug', now: () => wallMs(0), write: (line) => lines.push(line) });
  const hub = new Hub(() => {});
  hub.subscribe((event) => published.push(event.name));
  return new SettingsService({
    store: new SettingStore(database),
    facts: () => ({ gpu }),
    hub,
    log,
    now: () => wallMs(5),
  });
}

function refused(settings: SettingsService, body: unknown): string | undefined {
  const before = settings.all();
  try {
    settings.change(body);
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    expect(settings.all()).toEqual(before);
    expect(open().all()).toEqual(before);
    return error instanceof Failure ? (error.options.path ?? '') : undefined;
  }
  return undefined;
}

describe('settings', () => {
  test('start with defaults that depend on the machine', () => {
    const settings = open();
    expect(settings.all()).toEqual(settingDefaults({ gpu: false }));
    expect(settings.get('conversions')).toBe(2);
    gpu = true;
    expect(settings.get('conversions')).toBe(4);
    expect(Object.keys(settings.all()).sort()).toEqual(Object.keys(SETTING_SCHEMAS).sort());
  });

  test('a change is merged, kept over a restart, and published once', () => {
    const settings = open();
    const changed: string[][] = [];
    const end = settings.onChange((keys) => changed.push([...keys]));
    settings.change({ keepTs: true, recordingFolders: [{ path: '/mnt/a', floorBytes: 5 }] });
    settings.change({ encode: 'none' });
    settings.change({ encode: 'none', marginAfter: 15_000 });
    expect(open().all()).toEqual({
      ...settingDefaults({ gpu: false }),
      keepTs: true,
      encode: 'none',
      recordingFolders: [{ path: '/mnt/a', floorBytes: 5 }],
    });
    expect(changed).toEqual([['keepTs', 'recordingFolders'], ['encode']]);
    expect(published).toEqual(['settings', 'settings']);
    end();
    settings.change({ encode: 'av1' });
    expect(changed).toHaveLength(2);
  });

  test('null resets a key to its default, also to a later one', () => {
    const settings = open();
    settings.change({ conversions: 2, postalCode: '1000001' });
    gpu = true;
    expect(settings.get('conversions')).toBe(2);
    settings.change({ conversions: null, postalCode: null });
    expect([settings.get('conversions'), settings.get('postalCode')]).toEqual([4, '']);
    expect(database.query('SELECT count(*) AS n FROM settings').get()).toEqual({ n: 0 });
  });

  test('an unknown key or an invalid value is refused with its path, and nothing changes', () => {
    const settings = open();
    for (const [body, path] of [
      [{ keepTs: true, nonsense: 1 }, 'nonsense'],
      [JSON.parse('{"__proto__": 1}'), '__proto__'],
      [{ constructor: 1 }, 'constructor'],
      [{ ['x'.repeat(1000)]: 1 }, 'x'.repeat(64)],
      [{ encode: 'av1', keepTs: 'yes' }, 'keepTs'],
      [{ encode: 'mp3' }, 'encode'],
      [{ marginBefore: -1 }, 'marginBefore'],
      [{ marginBefore: 1.5 }, 'marginBefore'],
      [{ marginBefore: '5' }, 'marginBefore'],
      [{ conversions: 0 }, 'conversions'],
      [{ postalCode: '123' }, 'postalCode'],
      [{ prefecture: 51 }, 'prefecture'],
      [
        {
          recordingFolders: [
            { path: '/ok', floorBytes: 0 },
            { path: 'relative', floorBytes: 0 },
          ],
        },
        'recordingFolders.1.path',
      ],
      [{ recordingFolders: [{ path: '/a\0b', floorBytes: 0 }] }, 'recordingFolders.0.path'],
      [{ recordingFolders: [{ path: '/ok', floorBytes: 0, extra: 1 }] }, 'recordingFolders.0.extra'],
      [{ captionStyle: { scale: 9, font: 'rounded', background: 'none', ruby: true } }, 'captionStyle.scale'],
      [[], ''],
      [null, ''],
      ['text', ''],
      [5, ''],
    ] as const)
      expect([body, refused(settings, body)]).toEqual([body, path]);
    expect(published).toEqual([]);
  });

  test('stored values that are invalid in this version count as unset', () => {
    const store = new SettingStore(database);
    store.put(
      new Map<string, unknown>([
        ['encode', 'vp9'],
        ['fromTheFuture', { a: 1 }],
        ['keepTs', true],
      ]),
      wallMs(1),
    );
    database.run("INSERT INTO settings VALUES ('theme', 'no JSON', 0)");
    const settings = open();
    expect(settings.all()).toEqual({ ...settingDefaults({ gpu: false }), keepTs: true });
    expect(lines.join()).toContain('encode');
    // They stay in the file for a version that supports them.
    expect(store.all().get('fromTheFuture')).toEqual({ a: 1 });
  });

  test('a listener that throws does not affect others', () => {
    const settings = open();
    const calls: number[] = [];
    settings.onChange(() => {
      throw new Error('mine');
    });
    settings.onChange(() => calls.push(1));
    settings.change({ keepTs: true });
    expect(calls).toEqual([1]);
    expect(lines.join()).toContain('mine');
  });
});

describe('facts of the system', () => {
  test('a folder reports its space, a missing one that of its future file system', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-facts-'));
    const facts = await folderFacts({ role: 'data', path: folder, floorBytes: 7 });
    expect(facts.freeBytes).toBeGreaterThan(0);
    expect(facts.totalBytes).toBeGreaterThanOrEqual(facts.freeBytes ?? 0);
    expect(
      await folderFacts({ role: 'recordings', path: join(folder, 'a', 'b'), floorBytes: 0 }),
    ).toMatchObject({
      totalBytes: facts.totalBytes,
      problem: null,
    });
    writeFileSync(join(folder, 'file'), '');
    const wrong = await folderFacts({ role: 'recordings', path: join(folder, 'file', 'x'), floorBytes: 0 });
    expect(wrong.problem).toBe('フォルダーではありません');
    rmSync(folder, { recursive: true });
  });

  test('a missing database has no size', () => {
    expect(databaseBytes('/nonexistent/x.db')).toBe(0);
  });
});
