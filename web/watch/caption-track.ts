/** Captions of a recording by its position: read once; for a recording in progress new ones are polled. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { CaptionPage, CaptionsFile, TimedCaptionPage } from '../../lib/wire/caption.ts';
import { type CaptionLanguageChoice, pageAt, type TimedPage } from '../caption/caption-timeline.ts';
import { ApiFailure } from '../query/api.ts';
import { TEXTS } from './texts.ts';
import type { WatchSource } from './watch-source.ts';

type CaptionState =
  | { readonly kind: 'reading' }
  /** The recording has none, or none yet. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | { readonly kind: 'ready'; readonly languages: readonly CaptionLanguageChoice[] };

/** Interval at which the captions of a running recording are read again. */
const GROWING_EVERY_MS = 3_000;
const AGAIN_MS = 15_000;
/** Pages this near to the newest one may still be replaced by the next read. */
const UNSETTLED_S = 10;

const timed = (pages: readonly TimedCaptionPage[]): TimedPage[] =>
  pages.map(({ at, page }) => ({ atMs: at * 1000, page }));

/** Pages by language; a file of another version holds none that could be drawn. */
function pagesByLanguage(file: CaptionsFile): Map<number, readonly TimedPage[]> {
  const all = new Map<number, readonly TimedPage[]>([[file.language?.index ?? 1, timed(file.pages)]]);
  for (const { index, pages } of file.others ?? []) all.set(index, timed(pages));
  return all;
}

/** The newest pages of a running recording behind those that are here. @param from s */
export function withNewer(
  held: ReadonlyMap<number, readonly TimedPage[]>,
  newer: ReadonlyMap<number, readonly TimedPage[]>,
  from: number,
): Map<number, readonly TimedPage[]> {
  const merged = new Map<number, readonly TimedPage[]>();
  for (const index of new Set([...held.keys(), ...newer.keys()])) {
    const before = (held.get(index) ?? []).filter(({ atMs }) => atMs < from * 1000);
    // The page on screen at that time comes first, even if it began earlier.
    const known = before.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
    merged.set(index, [...before, ...(newer.get(index) ?? []).filter(({ atMs }) => atMs > known)]);
  }
  return merged;
}

function languagesOf(file: CaptionsFile): CaptionLanguageChoice[] {
  const first = { index: file.language?.index ?? 1, label: file.language?.label ?? '' };
  return [first, ...(file.others ?? [])].map(({ index, label }) => ({
    index,
    label: label === '' ? TEXTS.captionsOf(index) : label,
  }));
}

export class CaptionTrack {
  readonly #state = signal<CaptionState>({ kind: 'reading' });
  readonly #abort = new AbortController();
  #pages: ReadonlyMap<number, readonly TimedPage[]> = new Map();
  #etag: string | null = null;
  /** s; everything before is loaded. */
  #from = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #growing: boolean;

  constructor(private readonly source: WatchSource) {
    this.#growing = source.growing;
    void this.#read();
  }

  get state(): ReadonlySignal<CaptionState> {
    return this.#state;
  }

  /** The recording ended: one last read completes the list. */
  settle(): void {
    if (!this.#growing) return;
    this.#growing = false;
    clearTimeout(this.#timer);
    void this.#read();
  }

  /** @param position s on the playback scale @param language 1 to 8; the first if there is no such language */
  at(position: number, language: number): CaptionPage | undefined {
    const pages = this.#pages.get(language) ?? this.#pages.values().next().value;
    return pages === undefined ? undefined : pageAt(pages, position * 1000);
  }

  close(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    const { signal: aborted } = this.#abort;
    let again = this.#growing ? GROWING_EVERY_MS : undefined;
    try {
      const answer = await this.source.captions(this.#from, this.#etag, aborted);
      if (answer !== 'unchanged') this.#take(answer.content, answer.etag);
    } catch (error) {
      if (aborted.aborted) return;
      const failure = error instanceof ApiFailure ? error : new ApiFailure('internal', String(error));
      if (failure.code === 'not_found') {
        this.#state.value = { kind: 'none' };
        // A programme may bring its first caption after minutes.
        if (this.#growing) again = AGAIN_MS;
      } else {
        if (this.#pages.size === 0) this.#state.value = { kind: 'failed', failure };
        again = AGAIN_MS;
      }
    }
    if (again !== undefined && !aborted.aborted) this.#timer = setTimeout(() => void this.#read(), again);
  }

  #take(file: CaptionsFile, etag: string | null): void {
    const read = pagesByLanguage(file);
    this.#pages = this.#from === 0 ? read : withNewer(this.#pages, read, this.#from);
    const newest = Math.max(0, ...[...this.#pages.values()].map((pages) => pages.at(-1)?.atMs ?? 0)) / 1000;
    const from = this.#growing ? Math.max(this.#from, Math.floor(newest - UNSETTLED_S)) : this.#from;
    // Of another part the tag is another.
    this.#etag = from === this.#from ? etag : null;
    this.#from = from;
    this.#state.value = { kind: 'ready', languages: languagesOf(file) };
  }
}
