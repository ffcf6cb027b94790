/** Messages between the page and the worker of the raw path. Byte arrays are transferred. */

import type { ProgrammeFault } from '../../arib/ts/gap-watch.ts';
import type { WallMs } from '../../wire/times.ts';

export type RawRequest =
  | {
      readonly kind: 'start';
      /** The address of the decoder module. */
      readonly wasm: string;
      /** Which of the station's sounds, in the order of its PMT. */
      readonly audioIndex: number;
      /** Pictures at half their width and height. */
      readonly isHalf?: boolean;
      /** Where pictures go: a canvas, or the track of a video element. */
      readonly canvas?: OffscreenCanvas;
      readonly track?: WritableStream<VideoFrame>;
    }
  /** Transport stream as received. */
  | { readonly kind: 'packets'; readonly bytes: Uint8Array }
  /** Position of the sound, s, at a time; rate 0: it stands. */
  | { readonly kind: 'clock'; readonly position: number; readonly at: WallMs; readonly rate: number };

/** Why the raw path gives up. */
export type RawProblem =
  /** The device decodes too slowly, or the picture stays behind the sound. */
  | 'slow'
  /** No sound comes, or none that can be played. */
  | 'no_audio'
  /** No picture that this decoder knows, or no way to decode or show it here. */
  | 'unsupported';

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
  | { readonly kind: 'shape'; readonly width: number; readonly height: number; readonly aspect: number }
  | { readonly kind: 'figures'; readonly figures: RawFigures }
  /** End of the stream. */
  | { readonly kind: 'problem'; readonly problem: RawProblem }
  /** What of the station does not come; undefined: all comes. */
  | { readonly kind: 'fault'; readonly fault: ProgrammeFault | undefined }
  /** The broadcast's clock jumped: begin again. */
  | { readonly kind: 'jump' };
