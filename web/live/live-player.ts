/** Live viewing of one station at a time: tunes, reconnects as the end of a stream asks for, keeps the choices. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { deviceCodec, lastStation, liveCodec } from '../device/preferences.ts';
import { canPlayAv1, mediaSourceClass } from '../player/capabilities.ts';
import { HttpFeed } from '../player/http-feed.ts';
import { PlaybackSession, type SilenceLimits } from '../player/playback-session.ts';
import { FRESH, nextTry, type Retry, type StreamEnd } from '../player/reconnect.ts';
import { SoundOutput } from '../player/sound-output.ts';
import { ApiFailure, type FailureCode, liveUrl } from '../query/api.ts';
import { LivePacing } from './live-pacing.ts';
import { type LiveEvent, type LiveState, nextState } from './live-state.ts';

/** Failures that a further request would not change. */
const FINAL: readonly FailureCode[] = [
  'not_found',
  'bad_request',
  'unsupported',
  'unauthorized',
  'copy_never',
];
/** A tuner may need several seconds to lock, and a recording's encoder another few to start. */
const SILENCE: SilenceLimits = { firstMs: 45_000, laterMs: 15_000 };

export class LivePlayer {
  readonly #video: HTMLVideoElement;
  readonly #onNotice: (word: string) => void;
  readonly #state = signal<LiveState>({ kind: 'idle' });
  readonly #audio = signal<string | undefined>(undefined);
  readonly sound: SoundOutput;
  readonly #paused = signal(false);
  #stationId = 0;
  #session: PlaybackSession | undefined;
  #pacing: LivePacing | undefined;
  #retry: Retry = FRESH;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A picture of the tuned station stands in the element. */
  #picture = false;

  constructor(video: HTMLVideoElement, onNotice: (word: string) => void) {
    this.#video = video;
    this.#onNotice = onNotice;
    this.sound = new SoundOutput(video);
    video.addEventListener('pause', this.#onPauseChange);
    video.addEventListener('play', this.#onPauseChange);
  }

  get state(): ReadonlySignal<LiveState> {
    return this.#state;
  }

  /** Id of the chosen audio; undefined for the broadcast's main one. */
  get audio(): ReadonlySignal<string | undefined> {
    return this.#audio;
  }

  get paused(): ReadonlySignal<boolean> {
    return this.#paused;
  }

  tune(stationId: number): void {
    this.#stationId = stationId;
    this.#audio.value = undefined;
    this.#retry = FRESH;
    this.#picture = false;
    // The rest of the previous station must not play under the new one's name.
    this.#video.pause();
    lastStation.value = stationId;
    this.#open();
  }

  setAudio(id: string | undefined): void {
    this.#audio.value = id;
    this.retry();
  }

  setCodec(codec: 'h264' | 'av1'): void {
    deviceCodec.value = codec;
    this.retry();
  }

  /** Connects again at once, at the viewer's request. */
  retry(): void {
    this.#retry = FRESH;
    this.#open();
  }

  togglePause(): void {
    this.setPaused(!this.#video.paused);
  }

  /** Devices with separate buttons for play and pause also send the one whose state holds already. */
  setPaused(paused: boolean): void {
    if (paused === this.#video.paused) return;
    if (paused) {
      this.#video.pause();
      return;
    }
    this.#toLiveEdge();
    void this.sound.play();
  }

  /** Ends viewing and releases the element. */
  close(): void {
    clearTimeout(this.#timer);
    this.#session?.close();
    this.#session = undefined;
    this.#video.removeEventListener('pause', this.#onPauseChange);
    this.#video.removeEventListener('play', this.#onPauseChange);
    this.#video.removeAttribute('src');
    this.#video.load();
    this.#dispatch({ kind: 'stop' });
  }

  readonly #onPauseChange = (): void => {
    this.#paused.value = this.#video.paused && this.#state.value.kind === 'playing';
  };

  #dispatch(event: LiveEvent): void {
    this.#state.value = nextState(this.#state.value, event);
  }

  /** After a pause, playback continues with the newest picture. */
  #toLiveEdge(): void {
    const edge = this.#pacing?.edge(this.#session?.spans ?? []);
    if (edge !== undefined) this.#video.currentTime = edge;
  }

  #open(): void {
    clearTimeout(this.#timer);
    this.#session?.close();
    this.#session = undefined;
    this.#paused.value = false;
    if (mediaSourceClass() === undefined) {
      const message = 'このブラウザーはテレビの再生（Media Source Extensions）に対応していません。';
      this.#dispatch({ kind: 'giveUp', failure: new ApiFailure('unsupported', message) });
      return;
    }
    this.#dispatch({ kind: 'tune', kept: this.#picture });
    const codec = liveCodec.value === 'av1' && canPlayAv1() ? 'av1' : 'h264';
    const feed = new HttpFeed(liveUrl(this.#stationId, codec, this.#audio.value));
    const pacing = new LivePacing(performance.now());
    this.#pacing = pacing;
    const session = new PlaybackSession(this.#video, feed, pacing, SILENCE, this.#handlers(codec));
    this.#session = session;
    void session.run();
  }

  #handlers(codec: 'h264' | 'av1') {
    return {
      onAnswer: (notices: readonly string[]) => {
        this.#dispatch({ kind: 'answered' });
        for (const word of notices) this.#onNotice(word);
      },
      onReady: () => void this.sound.play(),
      onPicture: () => {
        this.#picture = true;
        this.#dispatch({ kind: 'picture' });
      },
      onStarved: () => this.#dispatch({ kind: 'starved' }),
      onEnd: (end: StreamEnd, failure: ApiFailure) => this.#onEnd(end, failure, codec),
    };
  }

  #onEnd(end: StreamEnd, failure: ApiFailure, codec: 'h264' | 'av1'): void {
    const playedMs = this.#session?.playedMs ?? 0;
    const cannotShow = failure.code === 'decode' || failure.code === 'unsupported';
    if (cannotShow && codec === 'av1') {
      deviceCodec.value = 'h264';
      this.#onNotice('codec_fallback');
      this.#open();
      return;
    }
    if (FINAL.includes(failure.code)) {
      this.#dispatch({ kind: 'giveUp', failure });
      return;
    }
    const { retry, waitMs } = nextTry(this.#retry, end, Date.now(), playedMs);
    this.#retry = retry;
    if (waitMs === 0) {
      this.#open();
      return;
    }
    // After the first break of a stream that played, its picture stays: the buffer usually outlasts the break.
    this.#picture &&= retry.failures <= 1;
    this.#dispatch({ kind: 'retryLater', failure, until: Date.now() + waitMs, kept: this.#picture });
    this.#timer = setTimeout(() => this.#open(), waitMs);
  }
}
