/** What the decoder of a station reports. Byte arrays are transferred. */
import type { ReceptionFault } from '../../lib/arib/ts/clock.ts';

/** Why the raw path gives up. */
export type RawProblem =
  /** The device decodes too slowly, or the picture stays behind the sound. */
  | 'slow'
  /** No sound comes, or none that can be played. */
  | 'no_audio'
  /** No picture that this decoder knows, or no way to decode or show it here. */
  | 'unsupported'
  /** The data comes, but too late. Seen by the page, not by the worker. */
  | 'late';

export interface RawFigures {
  /** Pictures shown, and due pictures that were not. */
  readonly shown: number;
  readonly dropped: number;
  /** Macroblocks lost on the way and concealed. */
  readonly concealed: number;
  /** 95th percentile of the time that a frame takes to decode, as a part of its duration. */
  readonly load: number;
  /** s between the sound and the picture beside it. */
  readonly behind: number;
}

export type RawReport =
  /**
   * Sound for the media source. `origin`: time of the broadcast at position 0, 90 kHz; `isDual`: left and right are two
   * sounds.
   */
  | { readonly kind: 'init'; readonly bytes: Uint8Array; readonly origin: number; readonly isDual: boolean }
  | { readonly kind: 'media'; readonly bytes: Uint8Array }
  | { readonly kind: 'figures'; readonly figures: RawFigures }
  /** End of the stream. */
  | { readonly kind: 'problem'; readonly problem: RawProblem }
  /** What of the station does not come; undefined: all comes. */
  | { readonly kind: 'fault'; readonly fault: ReceptionFault | undefined }
  /** The broadcast's clock jumped: begin again. */
  | { readonly kind: 'jump' };
