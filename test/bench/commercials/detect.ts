/** Analyses a stream in this process, like the background worker. */
import { analyseStream } from '../../../src/commercial/analyse-stream.ts';
import type { DetectAsk } from '../../../src/commercial/detect-messages.ts';
import type { StreamFeatures } from '../../../src/commercial/stream-features.ts';
import { detectAsk } from '../../play/detect-ask.ts';

export async function featuresOf(
  path: string,
  ffmpeg: string,
): Promise<{ features: StreamFeatures; ask: DetectAsk }> {
  const ask = await detectAsk(path, ffmpeg);
  const features = await analyseStream(ask, {
    resumed: async () => {},
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  return { features, ask };
}
