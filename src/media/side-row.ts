/**
 * A kind of side data: what accompanies the media of a station or recording (captions, the clock, data broadcast). One
 * row says everything about a kind; sessions, viewers, the live socket and frame streams only know rows.
 *
 * To add one: a reader that posts `SideItem`s (`reception/reception-kinds.ts`), bounds its own memory, and makes the
 * frame where that is the same for all viewers; a row in `side-rows.ts`; its channel (`lib/wire/live-frames.ts`); its
 * row in the browser (`web/player/side-tracks.ts`); `docs/live-socket.md`.
 */
import { systemMonotonicClock, systemWallClock } from '../../lib/host/clock.ts';
import { liveFrame } from '../../lib/wire/live-frames.ts';
import type { OutputKind } from '../reception/output-kind.ts';
import type { ReaderKind, StreamReader } from '../reception/reader-kind.ts';
import type { SideItem, SideReaderOptions } from '../reception/side-item.ts';

/** A message to a client, on any transport. */
export interface SideMessage {
  /** As of the live socket (`LIVE_CHANNEL`). */
  readonly channel: number;
  /** 90 kHz. */
  readonly time: number;
  /** JSON. */
  readonly text: string;
}

/** One viewer's messages of a kind. */
export interface SideEncoder<Item extends SideItem> {
  /** @param time on the timeline of the session; undefined: at once */
  encode(item: Item, time: number | undefined): SideMessage[];
  /** The viewer selected a language, 1 to 8. @param reached time up to which the stream was sent */
  select?(language: number, reached: number): SideMessage[];
}

/** Collects the items of a whole recording to a file for clients. */
export interface SideCollector<Item extends SideItem> {
  /** @param seconds when it applies on the playback scale; undefined: unknown, or outside of it */
  take(item: Item, seconds: number | undefined): void;
  /** The following items do not continue the previous ones. @param seconds on the playback scale */
  cut(seconds: number): void;
  /** To be sent as JSON; null if there is nothing. @param from s: only what applies from there on */
  file(from: number): object | null;
}

export interface SideRow<Item extends SideItem = SideItem> {
  readonly name: string;
  /** Channels of its messages, used by no other row. */
  readonly channels: readonly number[];
  /** What reads it in the reception worker. */
  readonly source:
    | { readonly reader: ReaderKind<SideReaderOptions, never, Item> }
    | { readonly output: OutputKind<null, never, Item, never> };
  /**
   * `always`: read while the station is watched. `demand`: only while a client asks for it (`data` of the live socket);
   * its items wait in a lane of their own and delay no media.
   */
  readonly when: 'always' | 'demand';
  /** Also read from recorded packets, in the main thread (chase playback): only for a reader that costs little. */
  readonly isReadFromFiles: boolean;
  /** Bound of what is kept for viewers who join later, octets. */
  readonly maxBytes: number;
  /** Its items are stamped with the current time of the stream. */
  readonly marksTime: boolean;
  /**
   * An item from before the beginning of a session's timeline, as of the beginning; undefined: dropped. Default:
   * unchanged. @param ticks 90 kHz before the beginning
   */
  early?(item: Item, ticks: number): Item | undefined;
  /** Default: each item is its `frame`, the same for all viewers. @param language that the viewer selected, 1 to 8 */
  encoder?(language: number): SideEncoder<Item>;
  /** For a file of a whole recording, read afterwards from its packets (`play/side-file-host.ts`). */
  collector?(): SideCollector<Item>;
}

type Definition<Item extends SideItem> = Pick<SideRow<Item>, 'name' | 'channels' | 'source'> &
  Partial<SideRow<Item>>;

/** 1 MB: 500 caption pages. */
const MAX_BYTES = 1024 * 1024;

/** A row in which some parts are optional, because they have a default; its items are opaque to its users. */
export function defineSideRow<Item extends SideItem>(definition: Definition<Item>): SideRow {
  const row: SideRow<Item> = {
    ...{ when: 'always', isReadFromFiles: false, maxBytes: MAX_BYTES, marksTime: false },
    ...definition,
  };
  // Typed within the row; between its reader and its encoder, items are opaque.
  return row as unknown as SideRow;
}

const utf8 = new TextEncoder();

/** A message as that of the live socket. */
export function sideFrame({ channel, time, text }: SideMessage): Uint8Array<ArrayBuffer> {
  return liveFrame(channel, time, utf8.encode(text));
}

/** Reads a row from recorded packets, in this thread. @throws Error if the row has no reader */
export function readRecorded(
  { name, source }: SideRow,
  options: SideReaderOptions,
  give: (item: SideItem) => void,
): StreamReader<never> {
  if (!('reader' in source)) throw new Error(`${name} cannot be read from a file`);
  return source.reader.start(options, {
    ...{ clock: systemMonotonicClock, wall: systemWallClock, select: () => {}, finish: () => {} },
    post: give,
  });
}
