/**
 * A source (a station, a recording) with its sessions, one per recipe. It is opened for the first viewer and closed when
 * the last session has ended.
 */
import { unlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import { EncodedSession } from './encoded-session.ts';
import type { Joined, MediaSession } from './media-session.ts';
import { PacketSession } from './packet-session.ts';
import { type EncodedRecipe, type Recipe, sharingKey } from './recipe.ts';
import type { SessionFailures } from './session-failures.ts';
import type { MediaLayout, MediaSource, SourceEvents } from './source.ts';
import type { ViewerQueue } from './viewer-queue.ts';

/** After a layout change, the source is kept open for this time, because the viewers reconnect at once. */
const RETURN_MS = 3_000;

interface SharedSourceOptions<S extends MediaSource> {
  /** @throws Failure, the abort's reason */
  readonly open: (events: SourceEvents, signal: AbortSignal) => Promise<S>;
  readonly failures: SessionFailures;
  readonly encoders: Encoders;
  readonly log: Log;
  /** The source broke while it was open. Its sessions have already ended, so it may already be over. */
  readonly onLost: (source: S) => void;
  /** Called once, when no more viewers are accepted. */
  readonly onOver: () => void;
}

export interface SharedViewing<S extends MediaSource> extends Joined {
  readonly source: S;
  readonly layout: MediaLayout;
}

export class SharedSource<S extends MediaSource> {
  readonly #sessions = new Map<string, MediaSession>();
  readonly #opening: Promise<S>;
  readonly #abort = new AbortController();
  /** Set once opened. */
  #source: S | undefined;
  #layout: MediaLayout | undefined;
  #holds = 0;
  #isOver = false;
  #released: Promise<void> = Promise.resolve();

  constructor(private readonly options: SharedSourceOptions<S>) {
    const events: SourceEvents = {
      layout: (layout) => this.#layoutChanged(layout),
      ended: () => {
        if (this.#source !== undefined) options.onLost(this.#source);
        this.stop();
      },
    };
    this.#opening = options.open(events, this.#abort.signal);
    this.#opening.then(
      (source) => {
        this.#source = source;
      },
      () => this.stop(),
    );
  }

  /** The source if it was opened, also after it is over. */
  get opened(): S | undefined {
    return this.#source;
  }

  /** Resolves when the source is closed, once it is over. */
  get released(): Promise<void> {
    return this.#released;
  }

  /** Resolves when the viewer has its first frames. @throws Failure; the abort's reason */
  async join(recipe: Recipe, signal: AbortSignal): Promise<SharedViewing<S>> {
    this.#holds += 1;
    try {
      const source = await unlessAborted(this.#opening, signal);
      const joined = await this.#session(source, recipe).join(signal);
      const asked = recipe.kind === 'encoded' ? recipe.notices : [];
      const notices = [...new Set([...asked, ...joined.notices])];
      return { ...joined, notices, source, layout: this.#layout ?? source.layout };
    } finally {
      this.#holds -= 1;
      this.#check();
    }
  }

  /** Keeps the source open, also without viewers; resolves when it is closed, or if others keep it open. */
  async keep(signal: AbortSignal): Promise<void> {
    this.#holds += 1;
    await new Promise<void>((done) => {
      if (signal.aborted) done();
      signal.addEventListener('abort', () => done(), { once: true });
    });
    this.#holds -= 1;
    this.#check();
    if (this.#isOver) await this.#released;
  }

  /** The side data of the packets; undefined while the packets have no viewer. */
  side(signal: AbortSignal): ViewerQueue | undefined {
    for (const session of this.#sessions.values()) {
      if (session instanceof PacketSession) return session.side(signal);
    }
    return undefined;
  }

  /** Drops every viewer and closes the source. Idempotent. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const session of [...this.#sessions.values()]) session.stop();
    this.#sessions.clear();
    this.#abort.abort(new Error('no viewer is left'));
    this.#released = this.#opening.then(
      (source) => source.close(),
      () => {},
    );
    this.options.onOver();
  }

  #session(source: S, recipe: Recipe): MediaSession {
    const key = sharingKey(recipe, this.#layout ?? source.layout);
    const present = this.#sessions.get(key);
    if (present !== undefined) return present;
    const onOver = (): void => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
      this.#check();
    };
    const session =
      recipe.kind === 'packets'
        ? new PacketSession(source, this.options.failures, onOver)
        : this.#encoded(source, recipe, onOver);
    this.#sessions.set(key, session);
    if (session instanceof EncodedSession) session.start();
    return session;
  }

  #encoded(source: S, recipe: EncodedRecipe, onOver: () => void): EncodedSession {
    const { encoders, failures, log } = this.options;
    const layout = (): MediaLayout => this.#layout ?? source.layout;
    return new EncodedSession({ source, layout, recipe, encoders, failures, log, onOver });
  }

  /** Sessions that end with the layout end by themselves; later requests get a new one. */
  #layoutChanged(layout: MediaLayout): void {
    this.#layout = layout;
    this.#holds += 1;
    const kept = setTimeout(() => {
      this.#holds -= 1;
      this.#check();
    }, RETURN_MS);
    kept.unref();
    for (const [key, session] of this.#sessions) if (session.endsWithLayout) this.#sessions.delete(key);
  }

  #check(): void {
    if (this.#holds === 0 && this.#sessions.size === 0) this.stop();
  }
}
