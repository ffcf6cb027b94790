/** An air player in a worker of this process, and the broadcasts that this process puts on the air. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ChannelName, PlayerCalls, PlayerMessage, PlayerRequest, Programming } from './messages.ts';

const TUNE = join(import.meta.dir, 'tune.sh');
/** Until the worker listens, on a machine with all cores busy. */
const START_LIMIT_MS = 60_000;

/** A busy machine receives late; only a test of slow receivers wants a loss. */
const DEFAULT_MAX_LAG_SEC = 60;

interface Pending {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

class PlayerWorker {
  readonly #worker = new Worker(new URL('./player.worker.ts', import.meta.url));
  readonly #pending = new Map<number, Pending>();
  readonly #listening = Promise.withResolvers<number>();
  #lastId = 0;

  constructor() {
    const late = setTimeout(() => this.#fail('it does not start'), START_LIMIT_MS);
    this.#listening.promise.finally(() => clearTimeout(late)).catch(() => {});
    this.#worker.on('message', (message: PlayerMessage) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(String(error)));
    // It ends with the process, whose tests may not all close their broadcasts.
    this.#worker.unref();
  }

  get port(): Promise<number> {
    return this.#listening.promise;
  }

  ask<K extends keyof PlayerCalls>(
    kind: K,
    request: PlayerCalls[K]['request'],
  ): Promise<PlayerCalls[K]['answer']> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { resolve, reject });
    this.#worker.postMessage({ id, kind, ...request } as PlayerRequest);
    return promise as Promise<PlayerCalls[K]['answer']>;
  }

  #receive(message: PlayerMessage): void {
    if (message.kind === 'listening') {
      this.#listening.resolve(message.port);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'failed') pending?.reject(new Error(message.message));
    else pending?.resolve(message.answer);
  }

  #fail(reason: string): void {
    const error = new Error(`the air player failed: ${reason}`);
    this.#listening.reject(error);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

let player: PlayerWorker | undefined;
let lastAir = 0;

/** One broadcast. Tunings that come before it is put on the air wait for it. */
export class PlayedAir {
  private constructor(
    private readonly worker: PlayerWorker,
    private readonly number: number,
    /** FAKE_TUNE of an agent. */
    readonly tuneCommand: string,
  ) {}

  static async open(): Promise<PlayedAir> {
    player ??= new PlayerWorker();
    lastAir += 1;
    const number = lastAir;
    const port = await player.port;
    return new PlayedAir(player, number, `bash "${TUNE}" ${port} ${number} {type} {channel}`);
  }

  /** Makes the missing films of a scenario. @returns its channels @throws like `put` */
  prepare(scenario: string) {
    return this.worker.ask('prepare', { scenario });
  }

  /**
   * Puts it on the air, in place of what was there. @returns the channels as a scan would find them @throws
   * Error with the message about the scenario or its media
   */
  put({
    scenario,
    faults = null,
    maxLagSec = DEFAULT_MAX_LAG_SEC,
    speed = 1,
  }: Pick<Programming, 'scenario'> & Partial<Programming>) {
    return this.worker.ask('put', { air: this.number, programming: { scenario, faults, maxLagSec, speed } });
  }

  /** The packets of a channel without the faults of the control file. @param from epoch ms */
  sent(channel: ChannelName, from: number, seconds: number) {
    return this.worker.ask('sent', { air: this.number, channel, from, seconds });
  }

  /** The contents of a channel. @param at epoch ms */
  truth(channel: ChannelName, at: number, schedule = false) {
    return this.worker.ask('truth', { air: this.number, channel, at, schedule });
  }

  /** Ends all tunings. */
  async close(): Promise<void> {
    await this.worker.ask('end', { air: this.number });
  }
}
