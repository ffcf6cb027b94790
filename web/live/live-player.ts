/**
 * Live viewing of one station at a time over the live socket: tunes, reconnects as required by how a stream ended,
 * keeps the viewer's choices. Where a socket is impossible (a proxy without WebSocket), the HTTP stream is used,
 * without captions.
 */

import { type ReadonlySignal, signal } from '@preact/signals';
import type { StationId } from '../../arib/ids.ts';
import { type BroadcastMs, plusMs } from '../../arib/time.ts';
import type { LiveCodec, LiveQuality } from '../../wire/api.ts';
import type { CaptionPage, CaptionsNotice } from '../../wire/caption.ts';
import type { RecordingId } from '../../wire/ids.ts';
import type { LiveTuned, ReceptionFault } from '../../wire/live.ts';
import type { MonotonicMs } from '../../wire/times.ts';
import { captionLanguage } from '../caption/caption-choice.ts';
import { currentMs, monotonicNow, wallNow } from '../device/clock.ts';
import { deviceCodec, lastStation, liveBuffer, liveCodec } from '../device/preferences.ts';
import { canPlayAv1, mediaSourceClass } from '../player/capabilities.ts';
import { HttpFeed } from '../player/http-feed.ts';
import { LiveConnection, TunerLost } from '../player/live-connection.ts';
import type { MediaFeed } from '../player/media-feed.ts';
import { pictureOf } from '../player/picture-of.ts';
import { PlaybackSession, type SilenceLimits } from '../player/playback-session.ts';
import { FRESH, nextTry, type Retry, type StreamEnd } from '../player/reconnect.ts';
import { SocketFeed, type SocketListener } from '../player/socket-feed.ts';
import { SoundOutput } from '../player/sound-output.ts';
import { SoundSides, sideOf } from '../player/sound-sides.ts';
import { ApiFailure, type FailureCode, liveUrl } from '../query/api.ts';
import { listen } from '../query/events.ts';
import { HttpPackets, type PacketSource } from '../raw/packet-source.ts';
import { SocketPackets } from '../raw/socket-packets.ts';
import { BroadcastTime } from './broadcast-time.ts';
import { LiveCaptions } from './live-captions.ts';
import { LivePacing } from './live-pacing.ts';
import { type LiveEvent, type LiveState, nextState } from './live-state.ts';
import { type QualityChange, QualityChoice } from './quality-choice.ts';
import { RawChoice } from './raw-choice.ts';
import { RawPacing } from './raw-pacing.ts';
import { ReceivedRate } from './received-rate.ts';
import { Starvation } from './starvation.ts';
import { TEXTS } from './texts.ts';

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

/** Nearer than this to the newest picture it is live, s. */
const LIVE_WITHIN_S = 2.5;
const FOLLOW_EVERY_MS = 500;

interface StreamFigures {
  /** `1280×720`; empty without a picture. */
  readonly size: string;
  /** Bits a second over the last seconds; undefined while that is not known. */
  readonly bitRate: number | undefined;
  /** s. */
  readonly ahead: number;
  readonly target: number;
  readonly frames: number;
  readonly dropped: number;
  /** Broadcast time of the picture that is shown, epoch ms. */
  readonly broadcastAt: BroadcastMs | undefined;
}

interface LivePlayerHandlers {
  /** Something else than asked for is sent, or what was asked for cannot be had. */
  onNotice(word: string): void;
  /** The network carries less, or more again. */
  onQuality(change: QualityChange): void;
  /** The tuner went to this recording, and no other one is free. */
  onTaken(recordingId: RecordingId): void;
}

export class LivePlayer {
  readonly #video: HTMLVideoElement;
  readonly #handlers: LivePlayerHandlers;
  readonly #connection = new LiveConnection();
  readonly captions = new LiveCaptions();
  readonly #time = new BroadcastTime();
  readonly #rate = new ReceivedRate();
  readonly #tuned = signal<LiveTuned | undefined>(undefined);
  readonly #behind = signal<number | undefined>(undefined);
  readonly #isBack = signal(false);
  readonly #ticker: ReturnType<typeof setInterval>;
  /** Recording that the station's tuner went to. */
  #takenBy: RecordingId | null = null;
  #withoutSocket = false;
  readonly #state = signal<LiveState>({ kind: 'idle' });
  readonly #audio = signal<string | undefined>(undefined);
  readonly sound: SoundOutput;
  readonly #sides: SoundSides;
  readonly raw = new RawChoice();
  readonly quality = new QualityChoice();
  readonly #starvation = new Starvation();
  readonly #paused = signal(false);
  readonly #fault = signal<ReceptionFault | undefined>(undefined);
  #stationId = 0 as StationId;
  #session: PlaybackSession | undefined;
  #pacing: LivePacing | undefined;
  #retry: Retry = FRESH;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A picture of the tuned station stands in the element. */
  #picture = false;
  readonly #ignoreEvents: () => void;

