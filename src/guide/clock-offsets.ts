/**
 * How far the machine's clock is from the broadcast's, network by network. Pure. Each TOT is a sample that was
 * delayed by reception, so one alone says little: the median of the last ones is the offset.
 */
import { broadcastTypeOf, type NetworkId } from '../../arib/ids.ts';
import type { WallMs } from '../../host/clock.ts';
import type { ClockOffset } from '../../wire/guide.ts';

/** A minute and a half of TOT at 5 s: as few as a short visit brings, as many as leave one mistake without weight. */
const SAMPLES = 17;
/** Recordings would begin at the wrong time. */
export const CLOCK_WARNING_MS = 1000;
/** The service receives a terrestrial network a channel and three of satellites. */
const MAX_NETWORKS = 128;
/** Samples from before the clock was set say nothing about it any more. */
const OLD_MS = 10 * 60_000;
/** Fewer tables may all have come late, as the first ones of a busy start do. */
const ENOUGH = 3;
/** A warning is over below this part of its limit: an offset that wavers around the limit is one episode. */
const OVER_PART = 0.5;

interface Sample {
  offsetMs: number;
  at: WallMs;
}

function median(samples: readonly Sample[]): number {
  const sorted = samples.map((sample) => sample.offsetMs).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round((upper + (sorted[middle - 1] ?? upper)) / 2);
}

export class ClockOffsets {
  readonly #networks = new Map<NetworkId, Sample[]>();
  /** The episode that is under way was told. */
  #isTold = false;

  /** @param offsetMs broadcast time minus the machine's @param at epoch ms */
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

  /** By network; those of a type that households receive. */
  list(): ClockOffset[] {
    const offsets: ClockOffset[] = [];
    for (const [networkId, samples] of [...this.#networks].sort(([a], [b]) => a - b)) {
      const type = broadcastTypeOf(networkId);
      const last = samples.at(-1);
      if (type === undefined || last === undefined) continue;
      const offsetMs = median(samples);
      const warning = samples.length >= ENOUGH && Math.abs(offsetMs) > CLOCK_WARNING_MS;
      offsets.push({ networkId, type, offsetMs, measuredAt: last.at, warning });
    }
    return offsets;
  }

  /** The network that is furthest off, where that is too far; once an episode. */
  takeWarning(): ClockOffset | undefined {
    const [worst] = this.list().sort((a, b) => Math.abs(b.offsetMs) - Math.abs(a.offsetMs));
    if (worst === undefined || Math.abs(worst.offsetMs) <= CLOCK_WARNING_MS * OVER_PART) this.#isTold = false;
    if (worst === undefined || !worst.warning || this.#isTold) return undefined;
    this.#isTold = true;
    return worst;
  }
}
