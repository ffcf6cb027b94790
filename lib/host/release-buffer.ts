/**
 * Frees the memory of bytes at once. Streams make megabytes of garbage a second, and the garbage collection, which
 * waits until the heap has doubled, keeps more than a second of each in memory.
 *
 * Only for an owner who knows that nothing else refers to the buffer: other views of it become empty. Bytes that do not
 * fill their buffer are left to the garbage collection.
 */
export function releaseBuffer({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
