/**
 * The browser's end of the live socket: one connection, one watched station or recording at a time. Zapping reuses the
 * connection; it is closed when nothing is watched any more. Messages are passed on unchanged: decoding and buffering
 * belong to the readers (`socket-feed.ts`).
 */

import type { StationId } from '../../arib/ids.ts';
import type { RecordingId } from '../../wire/ids.ts';
import type { LiveControl, LiveMessage, LiveTuned } from '../../wire/live.ts';
import { LIVE_CHANNEL, LIVE_HEADER_BYTES } from '../../wire/live-frames.ts';
import { ApiFailure, type FailureCode, liveSocketUrl } from '../query/api.ts';
import { TEXTS } from './texts.ts';

export type WatchWish = Extract<LiveControl, { type: 'tune' | 'chase' }>;

type LiveEvent =
  /** The following data belong to this tuning; sent first, and again after a change of sound or codec. */
  | { readonly kind: 'tuned'; readonly tuned: LiveTuned }
  /** A frame of another channel than control; `time` in 90 kHz on the path's scale. */
  | {
      readonly kind: 'frame';
      readonly channel: number;
      readonly time: number;
      readonly payload: Uint8Array<ArrayBuffer>;
    }
  | {
      readonly kind: 'message';
      readonly message: Extract<LiveMessage, { type: 'captions' | 'clock' | 'notice' | 'reception' }>;
    };

/** The tuner was lost; `recordingId` names the recording that took it. */
export class TunerLost extends ApiFailure {
  constructor(
    readonly recordingId: RecordingId | null,
    message: string,
  ) {
    super('interrupted', message);
  }
}

/** Between the end of one watch and the next, ms: a change of station keeps the connection. */
const LINGER_MS = 500;
/**
 * After a refusal: it is asked again, with doubling waits up to half a minute. The service closes a connection on which
 * nothing is watched for 30 s.
 */
const REFUSED_LINGER_MS = 25_000;
/** The service pings every 20 s. */
const SILENCE_MS = 50_000;
const OPEN_LIMIT_MS = 10_000;
/** Queue of unread data: 20 s of a full terrestrial station. */
const MAX_QUEUED_BYTES = 48 * 1024 * 1024;

/** One watch: what arrived and was not taken yet. */
class Watch {
  readonly #events: LiveEvent[] = [];
  #bytes = 0;
  #end: { readonly failure: ApiFailure | undefined } | undefined;
  #wake: (() => void) | undefined;
  /** Frames of the tuning before may still arrive. */
  tuned = false;
  refused = false;

  constructor(private readonly wish: WatchWish) {}

  /** An answer to a wish before may still be on its way. */
  isAnsweredBy({ stationId, recordingId }: LiveTuned): boolean {
    const { wish } = this;
    return wish.type === 'tune' ? stationId === wish.stationId : recordingId === wish.recordingId;
  }

