/**
 * The air player: plays broadcasts to any number of tunings, each a process of `tune.sh` that is connected by TCP and
 * costs next to nothing. One timer paces all of them.
 */
import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { MediaCache } from '../media/cache.ts';
import { BroadcastAir } from './broadcast-air.ts';
import type { ChannelName, Programming } from './messages.ts';
import type { Ending, Tuning } from './tuning.ts';

/** Time between two steps: what a tuning receives at once. */
const STEP_MS = 25;
/** A request is one short line. */
const MAX_LINE = 200;
/** Endings that no process has asked for yet; one does so at once, unless it was killed. */
const MAX_ENDINGS = 256;

interface Connection {
  line: string;
  closed: boolean;
  tuning?: Tuning;
  leave?: () => void;
}

type Socket = Bun.Socket<Connection>;

interface AirSlot {
  put: (air: BroadcastAir) => void;
  air: Promise<BroadcastAir>;
  current: BroadcastAir | undefined;
}

export class Player {
  readonly #airs = new Map<number, AirSlot>();
  /** By process id of the tuning. */
  readonly #endings = new Map<string, Ending>();
  readonly #server: Bun.TCPSocketListener<Connection>;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly cache: MediaCache) {
    this.#server = Bun.listen<Connection>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (socket) => {
          socket.data = { line: '', closed: false };
        },
        data: (socket, bytes) => this.#read(socket, bytes),
        drain: ({ data }) => data.tuning?.flush(),
        close: ({ data }) => {
          data.closed = true;
          data.leave?.();
        },
        error: (socket) => void socket.end(),
      },
    });
  }

  get port(): number {
    return this.#server.port;
  }

  /** Makes the missing films. @returns the channels @throws the error of the scenario or its media */
  async prepare(scenario: string): Promise<BroadcastAir['channels']> {
    return (await this.#open({ scenario, faults: null, maxLagSec: 0, speed: 1 })).channels;
  }

  async #open(programming: Programming): Promise<BroadcastAir> {
    const air = new BroadcastAir(programming, this.cache, () => performance.now());
    await air.prepare();
    return air;
  }

  /** Puts a broadcast on the air, in place of the one with this number. @throws like `prepare` */
  async put(number: number, programming: Programming): Promise<BroadcastAir> {
    const air = await this.#open(programming);
    const slot = this.#slot(number);
    slot.current?.end();
    slot.current = air;
    slot.put(air);
    slot.air = Promise.resolve(air);
    return air;
  }

  /** @throws Error if it was never put */
  air(number: number): BroadcastAir {
    const air = this.#airs.get(number)?.current;
    if (air === undefined) throw new Error(`nothing is on the air under ${number}`);
    return air;
  }

  end(number: number): void {
    this.#airs.get(number)?.current?.end();
    this.#airs.delete(number);
  }

  #slot(number: number): AirSlot {
    const known = this.#airs.get(number);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<BroadcastAir>();
    const slot: AirSlot = { air: promise, put: resolve, current: undefined };
    this.#airs.set(number, slot);
    return slot;
  }

  #read(socket: Socket, bytes: Uint8Array): void {
    const connection = socket.data;
    connection.line += new TextDecoder().decode(bytes);
    const end = connection.line.indexOf('\n');
    if (end < 0) {
      if (connection.line.length > MAX_LINE) socket.end();
      return;
    }
    const [request, process = '', air = '', type = '', channel = ''] = connection.line
      .slice(0, end)
      .split(' ');
    if (request === 'ended') {
      const { exitCode, message } = this.#endings.get(process) ?? { exitCode: 0, message: null };
      this.#endings.delete(process);
      socket.end(`${exitCode}\n${(message ?? '').replaceAll('\n', ' ')}\n`);
      return;
    }
    const known = BROADCAST_TYPES.find((one) => one === type);
    if (request !== 'tune' || known === undefined) socket.end();
    else void this.#tune(socket, process, Number(air), { type: known, channel });
  }

  async #tune(socket: Socket, process: string, number: number, channel: ChannelName): Promise<void> {
    const connection = socket.data;
    const ended = (ending: Ending): void => {
      const [oldest] = this.#endings.keys();
      if (this.#endings.size >= MAX_ENDINGS && oldest !== undefined) this.#endings.delete(oldest);
      this.#endings.set(process, ending);
    };
    try {
      const air = await this.#slot(number).air;
      const { tuning, leave } = await air.tune(channel, socket, () => broadcastMs(Date.now()), ended);
      connection.tuning = tuning;
      connection.leave = leave;
      if (connection.closed) leave();
      this.#timer ??= setInterval(() => this.#step(), STEP_MS);
    } catch (error) {
      ended({ exitCode: 1, message: (error as Error).message });
      socket.end();
    }
  }

  #step(): void {
    const airs = [...this.#airs.values()].flatMap(({ current }) => current ?? []);
    for (const air of airs) air.step();
    if (!airs.every((air) => air.isIdle)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
