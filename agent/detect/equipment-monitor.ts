/**
 * Monitors the tuners of this machine. The names in /dev are compared every 2 s, which costs some microseconds; the
 * devices themselves are only queried when the names changed, or while one has a problem that the user may be fixing
 * right now.
 */
import type { Log } from '../../lib/host/log.ts';
import type { DetectedDevice } from '../../lib/wire/agent.ts';

interface EquipmentMonitorOptions {
  /** Queries the devices. May be slow, may fail. */
  readonly detect: () => Promise<DetectedDevice[]>;
  /** Names of the device files of tuners. */
  readonly paths: () => string[];
  readonly onChange: () => void;
  /** Interval of comparing names, ms. */
  readonly intervalMs: number;
  readonly log: Log;
}

/** A device with a problem is queried again after this many comparisons. */
const PROBLEM_ROUNDS = 5;

export class EquipmentMonitor {
  #devices: readonly DetectedDevice[] = [];
  /** The names at the last detection; undefined if it failed. */
  #seen: string | undefined;
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(private readonly options: EquipmentMonitorOptions) {}

  get devices(): readonly DetectedDevice[] {
    return this.#devices;
  }

  /** Resolves after the first detection, which emits no event; never rejects. */
  async start(): Promise<void> {
    await this.#detect();
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#compare(), this.options.intervalMs);
  }

  async #compare(): Promise<void> {
    this.#round += 1;
    const hasProblem = this.#devices.some(({ problem }) => problem !== null);
    const isDue = hasProblem && this.#round % PROBLEM_ROUNDS === 0;
    if ((isDue || this.#seen !== this.options.paths().join()) && (await this.#detect()) && !this.#closed) {
      this.options.onChange();
    }
    this.#schedule();
  }

  /** @returns whether anything changed */
  async #detect(): Promise<boolean> {
    // Read before the devices are queried: one plugged in meanwhile is noticed at the next comparison.
    const names = this.options.paths().join();
    try {
      const before = JSON.stringify(this.#devices);
      this.#devices = await this.options.detect();
      this.#seen = names;
      const changed = before !== JSON.stringify(this.#devices);
      if (changed) this.#report();
      return changed;
    } catch (error) {
      this.options.log.warn('tuner detection failed', { reason: String(error) });
      this.#seen = undefined;
      return false;
    }
  }

  #report(): void {
    const { log } = this.options;
    log.info('tuners detected', { devices: this.#devices.map(({ device }) => device).join(' ') });
    for (const { device, problem } of this.#devices) {
      if (problem !== null) log.warn('tuner not usable', { device, reason: problem.message });
    }
  }
}
