/** `svc check`: examines everything that the service depends on and prints a line about each. Changes nothing. */
import { Database, constants as sqlite } from 'bun:sqlite';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Value } from '@sinclair/typebox/value';
import { BROADCAST_TYPES } from '../arib/ids.ts';
import { JST_OFFSET_MS } from '../arib/time.ts';
import { systemMonotonicClock, type WallClock } from '../host/clock.ts';
import type { Log } from '../host/log.ts';
import type { Tuner } from '../wire/agent.ts';
import { type RecordingFolder, SETTING_SCHEMAS } from '../wire/settings.ts';
import { isClosed, NO_LOGIN_METHOD, opensEverything } from './access/access.ts';
import { IdentityProvider, type OidcConfig } from './access/identity-provider.ts';
import type { Config } from './config.ts';
import { Encoders } from './ffmpeg/encoders.ts';
import { readTls } from './http/tls-files.ts';
import { Failure } from './model/failure.ts';
import { FolderMounts, type MountMemory } from './record/folder-mounts.ts';
import { type Folder, isFilling, isFull, wishedFolders } from './record/folder-selection.ts';
import { FolderSpaces } from './record/folder-space.ts';
import { DATABASE_FILE } from './service.ts';
import { findCopied } from './store/data-folder.ts';
import { refuseOrphanedLog } from './store/database.ts';
import { TROUBLES, troubleOf } from './store/database-error.ts';
import { MIGRATIONS } from './store/migrations.ts';
import { RecordingFolderStore } from './store/recording-folders.ts';
import { SettingStore } from './store/setting-store.ts';
import { AgentClient } from './tuner/agent-client.ts';

interface CheckLine {
  what: string;
  ok: boolean;
  detail: string;
}

interface CheckOptions {
  config: Config;
  /** PATH. */
  searchPath: string;
  log: Log;
  /** Epoch ms. */
  now: WallClock;
}

const CLOCK_LIMIT_MS = 2_000;
const SYSTEMD_LIMIT_MS = 2_000;

/** A broken thing as a line instead of an error. */
async function line(what: string, look: () => string | Promise<string>): Promise<CheckLine> {
  try {
    return { what, ok: true, detail: await look() };
  } catch (error) {
    const kind = what === 'database' ? troubleOf(error) : undefined;
    const next = kind === undefined ? '' : `; ${TROUBLES[kind].next}`;
    return { what, ok: false, detail: `${error instanceof Error ? error.message : String(error)}${next}` };
  }
}

function describeConfiguration(config: Config): string {
  if (config.tls !== null) readTls(config.tls);
  return `${config.tls === null ? 'http' : 'https'}, port ${config.port}`;
}

/** Who is let in, in the order in which it is decided. */
function describeAccess({ trustedNetworks, trustedProxies, oidc }: Config): string {
  if (isClosed({ trustedNetworks, hasLogin: oidc !== null })) throw new Error(NO_LOGIN_METHOD);
  const proxies = trustedProxies.isEmpty
    ? 'no front proxy is trusted, X-Forwarded-For is ignored'
    : `X-Forwarded-For is believed of ${trustedProxies.text}`;
  const networks = opensEverything(trustedNetworks)
    ? 'EVERYONE who reaches this address is let in (0.0.0.0/0)'
    : trustedNetworks.isEmpty
      ? 'no network is let in without login'
      : `let in without login: ${trustedNetworks.text}`;
  return `paired devices by token; ${networks}; ${proxies}`;
}

/** Asks the provider, so that a wrong address is found before somebody stands outside. */
async function describeLogin(config: OidcConfig): Promise<string> {
  await new IdentityProvider(config, systemMonotonicClock).examine();
  const who = config.group === null ? 'everyone who can sign in' : `members or role "${config.group}"`;
  return `${config.issuer}: ${who}; register https://<host>/login/callback there for each host name in use`;
}

/** Without a log beside it no process has the database open; then none may be created either. */
function openUntouched(path: string): Database {
  if (existsSync(`${path}-wal`)) return new Database(path, { readonly: true });
  const address = pathToFileURL(resolve(path));
  address.searchParams.set('immutable', '1');
  return new Database(address.href, sqlite.SQLITE_OPEN_READONLY | sqlite.SQLITE_OPEN_URI);
}

