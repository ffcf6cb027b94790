/** What an encoder's next viewer needs to begin: the initialisation segment and the fragments since a key frame. */

/** Ten seconds at 6 Mbit/s; key frames come every second, so more means that none comes. */
const MAX_BYTES = 8 * 1024 * 1024;

export class Backlog {
  #init: Uint8Array | undefined;
  #fragments: Uint8Array[] = [];
  #bytes = 0;

  setInit(bytes: Uint8Array): void {
    this.#init = bytes;
  }

  add(bytes: Uint8Array, sync: boolean): void {
    if (sync || this.#bytes + bytes.length > MAX_BYTES) this.#clear();
    if (!sync && this.#fragments.length === 0) return;
    this.#fragments.push(bytes);
    this.#bytes += bytes.length;
  }

  /** Whether a viewer could begin now. */
  get ready(): boolean {
    return this.#init !== undefined && this.#fragments.length > 0;
  }

  pieces(): Uint8Array[] {
    return this.#init === undefined ? [] : [this.#init, ...this.#fragments];
  }

  #clear(): void {
    this.#fragments = [];
    this.#bytes = 0;
  }
}
