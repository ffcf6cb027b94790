/**
 * Cache of the guide: chunks of hours and broadcast type, loaded when they come near the view, kept with their entity
 * tags, and revalidated when the service reports a change. Shown programmes stay until their replacement has arrived.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { GuideProgram, GuideWindow, Station } from '../../lib/wire/api.ts';
import { monotonicMs } from '../../lib/wire/times.ts';
import { monotonicNow } from '../device/clock.ts';
import { type ApiFailure, asFailure, type GuideQuestion, type Renewed } from '../query/api.ts';
import { type Placed, placeColumn } from '../ui/lanes.ts';
import { CHUNK_MS, chunksOf, type Span } from './geometry.ts';

type BroadcastType = Station['type'];

interface Chunk {
  readonly type: BroadcastType;
  readonly from: BroadcastMs;
  programs: ReadonlyMap<StationId, readonly GuideProgram[]> | undefined;
  etag: string | null;
  /** Must be revalidated before use. */
  stale: boolean;
  reading: boolean;
  failure: ApiFailure | undefined;
  /** When it was last used, for eviction. */
  wanted: number;
}

type ReadGuide = (
  question: GuideQuestion,
  etag: string | null,
  signal: AbortSignal,
) => Promise<Renewed<GuideWindow>>;

/** Requests at a time: a browser allows six to a service over HTTP/1.1, and logos and events need some of them. */
const MOST_AT_ONCE = 3;
/** Ten days of one type, 8,000 programmes of 80 stations: about 6 MB. */
const MOST_KEPT = 40;

/** Shortest interval between two revalidations. */
const CHANGES_MS = 3_000;

export type ViewState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

export class GuideStore {
  readonly #chunks = new Map<string, Chunk>();
  readonly #columns = new Map<StationId, readonly Placed<GuideProgram>[]>();
  readonly #abort = new AbortController();
  #columnsOf: BroadcastType | undefined;
  #queue: Chunk[] = [];
  #active = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #changedAt = monotonicMs(Number.NEGATIVE_INFINITY);
  #use = 0;

  constructor(
    readonly read: ReadGuide,
    /** Called when a request begins, succeeds or fails. */
    readonly onChange: () => void,
  ) {}

  /** Loads a range where it is missing; `ahead` is loaded after it. */
  need(type: BroadcastType, seen: Span, ahead: readonly Span[]): void {
    this.#use += 1;
    const wanted = [seen, ...ahead].flatMap((span) => chunksOf(span.from, span.to));
    const queue: Chunk[] = [];
    for (const from of new Set(wanted)) {
      const chunk = this.#chunk(type, from);
      chunk.wanted = this.#use;
      if (chunk.stale && !chunk.reading && chunk.failure === undefined) queue.push(chunk);
    }
    // Only the latest request counts: ranges scrolled past are not loaded.
    this.#queue = queue;
    this.#forget();
    this.#pump();
  }

