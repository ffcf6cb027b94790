/** `svc check`: checks everything that the service depends on, one result line each. Changes nothing. */
import { Database, constants as sqlite } from 'bun:sqlite';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Value } from '@sinclair/typebox/value';
import { BROADCAST_TYPES } from '../lib/arib/ids.ts';
import { JST_OFFSET_MS } from '../lib/arib/time.ts';
import { systemMonotonicClock, type WallClock } from '../lib/host/clock.ts';
import { childEnvironment } from '../lib/host/environment.ts';
import type { CheckLine, Log } from '../lib/host/log.ts';
import type { Tuner } from '../lib/wire/agent.ts';
import { type RecordingFolder, SETTING_SCHEMAS } from '../lib/wire/settings.ts';
import { BROADCAST_NAMES } from '../lib/wire/vocabulary.ts';
import { isClosed, opensEverything } from './access/access.ts';
import { LoginFailure, type OidcConfig } from './access/openid.ts';
import type { Config } from './config.ts';
import { Encoders } from './ffmpeg/encoders.ts';
import { readTls } from './http/tls-files.ts';
import { Failure } from './model/failure.ts';
import { FolderMounts, type MountMemory } from './record/folder-mounts.ts';
import { configuredFolders, type Folder, isFilling, isFull } from './record/folder-selection.ts';
import { FolderSpaces } from './record/folder-space.ts';
import { DATABASE_FILE } from './service.ts';
import { findCopied } from './store/data-folder.ts';
import { isLogOrphaned } from './store/database.ts';
import { TROUBLES, troubleOf } from './store/database-error.ts';
import { SCHEMA_VERSION } from './store/migrations.ts';
import { RecordingFolderStore } from './store/recording-folders.ts';
import { SettingStore } from './store/setting-store.ts';
import { AgentClient } from './tuner/agent-client.ts';

interface CheckOptions {
  config: Config;
  /** Value of PATH, to find programs. */
  searchPath: string;
  log: Log;
  now: WallClock;
}

const CLOCK_LIMIT_MS = 2_000;
const SYSTEMD_LIMIT_MS = 2_000;

/** A failed check. The message names the fault and the next step, in Japanese, for display. */
class CheckFailure extends Error {}

/** A string is the detail of a passed check; a note needs attention but is not a failure. */
type Finding = string | { readonly note: string };

