/**
 * Card sharing between machines: network namespaces with cables, a router and a delay line between real
 * agents.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Card } from '../../lib/wire/agent.ts';
import { SVC_AGENT } from '../built-programs.ts';
import { scrambledStream } from '../scrambled-stream.ts';
import { until } from '../until.ts';
import { CardRig, cardRigMissing } from './card-rig.ts';
import { cable, Host, networkMissing, slowCable } from './network-home.ts';

const LISTENING = /listening host=\S+ port=(\d+)/;
const missing = cardRigMissing() ?? networkMissing();
if (missing !== undefined) console.warn(`tests of card sharing in a network are skipped: ${missing}`);

/** For peers of any round trip time within the reach of CARD_TTL=1. */
const PORT = 25260;
/** With CARD_TTL=2 and a limit of the round trip time; the stranger's network is not permitted. */
const STRICT_PORT = 25261;
const DELAY_MS = 25;
const CEILING_MS = 30;
const isLong = process.env.SVC_LONG === '1';
const GAP_MS = isLong ? 30_000 : 3_000;
const STREAM_MS = isLong ? 60_000 : 7_000;
const TAIL_BYTES = 188 * 500;

const STREAM = scrambledStream({
  programs: [{ number: 101, pmtPid: 0x1f0, ecmPid: 0x300, streams: [0x100, 0x110], seed: 1 }],
  periods: 8,
  rounds: 600,
});

class Machine {
  log = '';
  #child: Bun.Subprocess<'ignore', 'ignore', 'pipe'> | undefined;

  private constructor(
    readonly host: Host,
    private readonly ownsHost = true,
  ) {}

  static async start(): Promise<Machine> {
    return new Machine(await Host.start());
  }

  /** Another agent on the machine of a host; its owner closes the host. */
  static sharing(host: Host): Machine {
    return new Machine(host, false);
  }

  get url(): string {
    return `http://127.0.0.1:${LISTENING.exec(this.log)?.[1]}`;
  }

  async startAgent(folder: string, environment: Record<string, string>): Promise<void> {
    const child = Bun.spawn(this.host.on(...SVC_AGENT), {
      env: {
        PATH: process.env.PATH,
        AGENT_PORT: '0',
        TUNERS_FILE: join(folder, 'none.json'),
        CHANNELS_FILE: join(folder, 'none.json'),
        FAKE_TUNE: `${process.execPath} ${join(import.meta.dir, 'paced-file.ts')} ${folder}/scrambled.ts ${STREAM_MS} 6000`,
        FAKE_TUNERS: 'GR:1',
        PCSCLITE_CSOCK_NAME: '/nonexistent',
        ...environment,
      },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    });
    this.#child = child;
    const decoder = new TextDecoder();
    void (async () => {
      for await (const part of child.stderr) this.log += decoder.decode(part, { stream: true });
    })();
    await until('the agent listens', () => LISTENING.test(this.log));
  }

  async card(): Promise<Card> {
    const read = `console.log(await (await fetch('${this.url}/agent/card')).text())`;
    return JSON.parse(await this.host.run(process.execPath, '-e', read)) as Card;
  }

  /** Requests keys from a share port on this machine. @returns `keys` or the code of the failure */
  async ask(address: string, hops = 1): Promise<string> {
    const asker = join(import.meta.dir, 'share-asker.ts');
    return (await this.host.run(process.execPath, asker, `http://${address}`, String(hops))).trim();
  }

  async receive(folder: string): Promise<{ missing: number; whole: boolean; tail: boolean; card: Card }> {
    const receiver = join(import.meta.dir, 'share-receiver.ts');
    const clear = join(folder, 'clear.ts');
    return JSON.parse(
      await this.host.run(process.execPath, receiver, this.url, clear, String(TAIL_BYTES)),
    ) as Awaited<ReturnType<Machine['receive']>>;
  }

  async close(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#child?.exited;
    if (this.ownsHost) await this.host.close();
  }
}