  state(type: BroadcastType, seen: Span): ViewState {
    const chunks = chunksOf(seen.from, seen.to).map((from) => this.#chunks.get(key(type, from)));
    const failure = chunks.find((chunk) => chunk?.failure !== undefined)?.failure;
    if (failure !== undefined) return { kind: 'failed', failure };
    return chunks.every((chunk) => chunk?.programs !== undefined) ? { kind: 'ready' } : { kind: 'loading' };
  }

  /** The guide changed, or a failure is to be retried: every chunk is revalidated when next used. */
  invalidate(): void {
    for (const chunk of this.#chunks.values()) {
      chunk.stale = true;
      chunk.failure = undefined;
    }
    this.onChange();
  }

  /** As `invalidate`, throttled: while the guide is being collected there are many changes. */
  changed(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#changedAt + CHANGES_MS - monotonicNow());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#changedAt = monotonicNow();
      this.invalidate();
    }, wait);
  }

  /** The loaded programmes of a station, in order. The same array until new data arrives. */
  column(type: BroadcastType, stationId: StationId): readonly Placed<GuideProgram>[] {
    if (this.#columnsOf !== type) {
      this.#columns.clear();
      this.#columnsOf = type;
    }
    const kept = this.#columns.get(stationId);
    if (kept !== undefined) return kept;
    const programs = new Map<ProgramId, GuideProgram>();
    for (const chunk of this.#chunks.values()) {
      if (chunk.type !== type) continue;
      for (const program of chunk.programs?.get(stationId) ?? []) programs.set(program.id, program);
    }
    const column = placeColumn(programs.values());
    this.#columns.set(stationId, column);
    return column;
  }

  close(): void {
    this.#queue = [];
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  #chunk(type: BroadcastType, from: BroadcastMs): Chunk {
    const name = key(type, from);
    const known = this.#chunks.get(name);
    if (known !== undefined) return known;
    const chunk: Chunk = {
      type,
      from,
      programs: undefined,
      etag: null,
      stale: true,
      reading: false,
      failure: undefined,
      wanted: 0,
    };
    this.#chunks.set(name, chunk);
    return chunk;
  }

  #forget(): void {
    if (this.#chunks.size <= MOST_KEPT) return;
    const oldest = [...this.#chunks].sort(([, a], [, b]) => a.wanted - b.wanted);
    for (const [name, chunk] of oldest.slice(0, this.#chunks.size - MOST_KEPT)) {
      if (!chunk.reading && chunk.wanted < this.#use) this.#chunks.delete(name);
    }
    this.#columns.clear();
  }

  #pump(): void {
    while (this.#active < MOST_AT_ONCE) {
      const chunk = this.#queue.shift();
      if (chunk === undefined) return;
      this.#active += 1;
      chunk.reading = true;
      void this.#fill(chunk).finally(() => {
        this.#active -= 1;
        chunk.reading = false;
        if (this.#abort.signal.aborted) return;
        this.onChange();
        this.#pump();
      });
    }
  }

  async #fill(chunk: Chunk): Promise<void> {
    const { type, from } = chunk;
    // An event during the read makes it stale again.
    chunk.stale = false;
    try {
      const answer = await this.read(
        { type, from, to: plusMs(from, CHUNK_MS) },
        chunk.etag,
        this.#abort.signal,
      );
      // The map is in loading order: of a programme that moved, the newest entry counts.
      this.#chunks.delete(key(type, from));
      this.#chunks.set(key(type, from), chunk);
      if (answer === 'unchanged') return;
      chunk.etag = answer.etag;
      chunk.programs = takeOver(chunk.programs, answer.content);
      this.#columns.clear();
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      chunk.stale = true;
      // Shown content stays; only an empty view needs the reason.
      if (chunk.programs === undefined) {
        chunk.failure = asFailure(error);
      } else chunk.stale = false;
    }
  }
}

function isSame(a: GuideProgram, b: GuideProgram): boolean {
  return (
    a.name === b.name &&
    a.description === b.description &&
    a.startAt === b.startAt &&
    a.endAt === b.endAt &&
    a.openEnd === b.openEnd &&
    a.isFree === b.isFree &&
    a.copyNever === b.copyNever &&
    a.reservation?.id === b.reservation?.id &&
    a.reservation?.state === b.reservation?.state &&
    a.genres.map(({ lv1, lv2 }) => lv1 * 16 + lv2).join() ===
      b.genres.map(({ lv1, lv2 }) => lv1 * 16 + lv2).join()
  );
}

/** Keeps unchanged programmes as the same objects, so that their cells are not redrawn. */
function takeOver(before: Chunk['programs'], content: GuideWindow): Chunk['programs'] {
  return new Map(
    content.map(({ stationId, programs }) => {
      const known = new Map(before?.get(stationId)?.map((program) => [program.id, program]));
      const taken = programs.map((program) => {
        const old = known.get(program.id);
        return old !== undefined && isSame(old, program) ? old : program;
      });
      return [stationId, taken];
    }),
  );
}

const key = (type: BroadcastType, from: BroadcastMs): string => `${type} ${from}`;
