/**
 * Descrambles the transport stream of one tuning, all its programmes at once. Packets stay in order: if a scrambled
 * packet's key is pending, it and everything after it waits; if no key is available, it passes unchanged. A stream
 * without scrambled packets passes without delay, whatever state the card is in.
 */
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { hasTransportError, PACKET_SIZE, packetPid, scramblingControl } from '../../lib/arib/ts/packet.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import type { DescramblingState } from '../../lib/wire/vocabulary.ts';
import type { Descrambler } from './descrambler.ts';
import type { EcmVerdict } from './ecm-stream.ts';
import { KeyEngine } from './key-engine.ts';
import { KeyFailure, type KeySource, type ProgramKeyFailure } from './key-source.ts';

/** Complete packets in the order of the stream, with absolute positions in octets. The owner limits its size. */
class PacketQueue {
  /** Position of the first octet in the queue. */
  #start = 0;
  /** Position after the last octet in the queue. */
  #end = 0;
  readonly #parts: Uint8Array[] = [];

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  get length(): number {
    return this.#end - this.#start;
  }

  push(packets: Uint8Array): void {
    this.#parts.push(packets);
    this.#end += packets.length;
  }

  /** The content, as arrays with their positions, oldest first. */
  *parts(): Generator<{ at: number; packets: Uint8Array }> {
    let at = this.#start;
    for (const packets of this.#parts) {
      yield { at, packets };
      at += packets.length;
    }
  }

  first(): Uint8Array | undefined {
    return this.#parts[0];
  }

  /** Removes the first `length` octets of the first array and returns them. */
  take(length: number): Uint8Array {
    const part = this.#parts[0] as Uint8Array;
    this.#start += length;
    if (length === part.length) this.#parts.shift();
    else this.#parts[0] = part.subarray(length);
    return part.subarray(0, length);
  }

  clear(): void {
    this.#parts.length = 0;
    this.#start = this.#end;
  }
}

/** Limit of data that waits for the very first key: 4 s of the fastest broadcast. */
const HEAD_BYTES = 8 * 1024 * 1024;
/** Limit of data that waits later, for a card that became slow: 30 s of the fastest broadcast. */
const QUEUE_BYTES = 64 * 1024 * 1024;
/** Interval of deciding waiting packets again, ms. */
const RECHECK_MS = 250;
/** Interval of checking a source without a card again, ms. */
const RECONNECT_MS = 1_000;
const EVEN_KEY = 2;

interface StreamDescramblerOptions {
  source: KeySource;
  clock: MonotonicClock;
  /** Complete packets, in order. */
  output: (packets: Uint8Array) => void;
  /** `state` or `failure` changed. */
  onChange: () => void;
  headBytes?: number;
  queueBytes?: number;
}

/** How far the packets of an array are decided, and what the next one needs. */
interface Progress {
  readonly decided: number;
  readonly next: 'nothing' | 'apply' | 'wait' | 'look_ahead';
}

