/**
 * MULTI2 decryption of transport stream packets (ARIB STD-B25 Part 1, 3.2.4), AssemblyScript with SIMD: eight blocks of
 * a packet at once, because decryption of chained blocks needs only their ciphertext. Keys are scheduled outside
 * (`arib/conditional/multi2.ts`), which is also the reference that this is tested against.
 *
 * The caller writes packets to `packets`, key slots to `pidSlots` and `keys`, and calls `decrypt`.
 */

const PACKET: i32 = 188;
export const MAX_PACKETS: i32 = 1024;
/** Slot 0 means that a PID has no key. */
export const SLOTS: i32 = 32;
/** Per slot: odd work key (8 words), even work key (8 words), flags (1 odd known, 2 even known), padded. */
export const SLOT_BYTES: i32 = 80;
const EVEN: i32 = 32;
const FLAGS: i32 = 64;

const packetsAt: i32 = memory.data(192512, 16) as i32;
const slotsAt: i32 = memory.data(8192, 16) as i32;
const keysAt: i32 = memory.data(2560, 16) as i32;
const initialAt: i32 = memory.data(16, 16) as i32;
/** Previous block, then 24 blocks of ciphertext, the last of them padding. */
const cipherAt: i32 = memory.data(208, 16) as i32;
const plainAt: i32 = memory.data(192, 16) as i32;

export function packets(): i32 {
  return packetsAt;
}

/** One octet a PID: its slot. */
export function pidSlots(): i32 {
  return slotsAt;
}

export function keys(): i32 {
  return keysAt;
}

/** The initial CBC value, 8 octets. */
export function initial(): i32 {
  return initialAt;
}

function rotl1(v: v128): v128 {
  return v128.or(i32x4.add(v, v), i32x4.shr_u(v, 31));
}

function rotl2(v: v128): v128 {
  return v128.or(i32x4.shl(v, 2), i32x4.shr_u(v, 30));
}

function rotl4(v: v128): v128 {
  return v128.or(i32x4.shl(v, 4), i32x4.shr_u(v, 28));
}

/** By shifts: a byte shuffle would need its mask loaded each time. */
function rotl8(v: v128): v128 {
  return v128.or(i32x4.shl(v, 8), i32x4.shr_u(v, 24));
}

function rotl16(v: v128): v128 {
  return v128.or(i32x4.shl(v, 16), i32x4.shr_u(v, 16));
}

/** a + b + 1 without a constant: b + 1 is -~b in two's complement. */
function plusOne(a: v128, b: v128): v128 {
  return i32x4.sub(a, v128.not(b));
}

/** What π2 adds to the left half. */
function mix2(right: v128, key: v128): v128 {
  const y = i32x4.add(right, key);
  const z = i32x4.sub(i32x4.add(rotl1(y), y), i32x4.splat(1));
  return v128.xor(rotl4(z), z);
}

/** What π3 adds to the right half. */
function mix3(left: v128, key1: v128, key2: v128): v128 {
  const y = i32x4.add(left, key1);
  const z = plusOne(rotl2(y), y);
  const b = i32x4.add(v128.xor(rotl8(z), z), key2);
  const c = i32x4.sub(rotl1(b), b);
  return v128.xor(rotl16(c), v128.or(c, left));
}

/** What π4 adds to the left half. */
function mix4(right: v128, key: v128): v128 {
  const y = i32x4.add(right, key);
  return plusOne(rotl2(y), y);
}

/** Eight blocks from `from` (the one before it at `from` - 8) to `to`. */
function eightBlocks(from: i32, to: i32, key: i32): void {
  const k1 = v128.load32_splat(key);
  const k2 = v128.load32_splat(key, 4);
  const k3 = v128.load32_splat(key, 8);
  const k4 = v128.load32_splat(key, 12);
  const k5 = v128.load32_splat(key, 16);
  const k6 = v128.load32_splat(key, 20);
  const k7 = v128.load32_splat(key, 24);
  const k8 = v128.load32_splat(key, 28);
  const a = v128.load(from);
  const b = v128.load(from, 16);
  const c = v128.load(from, 32);
  const d = v128.load(from, 48);
  let l1 = v128.shuffle<u8>(a, b, 3, 2, 1, 0, 11, 10, 9, 8, 19, 18, 17, 16, 27, 26, 25, 24);
  let r1 = v128.shuffle<u8>(a, b, 7, 6, 5, 4, 15, 14, 13, 12, 23, 22, 21, 20, 31, 30, 29, 28);
  let l2 = v128.shuffle<u8>(c, d, 3, 2, 1, 0, 11, 10, 9, 8, 19, 18, 17, 16, 27, 26, 25, 24);
  let r2 = v128.shuffle<u8>(c, d, 7, 6, 5, 4, 15, 14, 13, 12, 23, 22, 21, 20, 31, 30, 29, 28);
  for (let round: i32 = 0; round < 4; round += 1) {
    l1 = v128.xor(l1, mix4(r1, k8));
    l2 = v128.xor(l2, mix4(r2, k8));
    r1 = v128.xor(r1, mix3(l1, k6, k7));
    r2 = v128.xor(r2, mix3(l2, k6, k7));
    l1 = v128.xor(l1, mix2(r1, k5));
    l2 = v128.xor(l2, mix2(r2, k5));
    r1 = v128.xor(r1, l1);
    r2 = v128.xor(r2, l2);
    l1 = v128.xor(l1, mix4(r1, k4));
    l2 = v128.xor(l2, mix4(r2, k4));
    r1 = v128.xor(r1, mix3(l1, k2, k3));
    r2 = v128.xor(r2, mix3(l2, k2, k3));
    l1 = v128.xor(l1, mix2(r1, k1));
    l2 = v128.xor(l2, mix2(r2, k1));
    r1 = v128.xor(r1, l1);
    r2 = v128.xor(r2, l2);
  }
  const before = from - 8;
  const p1 = v128.shuffle<u8>(l1, r1, 3, 2, 1, 0, 19, 18, 17, 16, 7, 6, 5, 4, 23, 22, 21, 20);
  const p2 = v128.shuffle<u8>(l1, r1, 11, 10, 9, 8, 27, 26, 25, 24, 15, 14, 13, 12, 31, 30, 29, 28);
  const p3 = v128.shuffle<u8>(l2, r2, 3, 2, 1, 0, 19, 18, 17, 16, 7, 6, 5, 4, 23, 22, 21, 20);
  const p4 = v128.shuffle<u8>(l2, r2, 11, 10, 9, 8, 27, 26, 25, 24, 15, 14, 13, 12, 31, 30, 29, 28);
  v128.store(to, v128.xor(p1, v128.load(before)));
  v128.store(to, v128.xor(p2, v128.load(before, 16)), 16);
  v128.store(to, v128.xor(p3, v128.load(before, 32)), 32);
  v128.store(to, v128.xor(p4, v128.load(before, 48)), 48);
}

