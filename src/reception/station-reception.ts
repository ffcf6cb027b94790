/**
 * One station on the air, inside the worker: a tuning of the agent, narrowed, given to encoders and raw
 * viewers, with the last seconds kept for those who join later.
 */
import type { Pid, ServiceId } from '../../arib/ids.ts';
import type { ProgramMap } from '../../arib/ts/pmt.ts';
import { StationFilter } from '../../arib/ts/station-filter.ts';
import { openSource, SourceFailure } from '../tuner/agent-stream.ts';
import { forbidsCopying } from './copy-control.ts';
import { type EncodedPiece, EncoderOutput } from './encoder-output.ts';
import { type EntryPoint, EntryPointFinder } from './entry-points.ts';
import { FileOutput } from './file-output.ts';
import { GuidePackets } from './guide-packets.ts';
import { RawOutput } from './raw-output.ts';
import type { FromReceptionWorker, OutputEnd } from './reception-messages.ts';
import type { FileOpening } from './recorded-file.ts';
import { layoutOf, type StationLayout, sameLayout } from './station-layout.ts';
import { Burst } from './stream-burst.ts';

/** The agent promises bytes within 5 s of tuning and ends a stream that went silent. */
const SILENCE_LIMIT_MS = 8_000;
/** PAT and PMT come every 100 ms (ARIB TR-B14); a station that shows none is not on the air. */
const TABLES_LIMIT_MS = 5_000;
/** A tuner may still give the end of what it received before; a PAT under change may leave the station out. */
const ABSENT_LIMIT_MS = 2_000;
/** Longest wait for an intra picture: they come every 0.5 s, at most every 1 s (ARIB STD-B32). */
const PICTURE_LIMIT_MS = 1_500;

export interface StationOptions {
  stream: number;
  url: string;
  serviceId: ServiceId;
  post: (message: FromReceptionWorker) => void;
  now: () => number;
  /** As `FileOutput`. */
  syncFile?: ((path: string) => Promise<void>) | undefined;
}

