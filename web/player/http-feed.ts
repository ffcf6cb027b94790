/** A feed that reads the body of one HTTP response: fragmented MP4 from its initialisation segment on. */
import { InitSegmentCollector } from '../../mp4/init-segment.ts';
import { mimeOf, readTracks } from '../../mp4/tracks.ts';
import { ApiFailure, failureOf } from '../query/api.ts';
import { MIME_HEADER, NOTICE_HEADER, OFFSET_HEADER, RECORDED_HEADER } from '../query/headers.ts';
import type { FeedPart, MediaFeed } from './media-feed.ts';
import { TEXTS } from './texts.ts';

export class HttpFeed implements MediaFeed {
  constructor(readonly url: URL) {}

  async *read(signal: AbortSignal): AsyncGenerator<FeedPart> {
    const response = await fetch(this.url, { signal, cache: 'no-store' });
    if (!response.ok) throw await failureOf(response);
    if (response.body === null) throw new ApiFailure('internal', TEXTS.empty);
    const { headers } = response;
    yield {
      kind: 'answer',
      notices: words(headers.get(NOTICE_HEADER)),
      offset: secondsOf(headers.get(OFFSET_HEADER)) ?? 0,
      recorded: secondsOf(headers.get(RECORDED_HEADER)),
    };
    const reader = response.body.getReader();
    try {
      let collector: InitSegmentCollector | undefined = new InitSegmentCollector();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        if (collector === undefined) {
          yield { kind: 'media', bytes: value };
          continue;
        }
        const bytes = collector.push(value);
        if (bytes === undefined) continue;
        collector = undefined;
        // What the service says, then what the stream itself says.
        const types = [headers.get(MIME_HEADER), mimeOf(readTracks(bytes))].filter((type) => type != null);
        yield { kind: 'init', types, bytes };
      }
    } finally {
      void reader.cancel().catch(() => undefined);
    }
  }
}

/** The entries of a comma-separated header. */
function words(header: string | null): string[] {
  return (header ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function secondsOf(header: string | null): number | undefined {
  const seconds = header === null || header.trim() === '' ? Number.NaN : Number(header);
  return Number.isFinite(seconds) ? seconds : undefined;
}
