/**
 * What viewers receive, whatever the source and however it is sent: an HTTP body (`http-body.ts`), a socket and a caption
 * stream are encodings of the same frames. Frames are shared by all viewers and never changed.
 */
import type { BroadcastMs, Media90k, Pts90k } from '../../arib/time.ts';
import type { ProgrammeFault } from '../../arib/ts/gap-watch.ts';
import type { Notice } from '../../wire/api.ts';
import type { CaptionLanguage } from '../../wire/caption.ts';

/** Initialisation segment (ftyp and moov); a fragment is worth nothing without it. */
export interface InitFrame {
  readonly kind: 'init';
  readonly bytes: Uint8Array;
  /** RFC 6381 type. */
  readonly mime: string;
}

/** Media segment (moof and mdat) with the sound and pictures of about 100 ms. */
export interface FragmentFrame {
  readonly kind: 'fragment';
  readonly bytes: Uint8Array;
  /** A decoder can start here. */
  readonly isSync: boolean;
  /** On the timeline of the session. */
  readonly time: Media90k;
}

/** Original transport stream packets, narrowed to one station; there is no initialisation segment. */
export interface PacketsFrame {
  readonly kind: 'packets';
  readonly bytes: Uint8Array;
}

/** Which captions, or superimposed texts, there are now; pages of before are gone. */
export interface CaptionTrackFrame {
  readonly kind: 'captionTrack';
  readonly superimpose: boolean;
  /** null: the stream has none. Empty while its management data has not arrived. */
  readonly languages: readonly Pick<CaptionLanguage, 'index' | 'code'>[] | null;
}

/** A caption page of one language; replaces the page before, empty runs clear it. */
export interface CaptionFrame {
  readonly kind: 'caption';
  /** Superimposed text has pages of its own. */
  readonly superimpose: boolean;
  /** 1 to 8. */
  readonly language: number;
  /** On the timeline of the session; with packets the broadcast's own stamp. */
  readonly time: Media90k | Pts90k;
  /** The page as JSON, serialised once for all viewers. */
  readonly json: string;
}

/** Why something else than asked for is sent. */
interface NoticeFrame {
  readonly kind: 'notice';
  readonly notice: Notice;
}

/** What of the broadcast does not come, so that a picture stands or is silent; null: all comes again. */
export interface FaultFrame {
  readonly kind: 'fault';
  readonly fault: ProgrammeFault | null;
}

/** Where the session's timeline lies in the broadcast. */
export interface ClockFrame {
  readonly kind: 'clock';
  readonly media: Media90k;
  /** Stamp of the same moment. */
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

/** What a frame without bytes of its own counts for in a queue. */
const SMALL_FRAME_BYTES = 64;

/** What a frame takes in a viewer's queue, octets. */
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
