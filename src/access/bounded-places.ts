/**
 * Short-lived values that clients create: bounded in number, in time and per owner, so that one client can neither fill
 * them nor displace those of others. Beyond the limits an owner's oldest value is dropped: its own, or of the owner with
 * the most.
 */
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';

interface PlaceLimits {
  readonly most: number;
  readonly mostPerOwner: number;
  readonly lifetimeMs: number;
}

interface Place<T> {
  readonly owner: string;
  readonly value: T;
  readonly at: MonotonicMs;
}

export class BoundedPlaces<T> {
  /** By key, oldest first. */
  readonly #places = new Map<string, Place<T>>();

  constructor(
    private readonly limits: PlaceLimits,
    private readonly now: MonotonicClock,
  ) {}

  add(key: string, owner: string, value: T): void {
    this.#dropExpired();
    const { most, mostPerOwner } = this.limits;
    const counts = new Map<string, number>();
    for (const place of this.#places.values()) counts.set(place.owner, (counts.get(place.owner) ?? 0) + 1);
    if ((counts.get(owner) ?? 0) >= mostPerOwner) this.#dropOldest(owner);
    else if (this.#places.size >= most) {
      const largest = Math.max(...counts.values());
      this.#dropOldest([...counts].find(([, count]) => count === largest)?.[0]);
    }
    this.#places.set(key, { owner, value, at: this.now() });
  }

  /** Undefined: unknown, taken, dropped or expired. */
  get(key: string): T | undefined {
    this.#dropExpired();
    return this.#places.get(key)?.value;
  }

  delete(key: string): void {
    this.#places.delete(key);
  }

  some(test: (value: T) => boolean): boolean {
    this.#dropExpired();
    return this.#places.values().some(({ value }) => test(value));
  }

  get size(): number {
    return this.#places.size;
  }

  #dropOldest(owner: string | undefined): void {
    for (const [key, place] of this.#places) {
      if (place.owner !== owner) continue;
      this.#places.delete(key);
      return;
    }
  }

  #dropExpired(): void {
    const before = this.now() - this.limits.lifetimeMs;
    for (const [key, { at }] of this.#places) {
      if (at > before) return;
      this.#places.delete(key);
    }
  }
}
