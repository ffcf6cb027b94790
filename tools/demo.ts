/**
 * `npm run demo`: the product on the synthetic broadcast. Makes what is missing (executables, the broadcaster's
 * films), starts agent and service, and prints one address when a browser can use it. Ctrl-C ends both.
 * `npm run dev` (`--watch`): the same, built and started again whenever a source changes.
 *
 * Its environment variables: `--help`.
 */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from '../build.ts';

const ROOT = join(import.meta.dir, '..');
const BUN = process.execPath;
const READY_TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 12_000;
/** Interval of looking for changed sources: some 20 ms for all of them. */
const WATCH_MS = 1_000;
/** Sources of the executables: newer ones cause a rebuild. */
const SOURCES = ['agent', 'assets', 'lib', 'src', 'tools', 'web', 'build.ts', 'package-lock.json'];

const interactive = process.stderr.isTTY === true;
let lineOpen = false;

/** Shows progress: on a terminal one line that is rewritten, elsewhere one line each. */
function progress(text: string): void {
  if (interactive) process.stderr.write(`\r\x1b[K${text}`);
  else process.stderr.write(`${text}\n`);
  lineOpen = interactive;
}

function say(text: string): void {
  if (lineOpen) process.stderr.write('\n');
  lineOpen = false;
  process.stderr.write(`${text}\n`);
}

class DemoError extends Error {}

function reasonOf(error: unknown): string {
  // Errors of the bundler, with file, line and the text there.
  if (error instanceof AggregateError) return error.errors.map((one) => Bun.inspect(one)).join('\n');
  return error instanceof DemoError ? error.message : String(error);
}

const HELP = `The product on a synthetic broadcast: builds it, starts agent and service, prints the address. Ctrl-C ends both.

Usage: npm run demo [-- --help]
       npm run dev: built and started again whenever a source changes

Environment:
  PORT              port of the service (25250)
  AGENT_PORT        port of the tuner agent (25252)
  DATA_DIR          database, recordings and channels of the demo (.demo); delete it for a first start
  FAKE_TUNERS       synthetic tuners (GR:4,BS+CS:4)
  FAKE_TUNE         another command whose output is the stream, instead of the synthetic broadcast
  CHANNELS_FILE     channels of the agent ($DATA_DIR/channels.json, made if it is missing)
  TUNERS_FILE       tuners of the agent ($DATA_DIR/tuners.json)
  TRUSTED_NETWORKS  clients admitted without login (this machine: 127.0.0.0/8,::1/128)
  TUNER_AGENT_URL   another agent (the one of the demo)
  BML_HOSTS         other servers of bidirectional data broadcasts (those of the demo)
  LOG_LEVEL         debug, info, warn, error, off (warn)
Every other variable reaches both programs: see dist/svc --help and dist/svc-agent --help.
`;

/** @returns the exit code if the arguments leave nothing to start */
function readArguments(args: readonly string[]): number | undefined {
  const unknown = args.filter((arg) => !['--help', '-h', '--watch'].includes(arg));
  if (unknown.length > 0) {
    say(`demo: unknown argument: ${unknown.join(' ')} (see --help)`);
    return 2;
  }
  if (!args.includes('--help') && !args.includes('-h')) return undefined;
  process.stdout.write(HELP);
  return 0;
}

function newestChange(path: string): number {
  if (!existsSync(path)) return 0;
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  let newest = 0;
  for (const file of new Bun.Glob('**/*').scanSync({ cwd: path, onlyFiles: true })) {
    newest = Math.max(newest, statSync(join(path, file)).mtimeMs);
  }
  return newest;
}

const newestSource = (): number => Math.max(...SOURCES.map((source) => newestChange(join(ROOT, source))));

const buildPrograms = (): Promise<void> =>
  build({
    out: join(ROOT, 'dist'),
    hostOnly: true,
    progress: (line) => progress(`ビルドしています: ${line}`),
  });

async function buildIfStale(): Promise<void> {
  const built = Math.min(
    ...['svc', 'svc-agent'].map((name) => {
      const path = join(ROOT, 'dist', name);
      return existsSync(path) ? statSync(path).mtimeMs : 0;
    }),
  );
  if (built <= newestSource()) await buildPrograms();
}

/** Resolves when a source was changed after `since`, epoch ms. */
async function sourceChange(since: number, signal: AbortSignal): Promise<'changed'> {
  while (!signal.aborted && newestSource() <= since) await Bun.sleep(WATCH_MS);
  return 'changed';
}

/** Builds until it succeeds: what does not compile is being written. @returns when it began, epoch ms */
async function buildAgain(signal: AbortSignal): Promise<number> {
  for (;;) {
    const began = Date.now();
    try {
      await buildPrograms();
      return began;
    } catch (error) {
      say(reasonOf(error));
      await sourceChange(began, signal);
      if (signal.aborted) return began;
    }
  }
}

/** Runs the preparation of the broadcaster and shows its `prepare done/total what` lines as progress. */
async function prepareBroadcast(signal: AbortSignal): Promise<void> {
  const child = Bun.spawn([BUN, join(ROOT, 'synth', 'main.ts'), '--prepare'], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    signal,
  });
  const decoder = new TextDecoder();
  let open = '';
  let other = '';
  for await (const chunk of child.stderr) {
    const lines = (open + decoder.decode(chunk, { stream: true })).split('\n');
    open = lines.pop() ?? '';
    for (const line of lines) {
      const step = line.match(/^prepare (\d+)\/(\d+) (.*)$/);
      if (step !== null) progress(`模擬放送の映像を用意しています: ${step[1]}/${step[2]} ${step[3]}`);
      else other = `${other}${line}\n`.slice(-2000);
    }
  }
  if ((await child.exited) !== 0 && !signal.aborted) {
    throw new DemoError(`模擬放送を用意できませんでした。\n${other}${open}`);
  }
}

