/** Live viewing: sessions by station. Sessions, queues and frames are those of `src/media`. */
import type { StationId } from '../../lib/arib/ids.ts';
import { within } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import {
  type AudioOption,
  type LiveCodec,
  type LiveNotice,
  type LiveQuality,
  PRIORITY,
  type ProblemCode,
} from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import { type AudioChoice, chooseAudio } from '../media/audio-choice.ts';
import { httpBody } from '../media/http-body.ts';
import { chooseRecipe, type Recipe } from '../media/recipe.ts';
import { ReceptionInterrupted, STATION_FAILURES } from '../media/session-failures.ts';
import { SharedSource } from '../media/shared-source.ts';
import { sideBody } from '../media/side-body.ts';
import type { SideRow } from '../media/side-row.ts';
import { captionRow } from '../media/side-rows.ts';
import type { MediaLayout } from '../media/source.ts';
import { openStationSource, type StationContext, type StationSource } from '../media/station-source.ts';
import { StreamBroken } from '../media/viewer-queue.ts';
import { type Viewing, viewingOf } from '../media/viewing.ts';
import { Failure } from '../model/failure.ts';
import type { StationRecord } from '../model/station.ts';
import type { ReceptionPool } from '../reception/reception-pool.ts';
import { type AgentStreamErrorCode, AgentStreamFailure, STREAM_USE } from '../tuner/agent-stream.ts';
import { type KeyFailureQuery, keyFailureProblem } from '../tuner/tuner-list.ts';

/** Timeout: a zapping viewer changes again within seconds. */
const PREPARED_MS = 20_000;

/** Pictures for home screens yield to a viewer. */
function hasIdleTuner(tuners: readonly Tuner[], { type }: Pick<StationRecord, 'type'>): boolean {
  return tuners.some(
    ({ types, users, disabled, state }) =>
      !disabled &&
      state !== 'error' &&
      users.every(({ priority }) => priority <= PRIORITY.still) &&
      types.includes(type),
  );
}

interface PreparedNeeds {
  readonly tuners: () => Promise<readonly Tuner[]>;
  /** Receives the station until the signal; resolves when its tuner is released, or at once if others watch it. */
  readonly hold: (station: StationRecord, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly limitMs?: number | undefined;
}

/**
 * The probable next station of a viewer: received on an idle tuner, so that its picture is available at once. One at a
 * time; released when the tuner is needed, when another one is requested, and after a timeout.
 */
class PreparedStations {
  /** Prepared stations, each with its release; already while the tuners are looked up. */
  readonly #held = new Map<AbortController, Promise<void>>();

  constructor(private readonly needs: PreparedNeeds) {}

  /** Never rejects. @param signal the viewer wants another station, or left */
  async prepare(station: StationRecord, signal: AbortSignal): Promise<void> {
    const { tuners, hold, log, limitMs = PREPARED_MS } = this.needs;
    const own = new AbortController();
    const until = AbortSignal.any([signal, own.signal, AbortSignal.timeout(limitMs)]);
    this.#held.set(own, Promise.resolve());
    try {
      if (!hasIdleTuner(await tuners(), station) || until.aborted) return;
      const held = hold(station, until);
      this.#held.set(own, held);
      await held;
    } catch (error) {
      log.info('a station was not prepared', { station: station.id, reason: String(error) });
    } finally {
      this.#held.delete(own);
    }
  }

