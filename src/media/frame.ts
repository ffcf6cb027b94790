/**
 * Frames, the common form of all media sent to viewers. An HTTP body (`http-body.ts`), the socket and a caption stream
 * are encodings of the same frames. Frames are shared by all viewers and immutable.
 */
import type { Media90k, Pts90k } from '../../lib/arib/time.ts';
import type { ReceptionFault } from '../../lib/arib/ts/clock.ts';
import type { LiveNotice } from '../../lib/wire/api.ts';
import type { SideItem } from '../reception/side-item.ts';
import type { SideRow } from './side-row.ts';

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
  /** Nothing else refers to its buffer: a single viewer may free it once the packets are written. */
  readonly isExclusive?: true;
}

/** An item of side data (captions, the clock). The kinds of side data are rows (`side-row.ts`). */
export interface SideFrame<Item extends SideItem = SideItem> {
  readonly kind: 'side';
  readonly row: SideRow;
  readonly item: Item;
  /** On the timeline of the session; with packets, the broadcast's time stamp. Absent: at once. */
  readonly time?: Media90k | Pts90k;
}

/** Why the stream differs from the request. */
interface NoticeFrame {
  readonly kind: 'notice';
  readonly notice: LiveNotice;
}

/** Missing streams of the broadcast, replaced by a still picture or silence; null: none. */
export interface FaultFrame {
  readonly kind: 'fault';
  readonly fault: ReceptionFault | null;
}

export type Frame = InitFrame | FragmentFrame | PacketsFrame | SideFrame | NoticeFrame | FaultFrame;

/** Size of a frame without bytes, for queue bounds. */
const SMALL_FRAME_BYTES = 64;

/** Size of a frame in a viewer's queue, octets. */
export function frameBytes(frame: Frame): number {
  switch (frame.kind) {
    case 'init':
    case 'fragment':
    case 'packets':
      return frame.bytes.length;
    case 'side':
      return SMALL_FRAME_BYTES + frame.item.size;
    case 'notice':
    case 'fault':
      return SMALL_FRAME_BYTES;
  }
}
