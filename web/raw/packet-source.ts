/** Source of a station's transport stream: the body of an HTTP response, or a socket. */
import { ApiFailure, failureOf } from '../query/api.ts';
import { TEXTS } from './texts.ts';

export interface PacketSource {
  /**
   * Resolves when the service accepted the request.
   * @throws ApiFailure, a network error, or the abort of `signal`
   */
  open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Position 0 of the sound was found. @param origin time of the broadcast there, 90 kHz */
  placeAt(origin: number): void;
}

export class HttpPackets implements PacketSource {
  constructor(readonly url: URL) {}

  async open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const response = await fetch(this.url, { signal, cache: 'no-store' });
    if (!response.ok) throw await failureOf(response);
    if (response.body === null) throw new ApiFailure('internal', TEXTS.empty);
    return chunks(response.body);
  }

  placeAt(): void {
    // Over HTTP there are only packets.
  }
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