  /** A viewer needs a tuner: releases it; resolves when it is free, with false if none was prepared. */
  async release(): Promise<boolean> {
    const held = [...this.#held];
    for (const [own] of held) own.abort();
    await Promise.allSettled(held.map(([, over]) => over));
    return held.length > 0;
  }
}

const INTERRUPTED = '放送の受信が途切れました。少し待ってから、もう一度お試しください。';

const SILENT =
  'チューナーエージェントとの通信が途絶えました。ネットワークと svc-agent の動作を確認してください。';

const NO_TUNER: readonly [code: ProblemCode, sentence: string] = [
  'no_tuner',
  'チューナーがすべて使われています。録画やほかの視聴が終わってから、もう一度お試しください。',
];

const REFUSALS: Readonly<Record<AgentStreamErrorCode, readonly [code: ProblemCode, sentence: string]>> = {
  tuners_busy: NO_TUNER,
  tuner_taken: NO_TUNER,
  no_signal: [
    'no_signal',
    '放送を受信できません。放送休止中でなければ、アンテナの接続と受信状態を確認してください。',
  ],
  silent: ['agent_unavailable', SILENT],
  agent_silent: ['agent_unavailable', SILENT],
  ended: ['no_signal', INTERRUPTED],
  agent_unreachable: [
    'agent_unavailable',
    'チューナーエージェントに接続できません。svc-agent が動いているか確認してください。',
  ],
  agent_misconfigured: [
    'agent_misconfigured',
    'チューナーの設定に誤りがあるため受信できません。「チューナー」画面で設定を確認してください。',
  ],
};

/** A recording took the tuner of a station before its first frames, and no other tuner is free. */
export class StationTaken extends Failure {
  constructor(readonly recordingId: RecordingId) {
    super(...NO_TUNER);
  }
}

/** Answer to the client of a live stream; failures other than the agent's are unchanged. */
function liveFailure(failure: Failure): Failure {
  if (!(failure instanceof AgentStreamFailure)) return failure;
  const { code, reason } = failure.problem;
  return new Failure(...REFUSALS[code], { cause: reason });
}

export interface LiveRequest {
  stationId: StationId;
  codec: LiveCodec;
  /** `only`, the id of an Audio option, or undefined for the main audio. */
  audio: string | undefined;
  /** Of an encoded picture; default: `high`. */
  quality?: LiveQuality | undefined;
}

/** A viewer of a station. */
interface LiveViewing extends Viewing {
  /** The agent's name of the tuner, if it reported one. */
  readonly tunerId: string | null;
  /** The station has a data broadcast. */
  readonly hasData: boolean;
  /** Resolves when the station is no longer received, with the recording that took its tuner, or null. */
  readonly lost: Promise<RecordingId | null>;
}

export interface LiveStream {
  contentType: string;
  /** RFC 6381 type with codecs if known, else the content type. */
  mime: string;
  notices: readonly LiveNotice[];
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
  /** Kinds of side data. Default: all that there are. */
  rows?: readonly SideRow[] | undefined;
  /** What the service knows of a station: its broadcaster, if an earlier reception told it, and its guide. */
  known?: ((station: StationRecord) => StationContext) | undefined;
  /** ms; only differences matter. */
  clock?: (() => number) | undefined;
  log: Log;
}

/** Limit of finding out whether a recording took the tuner: the agent's list shows it within 1.3 s (`create-live.ts`). */
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
  readonly #viewers = new Map<LiveCodec, number>();
  #onJoined: ((codec: LiveCodec, elapsedMs: number) => void) | undefined;
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
    options.pool.yielding(() => this.#preparedUses());
    this.#warm = setTimeout(() => options.pool.warm(), WARM_AFTER_MS);
  }

  /**
   * Joins a station's stream; resolves when its first bytes are there.
   * @throws Failure no_tuner, no_signal, card_unavailable, not_subscribed, agent_unavailable, agent_misconfigured,
   *   not_found, ffmpeg_unavailable, internal; the abort's reason
   * @param freesWritten as in `HttpBodyOptions`
   */
  async open(request: LiveRequest, signal: AbortSignal, freesWritten = false): Promise<LiveStream> {
    const { viewer, mime, notices, tunerId, lost } = await this.join(request, signal);
    // A recording that takes the tuner is no fault: the client asks again, or watches the recording.
    const isRegularEnd = async (reason: Error): Promise<boolean> => {
      if (!(reason instanceof StreamBroken) || reason.by !== 'lost') return false;
      return (await within(YIELD_LIMIT_MS, lost, () => null)) !== null;
    };
    const body = httpBody(viewer, { isRegularEnd, freesWritten });
    return { contentType: mime.replace(/;.*$/, ''), mime, notices, tunerId, body };
  }

  /** As `open`, for other encodings of the frames than an HTTP body. */
  async join(request: LiveRequest, signal: AbortSignal): Promise<LiveViewing> {
    const { clock = () => 0 } = this.options;
    const begun = clock();
    try {
      const viewing = await this.#joinFreeing(request, signal);
      this.#count(viewing);
      this.#onJoined?.(viewing.codec, clock() - begun);
      return viewing;
    } catch (error) {
      if (error instanceof Failure) {
        const { code, message, options } = error;
        const reason = options.cause === undefined ? message : String(options.cause);
        this.options.log.warn('live stream refused', { station: request.stationId, code, reason });
      }
      throw error;
    }
  }

