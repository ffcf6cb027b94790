/**
 * A download by the page: ranges in parallel, each stored when it is complete, so that a break costs no more than the
 * ranges that were being read. It waits while the service cannot be reached, as long as the page is open.
 */
import { completeVideo, type Fetched, type OfflineDatabase } from './database.ts';
import { isRange, PARTS_AT_ONCE, type Part, partsOf, roleOf } from './download-plan.ts';
import type { SavedVideo, SaveFailure } from './saved-video.ts';

/** Between two attempts, then again and again the last; ms. */
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** A connection that brings nothing for so long is given up, ms. */
const SILENCE_MS = 30_000;
/** Largest file beside the video, octets. */
const MOST_ATTACHMENT = 64 * 1024 * 1024;
const VIDEO_TYPE = 'video/x-matroska';

export class SaveError extends Error {
  override readonly name = 'SaveError';
  constructor(readonly failure: SaveFailure) {
    super(failure);
  }
}

/** The same request may succeed later. */
class TryLater extends Error {}

interface PageDownload {
  readonly database: Pick<OfflineDatabase, 'parts' | 'putPart' | 'removeParts' | 'changeVideo'>;
  /** @param path relative to the service */
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** @param received octets so far @param isWaiting the service cannot be reached */
  readonly onProgress: (received: number, isWaiting: boolean) => void;
  /** Pauses between attempts; resolves early when the device is online again. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly partBytes?: number;
}

/** @throws TryLater, SaveError */
function refuse(status: number): never {
  if (status === 404 || status === 410) throw new SaveError('gone');
  if (status === 401 || status === 403) throw new SaveError('refused');
  throw new TryLater(String(status));
}

/** Reads a body of at most `limit` octets. @param onBytes is told the size of each chunk @throws TryLater, SaveError */
async function limitedBody(
  response: Response,
  limit: number,
  onBytes: (count: number) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return chunks;
    length += value.length;
    if (length > limit) {
      void reader?.cancel().catch(() => undefined);
      throw new SaveError('total');
    }
    onBytes(value.length);
    chunks.push(value);
  }
}

class Run {
  readonly #abort = new AbortController();
  #received = 0;
  #waiting = 0;

  constructor(
    readonly row: SavedVideo,
    readonly needs: PageDownload,
    outer: AbortSignal,
  ) {
    const stop = (): void => this.#abort.abort(outer.reason);
    if (outer.aborted) stop();
    outer.addEventListener('abort', stop, { signal: this.#abort.signal });
  }

  /** @returns false: the row was removed, or tried again, meanwhile */
  async start(): Promise<boolean> {
    try {
      const attachments = await this.#attachments();
      const video = await this.#video();
      const isReady = await completeVideo(this.needs.database, this.row, [['video', video], ...attachments]);
      if (isReady) await this.needs.database.removeParts(this.row.id);
      return isReady;
    } finally {
      this.#abort.abort();
    }
  }

  #tell(bytes: number): void {
    this.#received += bytes;
    this.needs.onProgress(this.#received, this.#waiting > 0);
  }

  async #attachments(): Promise<Fetched> {
    const found: [Fetched[number][0], Blob][] = [];
    for (const path of this.row.attachments) {
      const role = roleOf(path);
      if (role === undefined) continue;
      const blob = await this.#persistently((signal, onBytes) => this.#attachment(path, signal, onBytes));
      if (blob !== undefined) found.push([role, blob]);
    }
    return found;
  }

  async #attachment(
    path: string,
    signal: AbortSignal,
    onBytes: (count: number) => void,
  ): Promise<Blob | undefined> {
    const response = await this.needs.fetch(path, { signal });
    // It went after it was measured: the video is worth saving without it.
    if (response.status === 404) return undefined;
    if (!response.ok) refuse(response.status);
    const type = response.headers.get('content-type') ?? '';
    return new Blob(await limitedBody(response, MOST_ATTACHMENT, onBytes), { type });
  }

