/** Publishes changes to subscribers. Changes close together are merged to one event per name. */
import type { AgentEvent } from '../wire/agent.ts';

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
