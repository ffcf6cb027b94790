/**
 * A station over the live socket: tunes, and connects again as required by how a stream ended. Where a socket is
 * impossible (a proxy without WebSocket), the HTTP stream is used, without side data.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { originOf, readFragment } from '../../lib/mp4/fragment.ts';
import { mimeOf, readTracks, type Track } from '../../lib/mp4/tracks.ts';
import type { LiveCodec } from '../../lib/wire/api.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { monotonicNow } from '../device/clock.ts';
import { liveBuffer } from '../device/preferences.ts';
import { HttpFeed } from '../player/http-feed.ts';
import { LiveConnection, readLive, type WatchRequest } from '../player/live-connection.ts';
import type { FeedPart, MediaFeed, SilenceLimits, StreamEnd } from '../player/media-feed.ts';
import { PlaybackSession } from '../player/playback-session.ts';
import { Player } from '../player/player.ts';
import { type SideControl, SideTracks } from '../player/side-tracks.ts';
import { StartSteps } from '../player/start-steps.ts';
import { type ApiFailure, liveUrl } from '../query/api.ts';
import { RawWorker } from '../raw/raw-feed.ts';
import type { RawSource } from '../raw/raw-session.ts';
import { LivePacing } from './live-pacing.ts';

/** A feed that reads the encoded path of the live socket. */
class SocketFeed implements MediaFeed {
  constructor(
    private readonly connection: LiveConnection,
    private readonly request: WatchRequest,
    private readonly side: SideTracks,
    private readonly steps: StartSteps,
  ) {}

  async *read(signal: AbortSignal): AsyncGenerator<FeedPart> {
    let tracks: readonly Track[] = [];
    let told: string[] = [];
    let init: { readonly types: string[]; readonly bytes: Uint8Array } | undefined;
    for await (const part of readLive(this.connection.watch(this.request, signal), this.side)) {
      if (part.kind === 'tuned') {
        told = [part.tuned.mime];
        yield { kind: 'answer', notices: [], offset: 0, recorded: part.tuned.recorded };
        continue;
      }
      const { channel, time, payload } = part;
      this.steps.note('data');
      if (channel === LIVE_CHANNEL.init) {
        tracks = readTracks(payload);
        const own = mimeOf(tracks);
        init = { types: own === undefined ? told : [...told, own], bytes: payload };
      } else if (channel === LIVE_CHANNEL.fragment) {
        if (init !== undefined) {
          // The element's timeline begins with the first fragment.
          const parts = readFragment(payload, tracks);
          const origin = parts.length === 0 ? time : originOf(parts);
          yield { kind: 'init', ...init, offset: -origin / TICKS_PER_SECOND };
          init = undefined;
          this.steps.note('intra');
          this.side.place(origin);
        }
        yield { kind: 'media', bytes: payload };
      }
    }
  }
}

export type TuneRequest = Extract<WatchRequest, { type: 'tune' }>;

/** A tuner may need several seconds to lock, and a recording's encoder another few to start. */
const SILENCE: SilenceLimits = { firstMs: 45_000, laterMs: 15_000 };

export abstract class StationPlayer extends Player {
  protected readonly connection = new LiveConnection();
  /** The raw path has a connection of its own. */
  protected readonly worker = new RawWorker();
  /** Everything of the station beside picture and sound. */
  readonly side = new SideTracks((control) => this.tell(control), monotonicNow);
  protected session: PlaybackSession | undefined;
  protected pacing: LivePacing | undefined;
  protected isWithoutSocket = false;
  /** How long the first picture of the station took, and why. */
  readonly steps = new StartSteps();
  #stationId = 0 as StationId;

  tune(stationId: StationId): void {
    this.#stationId = stationId;
    this.chosenAudio.value = undefined;
    this.steps.begin();
    this.connection.onStep = (step) => this.steps.note(step);
    this.begin();
    this.open();
  }

