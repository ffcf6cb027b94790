/** The captions of a recording while it is read for one viewer, with times on the line of its programme. */
import { type Media90k, media90k, type Pts90k, unwrapPts } from '../../arib/time.ts';
import { systemMonotonicClock, systemWallClock } from '../../host/clock.ts';
import { captionReader } from '../reception/caption-reader.ts';
import { CaptionFrames } from './caption-frames.ts';
import type { CaptionFrame, CaptionTrackFrame } from './frame.ts';
import type { IndexPiece, RecordingIndex } from './recording-index.ts';

interface RecordingCaptionsOptions {
  readonly serviceId: RecordingIndex['serviceId'];
  readonly tables: Uint8Array;
  /** How far the recording was read. */
  readonly position: () => Media90k;
  /** Of a media time on the viewer's scale. */
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
          for (const frame of this.#frames.take(value)) this.#give(frame);
        },
      },
    );
    this.#reader.feed(options.tables);
  }

  begin(piece: IndexPiece): void {
    this.#piece = piece;
  }

  /** Whole packets as they were recorded. A fault of the captions is none of the picture. */
  feed(packets: Uint8Array): void {
    try {
      this.#reader.feed(packets);
    } catch {
      // A page that cannot be read is left out.
    }
  }

  #give(frame: CaptionFrame | CaptionTrackFrame): void {
    if (frame.kind === 'captionTrack') this.options.give(frame);
    else this.options.give({ ...frame, time: this.options.timeOf(this.#mediaOf(frame.time as Pts90k)) });
  }

  #mediaOf(pts: Pts90k): Media90k {
    const piece = this.#piece;
    if (piece === undefined) return this.options.position();
    const near = piece.pts + Math.max(0, this.options.position() - piece.start);
    return media90k(piece.start + unwrapPts(pts, near) - piece.pts);
  }
}
