/**
 * Whether a programme is still on whose told end passed while nobody heard its station: the service was away, or its
 * tuner. For a moment the station is listened to and nothing is written; where present/following still names the
 * programme, whoever plans moves its end, and the recording goes on.
 */

/** So long a tuner is tried to be got. */
const TRY_MS = 180_000;
/** Present/following comes every 3 s (ARIB TR-B14 and TR-B15, part 4); it is stored and planned with within a second. */
const HEAR_MS = 12_000;

/** Longer after its end no programme is taken to be on by a plan either. */
export const UNHEARD_MS = 3 * 3_600_000;

export class Listening {
  readonly #heard = Promise.withResolvers<void>();
  #until: number;

  /** @param now epoch ms, as everywhere here */
  constructor(now: number) {
    this.#until = now + TRY_MS;
  }

  /** Resolves when it is known to be on. */
  get heard(): Promise<void> {
    return this.#heard.promise;
  }

  /** The station is received now. */
  opened(now: number): void {
    this.#until = Math.min(this.#until, now + HEAR_MS);
  }

  isOver(now: number): boolean {
    return now >= this.#until;
  }

  hear(): void {
    this.#heard.resolve();
  }

  /** The clock was wrong until now, by so much. */
  clockSet(byMs: number): void {
    this.#until += byMs;
  }
}