describe.skipIf(missing !== undefined)('card sharing in a network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-share-network-'));
  const machines: Machine[] = [];
  let rig: CardRig;
  let endDelay: (() => Promise<void>) | undefined;
  let owner: Machine;
  let strict: Machine;
  let near: Machine;
  let second: Machine;
  let far: Machine;
  let slow: Machine;
  let stranger: Machine;

  const machine = async (): Promise<Machine> => {
    const one = await Machine.start();
    machines.push(one);
    return one;
  };

  beforeAll(async () => {
    writeFileSync(join(folder, 'scrambled.ts'), STREAM.scrambled);
    writeFileSync(join(folder, 'clear.ts'), STREAM.clear);
    rig = await CardRig.start();
    await rig.send('insert');
    owner = await machine();
    const router = await machine();
    [near, second, far, slow, stranger] = await Promise.all([
      machine(),
      machine(),
      machine(),
      machine(),
      machine(),
    ]);
    await cable(owner.host, 'near', ['10.77.1.1/24'], near.host, ['10.77.1.2/24', 'fd77::2/64']);
    await cable(owner.host, 'second', ['10.77.2.1/24', 'fd77::1/64'], second.host, [
      '10.77.2.2/24',
      'fd77::2/64',
    ]);
    await cable(owner.host, 'router', ['10.77.3.1/24'], router.host, ['10.77.3.2/24']);
    await cable(router.host, 'far', ['10.77.4.1/24'], far.host, ['10.77.4.2/24']);
    await cable(owner.host, 'strange', ['10.88.1.1/24'], stranger.host, ['10.88.1.2/24']);
    endDelay = await slowCable(owner.host, 'slow', ['10.77.5.1/24'], slow.host, ['10.77.5.2/24'], DELAY_MS);
    await router.host.run('sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward');
    await owner.host.ip('route add 10.77.4.0/24 via 10.77.3.2');
    await far.host.ip('route add default via 10.77.4.1');
    const card = { PCSCLITE_CSOCK_NAME: rig.socket };
    await owner.startAgent(folder, { ...card, CARD_SHARE_PORT: String(PORT) });
    // Another agent of the same machine, with the same card.
    strict = Machine.sharing(owner.host);
    machines.push(strict);
    await strict.startAgent(folder, {
      ...card,
      CARD_SHARE_PORT: String(STRICT_PORT),
      CARD_SHARE_NETWORKS: '10.77.0.0/16',
      CARD_TTL: '2',
      CARD_SHARE_MAX_RTT: String(CEILING_MS),
    });
  });

  afterAll(async () => {
    await endDelay?.();
    for (const one of machines.reverse()) await one.close();
    await rig?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test(`two receivers descramble with one card, also one that is disconnected for ${GAP_MS / 1_000} s`, async () => {
    await Promise.all([
      near.startAgent(folder, { CARD_URL: `http://10.77.1.1:${PORT}` }),
      second.startAgent(folder, { CARD_URL: `http://10.77.2.1:${PORT}` }),
    ]);
    const receiving = Promise.all([near.receive(folder), second.receive(folder)]);
    await until('both descramble', async () => ((await owner.card()).share?.peers.length ?? 0) === 2);
    await owner.host.ip('link set near down');
    await Bun.sleep(GAP_MS);
    await owner.host.ip('link set near up');
    const [cutOff, other] = await receiving;
    for (const { missing: rest, card } of [cutOff, other]) {
      expect(rest).toBeLessThan(2_000);
      expect(card).toMatchObject({ state: 'shared', failure: null });
    }
    expect(other).toMatchObject({ whole: true, card: { ecm: { failed: 0 } } });
    // Packets wait for their keys during the gap: a short one causes no loss.
    expect(cutOff).toMatchObject({ tail: true, ...(isLong ? {} : { whole: true }) });
    expect((await owner.card()).share?.peers.toSorted()).toEqual(['10.77.1.2', '10.77.2.2']);
  });

  test('a router is too far for CARD_TTL=1, and not for 2', async () => {
    const [one, two, ipv6] = await Promise.all([
      far.ask(`10.77.3.1:${PORT}`, 1),
      far.ask(`10.77.3.1:${STRICT_PORT}`, 2),
      second.ask(`[fd77::1]:${PORT}`, 1),
    ]);
    expect({ one, two, ipv6 }).toEqual({ one: 'no_answer', two: 'keys', ipv6: 'keys' });
  });

  test('a peer on a slow line, or of another network, is refused if configured so', async () => {
    const answers = await Promise.all([
      slow.ask(`10.77.5.1:${PORT}`),
      slow.ask(`10.77.5.1:${STRICT_PORT}`),
      near.ask(`10.77.1.1:${STRICT_PORT}`),
      stranger.ask(`10.88.1.1:${STRICT_PORT}`),
      stranger.ask(`10.88.1.1:${PORT}`),
    ]);
    expect(answers).toEqual(['keys', 'refused', 'keys', 'refused', 'keys']);
    const refused = (await strict.card()).share?.refused ?? [];
    const reasonOf = (peer: string): string | undefined => refused.find((one) => one.peer === peer)?.reason;
    const rtt = /^round-trip time ([\d.]+) ms exceeds/.exec(reasonOf('10.77.5.2') ?? '')?.[1];
    expect(Number(rtt)).toBeGreaterThanOrEqual(2 * DELAY_MS - 1);
    expect(reasonOf('10.88.1.2')).toContain('CARD_SHARE_NETWORKS');
    expect(refused).toHaveLength(2);
  });
});
