/**
 * Runs the compiled agent with real device files inside the guest of the rig. Prints a line `RIG {…}` with the results
 * of each step; `test/rigs/tuners.test.ts` checks them.
 *
 *   bun scenario.ts AGENT-EXECUTABLE
 */
import { openSync, readFileSync, writeSync } from 'node:fs';
import type { DetectedDevices, Tuner } from '../../../lib/wire/agent.ts';
import { TUNER_HEADER } from '../../../lib/wire/vocabulary.ts';
import { numberedPackets, readNumbered } from '../../agent/packets.ts';
import { CusePx4 } from './cuse-px4.ts';
import { parameter, runSteps, setParameter, until } from './guest-tools.ts';

const [, , AGENT = ''] = process.argv;
const URL_BASE = 'http://127.0.0.1:25252/agent';
const FRONTEND = '/dev/dvb/adapter0/frontend0';

const DVB = { id: 'dvb', name: 'dvb', driver: 'dvb', device: FRONTEND, types: ['GR', 'BS', 'CS'], lnb: true };
const PX4_S = {
  id: 'px4s',
  name: 'px4s',
  driver: 'px4',
  device: '/dev/px4video0',
  types: ['BS', 'CS'],
  lnb: true,
};
const PX4_T = { id: 'px4t', name: 'px4t', driver: 'px4', device: '/dev/px4video2', types: ['GR'] };
const PT3_S = { id: 'pt3s', name: 'pt3s', driver: 'px4', device: '/dev/pt3video0', types: ['BS', 'CS'] };

const satellite = new CusePx4('px4video0');
const terrestrial = new CusePx4('px4video2');
const pt3 = new CusePx4('pt3video0');
const characterDevices = [satellite, terrestrial, pt3];

/** Bytes per second that every tuner receives: a terrestrial channel. */
let rate = 2_100_000;
let sent = 0;
const air = openSync('/dev/isdbsim', 'w');
const TICK_MS = 10;

setInterval(() => {
  for (const device of characterDevices) device.serve();
}, 2);
setInterval(() => {
  const count = Math.round((rate * TICK_MS) / 1000 / 188);
  const bytes = numberedPackets(sent, count, 'rig');
  sent += count;
  for (let at = 0; at < bytes.length; at += 188 * 256) {
    writeSync(air, bytes.subarray(at, Math.min(bytes.length, at + 188 * 256)));
  }
  for (const device of characterDevices) device.receive(bytes);
}, TICK_MS);

const tuners = async (): Promise<Tuner[]> => (await (await fetch(`${URL_BASE}/tuners`)).json()) as Tuner[];

async function tuner(id: string): Promise<Tuner> {
  const found = (await tuners()).find((one) => one.id === id);
  if (found === undefined) throw new Error(`no tuner ${id}`);
  return found;
}

async function define(...definitions: object[]): Promise<void> {
  const answer = await fetch(`${URL_BASE}/tuners`, { method: 'PUT', body: JSON.stringify(definitions) });
  if (!answer.ok) throw new Error(await answer.text());
}

class Stream {
  readonly parts: Uint8Array[] = [];
  bytes = 0;
  end: 'clean' | 'aborted' | undefined;
  readonly #abort = new AbortController();

  private constructor(
    readonly firstByteMs: number,
    readonly tunerId: string,
    response: Response,
    abort: AbortController,
  ) {
    this.#abort = abort;
    void this.#read(response);
  }

  static async open(query: string): Promise<Stream> {
    const abort = new AbortController();
    const startedAt = performance.now();
    const response = await fetch(`${URL_BASE}/stream?${query}`, { signal: abort.signal });
    if (!response.ok) throw new Error(((await response.json()) as { message: string }).message);
    const tunerId = response.headers.get(TUNER_HEADER) ?? '';
    return new Stream(Math.round(performance.now() - startedAt), tunerId, response, abort);
  }

  async atLeast(bytes: number): Promise<void> {
    const wanted = this.bytes + bytes;
    await until(`${bytes} further bytes`, () => this.bytes >= wanted || undefined);
  }

  /** Number of received packets, and of missing packets between them. */
  packets(): { received: number; lost: number } {
    const { numbers } = readNumbered(Buffer.concat(this.parts));
    const span = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1;
    return { received: numbers.length, lost: span - numbers.length };
  }

  async leave(): Promise<void> {
    this.#abort.abort();
    await until(
      'a tuner without users',
      async () => (await tuner(this.tunerId)).users.length === 0 || undefined,
    );
  }

  async #read(response: Response): Promise<void> {
    try {
      for await (const part of response.body ?? []) {
        this.parts.push(part);
        this.bytes += part.length;
      }
      this.end = 'clean';
    } catch {
      this.end = 'aborted';
    }
  }
}

const failureOf = (query: string): Promise<string> =>
  Stream.open(query).then(
    () => 'it was received',
    (error: Error) => error.message,
  );

/** Waits until the device is closed: a tuning lingers for some seconds after its last reader. */
async function idle(): Promise<void> {
  await until(
    'closed devices',
    async () => (await tuners()).every(({ state }) => state === 'idle' || state === 'error') || undefined,
  );
}

