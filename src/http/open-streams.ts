/**
 * Responses without an end (live and chase streams, captions, events) of clients that were let in by a session or a
 * token: when these are revoked, the response is aborted like a failed stream. Sockets, too. Files have an end and
 * are not aborted.
 */

/** Responses that the runtime sends itself have a length or support ranges. */
const ENDLESS = /^(?:text\/event-stream|video\/|audio\/|application\/(?:octet-stream|x-ndjson))/;

export function isEndless({ status, headers, body }: Response): boolean {
  if (status !== 200 || body === null) return false;
  if (headers.has('content-length') || headers.has('accept-ranges')) return false;
  return ENDLESS.test(headers.get('content-type') ?? '');
}

interface OpenStream {
  /** Repeats the access decision for the client's request. */
  isStillAllowed: () => boolean;
  end: () => void;
}

export class OpenStreams {
  readonly #open = new Set<OpenStream>();

  /**
   * The same response, which is aborted when access is revoked. Its chunks are passed unchanged.
   * @param onOver called at its end, once or more often
   */
  watch(response: Response, isStillAllowed: () => boolean, onOver?: () => void): Response {
    const { status, headers, body } = response;
    if (body === null) return response;
    const reader = body.getReader();
    let isOver = false;
    const over = (): void => {
      isOver = true;
      this.#open.delete(open);
      onOver?.();
    };
    const open: OpenStream = { isStillAllowed, end: () => {} };
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          open.end = () => {
            over();
            controller.error(new Error('no longer let in'));
            reader.cancel().catch(() => {});
          };
        },
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            if (isOver) return;
            if (!done) return controller.enqueue(value);
            over();
            controller.close();
          } catch (error) {
            if (isOver) return;
            over();
            controller.error(error);
          }
        },
        cancel: (reason) => {
          over();
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    this.#open.add(open);
    return new Response(stream, { status, headers });
  }

  /** Ends a connection when its access is revoked. @returns a function that stops watching it */
  hold(isStillAllowed: () => boolean, end: () => void): () => void {
    const forget = (): void => void this.#open.delete(open);
    const open: OpenStream = {
      isStillAllowed,
      end: () => {
        forget();
        end();
      },
    };
    this.#open.add(open);
    return forget;
  }

  /** Sessions or tokens changed: ends connections that would no longer be let in. */
  review(): void {
    for (const open of [...this.#open]) if (!open.isStillAllowed()) open.end();
  }

  get size(): number {
    return this.#open.size;
  }
}
