/**
 * Tuners and reception workers in virtual time: streams of a virtual broadcast, narrowed and written by the
 * real filter and the real file output. Packets and messages may be delayed, as on a busy machine.
 */
import { serviceId } from '../../lib/arib/ids.ts';
import { StationFilter } from '../../lib/arib/ts/station-filter.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { Failure } from '../../src/model/failure.ts';
import { type FileEvent, fileOutputWith } from '../../src/reception/file-output.ts';
import type { Output, OutputContext, OutputStream } from '../../src/reception/output-kind.ts';
import type { ReceptionPool, ReceptionStream } from '../../src/reception/reception-pool.ts';
import type { FileOpening } from '../../src/reception/recorded-file.ts';
import { forbidsCopying } from '../../src/reception/station-reception.ts';
import { SERVICE_ID, type VirtualBroadcast } from './virtual-broadcast.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Time to lock on the channel and to find the station's tables. */
const TUNE_MS = 400;
const TABLES_LIMIT_MS = 5_000;

/** A time in which the machine is so busy that received data is passed on only at its end. Epoch ms. */
export interface BusySpell {
  from: number;
  to: number;
  /** Delays packets to the worker, or messages of the worker to the main thread. */
  what: 'packets' | 'messages';
}

type OpenOptions = Parameters<ReceptionPool['open']>[0];

const FILE_OUTPUT = fileOutputWith(async () => {});

class VirtualStream {
  readonly #filter: StationFilter;
  readonly #early: Uint8Array[] = [];
  readonly tables = Promise.withResolvers<void>();
  #output: Output<unknown> | undefined;
  #isForbidden = false;
  #late: Uint8Array[] = [];
  #messages: (() => void)[] = [];
  isOver = false;
  isOpened = false;
  /** Its process was killed: it reports nothing. */
  isDead = false;
  /** The connection broke: only data in transit is still received. */
  isBroken = false;
  /** Files that were assigned to it and are not open yet. */
  opening = 0;
  /** Its output is still written, or its last messages are not delivered yet. */
  isWriting = false;

  constructor(
    readonly agent: VirtualAgent,
    readonly options: OpenOptions,
    readonly since: number,
  ) {
    this.#filter = new StationFilter(serviceId(SERVICE_ID), {
      onProgramMap: (map) => {
        this.isOpened = true;
        this.tables.resolve();
        const isForbidden = forbidsCopying(map);
        if (isForbidden === this.#isForbidden) return;
        this.#isForbidden = isForbidden;
        this.#output?.copyControlChanged?.(isForbidden);
      },
      onAbsent: () => {},
    });
  }

  take(bytes: Uint8Array, isLate: boolean): void {
    if (bytes.length > 0 && !this.isBroken) this.#late.push(bytes);
    if (isLate) return;
    for (const each of this.#late.splice(0)) {
      const kept = this.#filter.feed(each);
      if (kept.length === 0) continue;
      if (this.#output === undefined) this.#early.push(kept);
      else this.#output.feed(kept);
    }
  }

  report(isLate: boolean): void {
    if (isLate) return;
    for (const act of this.#messages.splice(0)) if (!this.isDead) act();
  }

  check(): void {
    this.#output?.check?.();
  }

  /** The tuning failed: received data is written, then the failure is reported. */
  async end(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    this.take(new Uint8Array(0), false);
    await this.#output?.stop('stream');
    this.report(false);
    if (!this.isDead)
      this.options.handlers.ended({ code: 'ended', reason: 'broke', sentence: null }, 'tuning');
  }

  async close(): Promise<number> {
    await this.finish();
    this.report(false);
    return this.isDead ? new Promise<number>(() => {}) : 0;
  }

  async finish(): Promise<void> {
    this.isOver = true;
    await this.#output?.stop('dropped');
  }

  handle(): ReceptionStream {
    const output = (
      _kind: unknown,
      opening: FileOpening,
      handlers: { event(event: FileEvent, at: number): void; ended(end: unknown): void },
    ) => {
      const { time } = this.agent;
      const stream = {
        burst: { since: () => this.#early.splice(0) },
        pcrPid: () => this.#filter.programMap?.pcrPid,
        isCopyForbidden: () => this.#isForbidden,
        heardAt: () => monotonicMs(time.now - this.agent.broadcast.from),
      } as unknown as OutputStream;
      this.opening += 1;
      this.isWriting = true;
      const context = {
        stream,
        clock: () => monotonicMs(time.now - this.agent.broadcast.from),
        event: (event: FileEvent) => {
          if (event.kind === 'opened' || event.kind === 'trouble') this.opening -= 1;
          const at = time.now - this.agent.broadcast.from;
          this.#messages.push(() => handlers.event(event, at));
        },
        ended: (end: unknown) => {
          this.#messages.push(() => {
            this.isWriting = false;
            handlers.ended(end);
          });
        },
      } as unknown as OutputContext<FileEvent, { cause: 'closed' }>;
      const made = FILE_OUTPUT.start(opening, context);
      this.#output = made as Output<unknown>;
      return { command: (command: never) => made.command?.(command), stop: async () => {} };
    };
    return { tunerId: 'tuner0', output, close: () => this.close() } as unknown as ReceptionStream;
  }
}

