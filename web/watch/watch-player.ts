/**
 * Watching one recording, finished or in progress: opens feeds at the requested position, reopens them where they end,
 * stores the choices of sound, codec and speed.
 */
import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { monotonicNow } from '../device/clock.ts';
import { deviceCodec, liveCodec } from '../device/preferences.ts';
import type { MediaFeed, StreamEnd } from '../player/media-feed.ts';
import type { BufferedSpan } from '../player/media-timeline.ts';
import { canPlayAv1, Player } from '../player/player.ts';
import { SeekablePlayback } from '../player/seekable-playback.ts';
import { ApiFailure } from '../query/api.ts';
import { LIVE_EDGE, type PlayCodec } from '../query/recordings.ts';
import { TEXTS } from './texts.ts';
import { codecFor, type WatchSource } from './watch-source.ts';

/** Closer to the end than this a feed that ended had no more to bring. */
const END_SLACK_S = 2;
/** A feed that brought less than this did not lead on. */
const PROGRESS_S = 0.2;
/** Chase is fed no closer to the writing position; the encoder adds a little. */
const EDGE_BEHIND_S = 5;
const NEWS_MS = 800;
/** Nearer to the edge than this it counts as live. */
const LIVE_WITHIN_S = 12;
/** Frames of a broadcast a second. */
export const FRAME_S = 1001 / 30_000;

export const RATES = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const;

const isOnlyAv1 = ({ codecs }: WatchSource): boolean => codecs.every((codec) => codec === 'av1');

export class WatchPlayer extends Player {
  readonly #position = signal(0);
  readonly #length = signal(0);
  readonly #spans = signal<readonly BufferedSpan[]>([]);
  readonly #paused = signal(false);
  readonly #rate = signal(1);
  readonly #codec = signal<PlayCodec | undefined>(undefined);
  readonly #playback: SeekablePlayback;
  #source: WatchSource | undefined;
  #sought: { readonly at: number } | undefined;
  /** For a chase: the length in a response, and when it arrived (monotonic ms). */
  #reported: { readonly seconds: number; readonly at: number } | undefined;
  #growing = false;
  #feedFrom = 0;
  #feedAt = 0;
  /** The service does not convert to AV1 (now). */
  #isAv1Refused = false;
  /** For this recording. */
  #chosenCodec: PlayCodec | undefined;
  /** The viewer paused; else it plays as soon as it can. */
  #wantsPause = false;
  /** The feed ended during a pause: the next one is opened when it is over. */
  #resting = false;
  readonly #ticker: ReturnType<typeof setInterval>;

