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
/** The state at the start is read that much later, behind the service's first answers. */
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

  /** Something may be different. */
  look(): void {
    if (this.#closed) return;
    // What is different already would be taken for the state at the start.
    clearTimeout(this.#first);
    this.#timer ??= setTimeout(() => this.#tell(), GATHER_MS);
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

  #tell(): void {
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
        // An event is published in this case: clients that read again get the error.
        this.options.log.warn('list not read', { list: name, error: String(error) });
      }
      changed(name);
    }
  }
}
