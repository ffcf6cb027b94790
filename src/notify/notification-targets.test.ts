import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../store/database.ts';
import { NoticeStore } from '../store/notice-store.ts';
import { NotificationTargets } from './notification-targets.ts';

const BASE = 'https://svc.example/';
let folder: string;
let database: Database;
let store: NoticeStore;
let targets: NotificationTargets;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-targets-'));
  database = openDatabase(join(folder, 'svc.db'));
  store = new NoticeStore(database);
  targets = new NotificationTargets(store, () => {});
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

test('a secret stays with its server: a new address elsewhere needs it again', () => {
  const webhook = { kind: 'webhook', name: '試験' } as const;
  const gotify = targets.add(
    { ...webhook, format: 'gotify', url: 'https://home.example/a', secret: 'key' },
    BASE,
  );
  targets.change(gotify.id, { url: 'https://home.example/b' }, BASE);
  expect(store.target(gotify.id)?.secret).toBe('key');
  expect(() => targets.change(gotify.id, { url: 'https://other.example/b' }, BASE)).toThrow(
    'アクセストークン',
  );
  targets.change(gotify.id, { url: 'https://other.example/b', secret: 'new' }, BASE);
  expect(store.target(gotify.id)).toMatchObject({ url: 'https://other.example/b', secret: 'new' });

  const script = targets.add(
    { ...webhook, format: 'generic', url: 'https://home.example/', secret: 's' },
    BASE,
  );
  expect(targets.change(script.id, { url: 'https://other.example/' }, BASE).hasSecret).toBe(false);
});