  constructor(video: HTMLVideoElement) {
    super(video);
    this.#playback = new SeekablePlayback(video, {
      onAnswer: (notices, recorded) => this.#onAnswer(notices, recorded),
      onReady: () => void this.#onReady(),
      onPicture: () => this.#onPicture(),
      onStarved: () => this.dispatch({ kind: 'starved' }),
      onFeedEnd: (end, failure) => this.#onFeedEnd(end, failure),
      onEnded: () => this.dispatch({ kind: 'end' }),
    });
    for (const name of ['pause', 'play', 'timeupdate', 'seeking', 'seeked']) {
      video.addEventListener(name, this.follow);
    }
    this.#ticker = setInterval(this.follow, 500);
  }

  /** s on the playback scale: where the picture is, or where it will be. */
  get position(): ReadonlySignal<number> {
    return this.#position;
  }

  /** s; of a chase how much is recorded by now. */
  get length(): ReadonlySignal<number> {
    return this.#length;
  }

  get spans(): ReadonlySignal<readonly BufferedSpan[]> {
    return this.#spans;
  }

  get paused(): ReadonlySignal<boolean> {
    return this.#paused;
  }

  get rate(): ReadonlySignal<number> {
    return this.#rate;
  }

  get codec(): ReadonlySignal<PlayCodec | undefined> {
    return this.#codec;
  }

  get source(): WatchSource | undefined {
    return this.#source;
  }

  /** s on the playback scale, as exactly as the picture tells it. */
  get place(): number {
    const isShown = this.state.peek().kind !== 'opening' && this.hasPicture;
    return isShown ? this.video.currentTime : this.#position.peek();
  }

  /** It is being recorded. */
  get isGrowing(): boolean {
    return this.#growing;
  }

  /** Where the viewer went last, s on the playback scale, another object each time; undefined: nowhere yet. */
  get sought(): { readonly at: number } | undefined {
    return this.#sought;
  }

  /** For a chase: limited to what is written, minus a margin. */
  get isLive(): boolean {
    return this.#growing && this.#length.value - this.#position.value < LIVE_WITHIN_S;
  }

  /** Begins to watch. @param from s on the playback scale */
  watch(source: WatchSource, from: number): void {
    this.#source = source;
    this.#sought = undefined;
    this.#chosenCodec = undefined;
    this.#growing = source.growing;
    this.#reported = undefined;
    this.begin();
    this.#wantsPause = false;
    this.dispatch({ kind: 'open', kept: false });
    this.#length.value = source.duration;
    this.#playback.duration = this.#growing ? Number.POSITIVE_INFINITY : source.duration;
    if (this.canPlay()) this.#open(Math.min(from, Math.max(0, source.duration - END_SLACK_S)), false);
  }

  /** Stops until another recording is watched; the last picture stays. */
  rest(): void {
    this.begin();
    this.video.pause();
    this.#source = undefined;
    this.#playback.stop();
    this.dispatch({ kind: 'open', kept: false });
  }

  /** The recording that is chased has ended: what there is plays to its end. */
  recordingEnded(seconds: number | undefined): void {
    if (!this.#growing) return;
    this.#growing = false;
    this.#reported = undefined;
    if (seconds !== undefined) this.#length.value = Math.max(seconds, this.#position.value);
    // The connection may have ended before this was known.
    this.later(undefined);
    if (!this.#playback.isReading && this.state.value.kind !== 'failed') this.#follows();
  }

  /** The viewer goes to a place. */
  seek(to: number): void {
    this.#sought = { at: to };
    this.pass(to);
  }

  /** Like `seek`, but without a request by the viewer. */
  pass(to: number): void {
    if (this.#source === undefined) return;
    const target = Math.max(0, Math.min(to, this.#lastPlace()));
    this.fresh();
    this.#position.value = target;
    this.dispatch({ kind: 'seek' });
    if (this.#playback.seekBuffered(target)) {
      if (!this.#playback.isReading) this.#follows();
      if (!this.#wantsPause) void this.sound.play();
      return;
    }
    this.#open(target, false);
  }

  skip(by: number): void {
    this.seek(this.#position.value + by);
  }

  /** To the newest picture of a running recording. */
  toLive(): void {
    if (this.#source === undefined) return;
    if (!this.#growing) {
      this.seek(this.#lastPlace());
      return;
    }
    this.#wantsPause = false;
    this.fresh();
    this.#position.value = this.#lastPlace();
    this.dispatch({ kind: 'seek' });
    this.#setRate(1);
    this.#open(LIVE_EDGE, true);
  }

  /** One picture on or back; pauses. */
  step(by: 1 | -1): void {
    this.setPaused(true);
    const target = Math.max(0, this.video.currentTime + by * FRAME_S);
    this.#sought = { at: target };
    this.#position.value = target;
    if (!this.#playback.seekBuffered(target)) this.seek(target);
  }

  setRate(rate: number): void {
    this.#setRate(Math.min(2, Math.max(0.5, rate)));
  }

  /** The next slower or faster of the usual speeds. */
  stepRate(by: 1 | -1): void {
    const all = by === 1 ? RATES : [...RATES].reverse();
    this.#setRate(all.find((one) => (one - this.#rate.value) * by > 0.01) ?? this.#rate.value);
  }

  setCodec(codec: PlayCodec): void {
    this.#chosenCodec = codec;
    deviceCodec.value = codec;
    this.retry();
  }

  togglePause(): void {
    this.setPaused(!this.#wantsPause && this.state.value.kind !== 'ended');
  }

  setPaused(paused: boolean): void {
    if (this.state.value.kind === 'ended' && !paused) {
      this.#wantsPause = false;
      this.seek(0);
      return;
    }
    this.#wantsPause = paused;
    this.#paused.value = paused;
    if (paused) {
      this.video.pause();
      return;
    }
    void this.sound.play();
    if (this.#resting) this.#follows();
  }

  override close(): void {
    clearInterval(this.#ticker);
    for (const name of ['pause', 'play', 'timeupdate', 'seeking', 'seeked']) {
      this.video.removeEventListener(name, this.follow);
    }
    this.#playback.close();
    super.close();
  }

  /** Reads the position from the picture now. */
  readonly follow = (): void => {
    batch(() => {
      this.#position.value = this.place;
      if (this.hasPicture) this.#paused.value = this.video.paused && this.#wantsPause;
      this.#spans.value = this.#playback.spans;
      if (this.#growing && this.#reported !== undefined) {
        const passed = (monotonicNow() - this.#reported.at) / 1000;
        this.#length.value = Math.max(this.#reported.seconds + passed, this.#position.value);
      }
    });
  };

  #lastPlace(): number {
    return Math.max(0, this.#length.value - (this.#growing ? EDGE_BEHIND_S : 0.1));
  }

  #setRate(rate: number): void {
    this.#rate.value = rate;
    this.#playback.rate = rate;
  }

  /** The same place with other choices. */
  protected override reopen(): void {
    this.fresh();
    this.dispatch({ kind: 'seek' });
    this.#open(this.#position.value, false);
  }

  #feedOf(from: number): MediaFeed | undefined {
    const source = this.#source;
    if (source === undefined) return undefined;
    const codec = codecFor(source, {
      chosen: this.#chosenCodec,
      usual: liveCodec.value,
      // A device that was set to H.264 does not show it well.
      av1: canPlayAv1() && !this.#isAv1Refused && (deviceCodec.peek() !== 'h264' || isOnlyAv1(source)),
    });
    this.#codec.value = codec;
    if (codec === undefined) {
      this.giveUp(new ApiFailure('unsupported', TEXTS.noFormat));
      return undefined;
    }
    this.#feedFrom = from;
    this.#feedAt = monotonicNow();
    return source.feed({ codec, from, audio: this.audio.value });
  }

  #open(target: number, anywhere: boolean): void {
    this.later(undefined);
    this.#resting = false;
    const feed = this.#feedOf(target);
    if (feed === undefined) return;
    if (!anywhere) this.#position.value = target;
    this.#playback.open({ feed, target, anywhere });
  }

  #onAnswer(notices: readonly string[], recorded: number | undefined): void {
    for (const word of notices) this.onNotice(word);
    if (recorded === undefined || !this.#growing) return;
    this.#reported = { seconds: recorded, at: monotonicNow() };
    this.#length.value = recorded;
  }

  #onReady(): void {
    if (!this.#wantsPause) void this.sound.play();
  }

  #onPicture(): void {
    this.hasPicture = true;
    this.dispatch({ kind: 'picture' });
    this.follow();
  }

  /** After a feed: the next one, or the end. */
  #follows(): void {
    this.#resting = false;
    const from = this.#playback.filledTo;
    if (!this.#growing && from >= this.#length.value - END_SLACK_S) {
      this.#playback.complete();
      return;
    }
    const feed = this.#feedOf(from);
    if (feed !== undefined) this.#playback.continueWith(feed);
  }

  #onFeedEnd(end: StreamEnd, failure: ApiFailure): void {
    const codec = this.#codec.value;
    if (this.leavesAv1(failure, codec)) return;
    if (codec === 'av1' && failure.code === 'not_found' && failure.path === 'codec') {
      // The device keeps its choice where another service, or this one later, can convert.
      this.#isAv1Refused = true;
      this.onNotice('codec_fallback');
      this.reopen();
      return;
    }
    const filled = this.#playback.filledTo;
    const brought = filled - this.#feedFrom > PROGRESS_S;
    if (end === 'closed' && !this.#growing && (filled >= this.#length.value - END_SLACK_S || !brought)) {
      // What the description promised more than there was is no loss that another request would bring back.
      this.#playback.complete();
      // Not even a first picture: an empty playback cannot end normally.
      if (this.#playback.spans.length === 0) this.dispatch({ kind: 'end' });
      return;
    }
    if (this.isFinal(failure) && !this.#hasMore()) {
      this.giveUp(failure);
      return;
    }
    // A conversion that is asked for during a long pause would only keep a place from others.
    if (this.#wantsPause && this.#hasMore()) {
      this.#resting = true;
      return;
    }
    const { waitMs } = this.nextWait(end, monotonicNow() - this.#feedAt);
    const again = (): void => {
      if (!this.#hasMore()) {
        this.dispatch({ kind: 'seek' });
        this.#open(this.#position.value, false);
      } else this.#follows();
    };
    if (waitMs === 0) {
      // A running recording may have ended: the news of it comes by another way and may be later.
      if (this.#growing && this.#hasMore()) this.later(again, NEWS_MS);
      else again();
      return;
    }
    if (!this.#hasMore()) this.sayWaiting(failure, waitMs);
    this.later(again, waitMs);
  }

  /** Buffered media plays on for a while. */
  #hasMore(): boolean {
    const { kind } = this.state.value;
    if (kind !== 'playing') return false;
    return this.#playback.filledTo - this.video.currentTime > 1;
  }
}
