/**
 * One station of several: original quality at half the resolution, without controls of its own. Reconnects like the
 * live player; a limit of this device or of the tuners ends it with the reason.
 */

import { type ReadonlySignal, signal } from '@preact/signals';
import type { StationId } from '../../arib/ids.ts';
import { monotonicNow, wallNow } from '../device/clock.ts';
import { liveBuffer } from '../device/preferences.ts';
import { LiveConnection } from '../player/live-connection.ts';
import { PlaybackSession } from '../player/playback-session.ts';
import { FRESH, nextTry, type Retry, type StreamEnd } from '../player/reconnect.ts';
import { SoundOutput } from '../player/sound-output.ts';
import { type ApiFailure, liveUrl } from '../query/api.ts';
import { HttpPackets } from '../raw/packet-source.ts';
import { RawFeed } from '../raw/raw-feed.ts';
import { canPlayRaw } from '../raw/raw-picture.ts';
import { SocketPackets } from '../raw/socket-packets.ts';
import { LivePacing } from './live-pacing.ts';

/** Whether this browser can show several stations. */
export const canPlayMulti = canPlayRaw;

type TileState =
  | { readonly kind: 'tuning' }
  | { readonly kind: 'playing' }
  /** Retried automatically. */
  | { readonly kind: 'waiting'; readonly failure: ApiFailure }
  /** This device cannot, or the station is not there. */
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

const SILENCE = { firstMs: 45_000, laterMs: 15_000 } as const;
const FINAL: readonly string[] = ['not_found', 'unsupported', 'unauthorized', 'copy_never', 'raw_fallback'];

export class MultiTile {
  readonly #video: HTMLVideoElement;
  readonly #stationId: StationId;
  readonly #connection = new LiveConnection();
  readonly #state = signal<TileState>({ kind: 'tuning' });
  readonly #sound: SoundOutput;
  #session: PlaybackSession | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retry: Retry = FRESH;
  #withoutSocket = false;
  #isHeard = false;
  #isClosed = false;

  constructor(video: HTMLVideoElement, stationId: StationId) {
    this.#video = video;
    this.#stationId = stationId;
    this.#sound = new SoundOutput(video);
    this.#open();
  }

  get state(): ReadonlySignal<TileState> {
    return this.#state;
  }

  /** One of the stations is heard. */
  set isHeard(isHeard: boolean) {
    this.#isHeard = isHeard;
    if (isHeard && this.#state.peek().kind === 'playing') void this.#sound.play();
    else this.#video.muted = true;
  }

  retry(): void {
    this.#retry = FRESH;
    this.#open();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#session?.close();
    this.#connection.close();
    this.#video.removeAttribute('src');
    this.#video.load();
  }

  #open(): void {
    clearTimeout(this.#timer);
    this.#session?.close();
    if (this.#isClosed) return;
    if (this.#state.peek().kind !== 'waiting') this.#state.value = { kind: 'tuning' };
    const pacing = new LivePacing(monotonicNow(), liveBuffer.peek());
    const session = new PlaybackSession(this.#video, this.#feed(), pacing, SILENCE, {
      onAnswer: () => {},
      onReady: () => void this.#play(),
      onPicture: () => {
        this.#state.value = { kind: 'playing' };
      },
      onStarved: () => {},
      onEnd: (end, failure) => this.#onEnd(end, failure),
    });
    this.#session = session;
    void session.run();
  }

  async #play(): Promise<void> {
    if (this.#isHeard) {
      await this.#sound.play();
      return;
    }
    this.#video.muted = true;
    await this.#video.play().catch(() => undefined);
  }

  #feed(): RawFeed {
    const handlers = { onFigures: () => {}, onSound: () => {}, onFault: () => {}, onProblem: () => {} };
    if (this.#withoutSocket) {
      const url = liveUrl(this.#stationId, 'raw', undefined, 'high');
      return new RawFeed(this.#video, new HttpPackets(url), 0, handlers, true);
    }
    const wish = { type: 'tune', stationId: this.#stationId, codec: 'raw' } as const;
    const nothing = (): void => {};
    const packets = new SocketPackets(this.#connection, wish, {
      onTuned: nothing,
      onCaptions: nothing,
      onPage: nothing,
      onClock: nothing,
      onNotice: nothing,
      onFault: nothing,
    });
    return new RawFeed(this.#video, packets, 0, handlers, true);
  }

  #onEnd(end: StreamEnd, failure: ApiFailure): void {
    if (failure.code === 'no_socket' && !this.#withoutSocket) {
      this.#withoutSocket = true;
      this.#open();
      return;
    }
    if (FINAL.includes(failure.code)) {
      this.#state.value = { kind: 'failed', failure };
      return;
    }
    const { retry, waitMs } = nextTry(this.#retry, end, wallNow(), this.#session?.playedMs ?? 0);
    this.#retry = retry;
    if (waitMs > 0) this.#state.value = { kind: 'waiting', failure };
    this.#timer = setTimeout(() => this.#open(), waitMs);
  }
}
