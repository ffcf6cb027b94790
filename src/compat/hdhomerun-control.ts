/** HDHomeRun's control protocol (TCP 65001): reads and sets variables of the device and its tuners. */
import type { Socket, TCPSocketListener } from 'bun';
import type { Log } from '../../lib/host/log.ts';
import { VERSION } from '../../lib/host/version.ts';
import { MODEL } from './hdhomerun.ts';
import {
  type HdhrPacket,
  hdhrPacket,
  numberOf,
  packetLength,
  packetText,
  readHdhrPacket,
  textValue,
} from './hdhomerun-packet.ts';
import { sendTo } from './hdhomerun-sender.ts';
import { HdhrError, type HdhrSelection, type HdhrStation, HdhrTuner } from './hdhomerun-tuner.ts';

const GETSET_REQUEST = 4;
const GETSET_REPLY = 5;
const TAG = { name: 0x03, value: 0x04, error: 0x05, lockkey: 0x15 } as const;
const MAX_CONNECTIONS = 32;
const MAX_TUNERS = 16;
/** A client reconnects when it needs to. */
const IDLE_SECONDS = 120;
/** One request is answered before the next is read; more than two are no client. */
const MAX_PENDING_BYTES = 4_096;

const HELP = [
  'Supported configuration options:',
  ...['/sys/features', '/sys/hwmodel', '/sys/model', '/sys/version'],
  ...['/tuner<n>/channel <modulation>:<freq|ch>', '/tuner<n>/channelmap', '/tuner<n>/lockkey'],
  ...['/tuner<n>/program <program number>', '/tuner<n>/status', '/tuner<n>/streaminfo'],
  ...['/tuner<n>/target <udp|rtp>://<ip>:<port>', '/tuner<n>/vchannel <vchannel>', ''],
].join('\n');

const SYSTEM: Readonly<Record<string, string>> = {
  help: HELP,
  '/sys/features': 'channelmap: jp-bcast\nmodulation: isdb\nauto-modulation: auto auto6t\n',
  '/sys/hwmodel': MODEL,
  '/sys/model': 'svc_isdbt',
  '/sys/version': VERSION.replaceAll('.', ''),
  '/sys/copyright': `svc ${VERSION}\n`,
};

interface ControlOptions {
  /** Address of the listener; null: all of IPv4, the only one of the protocol's clients. */
  readonly host: string | null;
  /** 0: one that is free. */
  readonly port: number;
  readonly tuners: () => number;
  readonly stations: () => readonly HdhrStation[];
  /** @throws Failure; the abort's reason */
  readonly open: (selection: HdhrSelection, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  readonly isTrusted: (peer: string) => boolean;
  readonly monotonic: () => number;
  readonly log: Log;
}

interface Connection {
  readonly peer: string;
  pending: Uint8Array;
}

export class HdhrControl {
  readonly #tuners = new Map<number, HdhrTuner>();
  readonly #listener: TCPSocketListener<Connection | undefined> | undefined;
  #connections = 0;

  constructor(private readonly options: ControlOptions) {
    const { host, port, log } = options;
    try {
      this.#listener = Bun.listen<Connection | undefined>({
        hostname: host ?? '0.0.0.0',
        port,
        socket: {
          open: (socket) => this.#open(socket),
          data: (socket, bytes) => this.#data(socket, bytes),
          close: ({ data }) => {
            if (data !== undefined) this.#connections -= 1;
          },
          timeout: (socket) => void socket.end(),
          error: (socket) => void socket.end(),
        },
      });
    } catch (error) {
      // Another program of this machine may have the port.
      log.warn('HDHomeRun control is not available', { error: String(error) });
    }
  }

  /** null: it does not listen. */
  get port(): number | null {
    return this.#listener?.port ?? null;
  }

  close(): void {
    this.#listener?.stop(true);
    for (const tuner of this.#tuners.values()) tuner.stop();
  }

  #open(socket: Socket<Connection | undefined>): void {
    const peer = socket.remoteAddress.replace(/^::ffff:/, '');
    if (!this.options.isTrusted(peer) || this.#connections >= MAX_CONNECTIONS) {
      socket.terminate();
      return;
    }
    this.#connections += 1;
    socket.data = { peer, pending: new Uint8Array(0) };
    socket.timeout(IDLE_SECONDS);
  }

  #data(socket: Socket<Connection | undefined>, bytes: Uint8Array): void {
    const connection = socket.data;
    if (connection === undefined) return;
    let pending = Buffer.concat([connection.pending, bytes]);
    for (;;) {
      const length = packetLength(pending);
      if (length === undefined || (length > pending.length && pending.length <= MAX_PENDING_BYTES)) break;
      const packet = length < 0 ? undefined : readHdhrPacket(pending.subarray(0, length));
      if (packet === undefined) {
        socket.end();
        return;
      }
      // A client that does not read its answers is dropped.
      const reply = hdhrPacket(this.#reply(packet, connection.peer));
      if (socket.write(reply) < reply.length) {
        socket.terminate();
        return;
      }
      pending = pending.subarray(length);
    }
    connection.pending = Uint8Array.from(pending);
  }

  #reply({ type, values }: HdhrPacket, peer: string): HdhrPacket {
    const found = (tag: number): Uint8Array | undefined => values.find((one) => one.tag === tag)?.value;
    const name = found(TAG.name);
    const value = found(TAG.value);
    const text = name === undefined ? '' : packetText(name);
    const key = numberOf(found(TAG.lockkey) ?? new Uint8Array(0)) ?? 0;
    try {
      if (type !== GETSET_REQUEST) throw new HdhrError('unknown request');
      const set = value === undefined ? undefined : packetText(value);
      const answer = this.#variable(text, set, key, peer);
      return {
        type: GETSET_REPLY,
        values: [textValue(TAG.name, text, true), textValue(TAG.value, answer, true)],
      };
    } catch (error) {
      if (!(error instanceof HdhrError)) throw error;
      return { type: GETSET_REPLY, values: [textValue(TAG.error, `ERROR: ${error.message}`, true)] };
    }
  }

  #variable(name: string, value: string | undefined, key: number, peer: string): string {
    const [, index, below] = /^\/tuner(\d{1,2})\/(\w+)$/.exec(name) ?? [];
    if (below !== undefined) return this.#tuner(Number(index)).answer({ name: below, value, key, peer });
    const known = value === undefined && Object.hasOwn(SYSTEM, name) ? SYSTEM[name] : undefined;
    if (known === undefined) throw new HdhrError('unknown getset variable');
    return known;
  }

  #tuner(index: number): HdhrTuner {
    const { tuners, stations, open, monotonic, log } = this.options;
    if (index >= Math.min(tuners(), MAX_TUNERS)) throw new HdhrError('unknown getset variable');
    const known = this.#tuners.get(index);
    if (known !== undefined) return known;
    const tuner = new HdhrTuner({
      stations,
      monotonic,
      send: (selection, target) =>
        sendTo(target, { open: (signal) => open(selection, signal), monotonic, log }),
    });
    this.#tuners.set(index, tuner);
    return tuner;
  }
}