/** Runs one check; an error becomes a line with state `bad`. */
async function line(what: string, look: () => Finding | Promise<Finding>): Promise<CheckLine> {
  try {
    const found = await look();
    if (typeof found === 'string') return { state: 'ok', what, detail: found };
    return { state: 'note', what, detail: found.note };
  } catch (error) {
    return { state: 'bad', what, detail: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CheckFailure) return message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = /^(EACCES|EPERM|EROFS)$/.test(code) ? '読み書きする権限がありません' : '確認できません';
  return `${reason}（${message}）`;
}

function describeConfiguration({ tls, port }: Config): string {
  try {
    if (tls !== null) readTls(tls);
  } catch (error) {
    throw new CheckFailure(`証明書を使えません（${error instanceof Error ? error.message : String(error)}）`);
  }
  return `${tls === null ? 'http' : 'https'}、ポート ${port}`;
}

/** The access configuration, in the order of evaluation. @throws CheckFailure if nobody can connect */
function describeAccess({ trustedNetworks, trustedProxies, oidc }: Config): Finding {
  if (isClosed({ trustedNetworks, hasLogin: oidc !== null })) {
    throw new CheckFailure(
      'だれも接続できません。TRUSTED_NETWORKS（例: 192.168.0.0/16）、または OIDC_ISSUER・OIDC_CLIENT_ID・' +
        'OIDC_CLIENT_SECRET を設定してください',
    );
  }
  const proxies = trustedProxies.isEmpty
    ? 'リバースプロキシはありません（X-Forwarded-For は無視します）'
    : `X-Forwarded-For を信頼するリバースプロキシ ${trustedProxies.text}`;
  if (opensEverything(trustedNetworks))
    return { note: `このアドレスに届くだれもがログインなしで使えます（0.0.0.0/0）。${proxies}` };
  const networks = trustedNetworks.isEmpty
    ? 'ログインなしで使えるネットワークはありません'
    : `ログインなしで使えるネットワーク ${trustedNetworks.text}`;
  return `登録した端末（トークン）。${networks}。${proxies}`;
}

/** Contacts the identity provider, so that a wrong address is found before the first login. */
async function describeLogin(config: OidcConfig, now: WallClock): Promise<string> {
  try {
    const { IdentityProvider } = await import('./access/identity-provider.ts');
    await new IdentityProvider(config, systemMonotonicClock, now).examine();
  } catch (error) {
    if (!(error instanceof LoginFailure)) throw error;
    throw new CheckFailure(
      `${config.issuer} に接続できません（${error.message}）。OIDC_ISSUER を確認してください`,
    );
  }
  const who = config.group === null ? 'ログインできる人全員' : `グループまたはロール「${config.group}」の人`;
  return `${config.issuer}、${who}。使用するホスト名ごとに https://<ホスト名>/login/callback を登録してください`;
}

/** Opens read-only. Without a WAL no process has the database open; `immutable` keeps SQLite from creating one. */
function openUntouched(path: string): Database {
  if (existsSync(`${path}-wal`)) return new Database(path, { readonly: true });
  const address = pathToFileURL(resolve(path));
  address.searchParams.set('immutable', '1');
  return new Database(address.href, sqlite.SQLITE_OPEN_READONLY | sqlite.SQLITE_OPEN_URI);
}

function describeDatabase(path: string): string {
  try {
    return examineDatabase(path);
  } catch (error) {
    const kind = troubleOf(error);
    if (kind === undefined || !(error instanceof Error)) throw error;
    throw new CheckFailure(`${path}: ${TROUBLES[kind].message}（${error.message}）`);
  }
}

function examineDatabase(path: string): string {
  if (isLogOrphaned(path)) {
    throw new CheckFailure(
      `${path} がないか空なのに、ログ ${path}-wal が残っています。svc.db と svc.db-wal を組で元に戻すか、` +
        '新しく始める場合はログを別の場所へ移してください',
    );
  }
  if (!existsSync(path)) return `${path}（最初の起動時に作成します）`;
  accessSync(path, constants.R_OK | constants.W_OK);
  const database = openUntouched(path);
  try {
    const row = database.query<{ user_version: number }, []>('PRAGMA user_version').get();
    const version = row?.user_version ?? 0;
    if (version > SCHEMA_VERSION) {
      throw new CheckFailure(
        `${path} は新しいバージョンのものです（スキーマ ${version}、このバージョンは ${SCHEMA_VERSION} まで）。svc を更新してください`,
      );
    }
    const problem = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get();
    if (problem !== null && problem.quick_check !== 'ok') {
      throw new CheckFailure(`${path}: ${TROUBLES.damaged.message}（${problem.quick_check}）`);
    }
    for (const { original, recordings } of findCopied(database, path)) {
      throw new CheckFailure(
        `${path} は ${original} の複製です。元のファイルがある間、その録画 ${recordings} 件は再生も続行も削除もしません。` +
          '引き継ぐには元のファイルを削除してください',
      );
    }
    return `${path}（スキーマ ${version}）`;
  } finally {
    database.close();
  }
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

/** Free space, and how much of it recordings may use. @throws CheckFailure if the disk is full */
function describeSpace(folder: Folder, freeBytes: number): string {
  const free = `空き ${gigabytes(freeBytes)}`;
  if (isFull(freeBytes)) {
    throw new CheckFailure(
      `${folder.path} に空き容量がありません（${free}）。不要な録画やファイルを削除してください`,
    );
  }
  if (folder.floorBytes === 0) return free;
  const floor = gigabytes(folder.floorBytes);
  return isFilling(folder, freeBytes)
    ? `${free}、確保する空き容量 ${floor} に達したため、ほかの保存先に録画します`
    : `${free}、うち ${floor} を確保`;
}

/** The folder must respond, be writable or creatable, and have free space. */
async function describeFolder(folder: Folder, spaces: FolderSpaces): Promise<string> {
  const { path } = folder;
  // The calls below would block on an unreachable network folder.
  const space = await spaces.of(path);
  if (space === undefined)
    throw new CheckFailure(
      `${path} が応答しません。ディスクや共有フォルダーが接続されているか確認してください`,
    );
  let existing = resolve(path);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) throw new CheckFailure(`${existing} はフォルダーではありません`);
  accessSync(existing, constants.W_OK | constants.X_OK);
  const made = existing === resolve(path) ? '' : '最初の起動時に作成します、';
  return `${path}（${made}${describeSpace(folder, space.freeBytes)}）`;
}

/**
 * `ReadWritePaths` of the systemd unit; undefined where svc is not run by systemd or not restricted. `check` itself
 * runs outside the unit, so its own permissions do not show this.
 */
async function unitWritePaths(searchPath: string): Promise<readonly string[] | undefined> {
  const program = Bun.which('systemctl', { PATH: searchPath });
  if (program === null) return undefined;
  const properties = ['-p', 'LoadState', '-p', 'ProtectSystem', '-p', 'ReadWritePaths'];
  const child = Bun.spawn([program, 'show', 'svc.service', ...properties], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: SYSTEMD_LIMIT_MS,
    env: childEnvironment(process.env),
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

/** A recording folder outside the data folder needs `ReadWritePaths` in the unit. @throws CheckFailure with that step */
function checkUnit(path: string, dataDir: string, writable: readonly string[] | undefined): void {
  if (writable === undefined) return;
  const inside = (folder: string): boolean =>
    resolve(path) === folder || resolve(path).startsWith(`${folder}/`);
  if ([resolve(dataDir), ...writable].some(inside)) return;
  throw new CheckFailure(
    `${path} に svc.service から書き込めません。systemctl edit svc で [Service] と ReadWritePaths=${path} の2行を加え、` +
      'ユーザー svc に書き込みを許可してから、svc を再起動してください',
  );
}

/** Whether the kernel reports a synchronised clock, as chrony, ntpd and systemd-timesyncd set it. Undefined: unknown. */
async function isSynchronised(searchPath: string): Promise<boolean | undefined> {
  const program = Bun.which('timedatectl', { PATH: searchPath });
  if (program === null) return undefined;
  const child = Bun.spawn([program, 'show', '-p', 'NTPSynchronized', '--value'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: CLOCK_LIMIT_MS,
    env: childEnvironment(process.env),
  });
  const text = (await new Response(child.stdout).text()).trim();
  await child.exited;
  return text === 'yes' ? true : text === 'no' ? false : undefined;
}

/** A wrong clock is a note, not a failure: recordings follow the broadcast's clock. */
async function describeClock({ searchPath, now }: CheckOptions): Promise<Finding> {
  const japan = new Date(now() + JST_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
  const synchronised = await isSynchronised(searchPath);
  if (synchronised === true) return `日本時間 ${japan}、同期しています`;
  const what = synchronised === false ? '同期していません' : '同期しているか分かりません';
  return { note: `日本時間 ${japan}、${what}。チャンネルを受信すると、録画は放送の時刻に従います` };
}

/** Distinguishes a wrong FFMPEG_PATH from a missing package. */
function whyNoFfmpeg(path: string | null): string {
  if (path === null) return 'PATH にありません。ffmpeg を入れるか FFMPEG_PATH を設定してください';
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    return `FFMPEG_PATH ${path} というファイルはありません。正しい値にするか、設定を外してください`;
  if (stat.isDirectory()) return `FFMPEG_PATH ${path} はフォルダーです。プログラムのパスを設定してください`;
  return `FFMPEG_PATH ${path} を ffmpeg として実行できません。正しい値にするか、設定を外してください`;
}

async function describeFfmpeg({ config, searchPath, log, now }: CheckOptions): Promise<string> {
  const encoders = new Encoders({ path: config.ffmpegPath ?? undefined, searchPath, log, now });
  try {
    encoders.start();
    const status = await encoders.settled();
    if (status.state !== 'ready') throw new CheckFailure(whyNoFfmpeg(config.ffmpegPath));
    const version = status.version ?? 'バージョン不明';
    return `${status.path}（${version}）、使えるエンコーダー ${status.usable.join('、') || 'なし'}`;
  } finally {
    await encoders.close();
  }
}

/** Number of tuners per broadcast type: how many channels can be recorded at the same time. */
function describeTuners(tuners: readonly Tuner[]): string {
  const enabled = tuners.filter(({ disabled }) => !disabled);
  if (enabled.length === 0) return '使えるチューナーがありません';
  const counts = BROADCAST_TYPES.map(
    (type) => `${BROADCAST_NAMES[type]} ${enabled.filter(({ types }) => types.includes(type)).length}`,
  );
  const faulty = enabled.filter(({ state }) => state === 'error').length;
  return `チューナー ${enabled.length} 台（${counts.join('、')}${faulty === 0 ? '' : `、うちエラー ${faulty}`}）`;
}

function describeChannels(count: number): string {
  return count === 0
    ? 'まだ局がありません。「チューナー」画面でチャンネルスキャンを行ってください'
    : `チャンネル ${count} 件`;
}

async function describeAgent(url: string): Promise<Finding> {
  try {
    const agent = new AgentClient(url);
    const [tuners, channels] = await Promise.all([agent.tuners(), agent.channels()]);
    const found = `${url}、${describeTuners(tuners)}、${describeChannels(channels.length)}`;
    const isWorking =
      channels.length > 0 && tuners.some(({ disabled, state }) => !disabled && state !== 'error');
    return isWorking ? found : { note: found };
  } catch (error) {
    if (error instanceof Failure) throw new CheckFailure(`${url}: ${error.message}`);
    throw error;
  }
}

/** Reads from the database; `otherwise` where that fails, which the line of the database reports. */
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

/** Additional recording folders from the settings. */
function furtherFolders(path: string): RecordingFolder[] {
  const read = (database: Database): RecordingFolder[] => {
    const folders = new SettingStore(database).all().get('recordingFolders');
    return Value.Check(SETTING_SCHEMAS.recordingFolders, folders) ? folders : [];
  };
  return fromDatabase(path, read, []);
}

/** Stored mount points of recording folders, to detect a disk that is not mounted. */
function mountMemory(path: string): MountMemory {
  const store = (database: Database): RecordingFolderStore => new RecordingFolderStore(database);
  return {
    mountOf: (folder) => fromDatabase(path, (database) => store(database).mountOf(folder), undefined),
    rememberMount: () => {},
    filesIn: (folder, most) => fromDatabase(path, (database) => store(database).filesIn(folder, most), []),
  };
}

/** Runs all checks concurrently; the lines have a fixed order. */
export function runChecks(options: CheckOptions): Promise<CheckLine[]> {
  const { config } = options;
  const { oidc } = config;
  const databasePath = join(config.dataDir, DATABASE_FILE);
  const spaces = new FolderSpaces(undefined, undefined, new FolderMounts(mountMemory(databasePath)));
  const folders = configuredFolders(config.recordingsDir, furtherFolders(databasePath));
  const writable = unitWritePaths(options.searchPath);
  return Promise.all([
    line('設定', () => describeConfiguration(config)),
    line('アクセス', () => describeAccess(config)),
    ...(oidc === null ? [] : [line('ログイン', () => describeLogin(oidc, options.now))]),
    line('データベース', () => describeDatabase(databasePath)),
    line('データの保存先', () => describeFolder({ path: config.dataDir, floorBytes: 0 }, spaces)),
    ...folders.map((folder) =>
      line('録画の保存先', async () => {
        const detail = await describeFolder(folder, spaces);
        checkUnit(folder.path, config.dataDir, await writable);
        return detail;
      }),
    ),
    line('時計', () => describeClock(options)),
    line('ffmpeg', () => describeFfmpeg(options)),
    line('svc-agent', () => describeAgent(config.agentUrl)),
  ]);
}
