/**
 * MULTI2 decryption of transport stream packets (ARIB STD-B25 Part 1, 3.2.4), AssemblyScript with SIMD: all blocks of
 * a packet at once, because decryption of chained blocks only needs their ciphertext. The key schedule is computed in
 * `lib/arib/conditional/multi2.ts`, which is also the reference for tests.
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
/** Previous block, then 24 blocks of ciphertext, the last of which is padding. */
const cipherAt: i32 = memory.data(208, 16) as i32;
const plainAt: i32 = memory.data(192, 16) as i32;

export function packets(): i32 {
  return packetsAt;
}

/** One octet per PID: its slot. */
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

function rotl4(v: v128): v128 {
  return v128.or(i32x4.shl(v, 4), i32x4.shr_u(v, 28));
}

function rotl8(v: v128): v128 {
  return v128.shuffle<u8>(v, v, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
}

function rotl16(v: v128): v128 {
  return v128.shuffle<u8>(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
}

/**
 * rotl1(y) + y - 1: twice y, plus the bit that is rotated to the right end, plus y, minus 1. Avoids a shift, which
 * costs four instructions.
 */
function tripled(y: v128): v128 {
  const bitLessOne = i32x4.gt_s(y, i32x4.splat(-1));
  return i32x4.add(i32x4.add(y, y), i32x4.add(y, bitLessOne));
}

/** rotl2(y) + y + 1. */
function quintupled(y: v128): v128 {
  const twice = i32x4.add(y, y);
  const rotated = v128.or(i32x4.add(twice, twice), i32x4.shr_u(y, 30));
  return i32x4.add(rotated, i32x4.sub(y, i32x4.splat(-1)));
}

/** The value that π2 adds to the left half. */
function mix2(right: v128, key: v128): v128 {
  const z = tripled(i32x4.add(right, key));
  return v128.xor(rotl4(z), z);
}

/** The value that π3 adds to the right half. */
function mix3(left: v128, key1: v128, key2: v128): v128 {
  const z = quintupled(i32x4.add(left, key1));
  const b = i32x4.add(v128.xor(rotl8(z), z), key2);
  // rotl1(b) - b: b plus the rotated bit.
  const c = i32x4.sub(b, i32x4.gt_s(i32x4.splat(0), b));
  return v128.xor(rotl16(c), v128.or(c, left));
}

/** The value that π4 adds to the left half. */
function mix4(right: v128, key: v128): v128 {
  return quintupled(i32x4.add(right, key));
}

/** Left halves of four blocks. */
function lefts(at: i32): v128 {
  // biome-ignore format: octets by block
  return v128.shuffle<u8>(v128.load(at), v128.load(at, 16), 3, 2, 1, 0, 11, 10, 9, 8, 19, 18, 17, 16, 27, 26, 25, 24);
}

/** Right halves of four blocks. */
function rights(at: i32): v128 {
  // biome-ignore format: octets by block
  return v128.shuffle<u8>(v128.load(at), v128.load(at, 16), 7, 6, 5, 4, 15, 14, 13, 12, 23, 22, 21, 20, 31, 30, 29, 28);
}

/** Stores four blocks, chained to the ciphertext blocks from `before`. */
function storeChained(to: i32, before: i32, left: v128, right: v128): void {
  const first = v128.shuffle<u8>(left, right, 3, 2, 1, 0, 19, 18, 17, 16, 7, 6, 5, 4, 23, 22, 21, 20);
  const second = v128.shuffle<u8>(left, right, 11, 10, 9, 8, 27, 26, 25, 24, 15, 14, 13, 12, 31, 30, 29, 28);
  v128.store(to, v128.xor(first, v128.load(before)));
  v128.store(to, v128.xor(second, v128.load(before, 16)), 16);
}

/** The 24 blocks from `from` on, with the previous one at `from` - 8, in six parallel vectors. */
function decryptBlocks(from: i32, to: i32, key: i32): void {
  const k1 = v128.load32_splat(key);
  const k2 = v128.load32_splat(key, 4);
  const k3 = v128.load32_splat(key, 8);
  const k4 = v128.load32_splat(key, 12);
  const k5 = v128.load32_splat(key, 16);
  const k6 = v128.load32_splat(key, 20);
  const k7 = v128.load32_splat(key, 24);
  const k8 = v128.load32_splat(key, 28);
  let al = lefts(from);
  let ar = rights(from);
  let bl = lefts(from + 32);
  let br = rights(from + 32);
  let cl = lefts(from + 64);
  let cr = rights(from + 64);
  let dl = lefts(from + 96);
  let dr = rights(from + 96);
  let el = lefts(from + 128);
  let er = rights(from + 128);
  let fl = lefts(from + 160);
  let fr = rights(from + 160);
  for (let round: i32 = 0; round < 4; round += 1) {
    al = v128.xor(al, mix4(ar, k8));
    bl = v128.xor(bl, mix4(br, k8));
    cl = v128.xor(cl, mix4(cr, k8));
    dl = v128.xor(dl, mix4(dr, k8));
    el = v128.xor(el, mix4(er, k8));
    fl = v128.xor(fl, mix4(fr, k8));
    ar = v128.xor(ar, mix3(al, k6, k7));
    br = v128.xor(br, mix3(bl, k6, k7));
    cr = v128.xor(cr, mix3(cl, k6, k7));
    dr = v128.xor(dr, mix3(dl, k6, k7));
    er = v128.xor(er, mix3(el, k6, k7));
    fr = v128.xor(fr, mix3(fl, k6, k7));
    al = v128.xor(al, mix2(ar, k5));
    bl = v128.xor(bl, mix2(br, k5));
    cl = v128.xor(cl, mix2(cr, k5));
    dl = v128.xor(dl, mix2(dr, k5));
    el = v128.xor(el, mix2(er, k5));
    fl = v128.xor(fl, mix2(fr, k5));
    ar = v128.xor(ar, al);
    br = v128.xor(br, bl);
    cr = v128.xor(cr, cl);
    dr = v128.xor(dr, dl);
    er = v128.xor(er, el);
    fr = v128.xor(fr, fl);
    al = v128.xor(al, mix4(ar, k4));
    bl = v128.xor(bl, mix4(br, k4));
    cl = v128.xor(cl, mix4(cr, k4));
    dl = v128.xor(dl, mix4(dr, k4));
    el = v128.xor(el, mix4(er, k4));
    fl = v128.xor(fl, mix4(fr, k4));
    ar = v128.xor(ar, mix3(al, k2, k3));
    br = v128.xor(br, mix3(bl, k2, k3));
    cr = v128.xor(cr, mix3(cl, k2, k3));
    dr = v128.xor(dr, mix3(dl, k2, k3));
    er = v128.xor(er, mix3(el, k2, k3));
    fr = v128.xor(fr, mix3(fl, k2, k3));
    al = v128.xor(al, mix2(ar, k1));
    bl = v128.xor(bl, mix2(br, k1));
    cl = v128.xor(cl, mix2(cr, k1));
    dl = v128.xor(dl, mix2(dr, k1));
    el = v128.xor(el, mix2(er, k1));
    fl = v128.xor(fl, mix2(fr, k1));
    ar = v128.xor(ar, al);
    br = v128.xor(br, bl);
    cr = v128.xor(cr, cl);
    dr = v128.xor(dr, dl);
    er = v128.xor(er, el);
    fr = v128.xor(fr, fl);
  }
  const before = from - 8;
  storeChained(to, before, al, ar);
  storeChained(to + 32, before + 32, bl, br);
  storeChained(to + 64, before + 64, cl, cr);
  storeChained(to + 96, before + 96, dl, dr);
  storeChained(to + 128, before + 128, el, er);
  storeChained(to + 160, before + 160, fl, fr);
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
  decryptBlocks(cipherAt + 8, plainAt, key);
  memory.copy(payload, plainAt, whole);
  const rest = length - whole;
  if (rest > 0) residue(cipherAt + whole, payload + whole, rest, key);
}

/**
 * Decrypts the scrambled packets among the first `count` whose PID has a slot with the required key, and clears their
 * transport_scrambling_control. Packets with transport_error_indicator, without sync byte or without payload are
 * unchanged.
 * @returns number of decrypted packets
 */
export function decrypt(count: i32): i32 {
  let decrypted: i32 = 0;
  const end = packetsAt + min(count, MAX_PACKETS) * PACKET;
  for (let packet = packetsAt; packet < end; packet += PACKET) {
    const flags = <i32>load<u8>(packet, 3);
    // Scrambling control 2 is the even key, 3 the odd one; 1 is not used.
    if ((flags & 0x80) === 0 || load<u8>(packet) !== 0x47 || (load<u8>(packet, 1) & 0x80) !== 0) continue;
    const pid = ((<i32>load<u8>(packet, 1) & 0x1f) << 8) | <i32>load<u8>(packet, 2);
    const slot = <i32>load<u8>(slotsAt + pid);
    if (slot === 0 || slot >= SLOTS) continue;
    const isOdd = (flags & 0x40) !== 0;
    const record = keysAt + slot * SLOT_BYTES;
    if ((load<u8>(record, FLAGS) & (isOdd ? 1 : 2)) === 0) continue;
    let header: i32 = 4;
    if ((flags & 0x20) !== 0) header = 5 + <i32>load<u8>(packet, 4);
    // A packet that consists of its header has no scrambled data.
    if ((flags & 0x10) !== 0 && header < PACKET) {
      decryptPayload(packet + header, PACKET - header, isOdd ? record : record + EVEN);
    }
    store<u8>(packet, <u8>(flags & 0x3f), 3);
    decrypted += 1;
  }
  return decrypted;
}
