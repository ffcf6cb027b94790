/**
 * Side data of a station: captions, superimposed text and the broadcast's clock. Read once for all outputs of the
 * station, while there is a follower. Each follower gets the times on its own time scale.
 */
import type { ServiceId } from '../../arib/ids.ts';
import {
  type Media90k,
  media90k,
  type Pts90k,
  plusMs,
  pts90k,
  TICKS_PER_SECOND,
  unwrapPts,
} from '../../arib/time.ts';
import { captionReader } from '../reception/caption-reader.ts';
import { clockOutput, type StationTime } from '../reception/clock-output.ts';
import type { ReceptionStream } from '../reception/reception-pool.ts';
import { Backlog } from './backlog.ts';
import { CaptionFrames } from './caption-frames.ts';
import type { CaptionFrame, CaptionTrackFrame, ClockFrame } from './frame.ts';

const TICKS_PER_MS = TICKS_PER_SECOND / 1000;
/** TOT comes at least every 30 s, in practice every 5 s, so an older time belongs to another clock. */
const CLOCK_KEPT = 30 * TICKS_PER_SECOND;

type SideFrame = CaptionFrame | CaptionTrackFrame | ClockFrame;

export class StationSideData {
  readonly #followers = new Set<SideDataFollower>();
  /** Current state for the next follower, with PTS times. */
  #captions = new Backlog();
  #time: StationTime | undefined;
  #stop: (() => void) | undefined;

  constructor(
    private readonly stream: Pick<ReceptionStream, 'output' | 'reader'>,
    private readonly serviceId: ServiceId,
  ) {}

  /** Adds a follower. It first gets the current state, once its time scale is known. */
  follow(take: (frame: SideFrame) => void): SideDataFollower {
    const follower = new SideDataFollower(
      take,
      () => this.#current(),
      () => this.#left(follower),
    );
    this.#followers.add(follower);
    this.#stop ??= this.#start();
    return follower;
  }

  #current(): { captions: (CaptionFrame | CaptionTrackFrame)[]; time: StationTime | undefined } {
    return { captions: this.#captions.captionFrames(), time: this.#time };
  }

  #left(follower: SideDataFollower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#captions = new Backlog();
    this.#time = undefined;
  }

  #start(): () => void {
    const frames = new CaptionFrames();
    const reader = this.stream.reader(
      captionReader,
      { serviceId: this.serviceId },
      {
        value: (value) => {
          for (const frame of frames.take(value)) {
            this.#captions.keep(frame);
            for (const follower of [...this.#followers]) follower.caption(frame);
          }
        },
      },
    );
    const clock = this.stream.output(clockOutput, null, {
      event: (time) => {
        this.#time = time;
        for (const follower of [...this.#followers]) follower.time(time);
      },
      ended: () => {},
    });
    return () => {
      void reader.stop();
      void clock.stop();
    };
  }
}

class SideDataFollower {
  /** Unwrapped time stamp of time 0, if the follower has its own time scale. */
  #origin: number | undefined;
  /** Reference for unwrapping time stamps. */
  #reached = 0;
  #scale: 'waiting' | 'stamps' | 'own' = 'waiting';

  constructor(
    private readonly give: (frame: SideFrame) => void,
    private readonly current: () => {
      captions: (CaptionFrame | CaptionTrackFrame)[];
      time: StationTime | undefined;
    },
    /** Removes the follower. Idempotent. */
    readonly stop: () => void,
  ) {}

  /** Uses the broadcast's time stamps as times. */
  onStamps(): void {
    this.#scale = 'stamps';
    this.#giveCurrent();
  }

  /** @param origin unwrapped time stamp of time 0 */
  onScale(origin: number): void {
    this.#scale = 'own';
    this.#origin = origin;
    this.#giveCurrent();
  }

  /** Reports the current time on the time scale. */
  reached(time: Media90k): void {
    this.#reached = time;
  }

  caption(frame: CaptionFrame | CaptionTrackFrame): void {
    if (this.#scale === 'waiting') return;
    if (frame.time === undefined) this.give(frame);
    else this.give({ ...frame, time: this.#timeOf(frame.time as Pts90k) });
  }

  time({ pts, at }: StationTime): void {
    if (this.#scale === 'waiting') return;
    const media = this.#placeOf(pts);
    if (media >= 0) this.give({ kind: 'clock', media: media90k(media), pts, at });
    else if (media >= -CLOCK_KEPT) {
      // Received before the time scale begins: extrapolated to its beginning.
      const later = plusMs(at, Math.round(-media / TICKS_PER_MS));
      this.give({ kind: 'clock', media: media90k(0), pts: pts90k(pts - media), at: later });
    }
  }

  #giveCurrent(): void {
    const { captions, time } = this.current();
    for (const frame of captions) this.caption(frame);
    if (time !== undefined) this.time(time);
  }

  /** A page older than the time scale is shown from its beginning on. */
  #timeOf(pts: Pts90k): Media90k {
    return media90k(Math.max(0, this.#placeOf(pts)));
  }

  /** Negative before the time scale begins. */
  #placeOf(pts: Pts90k): number {
    return this.#origin === undefined ? pts : unwrapPts(pts, this.#origin + this.#reached) - this.#origin;
  }
}
