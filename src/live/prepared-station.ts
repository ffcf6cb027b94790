/**
 * The probable next station of a viewer: received on an idle tuner, so that its picture is available at once. One at a
 * time; released when the tuner is needed, when another one is requested, and after a timeout.
 */
import type { Log } from '../../host/log.ts';
import type { Tuner } from '../../wire/agent.ts';
import type { StationRecord } from '../model/station.ts';

/** Timeout: a zapping viewer changes again within seconds. */
const PREPARED_MS = 20_000;

function hasIdleTuner(tuners: readonly Tuner[], { type }: Pick<StationRecord, 'type'>): boolean {
  return tuners.some(
    ({ types, users, disabled, state }) =>
      !disabled && state !== 'error' && users.length === 0 && types.includes(type),
  );
}

interface PreparedNeeds {
  readonly tuners: () => Promise<readonly Tuner[]>;
  /** Receives the station until the signal; resolves when its tuner is released, or at once if others watch it. */
  readonly hold: (station: StationRecord, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly limitMs?: number | undefined;
}

export class PreparedStations {
  /** The prepared station with its release function. */
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

  /** A viewer needs a tuner: releases it; resolves when it is free, with false if none was prepared. */
  async release(): Promise<boolean> {
    const held = [...this.#held];
    for (const [own] of held) own.abort();
    await Promise.allSettled(held.map(([, over]) => over));
    return held.length > 0;
  }
}
