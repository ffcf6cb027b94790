/** Files and folders that the programs make when started by hand with the most generous umask: no other user can read them. */
import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';

const ROOT = join(import.meta.dir, '..', '..');
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-modes-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a program with umask 0. @returns its port, which it logs */
async function start(main: string, environment: Record<string, string>): Promise<number> {
  const child = Bun.spawn(['sh', '-c', 'umask 0; exec "$@"', 'sh', process.execPath, join(ROOT, main)], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  ends.push(async () => {
    child.kill();
    await child.exited;
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of child.stderr) {
    text += decoder.decode(bytes, { stream: true });
    const port = /listening .*?(?:port=|:)(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`ended: ${text}`);
}

/** Path and mode of everything below a folder, the folder itself included. */
function modes(folder: string): [path: string, mode: string][] {
  const entries = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })];
  return entries.map((path) => [path, (statSync(join(folder, path)).mode & 0o777).toString(8)]);
}

const isPrivate = ([, mode]: [string, string]): boolean => (Number.parseInt(mode, 8) & 0o027) === 0;

test('of svc: database, logos and recording folder', async () => {
  const data = join(newFolder(), 'data');
  await start('src/main.ts', {
    DATA_DIR: data,
    PORT: '0',
    HOST: '127.0.0.1',
    TUNER_AGENT_URL: 'http://127.0.0.1:1',
  });
  await until('the recording folder is made', () => existsSync(join(data, 'recordings')) || undefined);
  const found = modes(data);
  expect(found.filter((one) => !isPrivate(one))).toEqual([]);
  expect(Object.fromEntries(found)).toMatchObject({ '': '750', recordings: '750', 'svc.db': '600' });
});

test('of svc-agent: its tables', async () => {
  const config = join(newFolder(), 'config');
  const port = await start('agent/main.ts', {
    ...{ AGENT_PORT: '0', FAKE_TUNE: 'true', FAKE_TUNERS: 'GR:1' },
    ...{ TUNERS_FILE: join(config, 'tuners.json'), CHANNELS_FILE: join(config, 'channels.json') },
  });
  const body = JSON.stringify([{ type: 'GR', channel: 'T27', tsid: null, networkId: null, stations: [] }]);
  const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body };
  expect((await fetch(`http://127.0.0.1:${port}/agent/channels`, init)).status).toBe(200);
  const found = modes(config);
  expect(found.map(([path]) => path)).toContain('channels.json');
  expect(found.filter((one) => !isPrivate(one))).toEqual([]);
});
