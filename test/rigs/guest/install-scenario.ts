/**
 * The README's install section in a booted Debian: its commands, word for word, then what a household does next. Prints a
 * line `RIG {…}` with the results of each step; `test/rigs/install.test.ts` checks them.
 *
 *   bun install-scenario.ts FOLDER
 *
 * FOLDER holds `dist` with the executables, `systemd`, `install.sh` and `channel.ts`, a terrestrial channel of the broadcast.
 */
import { openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Channel } from '../../../lib/wire/agent.ts';
import { runSteps, scanTerrestrial, setParameter, until } from './guest-tools.ts';

const [, , FOLDER = ''] = process.argv;
/** An address in the network that the README trusts. */
const ADDRESS = '192.168.1.2';
const SERVICE_URL = `http://${ADDRESS}:25250/api`;
const PACKET = 188;
const TICK_MS = 10;
const RATE = 1_500_000;
/** UHF channel 27, the only one with a signal. */
const T27_HERTZ = '557142857';
const SLOW_MS = 300_000;
const WATCHED_BYTES = 500_000;
const UNITS = ['svc-agent', 'svc'];

const air = openSync('/dev/isdbsim', 'w');
const source = readFileSync(join(FOLDER, 'channel.ts'));
let sentAt = 0;
setInterval(() => {
  const wanted = Math.floor((RATE * TICK_MS) / 1000 / PACKET) * PACKET;
  writeSync(air, source.subarray(sentAt, sentAt + wanted));
  sentAt = sentAt + wanted >= source.length ? 0 : sentAt + wanted;
}, TICK_MS);
setParameter('signal_at', T27_HERTZ);

const read = async <T>(path: string): Promise<T> =>
  (await (await fetch(`${SERVICE_URL}/${path}`)).json()) as T;
const answers = (): Promise<boolean> =>
  fetch(`${SERVICE_URL}/health`).then(
    (answer) => answer.ok,
    () => false,
  );

/** @returns its output and exit code */
async function command(...words: string[]): Promise<{ text: string; code: number }> {
  const child = Bun.spawn(words, { cwd: FOLDER, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { text: `${out}${problems}`, code: await child.exited };
}

const mainPid = async (unit: string): Promise<string> =>
  (await command('systemctl', 'show', '-P', 'MainPID', unit)).text.trim();

async function rightsOf(unit: string): Promise<object> {
  const status = readFileSync(`/proc/${await mainPid(unit)}/status`, 'utf8');
  const [user, capabilities, filter] = ['Uid', 'CapEff', 'Seccomp'].map(
    (name) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1],
  );
  return { user, capabilities, filter };
}

await runSteps({
  install: async () => {
    await command('ip', 'address', 'add', `${ADDRESS}/24`, 'dev', 'lo');
    return command('bash', join(FOLDER, 'install.sh'));
  },
  'the units': async () => {
    await until('a service that answers', answers, SLOW_MS);
    const states = await Promise.all(
      UNITS.map(async (unit) => (await command('systemctl', 'is-active', unit)).text.trim()),
    );
    return { states, agent: await rightsOf('svc-agent'), service: await rightsOf('svc') };
  },
  'svc-agent check': () => command('svc-agent', 'check'),
  'svc check': () => command('svc', 'check'),
  'a channel scan': async () => {
    await until('a service with tuners', async () => (await read<unknown[]>('tuners')).length > 0, SLOW_MS);
    const scan = await scanTerrestrial(SERVICE_URL);
    const channels = (await read<Channel[]>('channels')).filter(({ type }) => type === 'GR');
    return { state: scan.state, channels };
  },
  'live television': async () => {
    const [station] = await until(
      'stations',
      async () => {
        const found = await read<{ id: number }[]>('services');
        return found.length > 0 ? found : undefined;
      },
      SLOW_MS,
    );
    const abort = new AbortController();
    const path = `${SERVICE_URL}/services/${station?.id}/live?codec=raw`;
    const response = await fetch(path, { signal: abort.signal });
    if (!response.ok) throw new Error(await response.text());
    let bytes = 0;
    let unsynced = 0;
    for await (const part of response.body ?? []) {
      if (bytes % PACKET === 0 && part[0] !== 0x47) unsynced += 1;
      bytes += part.length;
      if (bytes > WATCHED_BYTES) break;
    }
    abort.abort();
    return { bytes, unsynced };
  },
  'a restart': async () => {
    const before = await mainPid('svc');
    const { code } = await command('systemctl', 'restart', 'svc');
    await until('a service that answers', answers, SLOW_MS);
    const stations = await read<{ type: string }[]>('services');
    const terrestrial = stations.filter(({ type }) => type === 'GR').length;
    return { code, isAnother: (await mainPid('svc')) !== before, terrestrial };
  },
});
process.exit(0);
