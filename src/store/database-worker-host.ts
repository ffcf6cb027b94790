/** What the database's worker does when: it keeps the log, and room for it, and looks whether the database is sound. */
import { Database } from 'bun:sqlite';
import { type TroubleKind, troubleOf } from './database-error.ts';
import type { FromDatabaseWorker, ToDatabaseWorker } from './database-worker-messages.ts';
import { IntegrityCheck } from './integrity-check.ts';
import { ReservedSpace } from './reserved-space.ts';
import { WalCheckpointer } from './wal-checkpointer.ts';

const LOOK_MS = 2_000;
/** Whether there is room to be kept. */
const ROOM_MS = 60_000;
/** Between two steps, besides. */
const REST_MS = 20;

export interface DatabaseWorkerHostOptions {
  post: (message: FromDatabaseWorker) => void;
  /** Monotonic ms. */
  elapsed: () => number;
}

export class DatabaseWorkerHost {
  #keeper: WalCheckpointer | undefined;
  #look: ReturnType<typeof setInterval> | undefined;
  #ballast: ReservedSpace | undefined;
  #room: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: DatabaseWorkerHostOptions) {}

  take(message: ToDatabaseWorker): void {
    if (message.kind === 'open') this.#open(message.path);
    else if (message.kind === 'inspect') void this.#inspect(message.path);
    else if (message.kind === 'sync') this.#sync(message.serial);
    else this.#close();
  }

  #open(path: string): void {
    this.#keeper = new WalCheckpointer(path, this.options.elapsed);
    this.#look = setInterval(() => this.#lookAtLog(), LOOK_MS);
    this.#ballast = new ReservedSpace(path);
    this.#room = setInterval(() => this.#makeRoom(), ROOM_MS);
  }

  #sync(serial: number): void {
    const { error } = outcome(() => this.#keeper?.sync());
    this.options.post({ kind: 'synced', serial, error });
  }

  #lookAtLog(): void {
    let bytes = 0;
    let freeBytes = 0;
    const found = outcome(() => {
      freeBytes = this.#ballast?.look() ?? 0;
      bytes = (this.#keeper?.look().pages ?? 0) * PAGE_BYTES;
    });
    this.options.post({ kind: 'looked', bytes, freeBytes, ...found });
  }

  #makeRoom(): void {
    // On a disk without it the next look tells how little is free.
    outcome(() => this.#ballast?.make());
  }

  /** Half of the time at most: whoever records has the rest. */
  async #inspect(path: string): Promise<void> {
    try {
      const database = new Database(path, { readonly: true, strict: true });
      try {
        const look = new IntegrityCheck(database);
        for (const step of look.steps()) {
          const began = this.options.elapsed();
          step();
          await Bun.sleep(REST_MS + this.options.elapsed() - began);
        }
        this.options.post({ kind: 'damaged', ...look.found });
      } finally {
        database.close();
      }
    } catch (error) {
      this.options.post({ kind: 'damaged', fields: [], problems: [String(error)] });
    }
  }

  #close(): void {
    clearInterval(this.#look);
    clearInterval(this.#room);
    const keeper = this.#keeper;
    this.#keeper = undefined;
    outcome(() => keeper?.close());
    this.options.post({ kind: 'down' });
  }
}

/** As `openDatabase` leaves it. */
const PAGE_BYTES = 4096;

function outcome(act: () => void): { error: string | null; trouble: TroubleKind | null } {
  try {
    act();
    return { error: null, trouble: null };
  } catch (error) {
    return { error: String(error), trouble: troubleOf(error) ?? null };
  }
}
