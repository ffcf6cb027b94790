/** What the database's worker does when: it keeps the log, and room for it, and looks whether the database is sound. */
import { Database } from 'bun:sqlite';
import { Ballast } from './ballast.ts';
import { DamageLook } from './damage.ts';
import type { FromKeeper, ToKeeper } from './keeper-messages.ts';
import { LogKeeper } from './log-keeper.ts';
import { type TroubleKind, troubleOf } from './trouble.ts';

const LOOK_MS = 2_000;
/** The start has other things to read. */
const FIRST_SOUND_MS = 60_000;
const SOUND_MS = 24 * 3_600_000;
/** Whether there is room to be kept. */
const ROOM_MS = 60_000;
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
  #ballast: Ballast | undefined;
  #room: ReturnType<typeof setInterval> | undefined;

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
    this.#ballast = new Ballast(path);
    this.#sound = setTimeout(() => void this.#lookAtRows(), FIRST_SOUND_MS);
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
