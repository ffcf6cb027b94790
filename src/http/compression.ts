/**
 * Compressed JSON answers. Lists of a household are 100 KB to 1.5 MB of repetitive JSON, read over Wi-Fi; gzip
 * reduces them to a ninth. Streams, media and small responses are passed unchanged.
 *
 * Cost is bounded: compression runs on the runtime's thread pool, `MAX_RUNNING` at a time (further responses are sent
 * uncompressed), and a response with an ETag is compressed once and cached until it changes.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { accepts } from './route/request.ts';

const gzipAsync = promisify(gzip);

/** Below it the saving is one or two packets. */
const MIN_BYTES = 4096;
/** A day of 60 CS stations, 1.6 MB: level 3 gives 184 kB in 8 ms of CPU, 5 163 kB in 10 ms, 6 158 kB in 11.5 ms. */
const LEVEL = 5;
/** The pool has at least two threads, and files are read by it too. */
const MAX_RUNNING = 2;
/** A few dozen of the largest responses; a screen polls three or four addresses. */
const MAX_KEPT_BYTES = 4 * 1_048_576;

interface Kept {
  etag: string;
  bytes: Uint8Array<ArrayBuffer>;
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/json') === true;
}

export class JsonCompression {
  /** By URL with its query, the least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #pending = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  #running = 0;

  /** Number of times that gzip ran; the cached results. */
  runs = 0;
  keptBytes = 0;

  /** The response, compressed if accepted and worthwhile. @param key the URL with its query */
  async apply(request: Request, response: Response, key: string): Promise<Response> {
    if (!isJson(response) || (response.status !== 200 && response.status !== 304)) return response;
    response.headers.append('vary', 'accept-encoding');
    if (response.status !== 200 || request.method !== 'GET' || !accepts(request, 'gzip')) return response;
    const etag = response.headers.get('etag');
    const kept = this.#find(key, etag);
    if (kept !== undefined) {
      await response.body?.cancel();
      return compressed(kept, response.headers);
    }
    const plain = new Uint8Array(await response.arrayBuffer());
    const headers = response.headers;
    if (plain.length < MIN_BYTES || this.#running >= MAX_RUNNING) return new Response(plain, { headers });
    return compressed(await this.#compress(key, etag, plain), headers);
  }

  #find(key: string, etag: string | null): Uint8Array<ArrayBuffer> | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.etag !== etag) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.bytes;
  }

  /** Requests for the same content share one run. */
  #compress(
    key: string,
    etag: string | null,
    plain: Uint8Array<ArrayBuffer>,
  ): Promise<Uint8Array<ArrayBuffer>> {
    if (etag === null) return this.#run(plain);
    const job = `${etag} ${key}`;
    const pending = this.#pending.get(job);
    if (pending !== undefined) return pending;
    const running = this.#run(plain)
      .then((bytes) => {
        this.#keep(key, { etag, bytes });
        return bytes;
      })
      .finally(() => this.#pending.delete(job));
    this.#pending.set(job, running);
    return running;
  }

  async #run(plain: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    this.#running += 1;
    this.runs += 1;
    try {
      return new Uint8Array(await gzipAsync(plain, { level: LEVEL }));
    } finally {
      this.#running -= 1;
    }
  }

  #keep(key: string, kept: Kept): void {
    this.#drop(key);
    this.#kept.set(key, kept);
    this.keptBytes += kept.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.keptBytes <= MAX_KEPT_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.keptBytes -= this.#kept.get(key)?.bytes.length ?? 0;
    this.#kept.delete(key);
  }
}

function compressed(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Response {
  headers.set('content-encoding', 'gzip');
  headers.delete('content-length');
  return new Response(bytes, { headers });
}
