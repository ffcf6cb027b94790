/**
 * Frames, the common form of all media sent to viewers. An HTTP body (`http-body.ts`), the socket and a caption stream
 * are encodings of the same frames. Frames are shared by all viewers and immutable.
 */
import type { BroadcastMs, Media90k, Pts90k } from '../../arib/time.ts';
import type { ProgrammeFault } from '../../arib/ts/gap-watch.ts';
import type { Notice } from '../../wire/api.ts';
import type { CaptionLanguage } from '../../wire/caption.ts';

/** Initialisation segment (ftyp and moov), required for fragments. */
export interface InitFrame {
  readonly kind: 'init';
  readonly bytes: Uint8Array;
  /** RFC 6381 type. */
  readonly mime: string;
}

/** Media segment (moof and mdat) with about 100 ms of audio and video. */
export interface FragmentFrame {
  readonly kind: 'fragment';
  readonly bytes: Uint8Array;
  /** A decoder can start here. */
  readonly isSync: boolean;
  /** On the timeline of the session. */
  readonly time: Media90k;
}

/** Original transport stream packets, narrowed to one station; without an initialisation segment. */
export interface PacketsFrame {
  readonly kind: 'packets';
  readonly bytes: Uint8Array;
}

/** Current languages of captions or superimposed text; clears earlier pages. */
export interface CaptionTrackFrame {
  readonly kind: 'captionTrack';
  readonly superimpose: boolean;
  /** null: the stream has none. Empty until its management data was received. */
  readonly languages: readonly Pick<CaptionLanguage, 'index' | 'code'>[] | null;
  /** When earlier pages are cleared, as `time` of pages; absent while the stream has no clock. */
  readonly time?: Media90k | Pts90k;
}

/** A caption page of one language; replaces the previous page, and a page without runs clears it. */
export interface CaptionFrame {
  readonly kind: 'caption';
  /** Superimposed text has separate pages. */
  readonly superimpose: boolean;
  /** 1 to 8. */
  readonly language: number;
  /** On the timeline of the session; with packets, the broadcast's time stamp. */
  readonly time: Media90k | Pts90k;
  /** The page as JSON, serialised once for all viewers. */
  readonly json: string;
}

/** Why the stream differs from the request. */
interface NoticeFrame {
  readonly kind: 'notice';
  readonly notice: Notice;
}

/** Missing streams of the broadcast, replaced by a still picture or silence; null: none. */
export interface FaultFrame {
  readonly kind: 'fault';
  readonly fault: ProgrammeFault | null;
}

/** Maps the session's timeline to the broadcast. */
export interface ClockFrame {
  readonly kind: 'clock';
  readonly media: Media90k;
  /** Time stamp of the same moment. */
  readonly pts: Pts90k;
  /** Its broadcast time; undefined while unknown. */
  readonly at: BroadcastMs | undefined;
}

/** A message of the data broadcast. */
interface DataFrame {
  readonly kind: 'data';
  readonly json: string;
}

export type Frame =
  | InitFrame
  | FragmentFrame
  | PacketsFrame
  | CaptionTrackFrame
  | CaptionFrame
  | NoticeFrame
  | FaultFrame
  | ClockFrame
  | DataFrame;

/** Size of a frame without bytes, for queue bounds. */
const SMALL_FRAME_BYTES = 64;

/** Size of a frame in a viewer's queue, octets. */
export function frameBytes(frame: Frame): number {
  switch (frame.kind) {
    case 'init':
    case 'fragment':
    case 'packets':
      return frame.bytes.length;
    case 'caption':
    case 'data':
      // UTF-16 in memory
      return SMALL_FRAME_BYTES + 2 * frame.json.length;
    case 'captionTrack':
    case 'notice':
    case 'fault':
    case 'clock':
      return SMALL_FRAME_BYTES;
  }
}
