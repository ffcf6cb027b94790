/** Interface of sessions: one recipe of one source with its viewers. */
import type { LiveNotice } from '../../lib/wire/api.ts';
import type { ViewerQueue } from './viewer-queue.ts';

export interface Joined {
  /** Already contains the viewer's first frames. */
  readonly viewer: ViewerQueue;
  /** RFC 6381 type. */
  readonly mime: string;
  readonly notices: readonly LiveNotice[];
}

export interface MediaSession {
  /** Whether new viewers are refused after a layout change, because the output ends with it. */
  readonly endsWithLayout: boolean;
  /** Resolves when the viewer has its first frames. @throws Failure; the abort's reason */
  join(signal: AbortSignal): Promise<Joined>;
  /** Ends the output and drops the viewers. */
  stop(): void;
}