  /** Viewers by what is sent to them. */
  get viewers(): ReadonlyMap<LiveCodec, number> {
    return this.#viewers;
  }

  /** Registers a listener: a viewer has joined, so many ms after its request. */
  onJoined(listener: (codec: LiveCodec, elapsedMs: number) => void): void {
    this.#onJoined = listener;
  }

  #count({ codec, viewer }: LiveViewing): void {
    const add = (by: number) => void this.#viewers.set(codec, (this.#viewers.get(codec) ?? 0) + by);
    add(1);
    void viewer.left.then(() => add(-1));
  }

  async #joinFreeing(request: LiveRequest, signal: AbortSignal): Promise<LiveViewing> {
    try {
      return await this.#join(request, signal);
    } catch (error) {
      const isCrowded = error instanceof Failure && error.code === 'no_tuner';
      // Neither a prepared station nor one that was just left may keep a tuner from a viewer.
      if (!isCrowded || (!(await this.#prepared.release()) && this.#left.size === 0)) throw error;
      return await this.#join(request, signal, this.#leftUses()).catch((again: unknown) => {
        const isTaken =
          error instanceof StationTaken && again instanceof Failure && again.code === 'no_tuner';
        throw isTaken ? error : again;
      });
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
    let watched: Watched | undefined;
    try {
      const recipe = await this.#recipe(request);
      signal.throwIfAborted();
      if (this.#isClosed) throw new Failure('internal', 'サーバーを終了しています');
      watched = this.#shared(station, after);
      watched.isJoined = true;
      const joined = await watched.shared.join(recipe, signal);
      const { codec, audio } = request;
      const all = this.options.stations.audios(station.id);
      const viewing = viewingOf(joined, { codec, recipe, audios: all, audio });
      const sent = all.filter(({ stream }) => stream < joined.layout.audios.length);
      return {
        ...viewing,
        ...(sent.length === 0 ? {} : { audios: sent }),
        ...{ tunerId: joined.source.tunerId, hasData: joined.source.layout.data, lost: watched.lost },
      };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (watched !== undefined && error instanceof ReceptionInterrupted) {
        const recordingId = await within(YIELD_LIMIT_MS, watched.lost, () => null);
        if (recordingId !== null) throw new StationTaken(recordingId);
      }
      const tunerId = watched?.shared.opened?.tunerId ?? null;
      throw (await this.#keyFailure(station, tunerId, error)) ?? liveFailure(error);
    }
  }

  /**
   * The captions of a station whose original stream is being watched, as a caption frame stream that ends with it.
   * @param language 1 to 8
   * @throws Failure not_found while that stream has no viewer
   */
  captions(stationId: StationId, language: number, signal: AbortSignal): ReadableStream<Uint8Array> {
    const viewer = this.#watched.get(stationId)?.shared.side(signal);
    if (viewer === undefined) {
      throw new Failure('not_found', 'この局の放送ストリームは視聴されていません。');
    }
    return sideBody(viewer, { row: captionRow, language });
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

  #shared(station: StationRecord, after: readonly string[] = []): Watched {
    const present = this.#watched.get(station.id);
    if (present !== undefined) return present;
    const { pool, encoders, log, onLost, rows, known } = this.options;
    const lost = Promise.withResolvers<RecordingId | null>();
    const shared = new SharedSource<StationSource>({
      open: async (events, signal) => {
        const source = await openStationSource(
          { pool, station, log, after, rows, known: known && (() => known(station)) },
          events,
          signal,
        );
        if (source.tunerId === null) void this.#findTuner(watched);
        return source;
      },
      ...{ failures: STATION_FAILURES, encoders, log },
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

  /** Uses of stations that are only prepared; one with a viewer may have the same. */
  #preparedUses(): string[] {
    const all = [...this.#watched.values()];
    return all
      .map(({ use }) => use)
      .filter((use) => !all.some((watched) => watched.isJoined && watched.use === use));
  }

  /** Uses without viewers. */
  #leftUses(): string[] {
    const present = new Set(Array.from(this.#watched.values(), ({ use }) => use));
    const left = new Set(Array.from(this.#left, ({ use }) => use));
    return [...left].filter((use) => !present.has(use)).slice(-MAX_LEFT);
  }
}
