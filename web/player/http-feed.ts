/** A feed that reads the body of one HTTP response: fragmented MP4 from its initialisation segment on. */
import { InitSegmentCollector } from '../../lib/mp4/boxes.ts';
import { mimeOf, readTracks } from '../../lib/mp4/tracks.ts';
import { MIME_HEADER, NOTICE_HEADER, OFFSET_HEADER, RECORDED_HEADER } from '../../lib/wire/vocabulary.ts';
import { ApiFailure, failureOf } from '../query/api.ts';
import type { FeedPart, MediaFeed } from './media-feed.ts';
import { TEXTS } from './texts.ts';

// The body of a streamed HTTP response.

/**
 * Resolves when the service accepted the request; returning from `chunks` releases the response.
 * @throws ApiFailure, a network error, or the abort of `signal`
 */
export async function openBody(url: string | URL, signal: AbortSignal) {
  const response = await fetch(url, { signal, cache: 'no-store' });
  if (!response.ok) throw await failureOf(response);
  if (response.body === null) throw new ApiFailure('internal', TEXTS.empty);
  return { headers: response.headers, chunks: chunks(response.body) };
}

async function* chunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

export class HttpFeed implements MediaFeed {
  constructor(readonly url: URL) {}

  async *read(signal: AbortSignal): AsyncGenerator<FeedPart> {
    const { headers, chunks } = await openBody(this.url, signal);
    yield {
      kind: 'answer',
      notices: words(headers.get(NOTICE_HEADER)),
      offset: secondsOf(headers.get(OFFSET_HEADER)) ?? 0,
      recorded: secondsOf(headers.get(RECORDED_HEADER)),
    };
    yield* segmentParts(chunks, headers.get(MIME_HEADER));
  }
}

/** Fragmented MP4 as parts. @param mime what the source says of it, or null */
export async function* segmentParts(
  chunks: AsyncIterable<Uint8Array>,
  mime: string | null,
): AsyncGenerator<FeedPart> {
  let collector: InitSegmentCollector | undefined = new InitSegmentCollector();
  for await (const chunk of chunks) {
    if (collector === undefined) {
      yield { kind: 'media', bytes: chunk };
      continue;
    }
    const bytes = collector.push(chunk);
    if (bytes === undefined) continue;
    collector = undefined;
    // What the source says, then what the stream itself says.
    const types = [mime, mimeOf(readTracks(bytes))].filter((type) => type != null);
    yield { kind: 'init', types, bytes };
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
