/**
 * The data broadcast of a recording as the body of a response: JSON lines, compressed where the client accepts it. Read as
 * the client takes it. Of a recording in progress it continues until that ends.
 */
import { constants as fileFlags } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { constants, createGzip } from 'node:zlib';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import { DataFileIndex } from '../media/data-file-index.ts';
import { DataLines } from '../media/data-file-lines.ts';
import type { CutList } from '../model/recording-time.ts';

/** Passed on at once. A module has up to 2 MB. */
const BATCH_LETTERS = 64 * 1024;
/** A client that reads nothing for so long is disconnected. */
const STALLED_MS = 5 * 60_000;
const FOLLOW_MS = 2_000;
const LEVEL = 4;

export interface DataBodyOptions {
  readonly path: string;
  readonly cuts: CutList;
  /** s. */
  readonly from: number;
  readonly isCompressed: boolean;
  /** The file was written to its end, and can be made again. */
  readonly isWhole: boolean;
  /** Reads what was received since; resolves with false when the recording has ended, and its file is complete. */
  readonly renew: () => Promise<boolean>;
  /** Called once, when it is over. */
  readonly onOver: () => void;
}

/** What was written last is missing. */
export class TornDataFile extends Error {}

/** @throws TornDataFile, the error of the file, such as ENOENT */
export async function dataBody(options: DataBodyOptions): Promise<ReadableStream<Uint8Array>> {
  const { path, cuts, from, isCompressed, onOver } = options;
  const file = await open(path, fileFlags.O_RDONLY | fileFlags.O_NOFOLLOW | fileFlags.O_NONBLOCK);
  const index = new DataFileIndex();
  try {
    await index.refresh(file);
    if (options.isWhole && !index.isFinal) throw new TornDataFile(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  const abort = new AbortController();
  let isOver = false;
  const over = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    clearTimeout(stalled);
    onOver();
    void chunks.return(undefined);
    await file.close();
  };
  const lines = new DataLines({ file, index, cuts, from });
  const text = followed(lines, index, file, { ...options, signal: abort.signal });
  const chunks = isCompressed ? compressed(text) : plain(text);
  let stalled: ReturnType<typeof setTimeout> | undefined;
  const watch = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    stalled = setTimeout(() => {
      void over();
      controller.error(new Error('the client reads nothing'));
    }, STALLED_MS);
  };
  return new ReadableStream<Uint8Array>(
    {
      start: watch,
      pull: async (controller) => {
        clearTimeout(stalled);
        try {
          const { done, value } = await chunks.next();
          if (isOver) return;
          if (done === true) {
            await over();
            controller.close();
            return;
          }
          controller.enqueue(value);
          watch(controller);
        } catch (error) {
          await over();
          controller.error(error);
        }
      },
      cancel: async () => {
        abort.abort();
        await over();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Batches of lines; an empty one before each wait, so that everything is sent. */
async function* followed(
  lines: DataLines,
  index: DataFileIndex,
  file: FileHandle,
  { renew, signal }: Pick<DataBodyOptions, 'renew'> & { readonly signal: AbortSignal },
): AsyncGenerator<string> {
  for (;;) {
    const isGrowing = await renew();
    await index.refresh(file);
    let batch = '';
    for await (const line of lines.more()) {
      batch += line;
      if (batch.length < BATCH_LETTERS) continue;
      yield batch;
      batch = '';
    }
    if (batch !== '') yield batch;
    if (!isGrowing || signal.aborted) return;
    yield '';
    await sleepUnlessAborted(FOLLOW_MS, signal);
    if (signal.aborted) return;
  }
}

async function* plain(text: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const utf8 = new TextEncoder();
  for await (const batch of text) if (batch !== '') yield utf8.encode(batch);
}

/** Compressed on the runtime's threads. */
async function* compressed(text: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: LEVEL });
  const out: Uint8Array[] = [];
  gzip.on('data', (piece: Uint8Array) => out.push(piece));
  try {
    for await (const batch of text) {
      await new Promise<void>((resolve, reject) => {
        if (batch === '') gzip.flush(constants.Z_SYNC_FLUSH, resolve);
        else gzip.write(batch, (error) => (error ? reject(error) : resolve()));
      });
      yield* out.splice(0);
    }
    await new Promise<void>((resolve, reject) => {
      gzip.once('error', reject);
      gzip.once('end', resolve);
      gzip.end();
    });
    yield* out.splice(0);
  } finally {
    gzip.destroy();
  }
}
