/**
 * Live viewing of one station at a time over the live socket: tunes, reconnects as required by how a stream ended,
 * keeps the viewer's choices. Where a socket is impossible (a proxy without WebSocket), the HTTP stream is used,
 * without captions.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { ReceptionFault } from '../../lib/arib/ts/clock.ts';
import type { LiveCodec, LiveQuality } from '../../lib/wire/api.ts';
import type { CaptionPage, CaptionsNotice } from '../../lib/wire/caption.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { LiveTuned } from '../../lib/wire/live.ts';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { captionLanguage } from '../caption/caption-choice.ts';
import { type CaptionLanguageChoice, CaptionTimeline } from '../caption/caption-timeline.ts';
import { monotonicNow } from '../device/clock.ts';
import { deviceCodec, lastStation, liveBuffer, liveCodec } from '../device/preferences.ts';
import { TunerLost } from '../player/live-connection.ts';
import { cannotShow, canPlayAv1 } from '../player/player.ts';
import { pictureOf } from '../player/shown-picture.ts';
import {
  CAPTION,
  CAPTIONS_NOTICE,
  CLOCK,
  NOTICE,
  RECEPTION,
  SUPERIMPOSE,
  TUNED,
} from '../player/side-tracks.ts';
import { SoundSides, sideOf } from '../player/sound-output.ts';
import type { ApiFailure } from '../query/api.ts';
import { listen } from '../query/events.ts';
import { FALLBACK_NOTICES, RawFeed } from '../raw/raw-feed.ts';
import type { RawSource } from '../raw/raw-session.ts';
import { showToast } from '../ui/toast.tsx';
import { LivePacing, RawPacing } from './live-pacing.ts';
import { type QualityChange, QualityChoice, RawChoice, ReceivedRate, Starvation } from './quality-choice.ts';
import { StationPlayer, type TuneRequest } from './station-player.ts';

/** Samples arrive late by the network's latency; older ones than this are ignored. */
const KEPT_MS = 120_000;

interface ClockSample {
  /** s on the element's timeline. */
  readonly position: number;
  /** Of that position. */
  readonly at: BroadcastMs;
  readonly receivedAt: MonotonicMs;
}

/**
 * Estimates how far the picture is behind the broadcast, from samples of the broadcast's time sent by the service. The
 * device's own clock may be wrong: each sample was current when it was sent, so the least delayed one is used.
 */
export class BroadcastTime {
  #samples: readonly ClockSample[] = [];

  add(position: number, at: BroadcastMs, receivedAt: MonotonicMs): void {
    // Another programme clock: earlier samples belong to another scale.
    const before = this.#samples.at(-1);
    const jumped =
      before !== undefined && Math.abs(at - before.at - (position - before.position) * 1000) > 2_000;
    const kept = jumped ? [] : this.#samples.filter((one) => receivedAt - one.receivedAt < KEPT_MS);
    this.#samples = [...kept, { position, at, receivedAt }];
  }

  clear(): void {
    this.#samples = [];
  }

  /** Of a position; undefined without a sample. */
  at(position: number): BroadcastMs | undefined {
    const last = this.#samples.at(-1);
    return last === undefined ? undefined : plusMs(last.at, (position - last.position) * 1000);
  }

