/**
 * A saved file as fragmented MP4, for the player. Built as `saved.mjs` and loaded with the first saved recording that is
 * played: the library is larger than the rest of the UI.
 */
import { BlobSource, Input, MATROSKA, StreamTarget, type StreamTargetChunk } from 'mediabunny';
import { openTracks, rewrap } from '../../lib/mp4/rewrap.ts';

/** Octets of the file in memory. */
const CACHE_BYTES = 4 * 1024 * 1024;

const targetOf = (write: (chunk: StreamTargetChunk) => void): StreamTarget =>
  new StreamTarget(new WritableStream({ write }));

export interface SavedStream {
  readonly mime: string;
  next(): Promise<Uint8Array[] | undefined>;
  close(): void;
}

/**
 * @param from s; it begins at the key frame before @param audio index of the audio track
 * @throws DOMException where the browser has deleted the file; Error where it is damaged
 */
export async function openSavedFile(blob: Blob, from: number, audio: number): Promise<SavedStream> {
  const source = new BlobSource(blob, { maxCacheSize: CACHE_BYTES });
  const file = await openTracks(new Input({ source, formats: [MATROSKA] }));
  try {
    const { mime, next, cancel } = await rewrap(file, { from, audio, targetOf });
    const close = (): void => {
      cancel();
      file.close();
    };
    return { mime, next, close };
  } catch (error) {
    file.close();
    throw error;
  }
}
