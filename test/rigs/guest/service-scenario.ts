/**
 * The README's install section from a plugged-in tuner to stations, inside the guest of the rig, with the compiled
 * programs and the agent with the rights of its unit: `svc-agent check`, a scrambled channel with the card daemon and
 * an emulated card, a card that is removed and inserted, and the channel scan of the service. Prints a line `RIG {…}`
 * with the results of each step; `test/rigs/service.test.ts` checks them.
 *
 *   bun service-scenario.ts FOLDER
 *
 * FOLDER holds `svc`, `svc-agent`, `scrambled.ts`, `clear.ts` and `channel.ts`, a terrestrial channel of the broadcast.
 */
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Card, Channel, Tuner } from '../../../lib/wire/agent.ts';
import { runSteps, scanTerrestrial, setParameter, until } from './guest-tools.ts';

const [, , FOLDER = ''] = process.argv;
const AGENT = join(FOLDER, 'svc-agent');
const AGENT_URL = 'http://127.0.0.1:25252/agent';
const SERVICE_URL = 'http://127.0.0.1:25250/api';
const PACKET = 188;
const TICK_MS = 10;
const RATE = 1_500_000;
/** UHF channel 27, the only one with a signal. */
const T27_HERTZ = '557142857';

const air = openSync('/dev/isdbsim', 'w');
let source = readFileSync(join(FOLDER, 'scrambled.ts'));
let sentAt = 0;
setInterval(() => {
  const wanted = Math.floor((RATE * TICK_MS) / 1000 / PACKET) * PACKET;
  const part = source.subarray(sentAt, sentAt + wanted);
  sentAt = sentAt + wanted >= source.length ? 0 : sentAt + wanted;
  writeSync(air, part);
}, TICK_MS);

const read = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;
const tuner = async (): Promise<Tuner | undefined> => (await read<Tuner[]>(`${AGENT_URL}/tuners`))[0];
const answers = (url: string): (() => Promise<boolean>) => {
  return () =>
    fetch(url).then(
      (answer) => answer.ok,
      () => false,
    );
};

function start(environment: Record<string, string>, ...command: string[]): Bun.Subprocess {
  return Bun.spawn(command, {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...environment },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  });
}

/**
 * A user without a name or rights, like the dynamic user of the unit; its only group is that of tuner
 * devices.
 */
