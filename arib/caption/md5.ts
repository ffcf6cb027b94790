/** MD5 (RFC 1321), with which receivers identify broadcasters' bitmaps. Not for security. */

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21] as const;
const SINES = Int32Array.from({ length: 64 }, (_, index) =>
  Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32),
);
const BLOCK = 64;
const LENGTH_AT = 56;

/** The message, a one bit, zeros and the message's length in bits: RFC 1321 3.1, 3.2. */
function padded(message: Uint8Array): DataView {
  const blocks = Math.floor((message.length + 8) / BLOCK) + 1;
  const bytes = new Uint8Array(blocks * BLOCK);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  const lengthAt = (blocks - 1) * BLOCK + LENGTH_AT;
  view.setUint32(lengthAt, message.length * 8, true);
  view.setUint32(lengthAt + 4, Math.floor(message.length / 2 ** 29), true);
  return view;
}

/** Index of the block's word in a step: RFC 1321 3.4. */
function wordOf(step: number): number {
  const round = step >> 4;
  if (round === 0) return step;
  if (round === 1) return (5 * step + 1) & 15;
  return round === 2 ? (3 * step + 5) & 15 : (7 * step) & 15;
}

function mix(round: number, b: number, c: number, d: number): number {
  if (round === 0) return (b & c) | (~b & d);
  if (round === 1) return (d & b) | (~d & c);
  return round === 2 ? b ^ c ^ d : c ^ (b | ~d);
}

/** 32 hexadecimal digits, lower case. */
export function md5(message: Uint8Array): string {
  const view = padded(message);
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  for (let at = 0; at < view.byteLength; at += BLOCK) {
    let [a, b, c, d] = state as unknown as [number, number, number, number];
    for (let step = 0; step < 64; step++) {
      const round = step >> 4;
      const word = view.getInt32(at + wordOf(step) * 4, true);
      const sum = (a + mix(round, b, c, d) + word + (SINES[step] as number)) | 0;
      const shift = SHIFTS[round * 4 + (step & 3)] as number;
      a = d;
      d = c;
      c = b;
      b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
    }
    state[0] = (state[0] as number) + a;
    state[1] = (state[1] as number) + b;
    state[2] = (state[2] as number) + c;
    state[3] = (state[3] as number) + d;
  }
  return new Uint8Array(state.buffer).toHex();
}
