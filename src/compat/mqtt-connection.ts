/**
 * A connection to an MQTT broker that only publishes: MQTT 3.1.1 (OASIS), QoS 0, with a last will. The broker's messages
 * are read as far as needed to see that it accepts and lives.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const CONNECT = 0x10;
const CONNACK = 0x20;
const PUBLISH = 0x30;
const RETAIN = 0x01;
const PINGREQ = 0xc0;
const DISCONNECT = 0xe0;
/** Connect flags, 3.1.2.3: clean session; will; will retained; password; user name. */
const FLAGS = { clean: 0x02, will: 0x04, willRetained: 0x20, password: 0x40, user: 0x80 } as const;
const KEEP_ALIVE_SECONDS = 60;
const PING_MS = 30_000;
const OPEN_LIMIT_MS = 10_000;
/** Answers to a publisher have at most two octets after their head. */
const MAX_ANSWER_BYTES = 256;
/** A broker that does not read; states are a few hundred octets. */
const MAX_UNSENT_BYTES = 1024 * 1024;

type MqttFailure =
  | 'unreachable'
  | 'certificate'
  /** Return codes 4 and 5. */
  | 'unauthorized'
  /** Another return code. */
  | 'refused'
  /** What answers is no broker. */
  | 'no_broker'
  | 'silent'
  | 'closed';

export class MqttError extends Error {
  constructor(readonly code: MqttFailure) {
    super(code);
  }
}

interface MqttAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Empty: none. */
  readonly user: string;
  readonly password: string | null;
}

export interface MqttMessage {
  readonly topic: string;
  readonly text: string;
  readonly retained: boolean;
}

function field(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

function packet(head: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size: number[] = [];
  // Seven bits an octet, the low ones first, 2.2.3.
  for (let rest = body.length; size.length === 0 || rest > 0; rest >>= 7)
    size.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  return Buffer.concat([Buffer.from([head, ...size]), body]);
}

function connectPacket({ user, password }: MqttAddress, clientId: string, will: MqttMessage): Buffer {
  const hasUser = user !== '';
  const hasPassword = hasUser && password !== null;
  const flags =
    FLAGS.clean |
    FLAGS.will |
    (will.retained ? FLAGS.willRetained : 0) |
    (hasUser ? FLAGS.user : 0) |
    (hasPassword ? FLAGS.password : 0);
  return packet(
    CONNECT,
    ...[field('MQTT'), Buffer.from([4, flags, 0, KEEP_ALIVE_SECONDS])],
    ...[field(clientId), field(will.topic), field(will.text)],
    ...(hasUser ? [field(user)] : []),
    ...(hasPassword ? [field(password)] : []),
  );
}

function failureOf(error: Error): MqttError {
  const code = 'code' in error ? String(error.code) : '';
  return new MqttError(/CERT|SELF_SIGNED|VERIFY|ALTNAME|SSL|TLS/i.test(code) ? 'certificate' : 'unreachable');
}

export class MqttConnection {
  readonly #ended = Promise.withResolvers<MqttError>();
  readonly #accepted = Promise.withResolvers<void>();
  #received = Buffer.alloc(0);
  /** Anything was received since the last ping. */
  #isAlive = true;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isOver = false;

  private constructor(private readonly socket: Socket) {
    this.#accepted.promise.catch(() => {});
    socket.on('data', (bytes: Uint8Array) => this.#receive(bytes));
    socket.on('error', (error) => this.#end(failureOf(error)));
    socket.on('close', () => this.#end(new MqttError('closed')));
  }

  /** Resolves when the broker accepts. @param will published by the broker when the connection is lost @throws MqttError */
  static async open(
    address: MqttAddress,
    clientId: string,
    will: MqttMessage,
    signal: AbortSignal,
  ): Promise<MqttConnection> {
    const { host, port, tls } = address;
    const opened = tls ? 'secureConnect' : 'connect';
    const socket = tls
      ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) })
      : connectPlain({ host, port });
    const connection = new MqttConnection(socket);
    socket.once(opened, () => socket.write(connectPacket(address, clientId, will)));
    const late = setTimeout(() => connection.#end(new MqttError('silent')), OPEN_LIMIT_MS);
    const leave = (): void => connection.#end(new MqttError('closed'));
    signal.addEventListener('abort', leave, { once: true });
    try {
      await connection.#accepted.promise;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', leave);
    }
    connection.#timer = setInterval(() => connection.#ping(), PING_MS);
    connection.#timer.unref();
    return connection;
  }

  /** Resolves with the reason when the connection is lost or closed. */
  get ended(): Promise<MqttError> {
    return this.#ended.promise;
  }

  publish({ topic, text, retained }: MqttMessage): void {
    if (this.#isOver) return;
    this.socket.write(packet(PUBLISH | (retained ? RETAIN : 0), field(topic), Buffer.from(text)));
    if (this.socket.writableLength > MAX_UNSENT_BYTES) this.#end(new MqttError('silent'));
  }

  /** The will is not published. */
  close(): void {
    if (this.#isOver) return;
    this.socket.end(packet(DISCONNECT));
    this.#end(new MqttError('closed'), false);
  }

  #ping(): void {
    if (!this.#isAlive) {
      this.#end(new MqttError('silent'));
      return;
    }
    this.#isAlive = false;
    this.socket.write(packet(PINGREQ));
  }

  #receive(bytes: Uint8Array): void {
    this.#isAlive = true;
    this.#received = Buffer.concat([this.#received, bytes]);
    while (this.#received.length >= 2) {
      const [head = 0, length = 0] = this.#received;
      if (length > MAX_ANSWER_BYTES >> 1) {
        this.#end(new MqttError('no_broker'));
        return;
      }
      if (this.#received.length < 2 + length) return;
      const body = this.#received.subarray(2, 2 + length);
      this.#received = this.#received.subarray(2 + length);
      if (head === CONNACK && length === 2) this.#answered(body[1] as number);
    }
  }

  #answered(code: number): void {
    if (code === 0) this.#accepted.resolve();
    else this.#end(new MqttError(code === 4 || code === 5 ? 'unauthorized' : 'refused'));
  }

  #end(reason: MqttError, destroys = true): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#accepted.reject(reason);
    this.#ended.resolve(reason);
    if (destroys) this.socket.destroy();
  }
}
