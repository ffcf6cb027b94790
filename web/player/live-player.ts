/** Live viewing of one station at a time: tunes, follows the rules of a stream's end, keeps sound and choices. */
import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { deviceCodec, lastStation, liveCodec, muted, volume } from '../device/preferences.ts';
import { ApiFailure, type FailureCode, liveUrl } from '../query/api.ts';
import { canPlayAv1, mediaSourceClass } from './capabilities.ts';
import { FRESH, nextTry, type Retry, type StreamEnd } from './retry.ts';
import { StreamSession } from './session.ts';
import { type LiveEvent, type LiveState, nextState } from './state.ts';

/** Asking again would change nothing. */
const FINAL: readonly FailureCode[] = [
  'not_found',
  'bad_request',
  'unsupported',
  'unauthorized',
  'copy_never',
];

export class LivePlayer {
  readonly #video: HTMLVideoElement;
  readonly #onNotice: (word: string) => void;
  readonly #state = signal<LiveState>({ kind: 'idle' });
  readonly #audio = signal<string | undefined>(undefined);
  readonly #silenced = signal(false);
  readonly #paused = signal(false);
  #stationId = 0;
  #session: StreamSession | undefined;
  #retry: Retry = FRESH;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A picture of the tuned station stands in the element. */
  #picture = false;

  constructor(video: HTMLVideoElement, onNotice: (word: string) => void) {
    this.#video = video;
    this.#onNotice = onNotice;
    video.volume = volume.value;
    video.muted = muted.value;
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

  /** The browser allowed the picture only without sound, until the viewer touches something. */
  get silenced(): ReadonlySignal<boolean> {
    return this.#silenced;
  }

  get paused(): ReadonlySignal<boolean> {
    return this.#paused;
  }

  tune(stationId: number): void {
    this.#stationId = stationId;
    this.#audio.value = undefined;
    this.#retry = FRESH;
    this.#picture = false;
    // What is left of the station before is not to be heard under the new one's name.
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

  /** Now, by the viewer's wish. */
  retry(): void {
    this.#retry = FRESH;
    this.#open();
  }

  togglePause(): void {
    this.setPaused(!this.#video.paused);
  }

  /** Devices with a button each for play and pause press the one that holds already, too. */
  setPaused(paused: boolean): void {
    if (paused === this.#video.paused) return;
    if (paused) {
      this.#video.pause();
      return;
    }
    this.#session?.seekToLive();
    void this.#play();
  }

  setVolume(level: number): void {
    const rounded = Math.round(Math.min(1, Math.max(0, level)) * 100) / 100;
    batch(() => {
      volume.value = rounded;
      muted.value = rounded === 0;
    });
    this.#applySound();
  }

  toggleMute(): void {
    if (this.#silenced.value) muted.value = false;
    else muted.value = !muted.value;
    if (!muted.value && volume.value === 0) volume.value = 0.5;
    this.#applySound();
  }

  /** Ends viewing and lets go of the element. */
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

  #applySound(): void {
    this.#silenced.value = false;
    this.#video.volume = volume.value;
    this.#video.muted = muted.value;
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
    const session = new StreamSession(
      this.#video,
      liveUrl(this.#stationId, codec, this.#audio.value),
      this.#handlers(codec),
    );
    this.#session = session;
    void session.run();
  }

  #handlers(codec: 'h264' | 'av1') {
    return {
      onAnswer: (notices: readonly string[]) => {
        this.#dispatch({ kind: 'answered' });
        for (const word of notices) this.#onNotice(word);
      },
      onReady: () => void this.#play(),
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
    // The first break of a stream that played is not worth an alarm: it is usually over before its buffer is.
    this.#picture &&= retry.failures <= 1;
    this.#dispatch({ kind: 'retryLater', failure, until: Date.now() + waitMs, kept: this.#picture });
    this.#timer = setTimeout(() => this.#open(), waitMs);
  }

  /** Plays with sound where the browser lets us, else without and with a button that says so. */
  async #play(): Promise<void> {
    this.#video.volume = volume.value;
    // Tried again with every station: the viewer may have touched something since.
    this.#video.muted = muted.value;
    try {
      await this.#video.play();
      this.#silenced.value = false;
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') return;
      this.#video.muted = true;
      this.#silenced.value = !muted.value;
      await this.#video.play().catch(() => this.#video.pause());
    }
  }
}