function describeDatabase(path: string): string {
  refuseOrphanedLog(path);
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
    if (problem !== null && problem.quick_check !== 'ok') {
      throw new Error(`${path}: ${problem.quick_check}; ${TROUBLES.damaged.next}`);
    }
    for (const { original, recordings } of findCopied(database, path)) {
      throw new Error(
        `${path} is a copy of ${original}: the ${recordings} recordings of the original are not served, continued or ` +
          'deleted while that file exists; remove it to take them over',
      );
    }
    return `${path} (schema ${version})`;
  } finally {
    database.close();
  }
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

/** What is free, and what of it recordings may take. @throws Error when nothing more can be written */
function describeSpace(folder: Folder, freeBytes: number): string {
  const free = `${gigabytes(freeBytes)} free`;
  if (isFull(freeBytes)) throw new Error(`${folder.path} is full (${free}): make room`);
  if (folder.floorBytes === 0) return free;
  const floor = gigabytes(folder.floorBytes);
  return isFilling(folder, freeBytes)
    ? `${free}, at its floor of ${floor}: recordings go to a folder with more room`
    : `${free}, ${floor} of it stay free`;
}

/** The folder must answer, be writable, or be one that can be made, and have room. */
async function describeFolder(folder: Folder, spaces: FolderSpaces): Promise<string> {
  const { path } = folder;
  // A network folder that is away would hold up everything that is asked below.
  const space = await spaces.of(path);
  if (space === undefined) throw new Error(`${path} does not answer: is its disk or share there?`);
  let existing = resolve(path);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) throw new Error(`${existing} is not a folder`);
  accessSync(existing, constants.W_OK | constants.X_OK);
  const made = existing === resolve(path) ? '' : 'made at the first start, ';
  return `${path} (${made}${describeSpace(folder, space.freeBytes)})`;
}

/**
 * Paths that the unit of svc may write besides its own folders; undefined where it is not run by systemd. `check`
 * itself runs outside of the unit, so that its own rights say nothing of it.
 */
async function unitWritePaths(searchPath: string): Promise<readonly string[] | undefined> {
  const program = Bun.which('systemctl', { PATH: searchPath });
  if (program === null) return undefined;
  const properties = ['-p', 'LoadState', '-p', 'ProtectSystem', '-p', 'ReadWritePaths'];
  const child = Bun.spawn([program, 'show', 'svc.service', ...properties], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: SYSTEMD_LIMIT_MS,
  });
  const text = await new Response(child.stdout).text();
  await child.exited;
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
  if (value('LoadState') !== 'loaded' || value('ProtectSystem') !== 'strict') return undefined;
  return value('ReadWritePaths')
    .split(' ')
    .map((path) => path.replace(/^[-+]+/, ''))
    .filter((path) => path !== '');
}

/** A recording disk outside of the data folder needs one line in the unit. @throws Error with that step */
function checkUnit(path: string, dataDir: string, writable: readonly string[] | undefined): void {
  if (writable === undefined) return;
  const inside = (folder: string): boolean =>
    resolve(path) === folder || resolve(path).startsWith(`${folder}/`);
  if ([resolve(dataDir), ...writable].some(inside)) return;
  throw new Error(
    `${path} cannot be written by the unit svc.service: run \`systemctl edit svc\`, add the lines [Service] and ` +
      `ReadWritePaths=${path}, let the user svc write there, then restart svc`,
  );
}

/** What the system says of its clock: chrony, ntpd and systemd-timesyncd all tell the kernel. Undefined: nothing. */
async function isSynchronised(searchPath: string): Promise<boolean | undefined> {
  const program = Bun.which('timedatectl', { PATH: searchPath });
  if (program === null) return undefined;
  const child = Bun.spawn([program, 'show', '-p', 'NTPSynchronized', '--value'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: CLOCK_LIMIT_MS,
  });
  const text = (await new Response(child.stdout).text()).trim();
  await child.exited;
  return text === 'yes' ? true : text === 'no' ? false : undefined;
}

