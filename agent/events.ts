/** Publishes changes to subscribers. Changes close together are merged to one event per name. `/agent/events` is their body. */
import type { AgentEvent } from '../lib/wire/vocabulary.ts';

export class ChangeEvents {
  readonly #subscribers = new Set<(events: readonly AgentEvent[]) => void>();
  readonly #pending = new Set<AgentEvent>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param coalesceMs changes within this time become one event */
  constructor(private readonly coalesceMs: number) {}

  announce(event: AgentEvent): void {
    this.#pending.add(event);
    this.#timer ??= setTimeout(() => this.#flush(), this.coalesceMs);
  }

  /** @returns a function that unsubscribes */
  subscribe(listener: (events: readonly AgentEvent[]) => void): () => void {
    this.#subscribers.add(listener);
    return () => this.#subscribers.delete(listener);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#subscribers.clear();
  }

  #flush(): void {
    this.#timer = undefined;
    const events = [...this.#pending];
    this.#pending.clear();
    for (const listener of [...this.#subscribers]) listener(events);
  }
}

const KEEP_ALIVE = new TextEncoder().encode(': keep-alive\n\n');

/**
 * The body of `GET /agent/events`: Server-Sent Events, WHATWG HTML 9.2.
 * Pending events of a slow reader are kept as names only, so that each is sent once.
 */
export function agentEventStream(events: ChangeEvents, keepAliveMs: number): ReadableStream<Uint8Array> {
  const pending = new Set<AgentEvent>();
  let wanted = false;
  let stop = (): void => {};
  const flush = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (!wanted || pending.size === 0) return;
    wanted = false;
    const text = [...pending].map((event) => `event: ${event}\ndata: 1\n\n`).join('');
    pending.clear();
    controller.enqueue(new TextEncoder().encode(text));
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Sent immediately, because headers are only sent with data.
        controller.enqueue(KEEP_ALIVE);
        const timer = setInterval(() => {
          if (!wanted) return;
          wanted = false;
          controller.enqueue(KEEP_ALIVE);
        }, keepAliveMs);
        const unsubscribe = events.subscribe((changed) => {
          for (const event of changed) pending.add(event);
          flush(controller);
        });
        stop = () => {
          clearInterval(timer);
          unsubscribe();
        };
      },
      pull(controller) {
        wanted = true;
        flush(controller);
      },
      cancel: () => stop(),
    },
    { highWaterMark: 0 },
  );
}
