/**
 * The browser's end of the live socket: one connection, one watched station or recording at a time. Zapping reuses the
 * connection; it is closed when nothing is watched any more. Messages are passed on unchanged to their reader
 * (`readLive`).
 */
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { LiveControl, LiveMessage, LiveTuned } from '../../lib/wire/live.ts';
import { LIVE_CHANNEL, LIVE_HEADER_BYTES } from '../../lib/wire/live-frames.ts';
import { ApiFailure, type FailureCode, liveSocketUrl } from '../query/api.ts';
import { objectOf, type SideControl, type SideTracks } from './side-tracks.ts';
import { TEXTS } from './texts.ts';

/** A queue from a producer that cannot wait to one reader. */
interface Bound<Item> {
  /** Of all queued items together. */
  readonly most: number;
  readonly weigh: (item: Item) => number;
  /** What the reader gets, after the items before, when it is too slow. */
  readonly overflow: () => Error;
}

export class BoundedQueue<Item> {
  readonly #items: Item[] = [];
  #weight = 0;
  #end: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(private readonly bound: Bound<Item>) {}

  /** Ignored after the end. */
  push(item: Item): void {
    if (this.#end !== undefined) return;
    this.#weight += this.bound.weigh(item);
    if (this.#weight > this.bound.most) {
      this.end(this.bound.overflow());
      return;
    }
    this.#items.push(item);
    this.#wake?.();
  }

  /** The first call counts. @param error undefined: the regular end, after what was pushed */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** @throws the error of the end, or at once the abort of `signal` */
  async *read(signal: AbortSignal): AsyncGenerator<Item> {
    const wake = (): void => this.#wake?.();
    signal.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        const item = this.#items.shift();
        if (item !== undefined) {
          this.#weight -= this.bound.weigh(item);
          yield item;
        } else if (this.#end === undefined) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        } else if (this.#end.error === undefined) return;
        else throw this.#end.error;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }
}

export type WatchRequest = Extract<LiveControl, { type: 'tune' | 'chase' }>;

export type LiveEvent =
  /** A frame of another channel than control; `time` in 90 kHz on the path's scale. */
  | {
      readonly kind: 'frame';
      readonly channel: number;
      readonly time: number;
      readonly payload: Uint8Array<ArrayBuffer>;
    }
  /** `tuned` comes first, and again after a change of sound or codec: the following data belong to it. */
  | { readonly kind: 'message'; readonly message: LiveMessage };

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
/** About what a control message takes. */
const MESSAGE_BYTES = 256;

/** One watch: what arrived and was not taken yet. */
class OpenWatch {
  readonly queue = new BoundedQueue<LiveEvent>({
    most: MAX_QUEUED_BYTES,
    weigh: (event) => (event.kind === 'frame' ? event.payload.length : MESSAGE_BYTES),
    overflow: () => new ApiFailure('timeout', TEXTS.tooSlow),
  });
  /** Frames of the tuning before may still arrive. */
  tuned = false;
  refused = false;

  constructor(private readonly request: WatchRequest) {}

  /** An answer to an earlier request may still be on its way. */
  isAnsweredBy({ stationId, recordingId }: LiveTuned): boolean {
    const { request } = this;
    return request.type === 'tune' ? stationId === request.stationId : recordingId === request.recordingId;
  }
}

export class LiveConnection {
  #socket: WebSocket | undefined;
  #opening: Promise<WebSocket> | undefined;
  #watch: OpenWatch | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #received = 0;
  /** Called when the service allows a connection, and when a request is sent. */
  onStep: ((step: 'ticket' | 'sent') => void) | undefined;

  /** @param base address of the UI, which a worker does not know */
  constructor(private readonly base: string = document.baseURI) {}

  /** Octets that came so far, for the rate. */
  get received(): number {
    return this.#received;
  }

  /**
   * Ends at the regular end (`restart`): ask again at once. One watch at a time: a further one ends the one before.
   * @throws ApiFailure, `TunerLost`, the abort of `signal`
   */
  async *watch(request: WatchRequest, signal: AbortSignal): AsyncGenerator<LiveEvent> {
    const watch = new OpenWatch(request);
    this.#watch?.queue.end(new ApiFailure('ended', TEXTS.switched));
    this.#watch = watch;
    clearTimeout(this.#linger);
    try {
      const socket = await this.#open(signal);
      // Another watch may have begun while it was opened.
      if (this.#watch === watch) {
        this.onStep?.('sent');
        send(socket, request);
      }
      yield* watch.queue.read(signal);
    } finally {
      if (this.#watch === watch) this.#rest(watch.refused ? REFUSED_LINGER_MS : LINGER_MS);
    }
  }

  /** Sends a request beside the watch, where the connection is open. */
  tell(control: SideControl): void {
    if (this.#socket?.readyState === WebSocket.OPEN) send(this.#socket, control);
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
    if (!('WebSocket' in globalThis)) throw new ApiFailure('no_socket', TEXTS.noConnection);
    const url = await liveSocketUrl(this.base, AbortSignal.timeout(OPEN_LIMIT_MS));
    this.onStep?.('ticket');
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
    this.#watch?.queue.end(failure ?? new ApiFailure('ended', TEXTS.stopped));
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
      watch.queue.push({ kind: 'frame', channel, time: Number(view.getBigUint64(1)), payload });
    }
  }

  #control(payload: Uint8Array): void {
    const message = messageOf(payload);
    const watch = this.#watch;
    if (message === undefined || watch === undefined) return;
    switch (message.type) {
      case 'restart':
        watch.queue.end();
        this.#leave();
        break;
      case 'lost':
        watch.queue.end(new TunerLost(message.recordingId, message.message));
        this.#leave();
        break;
      case 'error':
        watch.refused = true;
        watch.queue.end(new ApiFailure(message.code as FailureCode, message.message));
        break;
      case 'tuned':
        if (!watch.isAnsweredBy(message)) return;
        watch.tuned = true;
        watch.queue.push({ kind: 'message', message });
        break;
      default:
        if (watch.tuned) watch.queue.push({ kind: 'message', message });
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

/** Undefined for an invalid message. */
function messageOf(payload: Uint8Array): LiveMessage | undefined {
  const value = objectOf(payload);
  return value !== undefined && 'type' in value ? (value as LiveMessage) : undefined;
}

// The one reader of what a live connection receives: media to the caller, everything else to the side tracks.

type LiveMedia =
  /** The service's answer; first. */
  | { readonly kind: 'tuned'; readonly tuned: LiveTuned }
  | {
      readonly kind: 'media';
      readonly channel: number;
      /** 90 kHz. */
      readonly time: number;
      readonly payload: Uint8Array<ArrayBuffer>;
    };

const MEDIA: readonly number[] = [LIVE_CHANNEL.init, LIVE_CHANNEL.fragment, LIVE_CHANNEL.packets];

/** Media of one tuning. Ends where the service tunes again: another initialisation segment follows. @throws ApiFailure */
export async function* readLive(
  events: AsyncIterable<LiveEvent>,
  side: Pick<SideTracks, 'begin' | 'hear'>,
): AsyncGenerator<LiveMedia> {
  let isTuned = false;
  for await (const event of events) {
    if (event.kind === 'frame') {
      const { channel, time, payload } = event;
      if (MEDIA.includes(channel)) yield { kind: 'media', channel, time, payload };
      else side.hear({ from: channel, time, body: payload });
      continue;
    }
    const { message } = event;
    if (message.type === 'tuned') {
      if (isTuned) return;
      isTuned = true;
      side.begin();
      side.hear({ from: message.type, time: 0, body: message });
      yield { kind: 'tuned', tuned: message };
    } else side.hear({ from: message.type, time: 0, body: message });
  }
}
