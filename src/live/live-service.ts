/** Live viewing: sessions by station. Sessions, queues and frames are those of `src/media`. */
import type { StationId } from '../../arib/ids.ts';
import { within } from '../../host/deadline.ts';
import type { Log } from '../../host/log.ts';
import type { Tuner } from '../../wire/agent.ts';
import type { AudioOption, LiveCodec, LiveQuality, Notice } from '../../wire/api.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import { type AudioChoice, chooseAudio } from '../media/audio-choice.ts';
import { captionBody } from '../media/caption-body.ts';
import { httpBody } from '../media/http-body.ts';
import { chooseRecipe, type Recipe } from '../media/recipe.ts';
import { SharedSource } from '../media/shared-source.ts';
import type { MediaLayout } from '../media/source.ts';
import { openStationSource, type StationSource } from '../media/station-source.ts';
import { StreamBroken, type ViewerQueue } from '../media/viewer-queue.ts';
import { Failure } from '../model/failure.ts';
import type { RecordingId } from '../model/ids.ts';
import type { StationRecord } from '../model/station.ts';
import type { ReceptionPool } from '../reception/reception-pool.ts';
import { STREAM_USE } from '../tuner/agent-stream.ts';
import { type KeyFailureQuery, keyFailureProblem } from '../tuner/key-failure.ts';
import { liveFailure } from './live-failure.ts';
import { PreparedStations } from './prepared-station.ts';

export interface LiveRequest {
  stationId: StationId;
  codec: LiveCodec;
  /** `only`, the id of an Audio option, or undefined for the main audio. */
  audio: string | undefined;
  /** Of an encoded picture; default: `high`. */
  quality?: LiveQuality | undefined;
}

/** A viewer of a station; its frames are written to a transport by the caller. */
interface LiveViewing {
  readonly viewer: ViewerQueue;
  /** RFC 6381 type with codecs if known, else the content type. */
  readonly mime: string;
  readonly codec: LiveCodec;
  readonly notices: readonly Notice[];
  /** The agent's name of the tuner, if it reported one. */
  readonly tunerId: string | null;
  /** Available options, at least one. */
  readonly audios: readonly AudioOption[];
  /** Id of the Audio option that is sent. */
  readonly audio: string;
  /** Resolves when the station is no longer received, with the recording that took its tuner, or null. */
  readonly lost: Promise<RecordingId | null>;
}

export interface LiveStream {
  contentType: string;
  /** RFC 6381 type with codecs if known, else the content type. */
  mime: string;
  notices: readonly Notice[];
  /** The agent's name of the tuner, if it reported one. */
  tunerId: string | null;
  /** Errors when the stream breaks, ends when the layout changes or a recording takes the tuner; cancelling it leaves the session. */
  body: ReadableStream<Uint8Array>;
}

interface LiveStations {
  find(id: StationId): StationRecord | undefined;
  /** At least one option; the one with `main` is the default, else the first. */
  audios(id: StationId): AudioOption[];
}

export interface LiveOptions {
  /** Closed by its owner, after this. */
  pool: ReceptionPool;
  stations: LiveStations;
  encoders: Encoders;
  /**
   * A station that was watched is no longer received; returns the recording that took its tuner, or null.
   * @param tunerId the tuner that it was received on
   */
  onLost?: ((station: StationRecord, tunerId: string) => Promise<RecordingId | null>) | undefined;
  /** The agent's tuners; without them no station is prepared. */
  tuners?: (() => Promise<readonly Tuner[]>) | undefined;
  /** Why the station stays scrambled on this tuner. */
  keyFailure?: KeyFailureQuery | undefined;
  log: Log;
}

/** Limit of finding out whether a recording took the tuner: the agent's list shows it within 1.3 s (`tuner-yields.ts`). */
const YIELD_LIMIT_MS = 3_000;
/** Time after which the agent has certainly noticed a closed connection, ms. */
const LEFT_MS = 1_000;
/** Limit of ended uses that a request names; the agent accepts 64. */
const MAX_LEFT = 16;
/** Delay after the start of the service; the first request must not wait for the worker's start. */
const WARM_AFTER_MS = 1_000;

interface Watched {
  readonly shared: SharedSource<StationSource>;
  /** The use as the agent knows it; equal for stations of one channel. */
  readonly use: string;
  readonly lost: Promise<RecordingId | null>;
  /** A viewer has joined, so it is no longer only prepared. */
  isJoined: boolean;
  /** The tuner that lists this use, of an agent whose streams do not name it. */
  tunerId: string | undefined;
}

