/** `svc check`: looks at everything that the service stands on and says a line about each. Changes nothing. */
import { Database, constants as sqlite } from 'bun:sqlite';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Value } from '@sinclair/typebox/value';
import type { Log } from '../host/log.ts';
import { type RecordingFolder, SETTING_SCHEMAS } from '../wire/settings.ts';
import type { Config } from './config.ts';
import { Encoders } from './ffmpeg/encoders.ts';
import { readTls } from './http/server.ts';
import { Failure } from './model/failure.ts';
import { DATABASE_FILE } from './service.ts';
import { MIGRATIONS } from './store/migrations.ts';
import { SettingStore } from './store/settings.ts';
import { AgentClient } from './tuner/agent-client.ts';

export interface CheckLine {
  what: string;
  ok: boolean;
  detail: string;
}

export interface CheckOptions {
  config: Config;
  /** PATH. */
  searchPath: string;
  log: Log;
  /** Epoch ms. */
  now: () => number;
}

/** A broken thing as a line instead of an error. */
async function line(what: string, look: () => string | Promise<string>): Promise<CheckLine> {
  try {
    return { what, ok: true, detail: await look() };
  } catch (error) {
    return { what, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

function describeConfiguration(config: Config): string {
  if (config.tls !== null) readTls(config.tls);
  if (config.trustedNetworks.isEmpty) {
    throw new Error('no login method: set TRUSTED_NETWORKS, otherwise everything is refused');
  }
  const scheme = config.tls === null ? 'http' : 'https';
  return `${scheme}, port ${config.port}, trusted networks ${config.trustedNetworks.text}`;
}

/** Without a log beside it nobody has the database open: then none is made either, even where one could be. */
function openUntouched(path: string): Database {
  if (existsSync(`${path}-wal`)) return new Database(path, { readonly: true });
  const address = pathToFileURL(resolve(path));
  address.searchParams.set('immutable', '1');
  return new Database(address.href, sqlite.SQLITE_OPEN_READONLY | sqlite.SQLITE_OPEN_URI);
}

function describeDatabase(path: string): string {
  if (!existsSync(path)) return `${path} (made at the first start)`;
  accessSync(path, constants.R_OK | constants.W_OK);
  const database = openUntouched(path);
  try {
    const row = database.query<{ user_version: number }, []>('PRAGMA user_version').get();
    const version = row?.user_version ?? 0;
    if (version > MIGRATIONS.length) {
      throw new Error(
        `${path} is from a newer version (schema ${version}, this one knows ${MIGRATIONS.length})`,
      );
    }
    const problem = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get();
    if (problem !== null && problem.quick_check !== 'ok') throw new Error(`${path}: ${problem.quick_check}`);
    return `${path} (schema ${version})`;
  } finally {
    database.close();
  }
}

/** The folder must be writable, or be one that can be made. */
function describeFolder(path: string): string {
  let existing = resolve(path);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) throw new Error(`${existing} is not a folder`);
  accessSync(existing, constants.W_OK | constants.X_OK);
  const { bavail, bsize } = statfsSync(existing);
  const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB free`;
  return existing === resolve(path) ? `${path} (${free})` : `${path} (made at the first start, ${free})`;
}

async function describeFfmpeg({ config, searchPath, log, now }: CheckOptions): Promise<string> {
  const encoders = new Encoders({ path: config.ffmpegPath ?? undefined, searchPath, log, now });
  try {
    encoders.start();
    const status = await encoders.settled();
    if (status.state !== 'ready') throw new Error('not found: install ffmpeg or set FFMPEG_PATH');
    return `${status.path} ${status.version ?? 'unknown version'}, encoders ${status.usable.join(' ') || 'none'}`;
  } finally {
    await encoders.close();
  }
}

async function describeAgent(url: string): Promise<string> {
  try {
    const agent = new AgentClient(url);
    const [tuners, channels] = await Promise.all([agent.tuners(), agent.channels()]);
    return `${url}, ${tuners.length} tuners, ${channels.length} channels`;
  } catch (error) {
    if (error instanceof Failure) throw new Error(`${url}: ${error.message}`);
    throw error;
  }
}

/** Further folders that the settings name; none where they cannot be read, which the database's line tells. */
function furtherFolders(path: string): RecordingFolder[] {
  if (!existsSync(path)) return [];
  try {
    const database = openUntouched(path);
    try {
      const folders = new SettingStore(database).all().get('recordingFolders');
      return Value.Check(SETTING_SCHEMAS.recordingFolders, folders) ? folders : [];
    } finally {
      database.close();
    }
  } catch {
    return [];
  }
}

/** Everything at once; the lines come in a fixed order. */
export function runChecks(options: CheckOptions): Promise<CheckLine[]> {
  const { config } = options;
  const databasePath = join(config.dataDir, DATABASE_FILE);
  return Promise.all([
    line('configuration', () => describeConfiguration(config)),
    line('database', () => describeDatabase(databasePath)),
    line('data folder', () => describeFolder(config.dataDir)),
    line('recordings', () => describeFolder(config.recordingsDir)),
    ...furtherFolders(databasePath).map(({ path }) => line('recordings', () => describeFolder(path))),
    line('ffmpeg', () => describeFfmpeg(options)),
    line('agent', () => describeAgent(config.agentUrl)),
  ]);
}

export function formatCheck({ what, ok, detail }: CheckLine): string {
  return `${ok ? 'ok  ' : 'FAIL'}  ${what.padEnd(13)}  ${detail.replace(/\s*\n\s*/g, ' ')}`;
}
