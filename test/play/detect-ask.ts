/** The request to the background worker for the commercials of a file. */
import { media90k } from '../../lib/arib/time.ts';
import type { DetectAsk } from '../../src/commercial/detect-messages.ts';
import { findEntry } from '../../src/media/entry-search.ts';
import { RecordingBytes } from '../../src/media/recording-bytes.ts';
import { RecordingIndexer } from '../../src/media/recording-index.ts';

export async function detectAsk(path: string, ffmpeg: string): Promise<DetectAsk> {
  const bytes = await RecordingBytes.open(() => [path]);
  try {
    const index = await new RecordingIndexer().index({
      source: bytes,
      breaks: [],
      beganAt: undefined,
      serviceId: undefined,
    });
    const entry = await findEntry(bytes, index, media90k(0));
    if (entry === undefined) throw new Error('nothing can be shown');
    return {
      ...{ ffmpeg, paths: [path], size: bytes.size, pieces: index.pieces, serviceId: index.serviceId },
      entry: { at: entry.at, media: entry.media, layout: entry.layout, tables: entry.tables },
      format: entry.format ?? '',
      durationMs: index.duration / 90,
      logo: null,
      corrected: null,
    };
  } finally {
    await bytes.close();
  }
}