export class VirtualAgent {
  #streams: VirtualStream[] = [];
  readonly #forgotten: VirtualStream[] = [];
  #isAway = false;

  constructor(
    readonly time: VirtualTime,
    readonly broadcast: VirtualBroadcast,
    readonly busy: readonly BusySpell[],
    /** The disk is so slow that nothing is written now. */
    readonly isDiskHeld: () => boolean,
  ) {}

  /** Whether a file is still being opened, which takes real time. */
  get isOpening(): boolean {
    return !this.isDiskHeld() && this.#streams.some((one) => !one.isOver && one.opening > 0);
  }

  readonly pool: Pick<ReceptionPool, 'open'> = {
    open: async (options) => {
      const { time, broadcast } = this;
      if (this.#isAway) throw new Failure('agent_unavailable', 'away');
      const aborted = Promise.withResolvers<never>();
      aborted.promise.catch(() => {});
      const abort = (): void => aborted.reject(options.signal.reason);
      options.signal.addEventListener('abort', abort, { once: true });
      if (options.signal.aborted) abort();
      try {
        await Promise.race([new Promise((resolve) => setTimeout(resolve, TUNE_MS)), aborted.promise]);
        if (broadcast.is('end', time.now)) throw new Failure('no_signal', 'no signal');
        if (this.#isAway) throw new Failure('agent_unavailable', 'away');
        const stream = new VirtualStream(this, options, time.now);
        this.#streams.push(stream);
        const limit = setTimeout(
          () => stream.tables.reject(new Failure('no_signal', 'no tables')),
          TABLES_LIMIT_MS,
        );
        try {
          await Promise.race([stream.tables.promise, aborted.promise]);
        } catch (error) {
          stream.isOver = true;
          throw error;
        } finally {
          clearTimeout(limit);
        }
        return stream.handle();
      } finally {
        options.signal.removeEventListener('abort', abort);
      }
    },
  };

  /** One step of the broadcast. @param isFrozen the service does not run: its data is queued */
  async step(at: number, isFrozen: boolean): Promise<void> {
    const isBusy = (what: BusySpell['what']): boolean =>
      this.busy.some((one) => one.what === what && at >= one.from && at < one.to);
    const bytes = this.broadcast.packets(at);
    this.#streams = this.#streams.filter(({ isOver, isWriting }) => !isOver || isWriting);
    const isEnd = this.broadcast.is('end', at);
    for (const stream of this.#streams) {
      if (stream.isOver) {
        if (!isFrozen) stream.report(isBusy('messages'));
        continue;
      }
      if (isEnd || this.#isAway) stream.isBroken = true;
      stream.take(bytes, isFrozen || isBusy('packets'));
      if (isFrozen) continue;
      stream.report(isBusy('messages'));
      if (!stream.isBroken) continue;
      if (stream.isOpened) {
        const ending = stream.end();
        if (!this.isDiskHeld()) await ending;
      } else stream.tables.reject(new Failure('no_signal', 'broke'));
    }
  }

  /** Once a second. */
  check(): void {
    for (const stream of this.#streams) stream.check();
  }

  /** The agent is killed, or back. */
  away(isAway: boolean): void {
    this.#isAway = isAway;
  }

  /** The service was killed: the reader no longer exists. */
  forget(): void {
    for (const stream of this.#streams) stream.isDead = true;
    this.#forgotten.push(...this.#streams);
    this.#streams = [];
  }

  /** Closes the files of killed processes. */
  async close(): Promise<void> {
    for (const stream of [...this.#forgotten, ...this.#streams]) await stream.finish();
  }
}