  /** Delay of a position behind the current broadcast, s; undefined without a sample. */
  delay(position: number, now: MonotonicMs): number | undefined {
    if (this.#samples.length === 0) return undefined;
    const newest = Math.max(...this.#samples.map((one) => one.position + (now - one.receivedAt) / 1000));
    return Math.max(0, newest - position);
  }
}

/** Pages older than what can be gone back to are forgotten. */
const KEPT_S = 180;

/** Captions and superimposed text of the station that is watched, by the position of its picture. */
class LiveCaptions {
  readonly #pages = new CaptionTimeline();
  readonly #superimposed = new CaptionTimeline();
  readonly #languages = signal<readonly CaptionLanguageChoice[]>([]);

  /** Empty: the programme has no captions, or none were announced yet. */
  get languages(): ReadonlySignal<readonly CaptionLanguageChoice[]> {
    return this.#languages;
  }

  announce({ tracks, languages }: CaptionsNotice): void {
    this.#languages.value =
      languages?.map(({ index, label }) => ({ index, label })) ??
      tracks.slice(0, 1).map(({ label }) => ({ index: 1, label }));
  }

  /** @param positionS on the element's timeline */
  add(page: CaptionPage, positionS: number, superimpose: boolean): void {
    // A version that is not known here is not drawn.
    if (page.v !== 1) return;
    const timeline = superimpose ? this.#superimposed : this.#pages;
    timeline.add(positionS * 1000, page);
    timeline.dropBefore((positionS - KEPT_S) * 1000);
  }

  /** @param positionS on the element's timeline */
  pageAt(positionS: number): CaptionPage | undefined {
    return this.#pages.at(positionS * 1000);
  }

  superimposedAt(positionS: number): CaptionPage | undefined {
    return this.#superimposed.at(positionS * 1000);
  }

  /** Another tuning: resets all state. */
  clear(): void {
    this.#pages.clear();
    this.#superimposed.clear();
    this.#languages.value = [];
  }
}

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
  /** The network carries less, or more again. */
  onQuality(change: QualityChange): void;
  /** The tuner went to this recording, and no other one is free. */
  onTaken(recordingId: RecordingId): void;
}

export class LivePlayer extends StationPlayer {
  readonly #handlers: LivePlayerHandlers;
  readonly captions = new LiveCaptions();
  readonly #time = new BroadcastTime();
  readonly #rate = new ReceivedRate();
  readonly #tuned = signal<LiveTuned | undefined>(undefined);
  readonly #behind = signal<number | undefined>(undefined);
  readonly #isBack = signal(false);
  readonly #ticker: ReturnType<typeof setInterval>;
  /** Recording that the station's tuner went to. */
  #takenBy: RecordingId | null = null;
  readonly #sides: SoundSides;
  readonly raw = new RawChoice();
  readonly quality = new QualityChoice();
  readonly #starvation = new Starvation();
  readonly #paused = signal(false);
  readonly #fault = signal<ReceptionFault | undefined>(undefined);
  readonly #ignoreEvents: () => void;

