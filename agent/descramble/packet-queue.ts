/** Complete packets in the order of the stream, with absolute positions in octets. The owner limits its size. */
export class PacketQueue {
  /** Position of the first octet in the queue. */
  #start = 0;
  /** Position after the last octet in the queue. */
  #end = 0;
  readonly #parts: Uint8Array[] = [];

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  get length(): number {
    return this.#end - this.#start;
  }

  push(packets: Uint8Array): void {
    this.#parts.push(packets);
    this.#end += packets.length;
  }

  /** The content, as arrays with their positions, oldest first. */
  *parts(): Generator<{ at: number; packets: Uint8Array }> {
    let at = this.#start;
    for (const packets of this.#parts) {
      yield { at, packets };
      at += packets.length;
    }
  }

  first(): Uint8Array | undefined {
    return this.#parts[0];
  }

  /** Removes the first `length` octets of the first array and returns them. */
  take(length: number): Uint8Array {
    const part = this.#parts[0] as Uint8Array;
    this.#start += length;
    if (length === part.length) this.#parts.shift();
    else this.#parts[0] = part.subarray(length);
    return part.subarray(0, length);
  }

  clear(): void {
    this.#parts.length = 0;
    this.#start = this.#end;
  }
}
