/**
 * The audio of finished recordings as files of the recording cache, so that ranges of it can be requested and later
 * requests are answered at disk speed. Extracted once, at the first request, which reads the file while it grows.
 */
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import type { Log } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { Failure } from '../model/failure.ts';
import type { RecordingCache } from './recording-cache.ts';

interface AudioFilesOptions {
  readonly cache: Pick<RecordingCache, 'path' | 'place'>;
  readonly log: Log;
}

interface AudioFile {
  readonly path: string;
  /** Resolves when the file is complete. @throws the error of the extraction */
  readonly done: Promise<void>;
  /** What is there now, and what follows. */
  body(): ReadableStream<Uint8Array>;
}

/** Each reads a complete recording. */
const MAX_EXTRACTIONS = 4;
const BLOCK_BYTES = 256 * 1024;

class Extraction implements AudioFile {
  readonly done: Promise<void>;
  #file: FileHandle | undefined;
  #size = 0;
  #isStopped = false;
  /** Nothing more is written; a later reader opens the complete file. */
  isOver = false;
  #error: unknown;
  #changed = Promise.withResolvers<void>();
  #readers = 0;

  constructor(
    readonly path: string,
    private readonly source: ReadableStream<Uint8Array>,
  ) {
    this.done = this.#run();
    this.done.catch(() => {});
  }

  async #run(): Promise<void> {
    const part = `${this.path}.part`;
    try {
      // Also read by the responses: its name changes when it is complete.
      this.#file = await open(part, 'w+');
      for await (const bytes of this.source) {
        if (this.#isStopped) throw new Error('the service stops');
        await this.#file.write(bytes, 0, bytes.length, this.#size);
        this.#size += bytes.length;
        this.#notify();
      }
      await rename(part, this.path);
    } catch (error) {
      this.#error = error;
      await rm(part, { force: true });
      throw error;
    } finally {
      this.isOver = true;
      this.#notify();
      if (this.#readers === 0) await this.#file?.close();
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  body(): ReadableStream<Uint8Array> {
    let at = 0;
    this.#readers += 1;
    let isOpen = true;
    const leave = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#readers -= 1;
      if (this.isOver && this.#readers === 0) void this.#file?.close();
    };
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          while (at >= this.#size && !this.isOver) await this.#changed.promise;
          const block = new Uint8Array(Math.min(BLOCK_BYTES, this.#size - at));
          const read =
            block.length === 0 ? 0 : ((await this.#file?.read(block, 0, block.length, at))?.bytesRead ?? 0);
          at += read;
          if (read > 0) {
            controller.enqueue(block.subarray(0, read));
            return;
          }
          leave();
          if (this.#error === undefined) controller.close();
          else controller.error(this.#error);
        },
        cancel: leave,
      },
      { highWaterMark: 0 },
    );
  }
}

export class AudioFiles {
  readonly #running = new Map<string, Extraction>();

  constructor(private readonly options: AudioFilesOptions) {}

  /** The path of the complete file; undefined if there is none yet. @param name changes with the recording's file */
  async find(id: RecordingId, name: string): Promise<string | undefined> {
    const path = this.options.cache.path(id, name);
    return stat(path).then(
      (found) => (found.isFile() ? path : undefined),
      () => undefined,
    );
  }

  /**
   * Starts the extraction, or joins the one that runs.
   * @param extract called once @throws Failure busy; the error of `extract`
   */
  async start(
    id: RecordingId,
    name: string,
    extract: () => Promise<ReadableStream<Uint8Array>>,
  ): Promise<AudioFile> {
    const path = await this.options.cache.place(id, name);
    const present = this.#running.get(path);
    if (present?.isOver === true) await present.done;
    else if (present !== undefined) return present;
    const known = await this.find(id, name);
    if (known !== undefined) return completeFile(known);
    if (this.#running.size >= MAX_EXTRACTIONS) throw new Failure('busy', 'サーバが混んでいます');
    const source = await extract();
    const other = this.#running.get(path);
    if (other !== undefined && !other.isOver) {
      await source.cancel();
      return other;
    }
    const extraction = new Extraction(path, source);
    this.#running.set(path, extraction);
    extraction.done
      .catch((error: unknown) => {
        this.options.log.info('audio of a recording not extracted', { recording: id, error: String(error) });
      })
      .finally(() => {
        if (this.#running.get(path) === extraction) this.#running.delete(path);
      });
    return extraction;
  }

  /** Resolves when nothing is written any more. */
  async close(): Promise<void> {
    for (const extraction of this.#running.values()) extraction.stop();
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }
}

function completeFile(path: string): AudioFile {
  return { path, done: Promise.resolve(), body: () => Bun.file(path).stream() };
}
