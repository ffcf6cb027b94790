/**
 * Protects the form of a page from other sites and from pages that imitate it. A browser that opens the page gets a
 * cookie; the form carries a value that only this process can compute from that cookie and the code (signed
 * double-submit). A cookie planted by an attacker has no such value.
 */
import { createHmac } from 'node:crypto';
import type { Random } from '../../host/random.ts';
import { cookieValues, setCookie } from '../route/cookies.ts';
import { isSameSecret, newSecret } from './secrets.ts';

const COOKIE = 'svc_device';
/** Format of `newSecret`. */
const NONCE = /^[A-Za-z0-9_-]{43}$/;
/** The form is sent at once; its code is valid for the same time. */
const LIFETIME_MS = 600_000;

interface FormProof {
  /** Value of the form field. */
  readonly value: string;
  /** `Set-Cookie` of the page. */
  readonly cookie: string;
}

/** What the cookie is for: the page alone. */
const pageOf = (base: string): string => new URL('device', base).href;

function nonceOf(cookies: string | null, base: string): string | undefined {
  const [nonce = ''] = cookieValues(cookies, COOKIE, pageOf(base));
  return NONCE.test(nonce) ? nonce : undefined;
}

export class FormGuard {
  readonly #key: Uint8Array;

  constructor(private readonly random: Random) {
    this.#key = random(32);
  }

  /**
   * @param cookies of the request for the page; a second page of the same browser keeps the first one valid
   * @param base address of the service, with a trailing slash
   * @param subject what the form is about
   */
  issue(cookies: string | null, base: string, subject: string): FormProof {
    const nonce = nonceOf(cookies, base) ?? newSecret(this.random);
    const cookie = setCookie({
      ...{ name: COOKIE, value: nonce, url: pageOf(base) },
      ...{ lifetimeMs: LIFETIME_MS, sameSite: 'Strict' },
    });
    return { value: this.#sign(nonce, subject), cookie };
  }

  /** @param base as of `issue` @param value from the form */
  isGenuine(cookies: string | null, base: string, value: string, subject: string): boolean {
    const nonce = nonceOf(cookies, base);
    return nonce !== undefined && isSameSecret(value, this.#sign(nonce, subject));
  }

  #sign(nonce: string, subject: string): string {
    return createHmac('sha256', this.#key).update(`${nonce} ${subject}`).digest('base64url');
  }
}
