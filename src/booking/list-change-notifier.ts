/** Sends change events of the reservation and rule lists, only if their content changed. */
import type { Log } from '../../lib/host/log.ts';
import type { Hub } from '../notify/hub.ts';

interface ListChangeNotifierOptions {
  hub: Hub;
  /** Reads the current content of each list. */
  lists: Readonly<Record<'reservations' | 'rules', () => unknown>>;
  log: Log;
}

/** Debounce: comparing 1,000 reservations and 300 rules takes some 10 ms of the event loop. */
export const LIST_GATHER_MS = 200;
/** Delay of reading the initial state, so that the service's first responses come first. */
const FIRST_MS = 50;

const NAMES = ['reservations', 'rules'] as const;

export class ListChangeNotifier {
  readonly #seen = new Map<string, bigint | number>();
  #first: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(private readonly options: ListChangeNotifierOptions) {}

  /** Changes are published from now on. */
  start(): void {
    this.#first = setTimeout(() => this.#compare(() => {}), FIRST_MS);
  }

  check(): void {
    if (this.#closed) return;
    // A change that already happened would become part of the initial state.
    clearTimeout(this.#first);
    this.#timer ??= setTimeout(() => this.#publishChanges(), LIST_GATHER_MS);
  }

  /** Idempotent. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#first);
    clearTimeout(this.#timer);
  }

  #digest(name: (typeof NAMES)[number]): bigint | number {
    return Bun.hash(JSON.stringify(this.options.lists[name]()));
  }

  #publishChanges(): void {
    this.#timer = undefined;
    this.#compare((name) => this.options.hub.changed(name));
  }

  #compare(changed: (name: (typeof NAMES)[number]) => void): void {
    for (const name of NAMES) {
      try {
        const digest = this.#digest(name);
        if (digest === this.#seen.get(name)) continue;
        this.#seen.set(name, digest);
      } catch (error) {
        // The event is published in this case: clients that read again get the error.
        this.options.log.warn('list not read', { list: name, error: String(error) });
      }
      changed(name);
    }
  }
}