  constructor(video: HTMLVideoElement, handlers: LivePlayerHandlers) {
    this.#video = video;
    this.#handlers = handlers;
    this.#ticker = setInterval(() => this.#follow(), FOLLOW_EVERY_MS);
    this.sound = new SoundOutput(video);
    this.#sides = new SoundSides(video);
    this.#ignoreEvents = listen({ onEvent: () => {}, onReturn: () => this.#serviceReturned() });
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

  /** The tuned stream by the service's answer; undefined before it, and over HTTP. */
  get tuned(): ReadonlySignal<LiveTuned | undefined> {
    return this.#tuned;
  }

  /** What of the station does not come; undefined: all comes. */
  get fault(): ReadonlySignal<ReceptionFault | undefined> {
    return this.#fault;
  }

  /** Delay behind the current broadcast, s; undefined while unknown. */
  get behind(): ReadonlySignal<number | undefined> {
    return this.#behind;
  }

  /** The viewer paused or went back: the picture is not the newest. */
  get isBack(): ReadonlySignal<boolean> {
    return this.#isBack;
  }

  /** Current facts of the stream. */
  facts(): StreamFigures {
    const { currentTime } = this.#video;
    const { width, height } = pictureOf(this.#video);
    const raw = this.raw.isOn ? this.raw.figures.value : undefined;
    const quality = this.#video.getVideoPlaybackQuality?.();
    return {
      size: width === 0 ? '' : `${width}×${height}`,
      bitRate: this.#rate.bitRate,
      ahead: this.held.ahead,
      target: this.#pacing?.target ?? liveBuffer.value,
      frames: raw?.shown ?? quality?.totalVideoFrames ?? 0,
      dropped: raw?.dropped ?? quality?.droppedVideoFrames ?? 0,
      broadcastAt: this.#time.at(currentTime),
    };
  }

  /** s that are buffered before and after the picture. */
  get held(): { readonly back: number; readonly ahead: number } {
    const spans = this.#session?.spans ?? [];
    const position = this.#video.currentTime;
    const [first, last] = [spans[0], spans.at(-1)];
    if (first === undefined || last === undefined) return { back: 0, ahead: 0 };
    return { back: Math.max(0, position - first.start), ahead: Math.max(0, last.end - position) };
  }

  tune(stationId: StationId): void {
    this.#stationId = stationId;
    this.#takenBy = null;
    this.#audio.value = undefined;
    this.#retry = FRESH;
    this.#picture = false;
    // The rest of the previous station must not play under the new one's name.
    this.#video.pause();
    lastStation.value = stationId;
    this.raw.forget();
    this.#open();
  }

  /** The station that may be tuned next. */
  prepare(stationId: StationId): void {
    this.#connection.prepare(stationId);
  }

  setAudio(id: string | undefined): void {
    this.#audio.value = id;
    this.retry();
  }

  setCodec(codec: LiveCodec): void {
    this.raw.choose(codec === 'raw');
    if (codec !== 'raw') deviceCodec.value = codec;
    this.retry();
  }

  setQuality(quality: LiveQuality | 'auto'): void {
    this.quality.choose(quality);
    if (!this.raw.isOn) this.retry();
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
    this.#setBack(this.held.ahead > LIVE_WITHIN_S);
    void this.sound.play();
  }

  /** Limited to the buffered range. @param by s; negative: back */
  skip(by: number): void {
    const spans = this.#session?.spans ?? [];
    const [first, last] = [spans[0], spans.at(-1)];
    const edge = this.#pacing?.edge(spans);
    if (first === undefined || last === undefined || edge === undefined) return;
    const target = Math.max(first.start + 0.1, this.#video.currentTime + by);
    if (target >= edge) {
      this.toLive();
      return;
    }
    this.#setBack(true);
    this.#video.currentTime = target;
  }

  /** To the newest picture. */
  toLive(): void {
    this.#setBack(false);
    this.#toLiveEdge();
    if (this.#video.paused) void this.sound.play();
  }

  /** @param language of captions, 1 to 8 */
  setLanguage(language: number): void {
    captionLanguage.value = language;
    this.#connection.setLanguage(language);
  }

  /** Ends viewing and releases the element. */
  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#ticker);
    this.#ignoreEvents();
    this.#session?.close();
    this.#session = undefined;
    this.#connection.close();
    this.#sides.close();
    this.#video.removeEventListener('pause', this.#onPauseChange);
    this.#video.removeEventListener('play', this.#onPauseChange);
    this.#video.removeAttribute('src');
    this.#video.load();
    this.#dispatch({ kind: 'stop' });
  }

  /** The event stream is back, so the service responds again: retry immediately. */
  #serviceReturned(): void {
    const state = this.#state.value;
    const isCutOff = state.kind === 'waiting' || state.kind === 'stalled';
    if (!isCutOff && !(state.kind === 'tuning' && state.stage === 'tuner')) return;
    this.#retry = FRESH;
    this.#open(state.kind === 'waiting');
  }

  readonly #onPauseChange = (): void => {
    this.#paused.value = this.#video.paused && this.#state.value.kind === 'playing';
  };

  #dispatch(event: LiveEvent): void {
    this.#state.value = nextState(this.#state.value, event);
  }