/** A wrong clock is told, not broken: recordings go by the broadcast's time. */
async function describeClock({ searchPath, now }: CheckOptions): Promise<string> {
  const japan = new Date(now() + JST_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
  const synchronised = await isSynchronised(searchPath);
  if (synchronised === true) return `${japan} in Japan, synchronised`;
  const what = synchronised === false ? 'not synchronised' : 'whether it is synchronised is not known';
  return `${japan} in Japan, ${what}: recordings go by the time of the broadcast once a channel was received`;
}

/** A FFMPEG_PATH that is wrong must not read as a missing package. */
function whyNoFfmpeg(path: string | null): string {
  if (path === null) return 'not found on PATH: install ffmpeg or set FFMPEG_PATH';
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return `FFMPEG_PATH ${path}: there is no such file; correct or remove it`;
  if (stat.isDirectory()) return `FFMPEG_PATH ${path} is a folder: name the program itself`;
  return `FFMPEG_PATH ${path} cannot be run as ffmpeg: correct or remove it`;
}

async function describeFfmpeg({ config, searchPath, log, now }: CheckOptions): Promise<string> {
  const encoders = new Encoders({ path: config.ffmpegPath ?? undefined, searchPath, log, now });
  try {
    encoders.start();
    const status = await encoders.settled();
    if (status.state !== 'ready') throw new Error(whyNoFfmpeg(config.ffmpegPath));
    return `${status.path} ${status.version ?? 'unknown version'}, encoders ${status.usable.join(' ') || 'none'}`;
  } finally {
    await encoders.close();
  }
}

/** How many programmes of a type can be recorded side by side. */
function describeTuners(tuners: readonly Tuner[]): string {
  const enabled = tuners.filter(({ disabled }) => !disabled);
  if (enabled.length === 0) return 'no tuners: nothing can be received';
  const counts = BROADCAST_TYPES.map(
    (type) => `${type} ${enabled.filter(({ types }) => types.includes(type)).length}`,
  );
  const faulty = enabled.filter(({ state }) => state === 'error').length;
  return `${enabled.length} tuners (${counts.join(', ')}${faulty === 0 ? '' : `; ${faulty} in error`})`;
}

function describeChannels(count: number): string {
  return count === 0 ? 'no channels: scan them in the settings' : `${count} channels`;
}

async function describeAgent(url: string): Promise<string> {
  try {
    const agent = new AgentClient(url);
    const [tuners, channels] = await Promise.all([agent.tuners(), agent.channels()]);
    return `${url}, ${describeTuners(tuners)}, ${describeChannels(channels.length)}`;
  } catch (error) {
    if (error instanceof Failure) throw new Error(`${url}: ${error.message}`);
    throw error;
  }
}

/** What the database says; the alternative where it cannot be read, which its own line tells. */
function fromDatabase<T>(path: string, read: (database: Database) => T, otherwise: T): T {
  if (!existsSync(path)) return otherwise;
  try {
    const database = openUntouched(path);
    try {
      return read(database);
    } finally {
      database.close();
    }
  } catch {
    return otherwise;
  }
}

/** Further folders that the settings name. */
function furtherFolders(path: string): RecordingFolder[] {
  const read = (database: Database): RecordingFolder[] => {
    const folders = new SettingStore(database).all().get('recordingFolders');
    return Value.Check(SETTING_SCHEMAS.recordingFolders, folders) ? folders : [];
  };
  return fromDatabase(path, read, []);
}

/** Where recording folders were mounted when they were used: a disk that is not there now is told. */
function mountMemory(path: string): MountMemory {
  const store = (database: Database): RecordingFolderStore => new RecordingFolderStore(database);
  return {
    mountOf: (folder) => fromDatabase(path, (database) => store(database).mountOf(folder), undefined),
    rememberMount: () => {},
    filesIn: (folder, most) => fromDatabase(path, (database) => store(database).filesIn(folder, most), []),
  };
}

/** Everything at once; the lines come in a fixed order. */
export function runChecks(options: CheckOptions): Promise<CheckLine[]> {
  const { config } = options;
  const { oidc } = config;
  const databasePath = join(config.dataDir, DATABASE_FILE);
  const spaces = new FolderSpaces(undefined, undefined, new FolderMounts(mountMemory(databasePath)));
  const folders = wishedFolders(config.recordingsDir, furtherFolders(databasePath));
  const writable = unitWritePaths(options.searchPath);
  return Promise.all([
    line('configuration', () => describeConfiguration(config)),
    line('access', () => describeAccess(config)),
    ...(oidc === null ? [] : [line('login', () => describeLogin(oidc))]),
    line('database', () => describeDatabase(databasePath)),
    line('data folder', () => describeFolder({ path: config.dataDir, floorBytes: 0 }, spaces)),
    ...folders.map((folder) =>
      line('recordings', async () => {
        const detail = await describeFolder(folder, spaces);
        checkUnit(folder.path, config.dataDir, await writable);
        return detail;
      }),
    ),
    line('clock', () => describeClock(options)),
    line('ffmpeg', () => describeFfmpeg(options)),
    line('agent', () => describeAgent(config.agentUrl)),
  ]);
}

export function formatCheck({ what, ok, detail }: CheckLine): string {
  return `${ok ? 'ok  ' : 'FAIL'}  ${what.padEnd(13)}  ${detail.replace(/\s*\n\s*/g, ' ')}`;
}