  override close(): void {
    this.session?.close();
    this.session = undefined;
    this.connection.close();
    this.worker.close();
    super.close();
  }

  protected override reopen(): void {
    this.open();
  }

  /** @param again automatic retry after a failure, which stays on the screen until there is a response */
  protected open(again = false): void {
    this.later(undefined);
    this.session?.close();
    this.session = undefined;
    if (!this.canPlay()) return;
    if (!again || this.hasPicture) this.dispatch({ kind: 'open', kept: this.hasPicture });
    const codec = this.codec();
    // The other path's connection must not keep a tuner.
    if (codec === 'raw') this.connection.abandon();
    else this.worker.close();
    this.pacing = this.pacingOf(codec);
    this.onOpen();
    if (codec !== 'raw') this.#noteFirstFrame();
    const session = new PlaybackSession(this.video, this.#feed(codec), this.pacing, SILENCE, {
      onAnswer: (notices) => {
        this.steps.note('tuned');
        this.onAnswer();
        this.dispatch({ kind: 'answered' });
        for (const word of notices) this.onNotice(word);
      },
      onReady: () => void this.start(),
      onPicture: () => {
        this.hasPicture = true;
        this.onPicture();
        this.dispatch({ kind: 'picture' });
      },
      onStarved: () => this.dispatch({ kind: 'starved' }),
      onEnd: (end, failure) => this.#onEnd(end, failure, codec),
    });
    this.session = session;
    void session.run();
  }

  protected abstract codec(): LiveCodec;
  protected abstract rawFeed(source: RawSource): MediaFeed;
  /** Another stream begins; the service accepted it; its picture moves. */
  protected onOpen(): void {}
  protected onAnswer(): void {}
  protected onPicture(): void {}

  /** True: the failure was dealt with. */
  protected abstract onFailure(failure: ApiFailure, codec: LiveCodec): boolean;

  protected pacingOf(_codec: LiveCodec): LivePacing {
    return new LivePacing(monotonicNow(), liveBuffer.peek());
  }

  protected requestOf(codec: LiveCodec): TuneRequest {
    return { type: 'tune', stationId: this.#stationId, codec };
  }

  protected async start(): Promise<void> {
    await this.sound.play();
  }

  /** Where a connection is open. */
  protected tell(control: SideControl): void {
    this.connection.tell(control);
    this.worker.tell(control);
  }

  #noteFirstFrame(): void {
    const { video, steps } = this;
    const onData = (): void => {
      steps.note('decoded');
      video.requestVideoFrameCallback?.(() => steps.note('shown'));
    };
    video.addEventListener('loadeddata', onData, { once: true });
  }

  #feed(codec: LiveCodec): MediaFeed {
    const request = this.requestOf(codec);
    if (this.isWithoutSocket) {
      const url = liveUrl(request.stationId, codec, request.audio, request.quality ?? 'high');
      return codec === 'raw' ? this.rawFeed({ kind: 'http', url: url.href }) : new HttpFeed(url);
    }
    if (codec !== 'raw') return new SocketFeed(this.connection, request, this.side, this.steps);
    return this.rawFeed({ kind: 'socket', request, base: document.baseURI });
  }

  #onEnd(end: StreamEnd, failure: ApiFailure, codec: LiveCodec): void {
    const playedMs = this.session?.playedMs ?? 0;
    if (this.leavesAv1(failure, codec) || this.onFailure(failure, codec)) return;
    if (failure.code === 'no_socket') {
      this.isWithoutSocket = true;
      this.open();
      return;
    }
    if (this.isFinal(failure)) {
      this.giveUp(failure);
      return;
    }
    const { waitMs, failures } = this.nextWait(end, playedMs);
    if (waitMs === 0) {
      this.open();
      return;
    }
    // After the first break of a stream that played, its picture stays: the buffer usually outlasts the break.
    this.hasPicture &&= failures <= 1;
    this.sayWaiting(failure, waitMs);
    this.later(() => this.open(true), waitMs);
  }
}
