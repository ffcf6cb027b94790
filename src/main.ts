/** The executable `svc`: environment, command line and signals around `startService`. */
import { existsSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { systemMonotonicClock, systemWallClock } from '../lib/host/clock.ts';
import { elapsedClock } from '../lib/host/elapsed.ts';
import { ConfigError, withEnvironmentFile } from '../lib/host/environment.ts';
import { keepFilesPrivate } from '../lib/host/files.ts';
import { LICENSES } from '../lib/host/licenses.ts';
import { createLog, formatCheck, type Log, SILENT_LOG } from '../lib/host/log.ts';
import { systemRandom } from '../lib/host/random.ts';
import { VERSION } from '../lib/host/version.ts';
import { runChecks } from './check.ts';
import { type Config, readConfig } from './config.ts';
import { DATABASE_FILE, type RunningService, startService } from './service.ts';
import { recoverDatabase } from './store/recover.ts';
import {
  startBackgroundWorker,
  startDatabaseWorker,
  startGuideWorker,
  startReceptionWorker,
  startScheduleWorker,
} from './workers.ts';

const HELP = `svc ${VERSION}: watch and record television in the household

Usage: svc [check | recover | --version | --licenses | --help]

  check       check configuration, access control, database, folders, clock, ffmpeg and agent; exit 1 if any is broken
  recover     copy the readable part of a damaged database into a new one; svc must be stopped
              both also read /etc/svc/svc.env, as the systemd unit does
  --licenses  print the licenses of all included software

Environment:
  HOST, PORT                    listen address and port (all addresses, 25250)
  TLS_CERT, TLS_KEY             PEM files for https
  TUNER_AGENT_URL               the tuner agent (http://127.0.0.1:25252)
  DATA_DIR                      database and other data of svc (/var/lib/svc)
  RECORDINGS_DIR                the first recording folder ($DATA_DIR/recordings)
  FFMPEG_PATH, FFPROBE_PATH     ffmpeg and ffprobe (from PATH)
  TRUSTED_NETWORKS              clients admitted without login: addresses and ranges, comma-separated
  OIDC_ISSUER                   OpenID Connect provider for logins
  OIDC_CLIENT_ID, OIDC_CLIENT_SECRET  client credentials registered at the provider
  OIDC_GROUP                    only members of this group or holders of this role pass (everyone who can sign in)
  OIDC_SESSION_TTL              lifetime of a login, in ms (2592000000)
  ALLOWED_HOSTS                 further host names of svc, comma-separated (.example.net: a whole domain)
  TRUSTED_PROXIES               front proxies whose X-Forwarded-For, -Host and -Prefix are trusted
  MIRAKURUN_HOST                address of MIRAKURUN_PORT (as HOST)
  MIRAKURUN_PORT                port of the Mirakurun-compatible interface ("default": 40772); off without it
  MIRAKURUN_SOCKET              Unix socket of that interface
  HDHR_PORT                     port of the HDHomeRun-compatible interface ("default": 5004); off without it
  HDHOMERUN_DISCOVERY_PORT      UDP port of its discovery (65001)
  CHANNEL_SYNC_INTERVAL         interval of reading stations from the agent, in ms (60000)
  SERVICE_FORGET_AFTER          a station missing for this long is forgotten, in ms (1800000)
  EPG_COLLECT_INTERVAL          interval between guide collection runs, in ms (1800000)
  EPG_CHANNEL_INTERVAL          a guide older than this is read again, in ms (21600000)
  EPG_CHANNEL_RETRY             pause before a channel is visited again, in ms (7200000)
  EPG_MIN_COVERAGE              a guide that reaches less far ahead is read again, in ms (259200000)
  EPG_SWEEP_SETTLE              reading time before completeness is judged, in ms (60000)
  EPG_CHANNEL_TIMEOUT           the longest visit of a channel, in ms (600000)
  RULE_RETRACT_GRACE            a reservation this close to its start is kept although its rule no longer matches, in ms (3600000)
  RECONCILE_INTERVAL            interval of the retention check, in ms (60000)
  NOTIFY_COMMAND                program that is run for notices, with EPGStation's environment names
  NOTIFY_PRIVATE                1: notices may be sent to addresses of the home (0)
  BML_DNS                       name servers for bidirectional data broadcasts, address[:port],… (the system's)
  BML_HOSTS                     tests and demonstrations only: hosts of data broadcasts at fixed addresses of any network, name=address:port,…
  LOG_LEVEL                     debug, info, warn, error, off (info)
`;

/** The process must exit within 10 s; leaves one second of them. */
const SHUTDOWN_LIMIT_MS = 9_000;

function fail(message: string): never {
  process.stderr.write(`svc: ${message}\n`);
  process.exit(1);
}

/** Environment file of the systemd unit (`systemd/svc.service`). */
const UNIT_FILE = '/etc/svc/svc.env';

/**
 * @param checking report errors in the format of `svc check`: a line on stdout, in Japanese except for quotations
 * @param readUnitFile for a command that runs beside the service: also read the environment file of its unit
 */
function configOrExit({ checking, readUnitFile }: { checking: boolean; readUnitFile: boolean }): Config {
  try {
    return readConfig(readUnitFile ? withEnvironmentFile(process.env, UNIT_FILE) : process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (!checking) fail(`bad configuration\n${error.message}`);
    const detail = error.problems.join('; ');
    process.stdout.write(`${formatCheck({ state: 'bad', what: '設定', detail })}\n`);
    process.exit(1);
  }
}

/** The built UI: embedded in a compiled executable, else `dist/web` of the project. */
function findWebDir(): string | null {
  const folders = [join(import.meta.dir, 'web'), join(import.meta.dir, '..', 'dist', 'web')];
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null;
}

/** Why starting failed, and the variable to change. */
function startFailure(error: unknown, config: Config): string {
  const code = (error as { code?: unknown }).code;
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'EADDRINUSE') return `port ${config.port} is in use: set PORT or end the other program`;
  if (code === 'EACCES' && config.port > 0 && config.port < 1024) {
    return `not allowed to listen on port ${config.port}: set PORT to one above 1023`;
  }
  const isListening = (error as { syscall?: unknown }).syscall === 'listen';
  if (isListening && config.host !== null)
    return `HOST ${config.host} is no address of this machine (${message})`;
  return `cannot start: ${message}`;
}

async function check(config: Config): Promise<never> {
  const lines = await runChecks({
    config,
    searchPath: process.env.PATH ?? '',
    log: SILENT_LOG,
    now: systemWallClock,
  });
  for (const line of lines) process.stdout.write(`${formatCheck(line)}\n`);
  process.exit(lines.some(({ state }) => state === 'bad') ? 1 : 0);
}

/** Checked before a recovery: a running service would keep writing to the file that is moved aside. */
async function isRunning({ port, tls }: Config): Promise<boolean> {
  const url = `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}/api/health`;
  const answer = await fetch(url, {
    signal: AbortSignal.timeout(2_000),
    tls: { rejectUnauthorized: false },
  }).catch(() => undefined);
  return answer?.ok === true;
}

async function recover(config: Config): Promise<never> {
  if (await isRunning(config)) fail('svc が動いています。先に停止してください');
  const path = join(config.dataDir, DATABASE_FILE);
  const aside = `${path}-damaged-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`;
  try {
    for (const { table, rows, isDamaged } of recoverDatabase(path, aside).tables) {
      const detail = `${rows} 件${isDamaged ? '、ほかは失われました' : ''}`;
      process.stdout.write(`${formatCheck({ state: isDamaged ? 'bad' : 'ok', what: table, detail })}\n`);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fail(
      `${path} から何も取り出せません（${reason}）。バックアップから戻すか、別の場所へ移して空の状態から始めてください`,
    );
  }
  process.stdout.write(
    `壊れたデータベースは ${aside} に移しました。すべて元どおりになるまで残してください\n`,
  );
  process.exit(0);
}

/** Resolves with the first SIGTERM or SIGINT. A second one has its default action: it kills the process. */
function endSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}

async function end(service: RunningService, signal: string, log: Log): Promise<never> {
  log.info('stopping', { signal });
  setTimeout(() => process.exit(0), SHUTDOWN_LIMIT_MS).unref();
  try {
    await service.close();
  } catch (error) {
    log.error('shutdown failed', { error: String(error) });
  }
  process.exit(0);
}

async function main(arguments_: readonly string[]): Promise<void> {
  const [first, ...rest] = arguments_;
  if (rest.length === 0 && first === '--version') {
    process.stdout.write(`svc ${VERSION}\n`);
    return;
  }
  if (rest.length === 0 && first === '--licenses') {
    process.stdout.write(LICENSES);
    return;
  }
  if (rest.length === 0 && first === '--help') {
    process.stdout.write(HELP);
    return;
  }
  const checking = rest.length === 0 && first === 'check';
  const recovering = rest.length === 0 && first === 'recover';
  if (first !== undefined && !checking && !recovering)
    fail(`unknown argument: ${arguments_.join(' ')} (see --help)`);
  const config = configOrExit({ checking, readUnitFile: checking || recovering });
  if (checking) await check(config);
  if (recovering) await recover(config);
  keepFilesPrivate();
  // A closed log pipe must not end the process, and with it recordings and viewers.
  process.stderr.on('error', () => {});
  const log = createLog(
    { level: config.logLevel, now: systemWallClock, write: (line) => process.stderr.write(line) },
    'svc',
  );
  // Registered before the start, so that a signal during it is handled afterwards.
  const ended = endSignal();
  let service: RunningService;
  try {
    service = await startService({
      config,
      log,
      now: systemWallClock,
      elapsed: elapsedClock(systemMonotonicClock, uptime),
      monotonic: systemMonotonicClock,
      searchPath: process.env.PATH ?? '',
      random: systemRandom,
      webDir: findWebDir(),
      startReceptionWorker,
      startGuideWorker,
      startScheduleWorker,
      startBackgroundWorker,
      startDatabaseWorker,
    });
  } catch (error) {
    fail(startFailure(error, config));
  }
  await end(service, await ended, log);
}

// Not awaited here: a bundle in a format with bytecode has no await at its top level.
void main(process.argv.slice(2));