export class LiveService {
  readonly #watched = new Map<StationId, Watched>();
  /** Stations whose tuner is being released. */
  readonly #leaving = new Set<Promise<void>>();
  /** Uses of their tuners; each is kept for a moment, because the agent notices the end later than this service. */
  readonly #left = new Set<{ readonly use: string }>();
  readonly #warm: ReturnType<typeof setTimeout>;
  readonly #prepared: PreparedStations;
  #isClosed = false;

  constructor(readonly options: LiveOptions) {
    this.#prepared = new PreparedStations({
      tuners: options.tuners ?? (async () => []),
      hold: async (station, signal) => {
        if (!this.#isClosed) await this.#shared(station).shared.keep(signal);
      },
      log: options.log,
    });
    this.#warm = setTimeout(() => options.pool.warm(), WARM_AFTER_MS);
  }

  /**
   * Joins a station's stream; resolves when its first bytes are there.
   * @throws Failure no_tuner, no_signal, card_unavailable, not_subscribed, agent_unavailable, agent_misconfigured,
   *   not_found, ffmpeg_unavailable, internal; the abort's reason
   */
  async open(request: LiveRequest, signal: AbortSignal): Promise<LiveStream> {
    const { viewer, mime, notices, tunerId, lost } = await this.join(request, signal);
    // A recording that takes the tuner is no fault: the client asks again, or watches the recording.
    const isRegularEnd = async (reason: Error): Promise<boolean> => {
      if (!(reason instanceof StreamBroken) || reason.by !== 'lost') return false;
      return (await within(YIELD_LIMIT_MS, lost, () => null)) !== null;
    };
    const body = httpBody(viewer, { isRegularEnd });
    return { contentType: mime.replace(/;.*$/, ''), mime, notices, tunerId, body };
  }

  /** As `open`, for other encodings of the frames than an HTTP body. */
  async join(request: LiveRequest, signal: AbortSignal): Promise<LiveViewing> {
    try {
      try {
        return await this.#join(request, signal);
      } catch (error) {
        const isCrowded = error instanceof Failure && error.code === 'no_tuner';
        // Neither a prepared station nor one that was just left may keep a tuner from a viewer.
        if (!isCrowded || (!(await this.#prepared.release()) && this.#left.size === 0)) throw error;
        return await this.#join(request, signal, this.#leftUses());
      }
    } catch (error) {
      if (error instanceof Failure) {
        const { code, message, options } = error;
        const reason = options.cause === undefined ? message : String(options.cause);
        this.options.log.warn('live stream refused', { station: request.stationId, code, reason });
      }
      throw error;
    }
  }

  /**
   * Receives a station on an idle tuner, so that joining it soon gives a picture at once. Never rejects; resolves
   * when it is released: by the signal, after 20 s, or when a viewer needs the tuner.
   */
  async prepare(id: StationId, signal: AbortSignal): Promise<void> {
    const station = this.options.stations.find(id);
    if (station === undefined || this.#isClosed) return;
    await this.#prepared.prepare(station, signal);
  }

  /** @param after uses that the agent must treat as ended */
  async #join(
    request: LiveRequest,
    signal: AbortSignal,
    after: readonly string[] = [],
  ): Promise<LiveViewing> {
    signal.throwIfAborted();
    const station = this.options.stations.find(request.stationId);
    if (station === undefined) throw new Failure('not_found', '局が見つかりません。');
    let shared: SharedSource<StationSource> | undefined;
    try {
      const recipe = await this.#recipe(request);
      signal.throwIfAborted();
      if (this.#isClosed) throw new Failure('internal', 'サーバーを終了しています');
      const watched = this.#shared(station, after);
      watched.isJoined = true;
      shared = watched.shared;
      const { viewer, mime, notices, source, layout } = await shared.join(recipe, signal);
      const isFallback = recipe.kind === 'encoded' && notices.includes('codec_fallback');
      return {
        ...{ viewer, mime, notices, tunerId: source.tunerId, lost: watched.lost },
        codec: isFallback ? 'h264' : request.codec,
        ...this.#audios(request, layout),
      };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const tunerId = shared?.opened?.tunerId ?? null;
      throw (await this.#keyFailure(station, tunerId, error)) ?? liveFailure(error);
    }
  }

  /**
   * The captions of a station whose original stream is being watched, as a caption frame stream that ends with it.
   * @param language 1 to 8
   * @throws Failure not_found while that stream has no viewer
   */
  captions(stationId: StationId, language: number, signal: AbortSignal): ReadableStream<Uint8Array> {
    const viewer = this.#watched.get(stationId)?.shared.captions(signal);
    if (viewer === undefined) {
      throw new Failure('not_found', 'この局の放送ストリームは視聴されていません。');
    }
    return captionBody(viewer, { language });
  }

  /** Whether any station is being watched. */
  get isWatched(): boolean {
    return this.#watched.size > 0;
  }

  /** Number of stations being watched. */
  get watched(): number {
    return this.#watched.size;
  }

  /** Ends every stream and worker; resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#warm);
    void this.#prepared.release();
    for (const { shared } of [...this.#watched.values()]) shared.stop();
    await Promise.all(this.#leaving);
  }

  /** The station is received but scrambled: reports the agent's reason for missing keys. */
  async #keyFailure(
    { type, channel, serviceId }: StationRecord,
    tunerId: string | null,
    { code }: Failure,
  ): Promise<Failure | undefined> {
    const { keyFailure, log } = this.options;
    if (keyFailure === undefined || tunerId === null || code !== 'no_signal') return undefined;
    try {
      const failure = await keyFailure({ type, channel, serviceId, tunerId });
      return failure === undefined ? undefined : keyFailureProblem(failure);
    } catch (error) {
      log.warn('cannot tell why a station stays scrambled', { channel, error: String(error) });
      return undefined;
    }
  }

  #recipe({ stationId, codec, audio, quality }: LiveRequest): Promise<Recipe> {
    const { encoders, stations } = this.options;
    const isAudioOnly = audio === 'only';
    const asked = isAudioOnly ? undefined : audio;
    const choose = (layout: MediaLayout): AudioChoice | undefined =>
      chooseAudio(stations.audios(stationId), asked, layout.audios.length);
    return chooseRecipe(isAudioOnly ? 'audio' : codec, choose, encoders, { quality, mayFallBack: true });
  }

  #audios({ stationId, audio }: LiveRequest, layout: MediaLayout): Pick<LiveViewing, 'audios' | 'audio'> {
    const all = this.options.stations.audios(stationId);
    const sent = all.filter(({ stream }) => stream < layout.audios.length);
    const audios = sent.length === 0 ? all : sent;
    const choice = chooseAudio(all, audio, layout.audios.length);
    const chosen = audios.find(({ stream, side }) => stream === choice?.stream && side === choice.side);
    return { audios, audio: (chosen ?? audios[0])?.id ?? '' };
  }

  #shared(station: StationRecord, after: readonly string[] = []): Watched {
    const present = this.#watched.get(station.id);
    if (present !== undefined) return present;
    const { pool, encoders, log, onLost } = this.options;
    const lost = Promise.withResolvers<RecordingId | null>();
    const shared = new SharedSource<StationSource>({
      open: async (events, signal) => {
        const source = await openStationSource({ pool, station, log, after }, events, signal);
        if (source.tunerId === null) void this.#findTuner(watched);
        return source;
      },
      encoders,
      log,
      onLost: (source) => {
        const tunerId = source.tunerId ?? watched.tunerId;
        const isSeen = watched.isJoined && tunerId !== undefined;
        lost.resolve(isSeen ? (onLost?.(station, tunerId) ?? null) : null);
      },
      onOver: () => {
        this.#watched.delete(station.id);
        this.#leave(station, shared.released);
      },
    });
    const use = STREAM_USE.live(station.type, station.channel);
    const watched: Watched = { shared, use, lost: lost.promise, isJoined: false, tunerId: undefined };
    this.#watched.set(station.id, watched);
    return watched;
  }

  /** Never rejects. */
  async #findTuner(watched: Watched): Promise<void> {
    const { tuners = async () => [], log } = this.options;
    try {
      const own = (await tuners()).find(({ users }) => users.some(({ use }) => use === watched.use));
      watched.tunerId = own?.id;
    } catch (error) {
      log.info('the tuner of a station is unknown', { use: watched.use, error: String(error) });
    }
  }

  #leave({ type, channel }: StationRecord, released: Promise<void>): void {
    const left = { use: STREAM_USE.live(type, channel) };
    this.#left.add(left);
    const leaving = released.finally(() => {
      this.#leaving.delete(leaving);
      setTimeout(() => this.#left.delete(left), LEFT_MS).unref();
    });
    this.#leaving.add(leaving);
  }

  /** Uses without viewers. */
  #leftUses(): string[] {
    const present = new Set(Array.from(this.#watched.values(), ({ use }) => use));
    const left = new Set(Array.from(this.#left, ({ use }) => use));
    return [...left].filter((use) => !present.has(use)).slice(-MAX_LEFT);
  }
}
