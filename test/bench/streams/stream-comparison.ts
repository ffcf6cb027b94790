/** Reads a stream to its end and compares every packet with an original that repeats. */

const PACKET = 188;
/** The position in the original is searched with this many packets, because single ones repeat. */
const SEARCHED = 64 * PACKET;

export class StreamComparison {
  bytes = 0;
  /** Packets that are missing or differ; a gap of any length counts once. */
  lost = 0;
  /** Why the stream ended early. */
  end: string | undefined;
  /** Position of the next byte in the original; undefined: unknown. */
  #at: number | undefined;
  /** Data collected for the search, from the first byte of a packet. */
  #searched: Buffer = Buffer.alloc(0);
  /** Bytes before the first one of the next packet. */
  #skipped = 0;
  readonly #ring: Buffer;

  /** @param original whole packets */
  constructor(private readonly original: Uint8Array) {
    this.#ring = Buffer.concat([original, original.subarray(0, SEARCHED)]);
  }

  /** @returns time from the request to the first byte, ms */
  async start(url: string, signal: AbortSignal): Promise<number> {
    const asked = performance.now();
    const response = await fetch(url, { signal });
    if (response.status !== 200 || response.body === null) throw new Error(await response.text());
    const reader = response.body.getReader();
    const first = await reader.read();
    const waited = performance.now() - asked;
    void (async () => {
      for (let part = first; part.value !== undefined; part = await reader.read()) {
        this.bytes += part.value.length;
        this.take(part.value);
      }
      this.end = 'the stream ended';
    })().catch((error: unknown) => {
      this.end = String(error);
    });
    return waited;
  }

  take(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at < bytes.length; ) {
      if (this.#at === undefined) {
        this.#search(bytes.subarray(at));
        return;
      }
      const length = Math.min(bytes.length - at, this.original.length - this.#at);
      if (bytes.compare(this.original, this.#at, this.#at + length, at, at + length) === 0) {
        this.#at = (this.#at + length) % this.original.length;
        at += length;
        continue;
      }
      let same = 0;
      while (bytes[at + same] === this.original[this.#at + same]) same += 1;
      this.#lose(PACKET - ((this.#at + same) % PACKET));
      at += same;
    }
  }

  /** @param skipped bytes up to the next packet */
  #lose(skipped: number): void {
    this.lost += 1;
    this.#at = undefined;
    this.#skipped = skipped;
  }

  #search(bytes: Buffer): void {
    const skipped = Math.min(this.#skipped, bytes.length);
    this.#skipped -= skipped;
    const packets = Buffer.concat([this.#searched, bytes.subarray(skipped)]);
    let at = 0;
    for (; packets.length - at >= SEARCHED; at += SEARCHED) {
      this.#at = this.#find(packets.subarray(at, at + SEARCHED));
      if (this.#at !== undefined) break;
      // Counts all of them: searching for each takes longer than the stream.
      this.lost += SEARCHED / PACKET;
    }
    if (this.#at === undefined) {
      this.#searched = Buffer.from(packets.subarray(at));
      return;
    }
    this.#searched = Buffer.alloc(0);
    this.take(packets.subarray(at));
  }

  #find(packets: Buffer): number | undefined {
    for (let at = this.#ring.indexOf(packets); at >= 0; at = this.#ring.indexOf(packets, at + 1))
      if (at % PACKET === 0) return at % this.original.length;
    return undefined;
  }
}