function startAgent(...prefix: string[]): Bun.Subprocess<'ignore', 'inherit', 'inherit'> {
  return Bun.spawn([...prefix, AGENT], {
    env: {
      ...process.env,
      TUNERS_FILE: '/mnt/tuners.json',
      CHANNELS_FILE: '/mnt/channels.json',
      TUNE_TIMEOUT: '3000',
      LOG_LEVEL: 'warn',
    },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  });
}

async function ready(): Promise<void> {
  await until('an agent that answers', () =>
    fetch(`${URL_BASE}/tuners`).then(
      (answer) => answer.ok || undefined,
      () => undefined,
    ),
  );
}

const STEPS: Record<string, () => Promise<object>> = {
  detection: async () => {
    const devices = await until('detected devices', async () => {
      const answer = (await (await fetch(`${URL_BASE}/devices`)).json()) as DetectedDevices;
      return answer.devices.length < 4 ? undefined : answer.devices;
    });
    const list = await until('a tuner of each', async () => {
      const found = await tuners();
      return found.length < 4 ? undefined : found;
    });
    return { devices, tuners: list.map(({ name, device, types, rank }) => ({ name, device, types, rank })) };
  },
  'an adapter that comes and goes without configuration': async () => {
    const stateOf = async (): Promise<[string, number | null] | undefined> => {
      const found = (await tuners()).find(({ device }) => device === FRONTEND);
      return found === undefined ? undefined : [found.state, found.rank];
    };
    setParameter('plugged', '0');
    const gone = await until('a tuner without a device', async () => {
      const state = await stateOf();
      return state?.[0] === 'error' ? state : undefined;
    });
    setParameter('plugged', '1');
    const back = await until('the tuner again', async () => {
      const state = await stateOf();
      return state?.[0] === 'idle' ? state : undefined;
    });
    return { gone, back };
  },
  'terrestrial by DVB': async () => {
    await define(DVB);
    const stream = await Stream.open('type=GR&channel=T27');
    await stream.atLeast(4_000_000);
    const { signal, stats } = await tuner('dvb');
    await stream.leave();
    const findings = { ...stream.packets(), firstByteMs: stream.firstByteMs, signal, stats };
    return { ...findings, frequency: parameter('tuned_frequency'), voltage: parameter('voltage') };
  },
  'satellite by DVB': async () => {
    const stream = await Stream.open('type=BS&channel=BS15_0');
    await stream.atLeast(2_000_000);
    const powered = parameter('voltage');
    const tuned = ['tuned_frequency', 'tuned_stream', 'tuned_system'].map(parameter);
    await stream.leave();
    const voltage = await until('an antenna without power', () =>
      parameter('voltage') === '2' ? '2' : undefined,
    );
    return { ...stream.packets(), firstByteMs: stream.firstByteMs, powered, tuned, voltage };
  },
  'a tuning that is shared and taken over': async () => {
    const first = await Stream.open('type=GR&channel=T27&priority=3&use=first');
    const second = await Stream.open('type=GR&channel=T27&priority=0&use=second');
    await Promise.all([first.atLeast(1_000_000), second.atLeast(1_000_000)]);
    const users = (await tuner('dvb')).users.map(({ use }) => use);
    const taking = await Stream.open('type=BS&channel=BS15_0&priority=9&use=third');
    await taking.atLeast(1_000_000);
    const ends = [first.end, second.end];
    await taking.leave();
    await idle();
    const lost = [first, second, taking].map((stream) => stream.packets().lost);
    return { users, ends, lost, retuneMs: taking.firstByteMs };
  },
  'every tuner at once': async () => {
    await define(DVB, PX4_S, PX4_T, PT3_S);
    rate = 1_000_000;
    const streams = await Promise.all(
      ['type=GR&channel=T27', 'type=GR&channel=T28', 'type=BS&channel=BS15_0', 'type=CS&channel=CS04'].map(
        (query) => Stream.open(query),
      ),
    );
    await Promise.all(streams.map((stream) => stream.atLeast(5_000_000)));
    const overflows = (await tuners()).map(({ stats }) => stats?.overflows);
    const status = readFileSync(`/proc/${agent.pid}/status`, 'utf8');
    const megabytes = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
    for (const stream of streams) await stream.leave();
    rate = 2_100_000;
    await idle();
    await define(DVB);
    // Counting takes seconds in the emulator, in which nothing would be broadcast.
    const lost = streams.map((stream) => stream.packets().lost);
    for (const device of characterDevices) device.log.length = 0;
    return { lost, overflows, megabytes };
  },
  'no signal by DVB': async () => {
    setParameter('signal_at', '1');
    const message = await failureOf('type=GR&channel=T27');
    const { state } = await tuner('dvb');
    setParameter('signal_at', '0');
    return { message, state };
  },
  'overflow of the ring buffer': async () => {
    const stream = await Stream.open('type=GR&channel=T27');
    await stream.atLeast(1_000_000);
    rate = 12_000_000;
    agent.kill('SIGSTOP');
    await Bun.sleep(3_000);
    agent.kill('SIGCONT');
    rate = 2_100_000;
    const { overflows } = await until('a counted overflow', async () => {
      const { stats } = await tuner('dvb');
      return (stats?.overflows ?? 0) > 0 ? { overflows: stats?.overflows } : undefined;
    });
    await stream.atLeast(2_000_000);
    const findings = { overflows, end: stream.end ?? 'running' };
    await stream.leave();
    await idle();
    return findings;
  },
  'a frontend in use': async () => {
    const holder = Bun.spawn(['bash', '-c', `exec 3<>${FRONTEND}; echo open; exec sleep 60`], {
      stdout: 'pipe',
    });
    await holder.stdout.getReader().read();
    const message = await failureOf('type=GR&channel=T27');
    const { state } = await tuner('dvb');
    holder.kill();
    await holder.exited;
    const back = await until(
      'the tuner again',
      async () => (await tuner('dvb')).state === 'idle' || undefined,
    );
    return { message, state, back };
  },
  'an adapter that is unplugged': async () => {
    const stream = await Stream.open('type=GR&channel=T27');
    await stream.atLeast(1_000_000);
    setParameter('plugged', '0');
    const end = await until('the end of the stream', () => stream.end);
    const gone = await until('a tuner without a device', async () => {
      const { state, rank, error } = await tuner('dvb');
      return state === 'error' && rank === null ? error : undefined;
    });
    setParameter('plugged', '1');
    await until('the tuner again', async () => (await tuner('dvb')).state === 'idle' || undefined);
    const again = await Stream.open('type=GR&channel=T27');
    await again.atLeast(1_000_000);
    await again.leave();
    await idle();
    return { end, gone, ...again.packets() };
  },
  'terrestrial by px4': async () => {
    await define(PX4_T);
    const stream = await Stream.open('type=GR&channel=T27');
    await stream.atLeast(4_000_000);
    const { signal } = await tuner('px4t');
    await stream.leave();
    const findings = { ...stream.packets(), firstByteMs: stream.firstByteMs, signal };
    await until('a closed device', () => !terrestrial.isOpen || undefined);
    return { ...findings, log: terrestrial.log.splice(0) };
  },
  'satellite by px4 and pt3': async () => {
    await define(PX4_S);
    const first = await Stream.open('type=BS&channel=BS15_0');
    await first.atLeast(500_000);
    await first.leave();
    await idle();
    await define(PT3_S);
    const second = await Stream.open('type=BS&channel=BS15_0');
    await second.atLeast(500_000);
    await second.leave();
    await idle();
    await until('closed devices', () => (!satellite.isOpen && !pt3.isOpen) || undefined);
    return { px4: satellite.log.splice(0), pt3: pt3.log.splice(0) };
  },
  'a px4 that loses its signal': async () => {
    await define(PX4_T);
    const stream = await Stream.open('type=GR&channel=T27');
    await stream.atLeast(500_000);
    terrestrial.hasSignal = false;
    const end = await until('the end of the stream', () => stream.end);
    await until('a closed device', () => !terrestrial.isOpen || undefined);
    const message = await failureOf('type=GR&channel=T27');
    terrestrial.hasSignal = true;
    const again = await Stream.open('type=GR&channel=T27');
    await again.atLeast(500_000);
    await again.leave();
    await idle();
    return { end, message, ...again.packets() };
  },
  'a px4 in use': async () => {
    const holder = Bun.spawn(['bash', '-c', 'exec 3</dev/px4video2; echo open; exec sleep 60'], {
      stdout: 'pipe',
    });
    await holder.stdout.getReader().read();
    const message = await failureOf('type=GR&channel=T27');
    holder.kill();
    await holder.exited;
    return { message };
  },
  'a px4 that is gone': async () => {
    await until('a free tuner', async () => (await tuner('px4t')).state === 'idle' || undefined);
    const stream = await Stream.open('type=GR&channel=T27');
    await stream.atLeast(500_000);
    terrestrial.remove();
    const end = await until('the end of the stream', () => stream.end);
    const reason = await until('the reason', async () => (await tuner('px4t')).error ?? undefined);
    return { end, reason, state: (await tuner('px4t')).state };
  },
  'without permission': async () => {
    agent.kill();
    await agent.exited;
    agent = startAgent('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups');
    await ready();
    const devices = await until('detected devices', async () => {
      const answer = (await (await fetch(`${URL_BASE}/devices`)).json()) as DetectedDevices;
      return answer.devices.length > 0 ? answer.devices : undefined;
    });
    return { problems: devices.map(({ device, problem }) => [device, problem?.code, problem?.message]) };
  },
};

await until('character devices', () => {
  try {
    readFileSync('/sys/class/cuse/pt3video0/dev');
    return true;
  } catch {
    return undefined;
  }
});
let agent = startAgent();
await ready();
await runSteps(STEPS);
agent.kill();
await agent.exited;
process.exit(0);
