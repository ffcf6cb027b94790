/**
 * Offset of the machine's clock from the broadcast's, by network. Pure. Each TOT is a sample delayed by reception,
 * so the least late of the last ones is used.
 */
import { broadcastTypeOf, type NetworkId } from '../../arib/ids.ts';
import type { WallMs } from '../../host/clock.ts';
import type { ClockOffset } from '../../wire/guide.ts';
import { leastLate } from '../model/least-late.ts';

/** Samples: a minute and a half of TOT at 5 s, available in a short visit. */
const SAMPLES = 17;
/** Recordings would begin at the wrong time. */
export const CLOCK_WARNING_MS = 1000;
/** The service receives one terrestrial network per channel, and three of satellites. */
const MAX_NETWORKS = 128;
/** Samples from before the clock was set are discarded. */
const OLD_MS = 10 * 60_000;
/** A warning ends below this part of its limit (hysteresis). */
const OVER_PART = 0.5;

interface Sample {
  offsetMs: number;
  at: WallMs;
}

export class ClockOffsets {
  readonly #networks = new Map<NetworkId, Sample[]>();
  /** The current episode was reported. */
  #isReported = false;

  /** @param offsetMs broadcast time minus the machine's time @param at epoch ms */
  add(networkId: NetworkId, offsetMs: number, at: WallMs): void {
    const before = this.#networks.get(networkId) ?? [];
    const samples = before.filter((sample) => Math.abs(at - sample.at) < OLD_MS);
    samples.push({ offsetMs, at });
    this.#networks.delete(networkId);
    this.#networks.set(networkId, samples.slice(-SAMPLES));
    if (this.#networks.size <= MAX_NETWORKS) return;
    const [oldest] = this.#networks.keys();
    if (oldest !== undefined) this.#networks.delete(oldest);
  }

  /** By network; only types that households receive. */
  list(): ClockOffset[] {
    const offsets: ClockOffset[] = [];
    for (const [networkId, samples] of [...this.#networks].sort(([a], [b]) => a - b)) {
      const type = broadcastTypeOf(networkId);
      const last = samples.at(-1);
      if (type === undefined || last === undefined) continue;
      const all = samples.map((sample) => sample.offsetMs);
      const supported = leastLate(all);
      const offsetMs = supported ?? Math.max(...all);
      const warning = supported !== undefined && Math.abs(offsetMs) > CLOCK_WARNING_MS;
      offsets.push({ networkId, type, offsetMs, measuredAt: last.at, warning });
    }
    return offsets;
  }

  /** The network with the largest offset above the limit; once per episode. */
  takeWarning(): ClockOffset | undefined {
    const [worst] = this.list().sort((a, b) => Math.abs(b.offsetMs) - Math.abs(a.offsetMs));
    if (worst === undefined || Math.abs(worst.offsetMs) <= CLOCK_WARNING_MS * OVER_PART)
      this.#isReported = false;
    if (worst === undefined || !worst.warning || this.#isReported) return undefined;
    this.#isReported = true;
    return worst;
  }
}