export class StreamDescrambler implements Descrambler {
  leftScrambled = 0;
  readonly #options: StreamDescramblerOptions;
  readonly #framer = new PacketFramer();
  readonly #queue = new PacketQueue();
  /** Tables and ECMs up to this position of the stream were read. */
  #readUpTo = 0;
  #engine: KeyEngine | undefined;
  #isConnecting = false;
  #connectFailure: KeyFailure | undefined;
  #connectedAt = Number.NEGATIVE_INFINITY;
  #state: DescramblingState = 'clear';
  #failure: KeyFailure | undefined;
  #hasDecrypted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: StreamDescramblerOptions) {
    this.#options = options;
  }

  get state(): DescramblingState {
    return this.#state;
  }

  get failure(): KeyFailure | undefined {
    return this.#failure;
  }

  get programFailures(): readonly ProgramKeyFailure[] | undefined {
    return this.#engine?.programFailures;
  }

  /** Packets wait for a key. */
  get isWaiting(): boolean {
    return this.#queue.length > 0;
  }

  /** The end of the stream: outputs the content of the framer and the queue, scrambled if no key arrived. */
  flush(): void {
    const rest = this.#framer.flush();
    if (rest.length > 0) this.#queue.push(rest);
    this.#drain();
    if (this.#queue.length === 0) return;
    this.#giveUp();
  }

  feed(chunk: Uint8Array): void {
    if (this.#isClosed) return;
    const packets = this.#framer.feed(chunk);
    if (packets.length === 0) return;
    this.#queue.push(packets);
    this.#drain();
    const { headBytes = HEAD_BYTES, queueBytes = QUEUE_BYTES } = this.#options;
    if (this.#queue.length > (this.#hasDecrypted ? queueBytes : headBytes)) this.#giveUp();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#engine?.close();
    this.#queue.clear();
  }

  /** Waiting packets are output unchanged, until there is a key. */
  #giveUp(): void {
    this.#engine?.giveUp();
    if (this.#engine === undefined) {
      this.#connectFailure = new KeyFailure('timeout', 'the key source did not answer in time');
    }
    this.#drain();
  }

  /** Decides and outputs as many packets as possible. */
  #drain(): void {
    clearTimeout(this.#timer);
    for (let part = this.#queue.first(); part !== undefined; part = this.#queue.first()) {
      const { decided, next } = this.#decidePart(part);
      if (decided > 0) this.#give(this.#queue.take(decided));
      if (this.#isClosed) return;
      if (next === 'apply') this.#engine?.apply();
      if (next === 'wait' || (next === 'look_ahead' && !this.#lookAhead())) {
        this.#timer = setTimeout(() => this.#drain(), RECHECK_MS);
        break;
      }
    }
    this.#reportState();
  }

  #decidePart(part: Uint8Array): Progress {
    const base = this.#queue.start;
    for (let at = 0; at < part.length; at += PACKET_SIZE) {
      if (base + at >= this.#readUpTo) {
        this.#readUpTo = base + at + PACKET_SIZE;
        if (this.#engine?.read(part, at) === true) return { decided: at, next: 'apply' };
      }
      const verdict = this.#verdictOf(part, at);
      if (verdict === 'wait' || verdict === 'look_ahead') return { decided: at, next: verdict };
      if (verdict === 'pass') this.leftScrambled += 1;
    }
    return { decided: part.length, next: 'nothing' };
  }

  #verdictOf(packets: Uint8Array, at: number): EcmVerdict {
    const control = scramblingControl(packets, at);
    if (control < EVEN_KEY || hasTransportError(packets, at)) return 'decrypt';
    const parity = control === EVEN_KEY ? 'even' : 'odd';
    if (this.#engine !== undefined) return this.#engine.decide(packetPid(packets, at), parity);
    this.#connect();
    return this.#connectFailure === undefined ? 'wait' : 'pass';
  }

  /** Reads tables and ECMs after the first packet until it can be decided. @returns whether it can */
  #lookAhead(): boolean {
    const engine = this.#engine;
    const first = this.#queue.first();
    if (engine === undefined || first === undefined) return false;
    for (const { at: base, packets } of this.#queue.parts()) {
      for (let at = Math.max(0, this.#readUpTo - base); at < packets.length; at += PACKET_SIZE) {
        this.#readUpTo = base + at + PACKET_SIZE;
        if (!engine.read(packets, at)) continue;
        engine.apply();
        if (this.#verdictOf(first, 0) !== 'look_ahead') return true;
      }
    }
    return false;
  }

  #give(packets: Uint8Array): void {
    if (this.#engine !== undefined && this.#engine.decrypt(packets) > 0) this.#hasDecrypted = true;
    this.#options.output(packets);
  }

  #connect(): void {
    const { source, clock } = this.#options;
    const now = clock();
    if (this.#isConnecting || now - this.#connectedAt < RECONNECT_MS) return;
    this.#isConnecting = true;
    this.#connectedAt = now;
    const create = async (): Promise<void> => {
      try {
        const engine = await KeyEngine.create(await source.system(), {
          source,
          clock,
          onAnswer: () => this.#drain(),
          onOtherCard: () => this.#dropEngine(),
        });
        this.#engine = engine;
        this.#connectFailure = undefined;
        // Its tables come after the packets that wait for them.
        this.#readUpTo = this.#queue.start;
        if (this.#isClosed) engine.close();
      } catch (error) {
        this.#connectFailure =
          error instanceof KeyFailure ? error : new KeyFailure('card_error', String(error));
      } finally {
        this.#isConnecting = false;
      }
      if (!this.#isClosed) this.#drain();
    };
    void create();
  }

  #dropEngine(): void {
    this.#engine?.close();
    this.#engine = undefined;
    this.#connectFailure = undefined;
    this.#connectedAt = Number.NEGATIVE_INFINITY;
    this.#drain();
  }

  #reportState(): void {
    const failure = this.#engine === undefined ? this.#connectFailure : this.#engine.failure;
    let state: DescramblingState = this.#queue.length > 0 ? 'waiting' : 'clear';
    if (this.#engine?.hasKeys === true) state = 'descrambled';
    else if (failure !== undefined) state = 'scrambled';
    if (state === this.#state && failure?.code === this.#failure?.code) return;
    this.#state = state;
    this.#failure = failure;
    this.#options.onChange();
  }
}
