/** Least recently used cache. */

export class LruCache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** @param size minimum number of kept values; the maximum is twice as many */
  constructor(private readonly size: number) {}

  /** Counts as a use. */
  has(key: K): boolean {
    if (this.#young.has(key)) return true;
    const value = this.#old.get(key);
    if (value !== undefined) this.set(key, value);
    return value !== undefined;
  }

  of(key: K, make: () => V): V {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const value = this.#old.get(key) ?? make();
    this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
