/**
 * `/device?code=XXXX-XXXX`: the target of a device's QR code; without a code it is typed there. Only its form approves. It submits itself if a person
 * opened the URL, as a camera does, once the page is visible; if a page or a redirect led here, its button is pressed.
 * Prefetching, prerendering, reloading or restoring it changes nothing.
 */
import { createHmac } from 'node:crypto';
import type { Elysia } from 'elysia';
import type { Random } from '../../lib/host/random.ts';
import { cookieValues, setCookie } from '../http/route/cookies.ts';
import { CONFIRM_PARAMETER } from '../http/route/page.ts';
import { publicBase, requesterOf } from '../http/route/request.ts';
import type { LetIn } from '../model/requester.ts';
import { donePage, formPage, gonePage, refusedByToken, scanPage, stalePage } from './device-page.ts';
import type { PairingService } from './pairing-service.ts';
import { isSameSecret, newSecret, readTypedCode, readUserCode } from './secrets.ts';

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

/**
 * Protects the form of a page from other sites and from pages that imitate it. A browser that opens the page gets a
 * cookie; the form carries a value that only this process can compute from that cookie and the code (signed
 * double-submit). A cookie planted by an attacker has no such value.
 */
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

interface DevicePageNeeds {
  pairing: PairingService;
  guard: FormGuard;
}

/** A code and its proof are 60 octets. */
const MAX_FORM_LENGTH = 1_024;
/** Of the approver's name in the list of devices. */
const MAX_APPROVER_LENGTH = 80;

/** Name of the approver in the list of devices; undefined: not permitted to approve. */
function approverOf(letIn: LetIn): string | undefined {
  switch (letIn.by) {
    case 'session':
      return letIn.name.replace(/\p{C}/gu, '').slice(0, MAX_APPROVER_LENGTH);
    case 'network':
      return letIn.address;
    case 'token':
    case 'open':
      return undefined;
  }
}

/**
 * The browser says that no page led here. Over plain http browsers do not say it.
 * @param query of the page. @see Fetch Metadata Request Headers, 2.4
 */
function isOpenedByPerson({ headers }: Request, query: URLSearchParams): boolean {
  return headers.get('sec-fetch-site') === 'none' && !query.has(CONFIRM_PARAMETER);
}

function showCode(request: Request, { pairing, guard }: DevicePageNeeds): Response {
  const query = new URL(request.url).searchParams;
  const given = query.get('code');
  if (given === null) return scanPage();
  const userCode = readTypedCode(given);
  if (userCode === undefined) return gonePage();
  const view = pairing.view(userCode);
  switch (view.kind) {
    case 'gone':
      return gonePage();
    case 'approved':
      return donePage(view.name);
    case 'pending': {
      const { value, cookie } = guard.issue(request.headers.get('cookie'), publicBase(request), userCode);
      const submitsItself = isOpenedByPerson(request, query);
      return formPage({ ...view.request, userCode, proof: value, cookie, submitsItself });
    }
  }
}

/** @param body as sent */
function approve(request: Request, body: unknown, { pairing, guard }: DevicePageNeeds): Response {
  const approver = approverOf(requesterOf(request).letIn);
  if (approver === undefined) return refusedByToken();
  const text = typeof body === 'string' && body.length <= MAX_FORM_LENGTH ? body : '';
  const form = new URLSearchParams(text);
  const userCode = readUserCode(form.get('code') ?? '');
  // Browsers send an Origin with every form; that it is the service's own was checked before (`host-check.ts`).
  const isOwn = request.headers.get('origin') !== null;
  const proof = form.get('proof') ?? '';
  const cookies = request.headers.get('cookie');
  const base = publicBase(request);
  if (!isOwn || userCode === undefined || !guard.isGenuine(cookies, base, proof, userCode)) {
    return stalePage(userCode);
  }
  const view = pairing.approve(userCode, approver);
  if (view.kind === 'gone') return gonePage();
  // Reloading the page after this redirect sends no form again.
  const { pathname } = new URL(base);
  return new Response(null, {
    status: 303,
    headers: { location: `${pathname}device?code=${userCode}`, 'cache-control': 'no-store' },
  });
}

export function addDevicePageRoutes(app: Elysia, needs: DevicePageNeeds): void {
  const detail = { hide: true };
  app.get('/device', ({ request }) => showCode(request, needs), { detail });
  app.post('/device', ({ request, body }) => approve(request, body, needs), { parse: 'text', detail });
}
