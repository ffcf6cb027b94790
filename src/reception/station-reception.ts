/**
 * One stream of the agent, inside a reception worker: read once, narrowed to a station if one is given, and passed to
 * its outputs and readers. Keeps the last seconds for outputs that join later. Independent of the kinds of outputs and
 * readers.
 */
import { forbidsRecording } from '../../lib/arib/descriptor/access.ts';
import { type Descriptor, findDescriptor } from '../../lib/arib/descriptor/index.ts';
import type { Pid, ServiceId } from '../../lib/arib/ids.ts';
import type { OwnedBytes } from '../../lib/arib/ts/packet.ts';
import type { ProgramMap } from '../../lib/arib/ts/pmt.ts';
import { StationFilter } from '../../lib/arib/ts/station-filter.ts';
import type { MonotonicClock, MonotonicMs, WallClock } from '../../lib/host/clock.ts';
import {
  AgentStreamError,
  type AgentStreamErrorCode,
  type AgentStreamHandlers,
  type StreamProblem,
} from '../tuner/agent-stream.ts';
import { type EntryPoint, EntryPointFinder } from './entry-points.ts';
import type { Output, OutputKind, OutputLost, OutputStream } from './output-kind.ts';
import type { ReaderKind } from './reader-kind.ts';
import { ReaderSet, threadProcessingMs } from './reader-set.ts';
import type { ReceptionEvent } from './reception-messages.ts';
import { layoutOf, type StationLayout, sameLayout } from './station-layout.ts';
import { StreamBurst } from './stream-burst.ts';

/**
 * Copy control of the current programme, from the station's PMT. ARIB TR-B14 Vol. 4, TR-B15 Vol. 4.
 * Whether recording the programme, its video or its main audio is forbidden, in either loop of the PMT or in the
 * component list of a descriptor. A stream's own descriptor takes precedence over the programme's.
 */
export function forbidsCopying(map: ProgramMap): boolean {
  const common = findDescriptor(map.descriptors, 'digital_copy_control');
  const { video, audios } = layoutOf(map);
  const main = map.streams.filter(({ pid }) => pid === video?.pid || pid === audios[0]);
  const words = main.map(({ descriptors, componentTag }) => {
    const own = ownWord(descriptors) ?? common?.components.find((one) => one.componentTag === componentTag);
    return own ?? common;
  });
  const relevant = words.length > 0 ? words : [common];
  return relevant.some((word) => word !== undefined && forbidsRecording(word));
}

function ownWord(descriptors: readonly Descriptor[]) {
  return findDescriptor(descriptors, 'digital_copy_control');
}

/** Time limit for PAT and PMT, which come every 100 ms (ARIB TR-B14); a station without them is off the air. */
const TABLES_LIMIT_MS = 5_000;
/** A tuner may still deliver data of the previous channel, and a changing PAT may omit the station for a while. */
const ABSENT_LIMIT_MS = 2_000;

export type OpaqueOutputKind = OutputKind<unknown, unknown, unknown, unknown>;
export type OpaqueReaderKind = ReaderKind<unknown, unknown, unknown>;

interface StationReceptionOptions {
  stream: number;
  /** Reads the stream until it ends, always with an error (`readAgentStream`). */
  read: (handlers: AgentStreamHandlers, signal: AbortSignal) => Promise<never>;
  /** Why the agent ended the stream of this tuner. Never rejects. */
  whyEnded: (tunerId: string | null) => Promise<AgentStreamErrorCode>;
  /** null: the whole physical channel; its outputs get the bytes as they arrive, without bursts and layouts. */
  serviceId: ServiceId | null;
  post: (event: ReceptionEvent, transfer?: ArrayBuffer[]) => void;
  clock: MonotonicClock;
  wall: WallClock;
  /** Called for every piece of the stream, with its size in octets. */
  received?: ((octets: number) => void) | undefined;
}

interface RunningOutput {
  part: number;
  kind: OpaqueOutputKind;
  output: Output<unknown>;
  isOver: boolean;
}

export class StationReception {
  readonly #filter: StationFilter | undefined;
  readonly #finder = new EntryPointFinder();
  readonly #burst = new StreamBurst();
  readonly #outputs = new Map<number, RunningOutput>();
  readonly #readers: ReaderSet;
  readonly #view: OutputStream;
  readonly #abort = new AbortController();
  #isForbidden = false;
  #layout: StationLayout | undefined;
  #format: string | null = null;
  #tunerId: string | null = null;
  #state: 'opening' | 'tables' | 'open' | 'over' = 'opening';
  #tablesFrom: MonotonicMs | undefined;
  /** Since when the PAT does not list the station. */
  #absentFrom: MonotonicMs | undefined;
  /** When the last data arrived. */
  #heardAt: MonotonicMs;
  #running: Promise<void> = Promise.resolve();

