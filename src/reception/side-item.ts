/**
 * What readers of side data post (captions, the clock, messages of the data broadcast). The item itself tells what a
 * viewer who joins later gets, so that nothing after the reader knows its kind.
 */
import type { EventId, NetworkId } from '../../lib/arib/ids.ts';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import type { BroadcastMs, Pts90k } from '../../lib/arib/time.ts';

export interface SideItem {
  /** When it applies, by the stream's time stamps; absent: at once. */
  readonly time?: Pts90k;
  /** A viewer who joins later gets the last item of each key. null: only for those who are there. */
  readonly key: string | null;
  /** Items for a viewer who joins later are in order of rank, and of arrival within one. Default: 0. */
  readonly rank?: number;
  /** Earlier items whose key begins with this are obsolete. */
  readonly clears?: string;
  /** Octets in memory, for bounds of queues. */
  readonly size: number;
  /**
   * The complete message of the live socket (`liveFrame`), for a kind without an encoder of its own. Made once, in the
   * worker, and shared by all viewers.
   */
  readonly frame?: Uint8Array<ArrayBuffer>;
}

/** A programme as the guide has it. */
interface GuideProgramme {
  readonly eventId: EventId;
  readonly startAt: BroadcastMs;
  /** Null: open end. */
  readonly durationMs: number | null;
  readonly name: string;
}

export interface StationGuide {
  readonly networkId: NetworkId;
  /** On the air; null: unknown, or none. */
  readonly present: EventId | null;
  /** That one, and some that follow. */
  readonly programmes: readonly GuideProgramme[];
}

/** Options of every reader of side data. */
export interface SideReaderOptions {
  /** The station; 0: the only one of a recorded stream. */
  serviceId: number;
  /** Of an earlier reception: the BIT that states it may come only after minutes. */
  broadcaster?: ServiceBroadcaster | undefined;
  /** The station in the service's own guide when the reader starts. */
  guide?: StationGuide | undefined;
}
