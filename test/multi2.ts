/**
 * MULTI2 on payloads, the scalar reference: 4 rounds of eight elementary functions, cipher block chaining with the initial
 * value in every packet, and output feedback for the last 1 to 7 octets. ARIB STD-B25 Part 1, 3.1.
 */
import { type Block, step, type WorkKeys, words } from '../lib/arib/conditional/multi2.ts';

/** STD-B25: the number of rounds N is 4, so 32 elementary functions. */
const ROUNDS = 4;

/** @param rounds elementary functions; the published test vectors use 128 and 216 */
export function encryptBlock(block: Uint8Array, work: WorkKeys, functions = ROUNDS * 8): Uint8Array {
  const [left, right] = words(block, 2) as unknown as [number, number];
  const halves: Block = { left, right };
  for (let index = 0; index < functions; index += 1) step(halves, index % 8, work);
  return bytesOf(halves);
}

function decryptBlock(block: Uint8Array, work: WorkKeys): Uint8Array {
  const [left, right] = words(block, 2) as unknown as [number, number];
  const halves: Block = { left, right };
  // Every elementary function is its own inverse.
  for (let index = ROUNDS * 8 - 1; index >= 0; index -= 1) step(halves, index % 8, work);
  return bytesOf(halves);
}

function bytesOf({ left, right }: Block): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, left >>> 0);
  view.setUint32(4, right >>> 0);
  return bytes;
}

/** Decrypts one packet's payload in place. @param initial 8 octets, the initial CBC value */
export function decryptPayload(payload: Uint8Array, work: WorkKeys, initial: Uint8Array): void {
  let previous = initial;
  const blockBytes = payload.length - (payload.length % 8);
  for (let at = 0; at < blockBytes; at += 8) {
    const cipher = payload.slice(at, at + 8);
    const plain = decryptBlock(cipher, work);
    for (let index = 0; index < 8; index += 1) {
      payload[at + index] = (plain[index] as number) ^ (previous[index] as number);
    }
    previous = cipher;
  }
  applyResidue(payload, blockBytes, previous, work);
}

/** Encrypts one packet's payload in place, like a broadcaster. */
export function encryptPayload(payload: Uint8Array, work: WorkKeys, initial: Uint8Array): void {
  let previous = initial;
  const blockBytes = payload.length - (payload.length % 8);
  const mixed = new Uint8Array(8);
  for (let at = 0; at < blockBytes; at += 8) {
    for (let index = 0; index < 8; index += 1)
      mixed[index] = (payload[at + index] as number) ^ (previous[index] as number);
    previous = encryptBlock(mixed, work);
    payload.set(previous, at);
  }
  applyResidue(payload, blockBytes, previous, work);
}

/** The last 1 to 7 octets, in both directions: exclusive or with the encrypted last ciphertext block. */
function applyResidue(payload: Uint8Array, from: number, previous: Uint8Array, work: WorkKeys): void {
  if (from === payload.length) return;
  const mask = encryptBlock(previous, work);
  for (let at = from; at < payload.length; at += 1) {
    payload[at] = (payload[at] as number) ^ (mask[at - from] as number);
  }
}