  #setBack(isBack: boolean): void {
    this.#isBack.value = isBack;
    if (this.#pacing !== undefined) this.#pacing.follows = !isBack;
  }

  /** Updates the values that change with time. */
  #follow(): void {
    const { currentTime, paused } = this.#video;
    this.#rate.note(this.#connection.received, monotonicNow());
    this.#followQuality(monotonicNow());
    this.#behind.value = this.#picture ? this.#time.delay(currentTime, monotonicNow()) : undefined;
    if (this.#pacing !== undefined && this.#state.value.kind === 'playing') {
      liveBuffer.value = Math.min(4, Math.round(this.#pacing.target * 10) / 10);
    }
    if (this.#isBack.value && !paused && this.held.ahead < LIVE_WITHIN_S) this.#setBack(false);
  }

  /** Asks for less where the network carries no more, and for more where it does again. */
  #followQuality(at: MonotonicMs): void {
    const state = this.#state.value;
    const isPlaying = state.kind === 'playing';
    const isStarved = state.kind === 'stalled' || (state.kind === 'tuning' && state.stage === 'video');
    const isPaused = isPlaying && this.#video.paused;
    const isFollowed = !(this.raw.isOn || this.#withoutSocket || isPaused) && (isPlaying || isStarved);
    const { bitRate } = this.#rate;
    const { received } = this.#connection;
    this.#starvation.note({ at, isStarved: isFollowed && isStarved, received });
    if (!isFollowed) return;
    const { since: starvedSince, fedSince } = this.#starvation;
    const change = this.quality.follow({ at, bitRate, starvedSince, fedSince });
    if (change === undefined) return;
    this.#handlers.onQuality(change);
    if (change.isLower) this.#connection.abandon();
    this.#open();
  }

  #toLiveEdge(): void {
    const edge = this.#pacing?.edge(this.#session?.spans ?? []);
    if (edge !== undefined) this.#video.currentTime = edge;
  }

  /** @param again automatic retry after a failure, which stays on the screen until there is a response */
  #open(again = false): void {
    clearTimeout(this.#timer);
    this.#session?.close();
    this.#session = undefined;
    this.#paused.value = false;
    if (mediaSourceClass() === undefined) {
      const message = TEXTS.noMediaSource;
      this.#dispatch({ kind: 'giveUp', failure: new ApiFailure('unsupported', message) });
      return;
    }
    if (!again || this.#picture) this.#dispatch({ kind: 'tune', kept: this.#picture });
    const encoded = liveCodec.value === 'av1' && canPlayAv1() ? 'av1' : 'h264';
    const codec = this.raw.isOn ? 'raw' : encoded;
    if (encoded !== liveCodec.value && codec !== 'raw' && !this.#picture)
      this.#handlers.onNotice('codec_fallback');
    const Rules = codec === 'raw' ? RawPacing : LivePacing;
    const pacing = new Rules(monotonicNow(), liveBuffer.value);
    this.#pacing = pacing;
    this.#isBack.value = false;
    const session = new PlaybackSession(this.#video, this.#feed(codec), pacing, SILENCE, this.#events(codec));
    this.#session = session;
    void session.run();
  }

  #feed(codec: LiveCodec): MediaFeed {
    const audio = this.#audio.value;
    this.captions.clear();
    this.#sides.side = 'both';
    this.#time.clear();
    this.#tuned.value = undefined;
    this.#fault.value = undefined;
    if (this.#withoutSocket) {
      const url = liveUrl(this.#stationId, codec, audio, this.quality.wanted);
      return codec === 'raw' ? this.#rawFeed(new HttpPackets(url)) : new HttpFeed(url);
    }
    const wish = {
      ...{ type: 'tune' as const, stationId: this.#stationId, codec, language: captionLanguage.value },
      ...(audio === undefined ? {} : { audio }),
      ...(codec === 'raw' ? {} : { quality: this.quality.wanted }),
    };
    if (codec !== 'raw') return new SocketFeed(this.#connection, wish, this.#listener());
    const packets = new SocketPackets(this.#connection, wish, this.#listener());
    return this.#rawFeed(packets);
  }

  #rawFeed(packets: PacketSource): MediaFeed {
    const audio = this.#audio.value;
    const onSound = (isDual: boolean): void => {
      // No explicit choice: use the service's default, and the main sound for an unknown station.
      const side = sideOf(audio ?? this.#tuned.value?.audio ?? '0:main');
      this.#sides.side = isDual ? side : 'both';
    };
    return this.raw.feed(this.#video, packets, audio, onSound, (fault) => {
      this.#fault.value = fault;
    });
  }

  #listener(): SocketListener {
    return {
      onTuned: (tuned) => {
        this.#tuned.value = tuned;
      },
      onCaptions: (notice: CaptionsNotice) => this.captions.announce(notice),
      onPage: (page: CaptionPage, positionS, superimpose) => this.captions.add(page, positionS, superimpose),
      onClock: (position, at) => this.#time.hear(position, at, monotonicNow()),
      onNotice: (word) => this.#handlers.onNotice(word),
      onFault: (fault) => {
        this.#fault.value = fault;
      },
    };
  }

  #events(codec: LiveCodec) {
    return {
      onAnswer: (notices: readonly string[]) => {
        this.#rate.clear();
        this.#starvation.clear();
        this.quality.restart();
        this.#dispatch({ kind: 'answered' });
        for (const word of notices) this.#handlers.onNotice(word);
      },
      onReady: () => void this.sound.play(),
      onPicture: () => {
        this.#picture = true;
        this.#takenBy = null;
        this.#dispatch({ kind: 'picture' });
      },
      onStarved: () => this.#dispatch({ kind: 'starved' }),
      onEnd: (end: StreamEnd, failure: ApiFailure) => this.#onEnd(end, failure, codec),
    };
  }

  #onEnd(end: StreamEnd, failure: ApiFailure, codec: LiveCodec): void {
    const playedMs = this.#session?.playedMs ?? 0;
    const cannotShow = failure.code === 'decode' || failure.code === 'unsupported';
    if (cannotShow && codec === 'av1') {
      deviceCodec.value = 'h264';
      this.#handlers.onNotice('codec_fallback');
      this.#open();
      return;
    }
    if (failure.code === 'raw_fallback' || (cannotShow && codec === 'raw')) {
      this.raw.fail();
      this.#handlers.onNotice('raw_fallback');
      this.#open();
      return;
    }
    if (failure instanceof TunerLost) this.#takenBy = failure.recordingId;
    else if (failure.code === 'no_tuner' && this.#takenBy !== null) {
      this.#handlers.onTaken(this.#takenBy);
      return;
    } else if (failure.code === 'no_socket') {
      this.#withoutSocket = true;
      this.#open();
      return;
    }
    if (FINAL.includes(failure.code)) {
      this.#dispatch({ kind: 'giveUp', failure });
      return;
    }
    const { retry, waitMs } = nextTry(this.#retry, end, wallNow(), playedMs);
    this.#retry = retry;
    if (waitMs === 0) {
      this.#open();
      return;
    }
    // After the first break of a stream that played, its picture stays: the buffer usually outlasts the break.
    this.#picture &&= retry.failures <= 1;
    this.#dispatch({ kind: 'retryLater', failure, until: plusMs(currentMs(), waitMs), kept: this.#picture });
    this.#timer = setTimeout(() => this.#open(true), waitMs);
  }
}