  constructor(video: HTMLVideoElement, handlers: LivePlayerHandlers) {
    super(video);
    this.#handlers = handlers;
    this.#takeSideData();
    this.#ticker = setInterval(() => this.#follow(), FOLLOW_EVERY_MS);
    this.#sides = new SoundSides(video);
    this.#ignoreEvents = listen({ onEvent: () => {}, onReturn: () => this.#serviceReturned() });
    video.addEventListener('pause', this.#onPauseChange);
    video.addEventListener('play', this.#onPauseChange);
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

  facts(): StreamFigures {
    const { currentTime } = this.video;
    const { width, height } = pictureOf(this.video);
    const raw = this.raw.isOn ? this.raw.figures.value : undefined;
    const quality = this.video.getVideoPlaybackQuality?.();
    return {
      size: width === 0 ? '' : `${width}×${height}`,
      bitRate: this.#rate.bitRate,
      ahead: this.held.ahead,
      target: this.pacing?.target ?? liveBuffer.value,
      frames: raw?.shown ?? quality?.totalVideoFrames ?? 0,
      dropped: raw?.dropped ?? quality?.droppedVideoFrames ?? 0,
      broadcastAt: this.#time.at(currentTime),
    };
  }

  /** s that are buffered before and after the picture. */
  get held(): { readonly back: number; readonly ahead: number } {
    const spans = this.session?.spans ?? [];
    const position = this.video.currentTime;
    const [first, last] = [spans[0], spans.at(-1)];
    if (first === undefined || last === undefined) return { back: 0, ahead: 0 };
    return { back: Math.max(0, position - first.start), ahead: Math.max(0, last.end - position) };
  }

  override tune(stationId: StationId): void {
    this.#takenBy = null;
    // The rest of the previous station must not play under the new one's name.
    this.video.pause();
    lastStation.value = stationId;
    this.raw.forget();
    super.tune(stationId);
  }

  /** The station that may be tuned next, so that its picture comes at once where a tuner is idle. */
  prepare(stationId: StationId): void {
    this.tell({ type: 'prepare', stationId });
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

  togglePause(): void {
    this.setPaused(!this.video.paused);
  }

  /** Devices with separate buttons for play and pause also send the one whose state holds already. */
  setPaused(paused: boolean): void {
    if (paused === this.video.paused) return;
    if (paused) {
      this.video.pause();
      return;
    }
    this.#setBack(this.held.ahead > LIVE_WITHIN_S);
    void this.sound.play();
  }

  /** Limited to the buffered range. @param by s; negative: back */
  skip(by: number): void {
    const spans = this.session?.spans ?? [];
    const [first, last] = [spans[0], spans.at(-1)];
    const edge = this.pacing?.edge(spans);
    if (first === undefined || last === undefined || edge === undefined) return;
    const target = Math.max(first.start + 0.1, this.video.currentTime + by);
    if (target >= edge) {
      this.toLive();
      return;
    }
    this.#setBack(true);
    this.video.currentTime = target;
  }

  /** To the newest picture. */
  toLive(): void {
    this.#setBack(false);
    this.#toLiveEdge();
    if (this.video.paused) void this.sound.play();
  }

  /** @param language of captions, 1 to 8 */
  setLanguage(language: number): void {
    captionLanguage.value = language;
    this.tell({ type: 'language', language });
  }

  override close(): void {
    clearInterval(this.#ticker);
    this.#ignoreEvents();
    this.#sides.close();
    this.video.removeEventListener('pause', this.#onPauseChange);
    this.video.removeEventListener('play', this.#onPauseChange);
    super.close();
  }

  /** The event stream is back, so the service responds again: retry immediately. */
  #serviceReturned(): void {
    const state = this.state.value;
    const isCutOff = state.kind === 'waiting' || state.kind === 'stalled';
    if (!isCutOff && !(state.kind === 'opening' && state.stage === 'source')) return;
    this.fresh();
    this.open(state.kind === 'waiting');
  }

  readonly #onPauseChange = (): void => {
    this.#paused.value = this.video.paused && this.state.value.kind === 'playing';
  };

  #setBack(isBack: boolean): void {
    this.#isBack.value = isBack;
    if (this.pacing !== undefined) this.pacing.follows = !isBack;
  }

  /** Updates the values that change with time. */
  #follow(): void {
    const { currentTime, paused } = this.video;
    this.#rate.note(this.raw.isOn ? this.worker.received : this.connection.received, monotonicNow());
    this.#followQuality(monotonicNow());
    this.#behind.value = this.hasPicture ? this.#time.delay(currentTime, monotonicNow()) : undefined;
    if (this.pacing !== undefined && this.state.value.kind === 'playing') {
      liveBuffer.value = Math.min(4, Math.round(this.pacing.target * 10) / 10);
    }
    if (this.#isBack.value && !paused && this.held.ahead < LIVE_WITHIN_S) this.#setBack(false);
  }

  /** Asks for less where the picture does not come in time, and for more where it does again. */
  #followQuality(at: MonotonicMs): void {
    const state = this.state.value;
    const isPlaying = state.kind === 'playing';
    const isRaw = this.raw.isOn;
    // The raw path decodes here: its begin says nothing about the network.
    const isOpening = !isRaw && state.kind === 'opening' && state.stage === 'video';
    const isStarved = state.kind === 'stalled' || isOpening;
    const isPaused = isPlaying && this.video.paused;
    const isFollowed = !(this.isWithoutSocket || isPaused) && (isPlaying || isStarved);
    const { bitRate } = this.#rate;
    const { received } = isRaw ? this.worker : this.connection;
    this.#starvation.note({ at, isStarved: isFollowed && isStarved, received });
    if (!isFollowed) return;
    const { since: starvedSince, fedSince } = this.#starvation;
    const sample = { at, bitRate, starvedSince, fedSince };
    if (isRaw) {
      if (this.raw.isLate(sample)) this.#leaveRaw();
      return;
    }
    const change = this.quality.follow(sample);
    if (change === undefined) return;
    this.#handlers.onQuality(change);
    if (change.why !== undefined) this.connection.abandon();
    this.open();
  }

  /** The encoded path follows, with the reason. */
  #leaveRaw(): void {
    this.raw.fail();
    showToast(FALLBACK_NOTICES[this.raw.problem ?? 'unsupported']);
    this.open();
  }

  #toLiveEdge(): void {
    const edge = this.pacing?.edge(this.session?.spans ?? []);
    if (edge !== undefined) this.video.currentTime = edge;
  }

  protected override codec(): LiveCodec {
    const encoded = liveCodec.value === 'av1' && canPlayAv1() ? 'av1' : 'h264';
    if (this.raw.isOn) return 'raw';
    if (encoded !== liveCodec.value && !this.hasPicture) this.onNotice('codec_fallback');
    return encoded;
  }

  protected override pacingOf(codec: LiveCodec): LivePacing {
    return new (codec === 'raw' ? RawPacing : LivePacing)(monotonicNow(), liveBuffer.value);
  }

  protected override requestOf(codec: LiveCodec): TuneRequest {
    const audio = this.audio.value;
    return {
      ...super.requestOf(codec),
      language: captionLanguage.value,
      ...(audio === undefined ? {} : { audio }),
      ...(codec === 'raw' ? {} : { quality: this.quality.wanted }),
    };
  }

  protected override rawFeed(source: RawSource): RawFeed {
    const audio = this.audio.value;
    const stream = Number(audio?.split(':')[0] ?? 0);
    const order = { source, audioIndex: Number.isInteger(stream) ? stream : 0, isHalf: false };
    return new RawFeed(this.worker, this.video, this.side, order, {
      ...this.raw.begin(),
      onSound: (isDual) => {
        // No explicit choice: use the service's default, and the main sound for an unknown station.
        const side = sideOf(audio ?? this.#tuned.value?.audio ?? '0:main');
        this.#sides.side = isDual ? side : 'both';
      },
      onFault: (fault) => {
        this.#fault.value = fault;
      },
      onStep: (step, at) => this.steps.noteWall(step, at),
    });
  }

  protected override onOpen(): void {
    this.#paused.value = false;
    this.#isBack.value = false;
    this.captions.clear();
    this.#sides.side = 'both';
    this.#time.clear();
    this.#tuned.value = undefined;
    this.#fault.value = undefined;
  }

  protected override onAnswer(): void {
    this.#rate.clear();
    this.#starvation.clear();
    this.quality.restart();
  }

  protected override onPicture(): void {
    this.#takenBy = null;
  }

  protected override onFailure(failure: ApiFailure, codec: LiveCodec): boolean {
    if (failure.code === 'raw_fallback' || (codec === 'raw' && cannotShow(failure))) {
      this.#leaveRaw();
      return true;
    }
    if (failure instanceof TunerLost) this.#takenBy = failure.recordingId;
    if (failure.code !== 'no_tuner' || this.#takenBy === null) return false;
    this.#handlers.onTaken(this.#takenBy);
    return true;
  }

  #takeSideData(): void {
    this.side.take(TUNED, (tuned) => {
      this.#tuned.value = tuned;
    });
    this.side.take(CAPTIONS_NOTICE, (notice) => this.captions.announce(notice));
    this.side.take(CAPTION, (page, position) => this.captions.add(page, position, false));
    this.side.take(SUPERIMPOSE, (page, position) => this.captions.add(page, position, true));
    this.side.take(CLOCK, ({ at }, position) => {
      this.#time.add(position, at, monotonicNow());
      const end = this.session?.spans.at(-1)?.end;
      if (end !== undefined) this.quality.noteClock(position - end);
    });
    this.side.take(NOTICE, ({ code }) => this.onNotice(code));
    this.side.take(RECEPTION, ({ fault }) => {
      this.#fault.value = fault ?? undefined;
    });
  }
}
