/** The narrowed stream of a station, shared by everybody who watches it as it is. */
import { unlessAborted } from '../../host/deadline.ts';
import { Failure } from '../model/failure.ts';
import type { StationStream } from '../reception/reception-client.ts';
import { Audience } from './audience.ts';
import { type Joined, Receipts, type Session } from './session.ts';
import type { Viewer } from './viewer.ts';

/** 15 s of a full terrestrial station. */
const MAX_QUEUED = 32 * 1024 * 1024;
const START_LIMIT_MS = 10_000;
const MIME = 'video/mp2t';

export class RawSession implements Session {
  readonly #audience: Audience;
  readonly #sink: ReturnType<StationStream['raw']>;
  /** Viewers that wait for what they begin with. */
  readonly #joining = new Map<
    number,
    { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void }
  >();
  #serial = 0;
  #over = false;

  constructor(
    stream: StationStream,
    /** Called once. */
    readonly onOver: () => void,
  ) {
    this.#audience = new Audience(MAX_QUEUED, () => this.#finish());
    const receipts = new Receipts((bytes) => this.#sink.taken(bytes));
    this.#sink = stream.raw({
      burst: (viewer, bytes) => {
        receipts.add(bytes.length);
        this.#joining.get(viewer)?.resolve(bytes);
      },
      batch: (bytes) => {
        receipts.add(bytes.length);
        this.#audience.push(bytes);
      },
      ended: () => this.#break(),
    });
  }

  async join(signal: AbortSignal): Promise<Joined> {
    const release = this.#audience.hold();
    const viewerId = ++this.#serial;
    const burst = Promise.withResolvers<Viewer>();
    const limit = setTimeout(() => burst.reject(notReceived()), START_LIMIT_MS);
    // The viewer enters in the same turn as its first bytes: the next batch is its continuation.
    this.#joining.set(viewerId, {
      resolve: (bytes) => {
        if (signal.aborted) return;
        const viewer = this.#audience.admit(signal);
        if (bytes.length > 0) viewer.push(bytes);
        burst.resolve(viewer);
      },
      reject: burst.reject,
    });
    try {
      if (this.#over) throw notReceived();
      this.#sink.join(viewerId);
      const viewer = await unlessAborted(burst.promise, signal);
      return { viewer, mime: MIME, notices: [] };
    } finally {
      clearTimeout(limit);
      this.#joining.delete(viewerId);
      release();
    }
  }

  stop(): void {
    this.#break();
  }

  #break(): void {
    for (const waiting of this.#joining.values()) waiting.reject(notReceived());
    this.#audience.dismiss(new Error('the station stream broke'));
    this.#finish();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.stop();
    this.onOver();
  }
}

function notReceived(): Failure {
  return new Failure('no_tuner', '放送の受信が途切れました');
}
