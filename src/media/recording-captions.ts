/** The captions of a recording while it is read for one viewer, with times on the recording's timeline. */
import { type Media90k, media90k, type Pts90k, unwrapPts } from '../../arib/time.ts';
import { systemMonotonicClock, systemWallClock } from '../../host/clock.ts';
import { captionReader } from '../reception/caption-reader.ts';
import { CaptionFrames } from './caption-frames.ts';
import type { CaptionFrame, CaptionTrackFrame } from './frame.ts';
import type { IndexPiece, RecordingIndex } from './recording-index.ts';

interface RecordingCaptionsOptions {
  readonly serviceId: RecordingIndex['serviceId'];
  readonly tables: Uint8Array;
  /** Media time up to which the recording was read. */
  readonly position: () => Media90k;
  /** Converts a media time to the viewer's time scale. */
  readonly timeOf: (media: Media90k) => CaptionFrame['time'];
  readonly give: (frame: CaptionFrame | CaptionTrackFrame) => void;
}

export class RecordingCaptions {
  readonly #reader: ReturnType<typeof captionReader.start>;
  readonly #frames = new CaptionFrames();
  #piece: IndexPiece | undefined;

  constructor(private readonly options: RecordingCaptionsOptions) {
    this.#reader = captionReader.start(
      { serviceId: options.serviceId ?? 0 },
      {
        ...{ clock: systemMonotonicClock, wall: systemWallClock, select: () => {}, finish: () => {} },
        post: (value) => {
          for (const frame of this.#frames.take(value)) this.#emit(frame);
        },
      },
    );
    this.#reader.feed(options.tables);
  }

  begin(piece: IndexPiece): void {
    this.#piece = piece;
  }

  /** Takes whole recorded packets. Never throws, so that a caption fault does not affect the video. */
  feed(packets: Uint8Array): void {
    try {
      this.#reader.feed(packets);
    } catch {
      // An unreadable page is skipped.
    }
  }

  #emit(frame: CaptionFrame | CaptionTrackFrame): void {
    if (frame.time === undefined) this.options.give(frame);
    else this.options.give({ ...frame, time: this.options.timeOf(this.#mediaOf(frame.time as Pts90k)) });
  }

  #mediaOf(pts: Pts90k): Media90k {
    const piece = this.#piece;
    if (piece === undefined) return this.options.position();
    const near = piece.pts + Math.max(0, this.options.position() - piece.start);
    return media90k(piece.start + unwrapPts(pts, near) - piece.pts);
  }
}