const USER = 64_000;
const VIDEO = Number(/^video:[^:]*:(\d+):/m.exec(readFileSync('/etc/group', 'utf8'))?.[1]);
const AS_THE_UNIT = [
  ...['setpriv', `--reuid=${USER}`, `--regid=${USER}`, `--groups=${VIDEO}`],
  ...['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
  'env',
];
/** Sets the permissions that Debian's udev rules would set, because udev does not run here. */
for (const name of ['frontend0', 'demux0', 'dvr0']) {
  chownSync(`/dev/dvb/adapter0/${name}`, 0, VIDEO);
  chmodSync(`/dev/dvb/adapter0/${name}`, 0o660);
}
mkdirSync('/mnt/svc-agent');
chownSync('/mnt/svc-agent', USER, USER);

const AGENT_ENVIRONMENT = {
  TUNERS_FILE: '/mnt/svc-agent/tuners.json',
  CHANNELS_FILE: '/mnt/svc-agent/channels.json',
  TUNE_TIMEOUT: '1000',
};

/** The card daemon with a virtual reader and a card controlled by lines on its input. */
class GuestCard {
  #output = '';
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;

  constructor() {
    mkdirSync('/mnt/card/sock', { recursive: true });
    mkdirSync('/run/pcscd', { recursive: true });
    const program = join(import.meta.dir, '..', '..', 'agent', 'emulated-card.ts');
    const child = Bun.spawn([process.execPath, program, '/mnt/card'], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    this.#child = child;
    void (async () => {
      const decoder = new TextDecoder();
      for await (const part of child.stdout) this.#output += decoder.decode(part, { stream: true });
    })();
  }

  async send(line: string): Promise<void> {
    const before = this.#output.split(`done ${line}\n`).length;
    this.#child.stdin.write(`${line}\n`);
    this.#child.stdin.flush();
    await until(`the card does: ${line}`, () => this.#output.split(`done ${line}\n`).length > before);
  }

  close(): void {
    this.#child.kill();
  }
}

const card = new GuestCard();
let received: Uint8Array[] = [];
let bytes = 0;
const abort = new AbortController();

async function receive(): Promise<void> {
  const response = await fetch(`${AGENT_URL}/stream?type=GR&channel=T27&use=rig`, { signal: abort.signal });
  if (!response.ok) throw new Error(await response.text());
  void (async () => {
    for await (const part of response.body ?? []) {
      received.push(part);
      bytes += part.length;
    }
  })().catch(() => {});
}

async function further(count: number): Promise<void> {
  const wanted = bytes + count;
  await until(`${count} further bytes`, () => bytes >= wanted);
}

/** Number of packets received since the last call that differ from the unscrambled original, in order. */
function differing(): { packets: number; different: number } {
  const clear = readFileSync(join(FOLDER, 'clear.ts'));
  const ring = Buffer.concat([clear, clear]);
  const all = Buffer.concat(received);
  received = [];
  const first = all.subarray(0, 64 * PACKET);
  const from = ring.indexOf(first);
  const count = Math.floor(all.length / PACKET);
  if (from < 0) return { packets: count, different: count };
  let different = 0;
  for (let index = 0; index < count; index += 1) {
    const at = (from + index * PACKET) % clear.length;
    const packet = all.subarray(index * PACKET, (index + 1) * PACKET);
    if (packet.compare(clear, at, at + PACKET) !== 0) different += 1;
  }
  return { packets: count, different };
}

function startAgent(more: Record<string, string> = {}): Bun.Subprocess {
  const variables = Object.entries({ ...AGENT_ENVIRONMENT, LOG_LEVEL: 'warn', ...more });
  return start({}, ...AS_THE_UNIT, ...variables.map(([name, value]) => `${name}=${value}`), AGENT);
}

let agent = startAgent();
await until('an agent that answers', answers(`${AGENT_URL}/tuners`));

await runSteps({
  check: async () => {
    await card.send('insert');
    await until('a card', async () => (await read<Card>(`${AGENT_URL}/card`)).state === 'ready');
    const child = Bun.spawn([AGENT, 'check'], {
      env: { PATH: process.env.PATH, ...AGENT_ENVIRONMENT },
      stdout: 'pipe',
    });
    const text = await new Response(child.stdout).text();
    return { text, code: await child.exited };
  },
  'a scrambled channel': async () => {
    const asked = performance.now();
    await receive();
    await until('the first bytes', () => bytes > 0);
    const firstByteMs = Math.round(performance.now() - asked);
    await until('a descrambled stream', async () => (await tuner())?.descrambled);
    await further(4_000_000);
    const { stats, descrambling } = (await tuner()) ?? {};
    const status = readFileSync(`/proc/${agent.pid}/status`, 'utf8');
    const rights = ['Uid', 'Groups', 'CapEff'].map((name) =>
      new RegExp(`${name}:\\s*(.*)`).exec(status)?.[1]?.trim(),
    );
    return { ...differing(), firstByteMs, stats, descrambling, rights };
  },
  'a card that is removed': async () => {
    await card.send('remove');
    const failure = await until('the missing card', async () => {
      const { state, failure: code } = (await tuner())?.descrambling ?? {};
      return state === 'scrambled' ? code : undefined;
    });
    await card.send('insert');
    await until('a descrambled stream', async () => (await tuner())?.descrambled);
    // Data received before the card was back is ignored.
    await further(300_000);
    received = [];
    bytes = 0;
    await further(2_000_000);
    abort.abort();
    return { failure, ...differing() };
  },
  'a channel scan': async () => {
    agent.kill();
    await agent.exited;
    source = readFileSync(join(FOLDER, 'channel.ts'));
    sentAt = 0;
    setParameter('signal_at', T27_HERTZ);
    agent = startAgent({ TUNE_TIMEOUT: '500' });
    const service = start(
      { DATA_DIR: '/mnt/svc', HOST: '127.0.0.1', TRUSTED_NETWORKS: '127.0.0.0/8' },
      join(FOLDER, 'svc'),
    );
    await until('a service that answers', answers(`${SERVICE_URL}/health`));
    await until('a service with tuners', answers(`${SERVICE_URL}/tuners`));
    const scan = await scanTerrestrial(SERVICE_URL);
    const channels = (await read<Channel[]>(`${SERVICE_URL}/channels`)).filter(({ type }) => type === 'GR');
    const stored = JSON.parse(readFileSync('/mnt/svc-agent/channels.json', 'utf8')) as Channel[];
    service.kill();
    await service.exited;
    return {
      state: scan.state,
      done: scan.done,
      channels,
      stored: stored.filter(({ type }) => type === 'GR'),
    };
  },
});
card.close();
agent.kill();
await agent.exited;
process.exit(0);
