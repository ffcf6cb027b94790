/**
 * The source of a playback's segments. A feed is read once; `http-feed.ts` reads an HTTP body, `socket-feed.ts` the
 * live socket.
 */

export type FeedPart =
  /** The service accepted the request. */
  | {
      readonly kind: 'answer';
      /** Why something else than asked for is sent. */
      readonly notices: readonly string[];
      /** Added to the times of the following media, s. */
      readonly offset: number;
      /** For a growing recording: its length when the response began, s. */
      readonly recorded: number | undefined;
    }
  /** Decoding starts here. */
  | {
      readonly kind: 'init';
      /** RFC 6381 types of the bytes, the most reliable first. */
      readonly types: readonly string[];
      readonly bytes: Uint8Array;
      /** Added to the times of the following media, s; 0 where it is absent. */
      readonly offset?: number;
    }
  /** Continues the part before; may end anywhere. */
  | { readonly kind: 'media'; readonly bytes: Uint8Array };

export interface MediaFeed {
  /**
   * Ends when the source closed the stream in order. Returning from the iteration releases the source.
   * @throws ApiFailure, a network error, or the abort of `signal`
   */
  read(signal: AbortSignal): AsyncIterable<FeedPart>;
}
