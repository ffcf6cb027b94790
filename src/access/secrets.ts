/** Codes and tokens: created from passed-in randomness, stored as SHA-256 only, compared in constant time. */
import { timingSafeEqual } from 'node:crypto';
import type { Random } from '../../lib/host/random.ts';

const TOKEN_PREFIX = 'svc_';
/** 256 bits cannot be guessed, so a plain hash protects them. */
const SECRET_BYTES = 32;

/** Consonants that look different in all fonts and spell no words. RFC 8628, 6.1. */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_LENGTH = 8;
const USER_CODE = new RegExp(`^[${USER_CODE_LETTERS}]{4}-[${USER_CODE_LETTERS}]{4}$`);
/** The largest multiple of the number of letters below 256: larger octets would favour some letters. */
const FAIR_LIMIT = 256 - (256 % USER_CODE_LETTERS.length);

export function newSecret(random: Random): string {
  return random(SECRET_BYTES).toBase64({ alphabet: 'base64url', omitPadding: true });
}

export function newToken(random: Random): string {
  return TOKEN_PREFIX + newSecret(random);
}

/** `XXXX-XXXX`. */
export function newUserCode(random: Random): string {
  let letters = '';
  while (letters.length < USER_CODE_LENGTH) {
    for (const octet of random(USER_CODE_LENGTH)) {
      if (octet < FAIR_LIMIT && letters.length < USER_CODE_LENGTH) {
        letters += USER_CODE_LETTERS[octet % USER_CODE_LETTERS.length];
      }
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** The code in a URL, as issued; undefined if it cannot be one. */
export function readUserCode(text: string): string | undefined {
  if (text.length > USER_CODE_LENGTH + 1) return undefined;
  const code = text.toUpperCase();
  return USER_CODE.test(code) ? code : undefined;
}

const MAX_TYPED_LENGTH = 40;
const SEPARATORS = /[\s\-‐‑–−ー]/gu;

/** The code as a person types it: also full width, with other hyphens, spaces or none. */
export function readTypedCode(text: string): string | undefined {
  if (text.length > MAX_TYPED_LENGTH) return undefined;
  const letters = text.normalize('NFKC').replace(SEPARATORS, '');
  return readUserCode(`${letters.slice(0, 4)}-${letters.slice(4)}`);
}

/** Hex. */
export function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex');
}

/** In constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const hash = (text: string): Buffer => Buffer.from(hashOf(text), 'hex');
  return timingSafeEqual(hash(a), hash(b));
}
