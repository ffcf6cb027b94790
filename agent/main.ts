/** The executable `svc-agent`: environment, command line and signals around `startAgent`. */
import { systemWallClock } from '../lib/host/clock.ts';
import { ConfigError, type Environment } from '../lib/host/environment.ts';
import { keepFilesPrivate } from '../lib/host/files.ts';
import { LICENSES } from '../lib/host/licenses.ts';
import { createLog } from '../lib/host/log.ts';
import { VERSION } from '../lib/host/version.ts';
import { type RunningAgent, startAgent } from './agent.ts';
import { CardReader } from './card/card-reader.ts';
import { runCheck, runImport, unitEnvironment } from './commands.ts';
import { type AgentConfig, readAgentConfig } from './config.ts';

const HELP = `svc-agent ${VERSION}: tunes and shares the household's tuners over HTTP

Usage: svc-agent [check | import-mirakurun | --version | --licenses | --help]

  check               check tuners, permissions, card and channels; exit 1 if any is broken
  import-mirakurun [--dry-run] [--replace] [FOLDER]
                      import tuners.yml and channels.yml of Mirakurun; their commands are not run

Environment:
  AGENT_HOST, AGENT_PORT    listen address and port (127.0.0.1, 25252)
  AGENT_NETWORKS            permitted clients, addresses and ranges, comma-separated (127.0.0.0/8,::1/128)
  ALLOWED_HOSTS             further host names of the agent, comma-separated
  TUNERS_FILE               tuner definitions (/config/tuners.json)
  CHANNELS_FILE             channel definitions (/config/channels.json)
  FAKE_TUNE                 command whose output is the stream; {type} {channel} {tsid} are replaced
  FAKE_TUNERS               tuners without a tuners file under FAKE_TUNE (GR:4,BS+CS:4)
  CARD_URL                  keys from another agent's share port instead of a card: http://address:port
  CARD_SHARE_PORT           share this machine's card with other agents on this port (off)
  CARD_SHARE_NETWORKS       clients that may get keys; only loopback, private and link-local networks
  CARD_TTL                  hop limit of key exchange, 1 to 8 (1)
  CARD_SHARE_MAX_RTT        peers with a longer round trip are refused, in ms (no limit)
  TUNE_TIMEOUT              timeout from tuning to the first packets, in ms (5000)
  LOG_LEVEL                 debug, info, warn, error, off (info)
`;

/** One second less than the 10 s within which the process must have ended. */
const SHUTDOWN_LIMIT_MS = 9_000;

function fail(message: string): never {
  process.stderr.write(`svc-agent: ${message}\n`);
  process.exit(1);
}

function configOrExit(environment: () => Environment): AgentConfig {
  try {
    return readAgentConfig(environment());
  } catch (error) {
    if (error instanceof ConfigError) fail(`bad configuration\n${error.message}`);
    throw error;
  }
}

/** Beside this entry: compiled executables only find workers there. */
function startCardWorker(): Worker {
  return new Worker(new URL('./card.worker.ts', import.meta.url));
}

/** Why listening failed, with the setting to change. */
function startFailure(error: unknown, config: AgentConfig): string {
  const code = (error as { code?: unknown }).code;
  const at = `${config.host}:${config.port}`;
  if (code === 'EADDRINUSE') return `port ${config.port} is in use (${at}): set AGENT_PORT or end the other`;
  if (code === 'EACCES') return `not allowed to listen on ${at}: set AGENT_PORT to one above 1023`;
  const message = error instanceof Error ? error.message : String(error);
  const isListening = (error as { syscall?: unknown }).syscall === 'listen';
  if (isListening) return `AGENT_HOST ${config.host} is no address of this machine (${message})`;
  return `cannot start on ${at}: ${message}`;
}

async function main(arguments_: readonly string[]): Promise<void> {
  const [first, ...rest] = arguments_;
  if (rest.length === 0 && first === '--version') {
    process.stdout.write(`svc-agent ${VERSION}\n`);
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
  const unit = (): Environment => unitEnvironment(process.env);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  if (rest.length === 0 && first === 'check')
    process.exit(await runCheck(configOrExit(unit), startCardWorker, print));
  if (first === 'import-mirakurun') process.exit(await runImport(configOrExit(unit), rest, print));
  if (first !== undefined) fail(`unknown argument: ${arguments_.join(' ')} (see --help)`);
  const config = configOrExit(() => process.env);
  keepFilesPrivate();
  // The reader of the log may exit; tuners and their users must survive that.
  process.stderr.on('error', () => {});
  const log = createLog(
    { level: config.logLevel, now: systemWallClock, write: (line) => process.stderr.write(line) },
    'agent',
  );
  let agent: RunningAgent;
  try {
    agent = await startAgent({
      ...config,
      environment: process.env,
      log,
      card: {
        ...config.card,
        reader: new CardReader({
          startWorker: startCardWorker,
          log: log.component('card'),
        }),
      },
      startDeviceWorker: () => new Worker(new URL('./device.worker.ts', import.meta.url)),
      timing: { syncMs: config.tuneTimeoutMs },
    });
  } catch (error) {
    fail(startFailure(error, config));
  }
  log.info('listening', { host: config.host, port: agent.port, version: VERSION });
  let stopping = false;
  // A second signal must not kill the agent while it ends its commands: they would continue to run.
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info('stopping', { signal });
    setTimeout(() => process.exit(0), SHUTDOWN_LIMIT_MS).unref();
    void agent.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
}

// Not awaited here: a bundle in a format with bytecode has no await at its top level.
void main(process.argv.slice(2));
