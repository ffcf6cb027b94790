/**
 * The key schedule of MULTI2 (ISO/IEC 9979 register entry 9) as used by ARIB STD-B25 Part 1, 3.1, and its elementary
 * functions on blocks of 64 bits. `lib/wasm/multi2` decrypts.
 */

/** Work keys of one data key: 8 words. */
export type WorkKeys = Uint32Array;

const SYSTEM_KEY_BYTES = 32;
const DATA_KEY_BYTES = 8;

export interface Block {
  left: number;
  right: number;
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function pi1(block: Block): void {
  block.right ^= block.left;
}

function pi2(block: Block, key: number): void {
  const y = (block.right + key) | 0;
  const z = (rotate(y, 1) + y - 1) | 0;
  block.left ^= rotate(z, 4) ^ z;
}

function pi3(block: Block, key1: number, key2: number): void {
  const x = block.left;
  const y = (x + key1) | 0;
  const z = (rotate(y, 2) + y + 1) | 0;
  const a = rotate(z, 8) ^ z;
  const b = (a + key2) | 0;
  const c = (rotate(b, 1) - b) | 0;
  block.right ^= rotate(c, 16) ^ (c | x);
}

function pi4(block: Block, key: number): void {
  const y = (block.right + key) | 0;
  block.left ^= (rotate(y, 2) + y + 1) | 0;
}

/**
 * One elementary function by its position in the cycle of eight; `k` is the work key or, in the key schedule, the
 * system key.
 */
export function step(block: Block, place: number, k: Uint32Array): void {
  switch (place) {
    case 0:
    case 4:
      pi1(block);
      break;
    case 1:
      pi2(block, k[0] as number);
      break;
    case 2:
      pi3(block, k[1] as number, k[2] as number);
      break;
    case 3:
      pi4(block, k[3] as number);
      break;
    case 5:
      pi2(block, k[4] as number);
      break;
    case 6:
      pi3(block, k[5] as number, k[6] as number);
      break;
    default:
      pi4(block, k[7] as number);
  }
}

export function words(bytes: Uint8Array, count: number): Uint32Array {
  const list = new Uint32Array(count);
  for (let index = 0; index < count * 4; index += 1)
    list[index >> 2] = ((list[index >> 2] as number) << 8) | (bytes[index] as number);
  return list;
}

/**
 * Key schedule: the data key is encrypted with the system key, one work key after each elementary function from the
 * second on.
 * @param systemKey 32 octets @param dataKey 8 octets
 * @throws RangeError for other lengths
 */
export function scheduleKeys(systemKey: Uint8Array, dataKey: Uint8Array): WorkKeys {
  if (systemKey.length !== SYSTEM_KEY_BYTES) throw new RangeError('MULTI2 system key is not 32 octets');
  if (dataKey.length !== DATA_KEY_BYTES) throw new RangeError('MULTI2 data key is not 8 octets');
  const system = words(systemKey, 8);
  const [left, right] = words(dataKey, 2) as unknown as [number, number];
  const block: Block = { left, right };
  const work = new Uint32Array(8);
  pi1(block);
  for (let index = 0; index < 8; index += 1) {
    step(block, (index + 1) % 8, system);
    // π2 and π4 change the left half, π1 and π3 the right one.
    work[index] = index % 2 === 0 ? block.left : block.right;
  }
  return work;
}
