/**
 * `/device?code=XXXX-XXXX`: the target of a device's QR code. Only its form approves. It submits itself if a person
 * opened the URL, as a camera does, once the page is visible; if a page or a redirect led here, its button is pressed.
 * Prefetching, prerendering, reloading or restoring it changes nothing.
 */
import type { Elysia } from 'elysia';
import type { LetIn } from '../model/requester.ts';
import { CONFIRM_PARAMETER } from '../route/page.ts';
import { publicBase } from '../route/public-base.ts';
import { requesterOf } from '../route/requester.ts';
import { donePage, formPage, gonePage, refusedByToken, scanPage, stalePage } from './device-page.ts';
import type { FormGuard } from './form-guard.ts';
import type { PairingService } from './pairing-service.ts';
import { readUserCode } from './secrets.ts';

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
  const userCode = readUserCode(given);
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
