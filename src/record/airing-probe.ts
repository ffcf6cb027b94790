/**
 * Whether a programme is still on, or on again: its told end passed while nobody heard its station, because the service
 * was away, or its tuner; or another programme broke into it. The station is listened to for a while and nothing is
 * written; where present/following names the programme, whoever plans moves its end, and the recording goes on.
 */

/** So long a tuner is tried to be got. */
const TRY_MS = 180_000;
/** Present/following comes every 3 s (ARIB TR-B14 and TR-B15, part 4); it is stored and planned with within a second. */
const HEAR_MS = 12_000;

/** Longer after its end no programme is taken to be on by a plan either. */
export const UNHEARD_MS = 3 * 3_600_000;

export class AiringProbe {
  readonly #heard = Promise.withResolvers<void>();
  #until: number;
  /** It was broken off, and nobody is to miss a tuner for it. */
  readonly isPatient: boolean;

  /**
   * @param now epoch ms, as everywhere here
   * @param wait until when it may come back; undefined: what its station names first tells whether it is on
   */
  constructor(now: number, wait?: number) {
    this.#until = wait ?? now + TRY_MS;
    this.isPatient = wait !== undefined;
  }

  /** It may come back until then. */
  waitUntil(until: number): void {
    if (this.isPatient) this.#until = until;
  }

  /** Resolves when it is known to be on. */
  get heard(): Promise<void> {
    return this.#heard.promise;
  }

  /** The station is received now. */
  opened(now: number): void {
    if (!this.isPatient) this.#until = Math.min(this.#until, now + HEAR_MS);
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