  async #video(): Promise<Blob> {
    const { row, needs } = this;
    const parts = partsOf(row.videoBytes, needs.partBytes);
    const held = await needs.database.parts(row.id);
    const isHeld = ({ index, start, end }: Part): boolean => {
      const part = held.get(index);
      return row.etag !== null && part?.etag === row.etag && part.blob.size === end - start;
    };
    const missing = parts.filter((part) => !isHeld(part));
    this.#tell(parts.filter(isHeld).reduce((sum, { start, end }) => sum + end - start, 0));
    const work = async (): Promise<void> => {
      for (let part = missing.shift(); part !== undefined; part = missing.shift()) {
        const wanted = part;
        const blob = await this.#persistently((signal, onBytes) => this.#part(wanted, signal, onBytes));
        await needs.database.putPart(row.id, wanted.index, { etag: row.etag, blob });
      }
    };
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, work)).catch((error: unknown) => {
      this.#abort.abort();
      throw error;
    });
    const all = await needs.database.parts(row.id);
    const blobs = parts.map(({ index }) => all.get(index)?.blob);
    const video = new Blob(
      blobs.filter((blob) => blob !== undefined),
      { type: VIDEO_TYPE },
    );
    if (video.size !== row.videoBytes) throw new SaveError('lost');
    return video;
  }

  async #part(part: Part, signal: AbortSignal, onBytes: (count: number) => void): Promise<Blob> {
    const { row, needs } = this;
    const { start, end } = part;
    const response = await needs.fetch(`api/recordings/${row.id}/file?source=${row.source}`, {
      signal,
      headers: { range: `bytes=${start}-${end - 1}` },
    });
    // A file that grew shorter.
    if (response.status === 416) throw new SaveError('changed');
    if (!response.ok) refuse(response.status);
    const tag = response.headers.get('etag');
    if (tag !== row.etag) throw new SaveError('changed');
    // A proxy may send the whole file instead of the range.
    const isWhole = response.status === 200 && start === 0 && end === row.videoBytes;
    if (!isWhole && !isRange(response.headers.get('content-range'), part, row.videoBytes))
      throw new SaveError('changed');
    const chunks = await limitedBody(response, end - start, onBytes);
    const blob = new Blob(chunks);
    if (blob.size < end - start) throw new TryLater('cut off');
    return blob;
  }

  /** Repeats an attempt until it succeeds, or cannot. */
  async #persistently<T>(
    attempt: (signal: AbortSignal, onBytes: (count: number) => void) => Promise<T>,
  ): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      this.#abort.signal.throwIfAborted();
      try {
        return await this.#once(attempt);
      } catch (error) {
        if (this.#abort.signal.aborted || error instanceof SaveError) throw error;
        // Anything else is a broken connection; errors of the store are thrown outside.
        this.#waiting += 1;
        this.#tell(0);
        const ms = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 0;
        await this.needs.wait(ms, this.#abort.signal);
        this.#waiting -= 1;
      }
    }
  }

  async #once<T>(attempt: (signal: AbortSignal, onBytes: (count: number) => void) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const stop = (): void => abort.abort();
    this.#abort.signal.addEventListener('abort', stop);
    let timer = setTimeout(stop, SILENCE_MS);
    let counted = 0;
    try {
      const result = await attempt(abort.signal, (count) => {
        clearTimeout(timer);
        timer = setTimeout(stop, SILENCE_MS);
        counted += count;
        this.#tell(count);
      });
      return result;
    } catch (error) {
      // It is read again.
      this.#tell(-counted);
      throw error;
    } finally {
      clearTimeout(timer);
      this.#abort.signal.removeEventListener('abort', stop);
    }
  }
}

/**
 * Resolves when the row is ready. @returns false: it was removed, or tried again, meanwhile
 * @throws SaveError; DOMException QuotaExceededError; the abort's reason
 */
export function downloadInPage(row: SavedVideo, needs: PageDownload, signal: AbortSignal): Promise<boolean> {
  return new Run(row, needs, signal).start();
}
