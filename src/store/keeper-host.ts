/** What the database's worker does when: it keeps the log, and looks now and then whether the database is sound. */
import { Database } from 'bun:sqlite';
import { DamageLook } from './damage.ts';
import type { FromKeeper, ToKeeper } from './keeper-messages.ts';
import { LogKeeper } from './log-keeper.ts';

const LOOK_MS = 2_000;
/** The start has other things to read. */
const FIRST_SOUND_MS = 60_000;
const SOUND_MS = 24 * 3_600_000;
/** Between two tables: whoever waits for the disk has his turn. */
const REST_MS = 50;

export interface KeeperHostOptions {
  post: (message: FromKeeper) => void;
  /** Monotonic ms. */
  elapsed: () => number;
}

export class KeeperHost {
  #keeper: LogKeeper | undefined;
  #path = '';
  #look: ReturnType<typeof setInterval> | undefined;
  #sound: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: KeeperHostOptions) {}

  take(message: ToKeeper): void {
    if (message.kind === 'open') this.#open(message.path);
    else if (message.kind === 'sync') this.#sync(message.serial);
    else this.#close();
  }

  #open(path: string): void {
    this.#path = path;
    this.#keeper = new LogKeeper(path, this.options.elapsed);
    this.#look = setInterval(() => this.#lookAtLog(), LOOK_MS);
    this.#sound = setTimeout(() => void this.#lookAtRows(), FIRST_SOUND_MS);
  }

  #sync(serial: number): void {
    const error = failureOf(() => this.#keeper?.sync());
    this.options.post({ kind: 'synced', serial, error });
  }

  #lookAtLog(): void {
    let bytes = 0;
    const error = failureOf(() => {
      bytes = (this.#keeper?.look().pages ?? 0) * PAGE_BYTES;
    });
    this.options.post({ kind: 'looked', bytes, error });
  }

  async #lookAtRows(): Promise<void> {
    try {
      const database = new Database(this.#path, { readonly: true, strict: true });
      try {
        const look = new DamageLook(database);
        for (const step of look.steps()) {
          step();
          await Bun.sleep(REST_MS);
        }
        this.options.post({ kind: 'damaged', ...look.found });
      } finally {
        database.close();
      }
    } catch (error) {
      this.options.post({ kind: 'damaged', fields: [], problems: [String(error)] });
    }
    if (this.#keeper !== undefined) this.#sound = setTimeout(() => void this.#lookAtRows(), SOUND_MS);
  }

  #close(): void {
    clearInterval(this.#look);
    clearTimeout(this.#sound);
    const keeper = this.#keeper;
    this.#keeper = undefined;
    const error = failureOf(() => keeper?.close());
    this.options.post({ kind: 'looked', bytes: 0, error });
    this.options.post({ kind: 'down' });
  }
}

/** As `openDatabase` leaves it. */
const PAGE_BYTES = 4096;

function failureOf(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return String(error);
  }
}
