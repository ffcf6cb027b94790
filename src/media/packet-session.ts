/** The original packets of a source, shared by all viewers of them. */
import { unlessAborted } from '../../lib/host/deadline.ts';
import { Audience } from './audience.ts';
import { Backlog } from './backlog.ts';
import type { SideFrame } from './frame.ts';
import type { Joined, MediaSession } from './media-session.ts';
import type { SessionFailures } from './session-failures.ts';
import type { MediaSource, OutputEnd, PacketOutput } from './source.ts';
import { StreamBroken, type ViewerQueue } from './viewer-queue.ts';

/** 15 s of a full terrestrial station. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Queue bound of a viewer of side data only; a caption page has about 2 kB. */
const MAX_QUEUED_SIDE_BYTES = 1024 * 1024;
const START_LIMIT_MS = 10_000;
const MIME = 'video/mp2t';

interface Joining {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

export class PacketSession implements MediaSession {
  /** Packets contain their own layout (PMT). */
  readonly endsWithLayout = false;
  readonly #audience: Audience;
  /** Viewers of side data only; they do not keep the session open. */
  readonly #sideAudience = new Audience({ maxBytes: MAX_QUEUED_SIDE_BYTES, onEmpty: () => {} });
  readonly #backlog = new Backlog();
  readonly #output: PacketOutput;
  /** Viewers that wait for their initial burst. */
  readonly #joining = new Map<number, Joining>();
  #serial = 0;
  #isOver = false;

  constructor(
    source: MediaSource,
    private readonly failures: SessionFailures,
    /** Called once. */
    private readonly onOver: () => void,
  ) {
    this.#audience = new Audience({
      maxBytes: MAX_QUEUED_BYTES,
      onEmpty: () => this.#finish(),
      onCrowded: (isCrowded) => this.#output.hold?.(isCrowded),
      side: () => this.#output.side,
    });
    this.#output = source.packets({
      burst: (viewer, bytes) => this.#joining.get(viewer)?.resolve(bytes),
      frame: (frame) => {
        this.#backlog.keep(frame);
        const isShared = frame.kind === 'packets' && this.#audience.size > 1;
        this.#audience.push(isShared ? { kind: 'packets', bytes: frame.bytes } : frame);
        if (frame.kind === 'side') this.#sideAudience.push(frame);
      },
      ended: (end) => this.#ended(end),
    });
  }

  async join(signal: AbortSignal): Promise<Joined> {
    const release = this.#audience.hold();
    const viewerId = ++this.#serial;
    const burst = Promise.withResolvers<ViewerQueue>();
    const limit = setTimeout(() => burst.reject(this.failures.interrupted()), START_LIMIT_MS);
    // The viewer is admitted in the same turn as its first bytes, so that the next packets continue them.
    this.#joining.set(viewerId, {
      resolve: (bytes) => {
        if (signal.aborted) return;
        const viewer = this.#audience.admit(signal);
        for (const frame of this.#backlog.frames(this.#side())) viewer.push(frame);
        if (bytes.length > 0) viewer.push({ kind: 'packets', bytes });
        burst.resolve(viewer);
      },
      reject: burst.reject,
    });
    try {
      if (this.#isOver) throw this.failures.interrupted();
      this.#output.join(viewerId);
      const viewer = await unlessAborted(burst.promise, signal);
      return { viewer, mime: MIME, notices: [] };
    } finally {
      clearTimeout(limit);
      this.#joining.delete(viewerId);
      release();
    }
  }

  /** The side data of the packets, until the packets end; begins with the current state. */
  side(signal: AbortSignal): ViewerQueue {
    const viewer = this.#sideAudience.admit(signal);
    for (const frame of this.#side()) viewer.push(frame);
    return viewer;
  }

  stop(): void {
    this.#ended({ cause: 'lost' });
  }

  #side(): SideFrame[] {
    return this.#output.side?.current('always') ?? [];
  }

  #ended(end: OutputEnd): void {
    for (const waiting of this.#joining.values()) waiting.reject(this.failures.interrupted());
    const isRegular = end.cause === 'layout' || end.cause === 'finished';
    this.#audience.dismiss(isRegular ? undefined : new StreamBroken(end.cause));
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sideAudience.dismiss(undefined);
    this.#output.stop();
    this.onOver();
  }
}
