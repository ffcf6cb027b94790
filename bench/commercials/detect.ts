/** Detects the commercials of a stream in this process, as the background worker does. */

import { media90k } from '../../arib/time.ts';
import { analyseStream } from '../../src/commercial/analyse-stream.ts';
import type { DetectAsk } from '../../src/commercial/detect-messages.ts';
import type { StreamFeatures } from '../../src/commercial/stream-features.ts';
import { findEntry } from '../../src/media/entry-search.ts';
import { RecordingBytes } from '../../src/media/recording-bytes.ts';
import { type RecordingIndex, RecordingIndexer } from '../../src/media/recording-index.ts';

export async function featuresOf(
  path: string,
  ffmpeg: string,
): Promise<{ features: StreamFeatures; index: RecordingIndex; ask: DetectAsk }> {
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
    const ask: DetectAsk = {
      ...{ ffmpeg, paths: [path], size: bytes.size, pieces: index.pieces, serviceId: index.serviceId },
      entry: { at: entry.at, media: entry.media, layout: entry.layout, tables: entry.tables },
      format: entry.format ?? '',
      durationMs: index.duration / 90,
      logo: null,
      corrected: null,
    };
    const features = await analyseStream(ask, {
      turn: async () => {},
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    return { features, index, ask };
  } finally {
    await bytes.close();
  }
}