export class Station {
  readonly #filter: StationFilter;
  readonly #finder = new EntryPointFinder();
  readonly #burst = new Burst();
  readonly #guide: GuidePackets;
  readonly #encoders = new Map<number, EncoderOutput>();
  /** Encoders that wait for a picture to begin at, and until when. */
  readonly #waiting = new Map<number, number>();
  readonly #raws = new Map<number, RawOutput>();
  readonly #files = new Map<number, FileOutput>();
  /** Recording what is on is forbidden. */
  #forbidden = false;
  readonly #abort = new AbortController();
  #layout: StationLayout | undefined;
  #format: string | null = null;
  #tunerId: string | null = null;
  #state: 'opening' | 'tables' | 'open' | 'over' = 'opening';
  #heardAt: number;
  #tablesFrom: number | undefined;
  /** Since when the PAT does not list the station. */
  #absentFrom: number | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(readonly options: StationOptions) {
    this.#heardAt = options.now();
    this.#guide = new GuidePackets(
      (bytes) => options.post({ kind: 'guide', stream: options.stream, bytes }),
      options.now,
    );
    this.#filter = new StationFilter(options.serviceId, {
      onProgramMap: (map) => this.#mapChanged(map),
      onAbsent: () => {
        this.#absentFrom = options.now();
      },
    });
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Gives the tuner back at once; resolves when no process is left. */
  async close(): Promise<void> {
    this.#state = 'over';
    this.#abort.abort(new Error('closed'));
    await Promise.all([this.#running, this.#endSinks({ cause: 'lost' })]);
  }

  encode(sink: number, command: readonly string[], pids: readonly number[], waitForPicture: boolean): void {
    const { post, now } = this.options;
    const encoder =
      this.#state === 'over' ? { cause: 'lost' as const } : this.#startEncoder(sink, command, pids);
    if (!(encoder instanceof EncoderOutput)) {
      post({ kind: 'sinkEnded', sink, end: encoder });
      return;
    }
    this.#encoders.set(sink, encoder);
    post({ kind: 'spawned', sink, pid: encoder.pid });
    const start = waitForPicture
      ? this.#burst.forEncoder()
      : (this.#burst.from('early') ?? this.#burst.since(0));
    if (start === undefined) this.#waiting.set(sink, now() + PICTURE_LIMIT_MS);
    else for (const bytes of start) encoder.feed(bytes);
  }

  raw(sink: number): void {
    const { post } = this.options;
    const raw = new RawOutput({
      batch: (bytes) => post({ kind: 'raw', sink, bytes }),
      burst: (viewer, bytes) => post({ kind: 'burst', sink, viewer, bytes }),
      behind: () => {
        this.#raws.delete(sink);
        post({ kind: 'sinkEnded', sink, end: { cause: 'behind' } });
      },
    });
    if (this.#state === 'over') post({ kind: 'sinkEnded', sink, end: { cause: 'lost' } });
    else this.#raws.set(sink, raw);
  }

  /** Begins with all that is held: from the stream's first packets on, when it was just opened. */
  record(sink: number, opening: FileOpening): void {
    const { post, now, syncFile } = this.options;
    if (this.#state === 'over') {
      const event = { kind: 'ended' as const, path: opening.path, size: null };
      post({ kind: 'file', sink, at: now(), event });
      return;
    }
    const file = new FileOutput(
      opening,
      () => this.#filter.programMap?.pcrPid,
      (event) => {
        if (event.kind === 'ended') this.#files.delete(sink);
        post({ kind: 'file', sink, at: now(), event });
      },
      now,
      syncFile,
    );
    this.#files.set(sink, file);
    file.forbid(this.#forbidden);
    for (const bytes of this.#burst.since(0)) file.feed(bytes);
  }

  move(sink: number, opening: FileOpening): void {
    this.#files.get(sink)?.move(opening);
  }

  join(sink: number, viewer: number): void {
    this.#raws.get(sink)?.join(viewer, this.#burst.from('late') ?? this.#burst.since(0));
  }

  drop(sink: number): void {
    const raw = this.#raws.get(sink);
    if (raw !== undefined) {
      raw.end();
      this.#raws.delete(sink);
      this.options.post({ kind: 'sinkEnded', sink, end: { cause: 'lost' } });
    }
    void this.#encoders.get(sink)?.stop({ cause: 'lost' });
    void this.#files.get(sink)?.end();
  }

  taken(sink: number, bytes: number): void {
    this.#raws.get(sink)?.taken(bytes);
    this.#encoders.get(sink)?.taken(bytes);
  }

  /** Called about once a second: everything that waits has a limit. */
  check(): void {
    const now = this.options.now();
    for (const encoder of this.#encoders.values()) encoder.check();
    for (const file of this.#files.values()) file.check();
    if (this.#state !== 'open' && this.#state !== 'tables') return;
    if (now - this.#heardAt > SILENCE_LIMIT_MS) this.#lose('no data');
    if (now - (this.#absentFrom ?? now) > ABSENT_LIMIT_MS) this.#lose('the station is not in the stream');
    else if (now - (this.#tablesFrom ?? now) > TABLES_LIMIT_MS) this.#lose('no PAT or PMT');
  }

  #startEncoder(
    sink: number,
    command: readonly string[],
    pids: readonly number[],
  ): EncoderOutput | OutputEnd {
    const { post, now } = this.options;
    const ended = (end: OutputEnd): void => {
      this.#encoders.delete(sink);
      this.#waiting.delete(sink);
      post({ kind: 'sinkEnded', sink, end });
    };
    try {
      const piece = (given: EncodedPiece): void => post({ sink, ...given });
      const handlers = { piece, jumped: () => this.#newLayout(), ended };
      return new EncoderOutput(command, pids, () => this.#missing(pids), handlers, now);
    } catch (error) {
      return { cause: 'encoder', reason: reasonOf(error), produced: false, missing: [] };
    }
  }

  /** Those that are not sent, or not readably: without a card, or by a fault, all packets stay scrambled. */
  #missing(pids: readonly number[]): number[] {
    return pids.filter((pid) => {
      const { packets, scrambled } = this.#filter.statistics.pid(pid as Pid);
      return packets === scrambled;
    });
  }

  async #run(): Promise<void> {
    const { url, post, stream, now } = this.options;
    try {
      const source = await openSource(url, this.#abort.signal);
      this.#tunerId = source.tunerId;
      if (this.#state === 'opening') this.#state = 'tables';
      this.#heardAt = now();
      for await (const chunk of source.body) {
        if (this.#state === 'over') return;
        this.#heardAt = now();
        this.#tablesFrom ??= this.#layout === undefined ? this.#heardAt : undefined;
        this.#take(chunk);
      }
      this.#lose('the agent ended the stream');
    } catch (error) {
      if (this.#state === 'opening') {
        this.#state = 'over';
        const code = error instanceof SourceFailure ? error.code : 'agent_unavailable';
        post({ kind: 'failed', stream, code, reason: reasonOf(error) });
      } else this.#lose(reasonOf(error));
    }
  }

  #take(chunk: Uint8Array): void {
    this.#guide.take(chunk);
    const forbidden = this.#forbidden;
    const kept = this.#filter.take(chunk) as Uint8Array<ArrayBuffer>;
    if (kept.length === 0) return;
    // Of a piece in which this changes, nothing is kept: where in it is not worth knowing.
    if (!forbidden && !this.#forbidden) for (const file of this.#files.values()) file.feed(kept);
    const at = this.#finder.position;
    const { points, format } = this.#finder.feed(kept);
    if (format !== null && format !== this.#format) this.#formatChanged(format, points);
    this.#burst.add(at, kept, points, this.options.now());
    for (const raw of this.#raws.values()) raw.feed(kept);
    for (const [sink, encoder] of this.#encoders) this.#feed(sink, encoder, kept);
  }

  #feed(sink: number, encoder: EncoderOutput, kept: Uint8Array): void {
    const until = this.#waiting.get(sink);
    if (until === undefined) {
      encoder.feed(kept);
      return;
    }
    const late = this.options.now() > until;
    const start = this.#burst.forEncoder() ?? (late ? this.#burst.since(0) : undefined);
    if (start === undefined) return;
    this.#waiting.delete(sink);
    for (const bytes of start) encoder.feed(bytes);
  }

  /** The encoders that had the old format end; entry points before this moment lead to the old one. */
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
    this.#forbidden = forbidsCopying(map);
    for (const file of this.#files.values()) file.forbid(this.#forbidden);
  }

  #newLayout(): void {
    this.#burst.clear();
    for (const encoder of this.#encoders.values()) encoder.finish({ cause: 'layout' });
    for (const file of this.#files.values()) file.layoutChanged();
    const { post, stream } = this.options;
    if (this.#layout !== undefined) post({ kind: 'layout', stream, layout: this.#layout });
  }

  #lose(reason: string): void {
    if (this.#state === 'over') return;
    const { post, stream } = this.options;
    const opened = this.#state === 'open';
    this.#state = 'over';
    this.#abort.abort(new Error(reason));
    if (!opened) post({ kind: 'failed', stream, code: 'no_tuner', reason });
    else void this.#endSinks({ cause: 'lost' }).then(() => post({ kind: 'ended', stream, reason }));
  }

  async #endSinks(end: OutputEnd): Promise<void> {
    for (const [sink, raw] of this.#raws) {
      raw.end();
      this.options.post({ kind: 'sinkEnded', sink, end });
    }
    this.#raws.clear();
    await Promise.all([
      ...[...this.#encoders.values()].map((encoder) => encoder.stop(end)),
      ...[...this.#files.values()].map((file) => file.end()),
    ]);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