/** Writes the channels of the scenario, so that a first start needs no scan. */
async function writeChannels(path: string): Promise<void> {
  if (existsSync(path)) return;
  const child = Bun.spawn([BUN, join(ROOT, 'synth', 'main.ts'), '--channels'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new DemoError('模擬放送のチャンネル一覧を作れませんでした。');
  writeFileSync(path, text);
}

/** The broadcaster's web servers. @returns the program and the hosts for `BML_HOSTS` */
async function startWeb(): Promise<{ web: Bun.Subprocess<'ignore', 'pipe', 'inherit'>; hosts: string }> {
  const web = Bun.spawn([BUN, join(ROOT, 'synth', 'web', 'main.ts')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let hosts = '';
  for await (const chunk of web.stdout) {
    hosts += new TextDecoder().decode(chunk);
    if (hosts.endsWith('\n')) return { web, hosts: hosts.trim() };
  }
  throw new DemoError('模擬放送の Web サーバーを起動できませんでした。');
}

type Child = Bun.Subprocess<'ignore', 'inherit', 'inherit'>;

function start(name: string, env: Record<string, string | undefined>): Child {
  return Bun.spawn([join(ROOT, 'dist', name)], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { LOG_LEVEL: 'warn', ...process.env, ...env },
  });
}

/** Waits until an address responds, or its program has ended. */
async function answers(url: string, name: string, child: Child): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    if (child.exitCode !== null)
      throw new DemoError(`${name} が起動直後に終了しました (上の行に理由があります)。`);
    try {
      await fetch(url, { signal: AbortSignal.timeout(1000) });
      return;
    } catch {
      if (Date.now() > deadline)
        throw new DemoError(`${name} が ${READY_TIMEOUT_MS / 1000} 秒以内に応答しません。`);
      await Bun.sleep(25);
    }
  }
}

async function end(child: Bun.Subprocess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null) return;
  child.kill('SIGTERM');
  const forced = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await child.exited;
  clearTimeout(forced);
}

const quote = (word: string): string => `"${word.replace(/["\\]/g, '\\$&')}"`;

/** Starts the programs and ends them. @returns when one of `ends` has resolved @throws DemoError if one ended by itself */
async function run(channels: string, dataDir: string, ends: readonly Promise<unknown>[]): Promise<void> {
  const port = process.env.PORT ?? '25250';
  const agentPort = process.env.AGENT_PORT ?? '25252';
  let agent: Child | undefined;
  let service: Child | undefined;
  let web: Bun.Subprocess | undefined;
  try {
    progress('チューナーとサービスを起動しています');
    const synth = `${quote(BUN)} ${quote(join(ROOT, 'synth', 'main.ts'))} --type {type} --channel {channel}`;
    agent = start('svc-agent', {
      AGENT_PORT: agentPort,
      CHANNELS_FILE: channels,
      TUNERS_FILE: process.env.TUNERS_FILE ?? join(dataDir, 'tuners.json'),
      FAKE_TUNE: process.env.FAKE_TUNE ?? synth,
    });
    await answers(`http://127.0.0.1:${agentPort}/agent/tuners`, 'svc-agent', agent);
    const started = await startWeb();
    web = started.web;
    service = start('svc', {
      BML_HOSTS: process.env.BML_HOSTS ?? started.hosts,
      PORT: port,
      DATA_DIR: dataDir,
      TRUSTED_NETWORKS: process.env.TRUSTED_NETWORKS ?? '127.0.0.0/8,::1/128',
      TUNER_AGENT_URL: process.env.TUNER_AGENT_URL ?? `http://127.0.0.1:${agentPort}`,
    });
    await answers(`http://127.0.0.1:${port}/api/health`, 'svc', service);
    say('準備ができました。次のアドレスをブラウザーで開いてください (終了は Ctrl-C):');
    console.log(`http://localhost:${port}/`);
    const died = await Promise.race([
      ...ends.map((one) => one.then(() => undefined)),
      agent.exited.then(() => 'svc-agent'),
      service.exited.then(() => 'svc'),
    ]);
    if (died !== undefined) throw new DemoError(`${died} が終了しました。`);
  } finally {
    await end(service);
    await end(agent);
    await end(web);
  }
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const asked = readArguments(args);
  if (asked !== undefined) return asked;
  const isWatching = args.includes('--watch');
  const stop = new AbortController();
  const { signal } = stop;
  const stopped = new Promise<void>((done) => signal.addEventListener('abort', () => done()));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      if (!signal.aborted) say('終了しています …');
      stop.abort();
    });

  const dataDir = resolve(ROOT, process.env.DATA_DIR ?? '.demo');
  try {
    mkdirSync(dataDir, { recursive: true });
    let builtAt = Date.now();
    await buildIfStale();
    if (!signal.aborted) await prepareBroadcast(signal);
    const channels = process.env.CHANNELS_FILE ?? join(dataDir, 'channels.json');
    if (!signal.aborted) await writeChannels(channels);
    while (!signal.aborted) {
      try {
        await run(channels, dataDir, isWatching ? [stopped, sourceChange(builtAt, signal)] : [stopped]);
      } catch (error) {
        if (!isWatching || signal.aborted) throw error;
        say(reasonOf(error));
        await sourceChange(builtAt, signal);
      }
      if (!signal.aborted) builtAt = await buildAgain(signal);
    }
    return 0;
  } catch (error) {
    if (signal.aborted) return 0;
    say(reasonOf(error));
    return 1;
  }
}

if (import.meta.main) process.exit(await main());