/** The last 1 to 7 octets: exclusive or with the encrypted ciphertext block before them. */
function residue(block: i32, target: i32, length: i32, key: i32): void {
  let left = bswap<u32>(load<u32>(block));
  let right = bswap<u32>(load<u32>(block, 4));
  for (let round: i32 = 0; round < 4; round += 1) {
    for (let half: i32 = 0; half < 2; half += 1) {
      const k = key + half * 16;
      right ^= left;
      let y = right + load<u32>(k);
      let z = rotl<u32>(y, 1) + y - 1;
      left ^= rotl<u32>(z, 4) ^ z;
      y = left + load<u32>(k, 4);
      z = rotl<u32>(y, 2) + y + 1;
      const b = (rotl<u32>(z, 8) ^ z) + load<u32>(k, 8);
      const c = rotl<u32>(b, 1) - b;
      right ^= rotl<u32>(c, 16) ^ (c | left);
      y = right + load<u32>(k, 12);
      left ^= rotl<u32>(y, 2) + y + 1;
    }
  }
  const mask: u64 = ((<u64>bswap<u32>(right)) << 32) | <u64>bswap<u32>(left);
  for (let index: i32 = 0; index < length; index += 1) {
    store<u8>(target + index, load<u8>(target + index) ^ <u8>(mask >> ((<u64>index) << 3)));
  }
}

function decryptPayload(payload: i32, length: i32, key: i32): void {
  const whole = length & ~7;
  store<u64>(cipherAt, load<u64>(initialAt));
  memory.copy(cipherAt + 8, payload, length);
  for (let at: i32 = 0; at < whole; at += 64) eightBlocks(cipherAt + 8 + at, plainAt + at, key);
  memory.copy(payload, plainAt, whole);
  const rest = length - whole;
  if (rest > 0) residue(cipherAt + whole, payload + whole, rest, key);
}

/**
 * Decrypts the scrambled packets among the first `count` whose PID has a slot with the key they name, and clears their
 * transport_scrambling_control. Packets with transport_error_indicator, without sync byte or without payload stay as
 * they are.
 * @returns packets decrypted
 */
export function decrypt(count: i32): i32 {
  let decrypted: i32 = 0;
  const end = packetsAt + min(count, MAX_PACKETS) * PACKET;
  for (let packet = packetsAt; packet < end; packet += PACKET) {
    const flags = <i32>load<u8>(packet, 3);
    // Scrambling control 2 is the even key, 3 the odd one; 1 is not operated.
    if ((flags & 0x80) === 0 || load<u8>(packet) !== 0x47 || (load<u8>(packet, 1) & 0x80) !== 0) continue;
    const pid = ((<i32>load<u8>(packet, 1) & 0x1f) << 8) | <i32>load<u8>(packet, 2);
    const slot = <i32>load<u8>(slotsAt + pid);
    if (slot === 0 || slot >= SLOTS) continue;
    const isOdd = (flags & 0x40) !== 0;
    const record = keysAt + slot * SLOT_BYTES;
    if ((load<u8>(record, FLAGS) & (isOdd ? 1 : 2)) === 0) continue;
    let header: i32 = 4;
    if ((flags & 0x20) !== 0) header = 5 + <i32>load<u8>(packet, 4);
    // A packet whose header fills it carries nothing that was scrambled.
    if ((flags & 0x10) !== 0 && header < PACKET) {
      decryptPayload(packet + header, PACKET - header, isOdd ? record : record + EVEN);
    }
    store<u8>(packet, <u8>(flags & 0x3f), 3);
    decrypted += 1;
  }
  return decrypted;
}
