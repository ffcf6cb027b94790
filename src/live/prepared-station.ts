/**
 * The station that a viewer is likely to change to: received on an idle tuner, so that its picture is there at once. One
 * at a time; it is given up when the tuner is needed, when another is wanted, and by itself.
 */
import type { Log } from '../../host/log.ts';
import type { Tuner } from '../../wire/agent.ts';
import type { StationRecord } from '../model/station.ts';

/** Who goes through the channels changes again within seconds. */
const PREPARED_MS = 20_000;

function hasIdleTuner(tuners: readonly Tuner[], { type }: Pick<StationRecord, 'type'>): boolean {
  return tuners.some(
    ({ types, users, disabled, state }) =>
      !disabled && state !== 'error' && users.length === 0 && types.includes(type),
  );
}

interface PreparedNeeds {
  readonly tuners: () => Promise<readonly Tuner[]>;
  /** Receives the station until the signal; resolves when its tuner is given back, or at once where others watch it. */
  readonly hold: (station: StationRecord, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly limitMs?: number | undefined;
}

export class PreparedStations {
  /** What is held, with what lets go of it. */
  readonly #held = new Map<AbortController, Promise<void>>();

  constructor(private readonly needs: PreparedNeeds) {}

  /** Never rejects. @param signal the viewer wants another station, or left */
  async prepare(station: StationRecord, signal: AbortSignal): Promise<void> {
    const { tuners, hold, log, limitMs = PREPARED_MS } = this.needs;
    const own = new AbortController();
    const until = AbortSignal.any([signal, own.signal, AbortSignal.timeout(limitMs)]);
    try {
      if (!hasIdleTuner(await tuners(), station) || until.aborted) return;
      const held = hold(station, until);
      this.#held.set(own, held);
      await held;
    } catch (error) {
      log.info('a station was not prepared', { station: station.id, reason: String(error) });
    } finally {
      this.#held.delete(own);
    }
  }

  /** A viewer needs a tuner: lets go of all; resolves when they are given back. False: none was held. */
  async release(): Promise<boolean> {
    const held = [...this.#held];
    for (const [own] of held) own.abort();
    await Promise.allSettled(held.map(([, over]) => over));
    return held.length > 0;
  }
}
