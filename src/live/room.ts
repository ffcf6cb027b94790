/** Live viewing: stations on the air, shared by their viewers. */
import type { StationId } from '../../arib/ids.ts';
import type { Log } from '../../host/log.ts';
import type { AudioOption, LiveCodec, Notice } from '../../wire/api.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import { Failure } from '../model/failure.ts';
import type { StationRecord } from '../model/station.ts';
import { ReceptionClient } from '../reception/reception-client.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import type { StreamTap } from '../reception/stream-tap.ts';
import { type AudioChoice, chooseAudio } from './audio-choice.ts';
import { type EncodedWish, TunedStation } from './tuned-station.ts';

export interface LiveRequest {
  stationId: StationId;
  codec: LiveCodec;
  /** `only`, the id of an Audio option, or undefined for the main audio. */
  audio: string | undefined;
}

export interface LiveFeed {
  contentType: string;
  /** RFC 6381 type with codecs where known, else the content type. */
  mime: string;
  notices: Notice[];
  /** The agent's name of the tuner, where it told one. */
  tunerId: string | null;
  /** Errors when the stream broke, ends when the layout changed; cancelling it is leaving. */
  body: ReadableStream<Uint8Array>;
}

export interface LiveStations {
  find(id: StationId): StationRecord | undefined;
  /** At least one option; the one with `main` is the default, else the first. */
  audios(id: StationId): AudioOption[];
}

export interface LiveOptions {
  agentUrl: string;
  stations: LiveStations;
  encoders: Encoders;
  startWorker: () => Worker;
  /** A station is not received any more, while somebody watched it. @param tunerId where it was */
  onLost?: ((station: StationRecord, tunerId: string) => void) | undefined;
  /** Reads along whatever is watched. */
  tap?: StreamTap | undefined;
  log: Log;
  /** Epoch ms. */
  now: () => number;
}

/** The first request would else wait for the worker's start too. */
const WARM_AFTER_MS = 1_000;

export class LiveRoom {
  readonly #client: ReceptionClient;
  readonly #tuned = new Map<StationId, TunedStation>();
  /** Stations on their way out. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #warm: ReturnType<typeof setTimeout>;
  #closed = false;

  constructor(readonly options: LiveOptions) {
    const { startWorker, log, tap } = options;
    this.#client = new ReceptionClient({ startWorker, log, tap });
    this.#warm = setTimeout(() => this.#client.warm(), WARM_AFTER_MS);
  }

  /**
   * Joins a station's stream; resolves when its first bytes are there.
   * @throws Failure no_tuner, agent_unavailable, not_found, ffmpeg_unavailable, internal; the abort's reason.
   */
  async open(request: LiveRequest, signal: AbortSignal): Promise<LiveFeed> {
    signal.throwIfAborted();
    const station = this.options.stations.find(request.stationId);
    if (station === undefined) throw new Failure('not_found', '局が見つかりません');
    try {
      const wish = await this.#wish(request);
      signal.throwIfAborted();
      if (this.#closed) throw new Failure('internal', 'サーバを終了しています');
      const { viewer, mime, notices, tunerId } = await this.#station(station).watch(wish, signal);
      const contentType = mime.replace(/;.*$/, '');
      return { contentType, mime, notices, tunerId, body: viewer.body };
    } catch (error) {
      if (error instanceof Failure) {
        const reason = error.options.cause === undefined ? error.message : String(error.options.cause);
        this.options.log.warn('live stream refused', { station: station.id, code: error.code, reason });
      }
      throw error;
    }
  }

  /** Ends every stream and worker; resolves when no process is left. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#warm);
    for (const tuned of [...this.#tuned.values()]) tuned.stop();
    await Promise.all(this.#leaving);
    await this.#client.close();
  }

  async #wish(request: LiveRequest): Promise<EncodedWish | 'raw'> {
    const { encoders, stations } = this.options;
    const only = request.audio === 'only';
    const asked = only ? undefined : request.audio;
    const audio = (layout: StationLayout): AudioChoice | undefined =>
      chooseAudio(stations.audios(request.stationId), asked, layout.audios.length);
    if (only) {
      return { format: 'audio', choice: undefined, ffmpeg: await encoders.ffmpeg(), notices: [], audio };
    }
    if (request.codec === 'raw') return 'raw';
    if (request.codec === 'av1') {
      const choice = await encoders.av1();
      if (choice !== undefined) return { format: 'av1', choice, ffmpeg: choice.ffmpeg, notices: [], audio };
    }
    const choice = await encoders.h264();
    const notices: Notice[] = request.codec === 'av1' ? ['codec_fallback'] : [];
    return { format: 'h264', choice, ffmpeg: choice.ffmpeg, notices, audio };
  }

  #station(station: StationRecord): TunedStation {
    const present = this.#tuned.get(station.id);
    if (present !== undefined) return present;
    const { agentUrl, encoders, log, onLost } = this.options;
    const onOver = (): void => {
      this.#tuned.delete(station.id);
      this.#await(tuned.released);
    };
    const tuned = new TunedStation({
      ...{ agentUrl, station, client: this.#client, encoders, log, onOver },
      onLost: (tunerId) => onLost?.(station, tunerId),
    });
    this.#tuned.set(station.id, tuned);
    return tuned;
  }

  #await(released: Promise<void>): void {
    const leaving = released.finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}
