/** Sends the change events of the reservation and rule lists: when their content changed, and only then. */
import type { Log } from '../../host/log.ts';
import type { Hub } from '../hub/hub.ts';

interface ListChangeNotifierOptions {
  hub: Hub;
  /** Each list as it is read now. */
  lists: Readonly<Record<'reservations' | 'rules', () => unknown>>;
  log: Log;
}

/**
 * Debounce: a comparison of 1,000 reservations and 300 rules takes some 10 ms of the event loop.
 */
const GATHER_MS = 200;

const NAMES = ['reservations', 'rules'] as const;

export class ListChangeNotifier {
  readonly #seen = new Map<string, bigint | number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(private readonly options: ListChangeNotifierOptions) {}

  /** Changes are published from now on. @throws the database's error */
  start(): void {
    for (const name of NAMES) this.#seen.set(name, this.#digest(name));
  }

  /** Something may be different. */
  look(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => this.#tell(), GATHER_MS);
  }

  /** Idempotent. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #digest(name: (typeof NAMES)[number]): bigint | number {
    return Bun.hash(JSON.stringify(this.options.lists[name]()));
  }

  #tell(): void {
    this.#timer = undefined;
    const { hub, log } = this.options;
    for (const name of NAMES) {
      try {
        const digest = this.#digest(name);
        if (digest === this.#seen.get(name)) continue;
        this.#seen.set(name, digest);
      } catch (error) {
        // Publishes an event in this case: clients that read again get the error.
        log.warn('list not read', { list: name, error: String(error) });
      }
      hub.changed(name);
    }
  }
}
