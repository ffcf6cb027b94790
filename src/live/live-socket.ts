/**
 * One client of the live socket: its requests, and the frames sent to it. Sessions are those of `src/media`, shared
 * with the HTTP streams.
 *
 * Bounds: a client that reads nothing holds MAX_WAITING here and its viewer's queue (16 MB, packets 32 MB), then it is
 * disconnected. Changes of the station are coalesced; a client that sends MAX_BAD_MESSAGES invalid messages is
 * disconnected.
 */

import { Value } from '@sinclair/typebox/value';
import type { StationId } from '../../lib/arib/ids.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { within } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { LiveNotice } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import {
  type LiveControl,
  type LiveMessage,
  LiveRequestSchema,
  type LiveTuned,
} from '../../lib/wire/live.ts';
import { LIVE_CHANNEL, LIVE_HEADER_BYTES } from '../../lib/wire/live-frames.ts';
import type { SocketConnection, SocketPeer } from '../http/route/server-interfaces.ts';
import { controlMessage, SocketEncoder } from '../media/socket-frames.ts';
import { SlowViewer, StreamBroken, type ViewerQueue } from '../media/viewer-queue.ts';
import { Failure } from '../model/failure.ts';
import { StationTaken } from './live-service.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Undefined if it is not a control message of this version. A text message counts as a frame of channel 0x40. */
function readControl(data: string | Uint8Array): LiveControl | undefined {
  try {
    const value: unknown = JSON.parse(typeof data === 'string' ? data : textOf(data));
    return Value.Check(LiveRequestSchema, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error for octets that are not a control frame */
function textOf(data: Uint8Array): string {
  if (data[0] !== LIVE_CHANNEL.control) throw new Error('not the control channel');
  return decoder.decode(data.subarray(LIVE_HEADER_BYTES));
}

type ErrorMessage = Extract<LiveMessage, { type: 'error' }>;

const BAD_MESSAGE: ErrorMessage = {
  type: 'error',
  code: 'bad_message',
  message: '制御メッセージの形が正しくありません。',
};

const SUSPENDED = 'この局は放送を休止しています。番組表で次の放送を確認してください。';
const INTERNAL = 'サーバーの内部でエラーが起きました。ログを確認してください。';

/** @param isSuspended the station is off air now, according to the guide */
function errorOf(error: unknown, isSuspended: boolean): ErrorMessage {
  if (!(error instanceof Failure)) return { type: 'error', code: 'internal', message: INTERNAL };
  const { code, message } = error;
  if (code === 'no_signal' && isSuspended) return { type: 'error', code: 'suspended', message: SUSPENDED };
  // Every available encoder was tried.
  return { type: 'error', code: code === 'internal' ? 'encoder_failed' : code, message };
}

const NOTICE_TEXTS: Readonly<Record<LiveNotice, string>> = {
  software_encoder: 'ハードウェアでの変換に失敗したため、ソフトウェアで変換しています。',
  slow_encoder: 'サーバが混んでいて、映像の変換を始めるのに時間がかかりました。',
  codec_fallback: 'AV1 に変換できないため、H.264 で送ります。',
  raw_fallback: '無変換では再生できないため、変換した映像を送ります。',
  audio_fallback: '選ばれた音声は放送されていないため、主音声で送ります。',
};

function noticeText(code: LiveNotice): string {
  return NOTICE_TEXTS[code];
}

export type LiveTuneRequest = Extract<LiveControl, { type: 'tune' }>;
export type ChaseRequest = Extract<LiveControl, { type: 'chase' }>;
type WatchRequest = LiveTuneRequest | ChaseRequest;

/** A running viewing, once it has its first frames. */
export interface SocketViewing {
  readonly viewer: ViewerQueue;
  readonly tuned: LiveTuned;
  readonly notices: readonly LiveNotice[];
  /** Resolves when its source fails, with the recording that took its tuner, or null. */
  readonly lost: Promise<RecordingId | null>;
}

interface LiveSocketNeeds {
  /** @throws Failure, the abort's reason */
  watch(request: WatchRequest, signal: AbortSignal): Promise<SocketViewing>;
  /** Receives the probable next station on an idle tuner, until the signal. Never rejects. */
  prepare(stationId: number, signal: AbortSignal): Promise<void>;
  /** The station is off air now, according to the guide. */
  isSuspended(stationId: StationId): boolean;
  readonly log: Log;
  readonly clock: MonotonicClock;
  readonly pingMs?: number | undefined;
  /** Default: 30 s. */
  readonly idleMs?: number | undefined;
}

/** Half a second of a raw station: more than that waits in the viewer's own queue. */
const MAX_WAITING = 1024 * 1024;
/** Side data on demand are sent only to a client with less than this before it, so that they delay no picture. */
const IDLE_WAITING = 64 * 1024;
/** Debounce of up to 50 station changes a second. */
const TUNE_INTERVAL_MS = 200;
/** Debounce of prepare requests, which come with each change of station. */
const PREPARE_AFTER_MS = 400;
const MAX_BAD_MESSAGES = 64;
const PING_MS = 20_000;
/** A connection on which nothing is watched is closed after this: it holds one of its requester's places. */
const IDLE_MS = 30_000;
/** The agent's list shows who took the tuner within 1.3 s (`create-live.ts`). */
const LOST_LIMIT_MS = 3_000;
const FIRST_LANGUAGE = 1;

const NORMAL = 1000;
const POLICY = 1008;
const LOST_TEXT = {
  taken: '録画のためにチューナーを使うので、視聴を終わります。',
  lost: '放送の受信が途切れました。',
  encoder: '映像の変換が途切れました。',
} as const;

class Viewing {
  readonly abort = new AbortController();
  encoder: SocketEncoder;
  /** Once it is there. */
  viewer: ViewerQueue | undefined;

  constructor(
    readonly request: WatchRequest,
    language: number,
  ) {
    this.encoder = new SocketEncoder(language, noticeText);
  }

  get isOver(): boolean {
    return this.abort.signal.aborted;
  }

  leave(): void {
    this.abort.abort(new Error('the client watches something else'));
  }
}

export class LiveSocket implements SocketPeer {
  #viewing: Viewing | undefined;
  /** Viewing of the same station, until the one that replaces it has its first frames. */
  #replaced: Viewing | undefined;
  #wanted: WatchRequest | undefined;
  #tuneTimer: ReturnType<typeof setTimeout> | undefined;
  #lastTune = Number.NEGATIVE_INFINITY;
  #language = FIRST_LANGUAGE;
  /** Side data on demand are wanted. */
  #demands = false;
  #badMessages = 0;
  #onDrain: (() => void) | undefined;
  #prepareTimer: ReturnType<typeof setTimeout> | undefined;
  /** Releases the prepared station. */
  #prepared: { readonly stationId: number; readonly abort: AbortController } | undefined;
  #isClosed = false;
  #idle: ReturnType<typeof setTimeout> | undefined;
  readonly #ping: ReturnType<typeof setInterval>;

  constructor(
    private readonly connection: SocketConnection,
    private readonly needs: LiveSocketNeeds,
  ) {
    this.#ping = setInterval(() => {
      // One pending message suffices for a client that reads nothing.
      if (connection.waiting < MAX_WAITING) this.#send({ type: 'ping' });
    }, needs.pingMs ?? PING_MS);
    this.#rest();
  }

  message(data: string | Uint8Array): void {
    if (this.#isClosed) return;
    const control = readControl(data);
    switch (control?.type) {
      case undefined:
        this.#refuseMessage();
        break;
      case 'tune':
      case 'chase':
        if (control.language !== undefined) this.#language = control.language;
        this.#want(control);
        break;
      case 'language':
        this.#selectLanguage(control.language);
        break;
      case 'prepare':
        this.#prepare(control.stationId);
        break;
      case 'data':
        this.#demands = control.on;
        this.#viewing?.viewer?.demand(control.on);
        break;
      case 'stop':
        this.#end();
    }
  }

  drained(): void {
    this.#onDrain?.();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#ping);
    clearTimeout(this.#idle);
    clearTimeout(this.#tuneTimer);
    this.#releasePrepared();
    this.#wanted = undefined;
    this.#replaced?.leave();
    this.#viewing?.leave();
    this.#onDrain?.();
  }

  /** The service stops. */
  shutDown(): void {
    if (this.#isClosed) return;
    this.connection.close(1001);
    this.closed();
  }

  #refuseMessage(): void {
    this.#badMessages += 1;
    this.#send(BAD_MESSAGE);
    if (this.#badMessages >= MAX_BAD_MESSAGES) this.#end(POLICY, 'bad messages');
  }

  /** Nothing is watched: before the first request, and after one that was refused. */
  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(NORMAL, 'nothing is watched'), this.needs.idleMs ?? IDLE_MS);
  }

  #send(message: LiveMessage): void {
    if (!this.#isClosed) this.connection.send(controlMessage(message));
  }

  #end(code = NORMAL, reason?: string): void {
    if (this.#isClosed) return;
    this.connection.close(code, reason);
    this.closed();
  }

  #selectLanguage(language: number): void {
    this.#language = language;
    for (const message of this.#viewing?.encoder.select(language) ?? []) this.connection.send(message);
  }

  #prepare(stationId: number): void {
    clearTimeout(this.#prepareTimer);
    this.#prepareTimer = setTimeout(() => {
      this.#releasePrepared();
      const abort = new AbortController();
      this.#prepared = { stationId, abort };
      void this.needs.prepare(stationId, abort.signal);
    }, PREPARE_AFTER_MS);
  }

  #releasePrepared(): void {
    clearTimeout(this.#prepareTimer);
    this.#prepared?.abort.abort(new Error('not prepared any more'));
    this.#prepared = undefined;
  }

  /** Only the last of several quick requests is executed. */
  #want(request: WatchRequest): void {
    clearTimeout(this.#idle);
    this.#wanted = request;
    if (!isSamePlace(this.#viewing?.request, request)) this.#leave();
    if (this.#tuneTimer !== undefined) return;
    const wait = this.#lastTune + TUNE_INTERVAL_MS - this.needs.clock();
    if (wait <= 0) this.#tune();
    else this.#tuneTimer = setTimeout(() => this.#tune(), wait);
  }

  /** Frees the tuner for the next station at once. */
  #leave(): void {
    this.#replaced?.leave();
    this.#replaced = undefined;
    this.#viewing?.leave();
    this.#viewing = undefined;
  }

  #tune(): void {
    this.#tuneTimer = undefined;
    clearTimeout(this.#idle);
    const request = this.#wanted;
    this.#wanted = undefined;
    if (request === undefined || this.#isClosed) return;
    this.#lastTune = this.needs.clock();
    const present = this.#viewing;
    // Another audio or codec of the current station: the old one continues until the new one has begun.
    if (present?.viewer !== undefined) this.#replaced = present;
    else present?.leave();
    const viewing = new Viewing(request, this.#language);
    this.#viewing = viewing;
    void this.#run(viewing);
  }

  /** Never rejects. */
  async #run(viewing: Viewing): Promise<void> {
    const { request, abort } = viewing;
    let watched: SocketViewing;
    try {
      watched = await this.needs.watch(request, abort.signal);
    } catch (error) {
      if (!viewing.isOver) this.#refuse(viewing, error);
      return;
    }
    if (viewing.isOver) {
      watched.viewer.leave();
      return;
    }
    this.#replaced?.leave();
    this.#replaced = undefined;
    if (request.type === 'tune' && request.stationId === this.#prepared?.stationId) this.#releasePrepared();
    viewing.viewer = watched.viewer;
    // The language may have changed while it was tuned.
    viewing.encoder = new SocketEncoder(this.#language, noticeText);
    this.#send(watched.tuned);
    for (const code of noticesOf(request, watched))
      this.#send({ type: 'notice', code, message: noticeText(code) });
    watched.viewer.demand(this.#demands);
    watched.viewer.onFailure((reason) => {
      if (reason instanceof SlowViewer) this.#dropSlow(viewing);
    });
    try {
      await this.#pump(viewing, watched.viewer);
      if (viewing.isOver) return;
      this.#send({ type: 'restart' });
    } catch (error) {
      if (!viewing.isOver) await this.#notifyLoss(viewing, watched, error);
      if (viewing.isOver) return;
    }
    this.#end();
  }

  #refuse(viewing: Viewing, error: unknown): void {
    const { request } = viewing;
    this.#replaced?.leave();
    this.#replaced = undefined;
    if (this.#viewing === viewing) this.#viewing = undefined;
    if (error instanceof StationTaken) {
      this.#send({ type: 'lost', recordingId: error.recordingId, message: LOST_TEXT.taken });
      this.#end();
      return;
    }
    this.#rest();
    this.#send(errorOf(error, request.type === 'tune' && this.needs.isSuspended(request.stationId)));
  }

  /** Resolves at the regular end. @throws the error that ended the viewer */
  async #pump(viewing: Viewing, viewer: ViewerQueue): Promise<void> {
    for (;;) {
      await this.#room();
      const frame = await viewer.next(this.connection.waiting < IDLE_WAITING);
      if (frame === undefined || viewing.isOver) return;
      for (const message of viewing.encoder.encode(frame)) this.connection.send(message);
    }
  }

  async #room(): Promise<void> {
    while (this.connection.waiting >= MAX_WAITING && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#onDrain = resolve;
      });
      this.#onDrain = undefined;
    }
  }

  #dropSlow(viewing: Viewing): void {
    if (viewing.isOver || this.#isClosed) return;
    this.needs.log.info('client of the live socket dropped: it reads too slowly');
    this.connection.terminate();
    this.closed();
  }

  async #notifyLoss(viewing: Viewing, { lost }: SocketViewing, error: unknown): Promise<void> {
    const by = error instanceof StreamBroken ? error.by : 'lost';
    const none = (): null => null;
    const recordingId = by === 'lost' ? await within(LOST_LIMIT_MS, lost, none) : null;
    if (viewing.isOver) return;
    const text = recordingId !== null ? 'taken' : by === 'lost' ? 'lost' : 'encoder';
    this.#send({ type: 'lost', recordingId, message: LOST_TEXT[text] });
  }
}

function isSamePlace(present: WatchRequest | undefined, next: WatchRequest): boolean {
  return present?.type === 'tune' && next.type === 'tune' && present.stationId === next.stationId;
}

function noticesOf(request: WatchRequest, { tuned, notices }: SocketViewing): LiveNotice[] {
  const isOffered = request.audio === undefined || tuned.audios.some(({ id }) => id === request.audio);
  return [...notices, ...(isOffered ? [] : (['audio_fallback'] as const))];
}