  constructor(readonly options: StationReceptionOptions) {
    this.#heardAt = options.clock();
    const { serviceId, clock, wall, post } = options;
    this.#readers = new ReaderSet({
      clock,
      wall,
      processing: threadProcessingMs,
      isOnlyUse: serviceId === null,
      post: (part, value, transfer) => post({ kind: 'value', part, at: clock(), value }, transfer),
      ended: (part, end) => post({ kind: 'readerEnded', part, end }),
    });
    if (serviceId !== null) {
      this.#filter = new StationFilter(serviceId, {
        onProgramMap: (map) => this.#mapChanged(map),
        onAbsent: () => {
          this.#absentFrom = clock();
        },
      });
    }
    this.#view = {
      burst: this.#burst,
      pcrPid: () => this.#filter?.programMap?.pcrPid,
      isCopyForbidden: () => this.#isForbidden,
      heardAt: () => this.#heardAt,
      unreadable: (pids) => this.#unreadable(pids),
      clockJumped: () => this.#newLayout(),
    };
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Releases the tuner at once; resolves when no output is left. @returns packets received while there was a reader */
  async close(): Promise<number> {
    this.#state = 'over';
    this.#abort.abort(new Error('closed'));
    this.#readers.close();
    await Promise.all([this.#running, this.#stopOutputs()]);
    return this.#readers.packets;
  }

  output(part: number, kind: OpaqueOutputKind, options: unknown): void {
    const { post, clock } = this.options;
    const lost = (reason?: string): void =>
      post({
        kind: 'outputEnded',
        part,
        end: { cause: 'lost', ...(reason === undefined ? {} : { reason }) },
      });
    if (this.#state === 'over') {
      lost();
      return;
    }
    const running: RunningOutput = { part, kind, output: NO_OUTPUT, isOver: false };
    try {
      running.output = kind.start(options, {
        stream: this.#view,
        clock,
        event: (value) => post({ kind: 'value', part, at: clock(), value }, kind.transfer(value)),
        ended: (end) => {
          running.isOver = true;
          this.#outputs.delete(part);
          post({ kind: 'outputEnded', part, end });
        },
        spawned: (pid) => post({ kind: 'spawned', part, pid }),
      });
    } catch (error) {
      lost(reasonOf(error));
      return;
    }
    if (!running.isOver) this.#outputs.set(part, running);
  }

  reader(part: number, kind: OpaqueReaderKind, options: unknown): void {
    if (this.#state === 'over') {
      const end = { cause: 'stream' as const, reason: null, dropped: 0 };
      this.options.post({ kind: 'readerEnded', part, end });
    } else this.#readers.start(part, kind, options);
  }

  command(part: number, command: unknown): void {
    const running = this.#outputs.get(part);
    if (running !== undefined) this.#guard(running, () => running.output.command?.(command));
    else this.#readers.command(part, command);
  }

  stop(part: number): void {
    const running = this.#outputs.get(part);
    if (running !== undefined) this.#guard(running, () => void running.output.stop('dropped'));
    else this.#readers.stop(part, 'stopped');
  }

  /** Called about ten times a second. */
  checkReaders(): void {
    this.#readers.check();
  }

  /** Called about once a second for time limits. */
  check(): void {
    const now = this.options.clock();
    this.#each((output) => output.check?.());
    if (this.#filter === undefined || this.#state === 'opening' || this.#state === 'over') return;
    if (now - (this.#absentFrom ?? now) > ABSENT_LIMIT_MS) this.#fail('the station is not in the stream');
    else if (now - (this.#tablesFrom ?? now) > TABLES_LIMIT_MS) this.#fail('no PAT or PMT');
  }

  /** PIDs that are missing or scrambled, because of a missing card or a fault. */
  #unreadable(pids: readonly number[]): number[] {
    return pids.filter((pid) => {
      const counts = this.#filter?.statistics.pid(pid as Pid);
      return counts === undefined || counts.packets === counts.scrambled;
    });
  }

  async #run(): Promise<void> {
    try {
      const handlers: AgentStreamHandlers = {
        opened: (tunerId) => this.#opened(tunerId),
        data: (bytes) => this.#take(bytes),
      };
      await this.options.read(handlers, this.#abort.signal);
    } catch (error) {
      this.#lose(error);
    }
  }

  #opened(tunerId: string | null): void {
    const { post, stream } = this.options;
    if (this.#state !== 'opening') return;
    this.#tunerId = tunerId;
    this.#state = this.#filter === undefined ? 'open' : 'tables';
    if (this.#filter === undefined) post({ kind: 'opened', stream, tunerId, layout: null });
  }

  /** The readers copy their packets first, because the filter alters the bytes; they parse them later. */
  #take(chunk: OwnedBytes): void {
    if (this.#state === 'over') return;
    this.#heardAt = this.options.clock();
    this.#tablesFrom ??= this.#layout === undefined ? this.options.clock() : undefined;
    const { length } = chunk.readable;
    this.#readers.feed(chunk.readable);
    if (this.#filter === undefined) {
      if (this.#outputs.size > 0) {
        const bytes = chunk.handOver();
        this.#each((output) => output.feed(bytes));
      }
    } else {
      const kept = this.#filter.take(chunk) as Uint8Array<ArrayBuffer>;
      if (kept.length > 0) this.#narrowed(kept);
    }
    this.options.received?.(length);
  }

  #narrowed(kept: Uint8Array<ArrayBuffer>): void {
    this.#each((output) => output.feed(kept), true);
    const at = this.#finder.position;
    const { points, format, jumpedAt } = this.#finder.feed(kept);
    if (format !== null && format !== this.#format) this.#formatChanged(format, points);
    // A raw viewer joins again after a jump: its burst must not contain the jump a second time.
    if (jumpedAt !== null) this.#burst.clear();
    const from = jumpedAt ?? at;
    this.#burst.add(from, kept.subarray(from - at), points, this.options.clock());
    this.#each((output) => output.feed(kept), false);
  }

  /** Calls every output, or only those that are (not) essential. A fault of an output ends only that output. */
  #each(act: (output: Output<unknown>) => void, isEssential?: boolean): void {
    for (const running of this.#outputs.values()) {
      if (isEssential !== undefined && running.kind.isEssential !== isEssential) continue;
      this.#guard(running, () => act(running.output));
    }
  }

  #guard(running: RunningOutput, act: () => void): void {
    try {
      act();
    } catch (error) {
      const reason = `${running.kind.name}: ${reasonOf(error)}`;
      if (running.kind.isEssential) {
        this.#lose(new Error(reason, { cause: error }));
        return;
      }
      running.isOver = true;
      this.#outputs.delete(running.part);
      void Promise.try(() => running.output.stop('stream')).catch(() => {});
      const end: OutputLost = { cause: 'lost', reason };
      this.options.post({ kind: 'outputEnded', part: running.part, end });
    }
  }

  /** Outputs with the old format end, and earlier entry points are dropped because they have the old format. */
  #formatChanged(format: string, points: EntryPoint[]): void {
    const changed = this.#format !== null;
    this.#format = format;
    if (!changed) return;
    points.length = 0;
    this.#newLayout();
  }

  #mapChanged(map: ProgramMap): void {
    const layout = layoutOf(map);
    const before = this.#layout;
    this.#controlCopies(map);
    this.#absentFrom = undefined;
    if (before !== undefined && sameLayout(before, layout)) return;
    this.#layout = layout;
    this.#format = null;
    this.#finder.watch(layout.video);
    this.#tablesFrom = undefined;
    if (before === undefined) {
      this.#state = 'open';
      const { post, stream } = this.options;
      post({ kind: 'opened', stream, tunerId: this.#tunerId, layout });
    } else this.#newLayout();
  }

  #controlCopies(map: ProgramMap): void {
    const isForbidden = forbidsCopying(map);
    if (isForbidden === this.#isForbidden) return;
    this.#isForbidden = isForbidden;
    this.#each((output) => output.copyControlChanged?.(isForbidden));
  }

  #newLayout(): void {
    this.#burst.clear();
    this.#each((output) => output.layoutChanged?.());
    const { post, stream } = this.options;
    if (this.#layout !== undefined) post({ kind: 'layout', stream, layout: this.#layout });
  }

  #fail(reason: string): void {
    this.#lose(new AgentStreamError('no_signal', reason));
  }

  #lose(error: unknown): void {
    if (this.#state === 'over') return;
    const state = this.#state;
    this.#state = 'over';
    this.#abort.abort(new Error(reasonOf(error)));
    this.#readers.close();
    void this.#report(error, state);
  }

  /** A viewer or recording of an open station does not wait for the cause. */
  async #report(error: unknown, state: 'opening' | 'tables' | 'open'): Promise<void> {
    const { post, stream, whyEnded } = this.options;
    const kind = state === 'open' ? 'ended' : 'failed';
    const problem = problemOf(error);
    if (state === 'open') await this.#stopOutputs();
    if (error instanceof AgentStreamError && error.code === 'ended' && (kind === 'failed' || !this.#filter)) {
      const code = await whyEnded(this.#tunerId);
      // A station that ends before its tables counts as not received.
      problem.code = code === 'ended' && kind === 'failed' ? 'no_signal' : code;
    }
    post({ kind, stream, problem });
  }

  async #stopOutputs(): Promise<void> {
    await Promise.allSettled(
      Array.from(this.#outputs.values(), (running) => Promise.try(() => running.output.stop('stream'))),
    );
  }
}

const NO_OUTPUT: Output<unknown> = { feed: () => {}, stop: () => {} };

/** Any other error than the agent's is a fault of this program. */
function problemOf(error: unknown): StreamProblem {
  const reason = reasonOf(error);
  if (!(error instanceof AgentStreamError)) return { code: 'ended', reason, sentence: null };
  return { code: error.code, reason, sentence: error.sentence };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
