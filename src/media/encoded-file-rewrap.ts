/** Streams an encoded file as fragmented MP4 to one viewer (`lib/mp4/rewrap.ts`). */
import { StreamTarget, type StreamTargetChunk } from 'mediabunny';
import { type EncodedFileInput, rewrap } from '../../lib/mp4/rewrap.ts';
import { openEncodedFile } from './encoded-file.ts';

interface RewrapOptions {
  /** s; the output begins at the key frame before it. */
  readonly from: number;
  /** Index of the audio track in the file; the first track if there is no such index. */
  readonly audio: number;
  /** A client that reads nothing for this long is disconnected, ms. */
  readonly abandonedAfterMs: number;
}

interface RewrappedStream {
  readonly mime: string;
  /** Time of the first video or audio packet, s. */
  readonly start: number;
  readonly body: ReadableStream<Uint8Array>;
}

const targetOf = (write: (chunk: StreamTargetChunk) => void): StreamTarget =>
  new StreamTarget(new WritableStream({ write }));

/** @throws Error if the file cannot be read, or contains something that MP4 does not support */
export async function rewrapFile(
  path: string,
  { from, audio, abandonedAfterMs }: RewrapOptions,
): Promise<RewrappedStream> {
  const file = await openEncodedFile(path);
  try {
    const rewrapping = await rewrap(file, { from, audio, targetOf });
    const { mime, start } = rewrapping;
    return { mime, start, body: bodyOf(file, rewrapping, abandonedAfterMs) };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Reads only as fast as the viewer (backpressure). */
function bodyOf(
  file: EncodedFileInput,
  rewrapping: Awaited<ReturnType<typeof rewrap>>,
  abandonedAfterMs: number,
): ReadableStream<Uint8Array> {
  let isOpen = true;
  let untaken: ReturnType<typeof setTimeout> | undefined;
  const close = (): void => {
    clearTimeout(untaken);
    if (!isOpen) return;
    isOpen = false;
    file.close();
    rewrapping.cancel();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(untaken);
        try {
          const chunks = isOpen ? await rewrapping.next() : undefined;
          for (const chunk of chunks ?? []) controller.enqueue(chunk);
          if (chunks === undefined) {
            close();
            controller.close();
            return;
          }
          untaken = setTimeout(() => {
            close();
            controller.error(new Error('the client does not read'));
          }, abandonedAfterMs);
          untaken.unref();
        } catch (error) {
          close();
          throw error;
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