  push(event: LiveEvent): void {
    if (this.#end !== undefined) return;
    this.#bytes += event.kind === 'frame' ? event.payload.length : 0;
    if (this.#bytes > MAX_QUEUED_BYTES) {
      this.finish(new ApiFailure('timeout', TEXTS.tooSlow));
      return;
    }
    this.#events.push(event);
    this.#wake?.();
  }

  /** @param failure undefined: the regular end, after what was pushed */
  finish(failure: ApiFailure | undefined): void {
    this.#end ??= { failure };
    this.#wake?.();
  }

  /** Undefined at the regular end. @throws ApiFailure, the abort's reason */
  async next(signal: AbortSignal): Promise<LiveEvent | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const event = this.#events.shift();
      if (event !== undefined) {
        this.#bytes -= event.kind === 'frame' ? event.payload.length : 0;
        return event;
      }
      if (this.#end !== undefined) {
        if (this.#end.failure !== undefined) throw this.#end.failure;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }
}

export class LiveConnection {
  #socket: WebSocket | undefined;
  #opening: Promise<WebSocket> | undefined;
  #watch: Watch | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #received = 0;

  /** Octets that came so far, for the rate. */
  get received(): number {
    return this.#received;
  }

  /**
   * Ends at the regular end (`restart`): ask again at once. One watch at a time: a further one ends the one before.
   * @throws ApiFailure, `TunerLost`, the abort of `signal`
   */
  async *watch(wish: WatchWish, signal: AbortSignal): AsyncGenerator<LiveEvent> {
    const watch = new Watch(wish);
    this.#watch?.finish(new ApiFailure('ended', TEXTS.switched));
    this.#watch = watch;
    clearTimeout(this.#linger);
    try {
      const socket = await this.#open(signal);
      // Another watch may have begun while it was opened.
      if (this.#watch === watch) send(socket, wish);
      for (;;) {
        const event = await watch.next(signal);
        if (event === undefined) return;
        yield event;
      }
    } finally {
      if (this.#watch === watch) this.#rest(watch.refused ? REFUSED_LINGER_MS : LINGER_MS);
    }
  }

  /** Another language of captions; answered by its current page. @param language 1 to 8 */
  setLanguage(language: number): void {
    if (this.#socket?.readyState === WebSocket.OPEN) send(this.#socket, { type: 'language', language });
  }

  /** The station that may be tuned next, so that its picture comes at once where a tuner is idle. */
  prepare(stationId: StationId): void {
    if (this.#socket?.readyState === WebSocket.OPEN) send(this.#socket, { type: 'prepare', stationId });
  }

  /** Data queued on a slow network is dropped: the next watch gets a connection of its own. */
  abandon(): void {
    clearTimeout(this.#linger);
    this.#drop(undefined);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#linger);
    this.#drop(undefined);
  }

  /** Nothing is watched: releases the tuner after a short delay, so that the next station can reuse it. */
  #rest(lingerMs: number): void {
    this.#watch = undefined;
    clearTimeout(this.#linger);
    if (this.#closed) this.#drop(undefined);
    else this.#linger = setTimeout(() => this.#drop(undefined), lingerMs);
  }

  /** @throws ApiFailure, the abort of `signal` */
  async #open(signal: AbortSignal): Promise<WebSocket> {
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket;
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    const opening = this.#opening;
    return await new Promise<WebSocket>((resolve, reject) => {
      const abort = (): void => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  async #connect(): Promise<WebSocket> {
    const url = await liveSocketUrl(AbortSignal.timeout(OPEN_LIMIT_MS));
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    await new Promise<void>((resolve, reject) => {
      const refused = (): void => reject(new ApiFailure('no_socket', TEXTS.noConnection));
      const limit = setTimeout(refused, OPEN_LIMIT_MS);
      socket.onopen = () => {
        clearTimeout(limit);
        resolve();
      };
      socket.onerror = () => {
        clearTimeout(limit);
        refused();
      };
      socket.onclose = socket.onerror;
    }).catch((error: unknown) => {
      socket.close();
      throw error;
    });
    socket.onmessage = ({ data }) => this.#take(socket, data);
    socket.onerror = null;
    socket.onclose = () => this.#lost(socket);
    if (this.#closed) socket.close();
    else this.#heard();
    return socket;
  }

  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#drop(new ApiFailure('timeout', TEXTS.silent));
    }, SILENCE_MS);
  }

  #lost(socket: WebSocket): void {
    if (this.#socket === socket) this.#drop(new ApiFailure('interrupted', TEXTS.interrupted));
  }

  #drop(failure: ApiFailure | undefined): void {
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) {
      socket.onmessage = null;
      socket.onclose = null;
      socket.close();
    }
    this.#watch?.finish(failure ?? new ApiFailure('ended', TEXTS.stopped));
    this.#watch = undefined;
  }

  #take(socket: WebSocket, data: unknown): void {
    if (this.#socket !== socket || !(data instanceof ArrayBuffer) || data.byteLength < LIVE_HEADER_BYTES)
      return;
    this.#heard();
    this.#received += data.byteLength;
    const view = new DataView(data);
    const channel = view.getUint8(0);
    const payload = new Uint8Array(data, LIVE_HEADER_BYTES);
    const watch = this.#watch;
    if (channel === LIVE_CHANNEL.control) this.#control(payload);
    else if (watch?.tuned === true) {
      watch.push({ kind: 'frame', channel, time: Number(view.getBigUint64(1)), payload });
    }
  }

  #control(payload: Uint8Array): void {
    const message = messageOf(payload);
    const watch = this.#watch;
    if (message === undefined || watch === undefined) return;
    switch (message.type) {
      case 'tuned':
        if (!watch.isAnsweredBy(message)) return;
        watch.tuned = true;
        watch.push({ kind: 'tuned', tuned: message });
        break;
      case 'captions':
      case 'clock':
      case 'notice':
      case 'reception':
        if (watch.tuned) watch.push({ kind: 'message', message });
        break;
      case 'restart':
        watch.finish(undefined);
        this.#leave();
        break;
      case 'lost':
        watch.finish(new TunerLost(message.recordingId, message.message));
        this.#leave();
        break;
      case 'error':
        watch.refused = true;
        watch.finish(new ApiFailure(message.code as FailureCode, message.message));
        break;
    }
  }

  /** The service closes the connection: the next watch opens another one. */
  #leave(): void {
    this.#watch = undefined;
    this.#drop(undefined);
  }
}

function send(socket: WebSocket, control: LiveControl): void {
  const text = new TextEncoder().encode(JSON.stringify(control));
  const frame = new Uint8Array(LIVE_HEADER_BYTES + text.length);
  frame[0] = LIVE_CHANNEL.control;
  frame.set(text, LIVE_HEADER_BYTES);
  socket.send(frame);
}

/** Undefined for an invalid message; unknown types are ignored by `switch`. */
function messageOf(payload: Uint8Array): LiveMessage | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(payload));
    return typeof value === 'object' && value !== null && 'type' in value
      ? (value as LiveMessage)
      : undefined;
  } catch {
    return undefined;
  }
}
