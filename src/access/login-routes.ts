/** `/login`, `/login/callback`, `/logout`: login with an identity provider, in a browser. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Elysia } from 'elysia';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import { ownerOf } from '../../lib/host/networks.ts';
import type { Random } from '../../lib/host/random.ts';
import { cookieValues, setCookie } from '../http/route/cookies.ts';
import { REFUSALS } from '../http/route/described-responses.ts';
import { CONFIRM_PARAMETER } from '../http/route/page.ts';
import { publicBase, requesterOf } from '../http/route/request.ts';
import { SESSION_COOKIE } from './access.ts';
import { type AttemptLimiter, retryAfter } from './attempt-limiter.ts';
import { BoundedPlaces } from './bounded-places.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { deniedPage, LOGIN_PAGES } from './login-pages.ts';
import { denialOf, type IdentityClaims, type LoginChecks, LoginFailure, nameOfClaims } from './openid.ts';
import type { Sessions } from './sessions.ts';

const MAX_LENGTH = 1_024;

/**
 * @param to relative to the service's address, as the browser sent it
 * @param base the service's address with a final slash
 * @returns an absolute address below `base`; `base` itself for anything else
 */
export function returnAddress(to: string | null, base: string): string {
  if (to === null || to.length > MAX_LENGTH) return base;
  const [root, target] = [new URL(base), URL.parse(to, base)];
  if (target === null || target.origin !== root.origin || !target.pathname.startsWith(root.pathname))
    return base;
  if (target.username !== '' || target.password !== '') return base;
  // Prevents loops and redirects to other hosts: `//host` below the root is only a path of the service.
  const path = target.pathname.slice(root.pathname.length);
  if (path.startsWith('/') || /^log(?:in|out)(?:\/|$)/.test(path)) return base;
  // Any page can lead a browser to the login with an address of its choice.
  if (/^device\/*$/.test(path)) target.searchParams.set(CONFIRM_PARAMETER, '1');
  return target.href;
}

/** Time for a password, a second factor and a forgotten tab. Any client can start logins: ~1 KB each. */
const LIMITS = { most: 500, mostPerOwner: 20, lifetimeMs: 10 * 60_000 };

interface PendingLogin {
  checks: LoginChecks;
  redirectUri: string;
  /** Where the browser wanted to go, an address of the service. */
  to: string;
}

interface Held extends PendingLogin {
  browser: Buffer;
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Logins in progress, with the values that the callback is checked against. Kept by the service, not in the browser,
 * so that each is used once; bound to the browser by a cookie, so that no other browser completes the login.
 */
export class PendingLogins {
  /** By state. */
  readonly #held: BoundedPlaces<Held>;

  constructor(now: MonotonicClock) {
    this.#held = new BoundedPlaces(LIMITS, now);
  }

  /** @param browser value of its cookie @param address of the client */
  add(login: PendingLogin, browser: string, address: string): void {
    this.#held.add(login.checks.state, ownerOf(address), { ...login, browser: hashOf(browser) });
  }

  /** Works once. @returns undefined: unknown, used, expired, or started by another browser, which keeps it */
  take(state: string, browser: string): PendingLogin | undefined {
    const held = this.#held.get(state);
    if (held === undefined || !timingSafeEqual(held.browser, hashOf(browser))) return undefined;
    this.#held.delete(state);
    return held;
  }

  /** Whether a login of this browser is in progress. */
  knows(browser: string): boolean {
    const hash = hashOf(browser);
    return this.#held.some((held) => timingSafeEqual(held.browser, hash));
  }

  get size(): number {
    return this.#held.size;
  }
}

interface LoginNeeds {
  /** null: none is configured. */
  provider: (() => Promise<Pick<IdentityProvider, 'begin' | 'finish'>>) | null;
  group: string | null;
  pending: PendingLogins;
  sessions: Pick<Sessions, 'begin' | 'end'>;
  limiter: Pick<AttemptLimiter, 'attempt'>;
  /** Whether an address needs no login. */
  isTrusted: (address: string) => boolean;
  /** Whether addresses exist that need no login. */
  hasTrustedNetworks: boolean;
  random: Random;
  log: Log;
}

/** Identifies the browser that started a login. */
const BROWSER_COOKIE = 'svc_login';
const BROWSER_BYTES = 32;
/** Maximum duration of a login. */
const BROWSER_LIFETIME_MS = 10 * 60_000;
const BROWSER_VALUE = /^[A-Za-z0-9_-]{43}$/;

function redirect(url: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location: url, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 302, headers });
}

function loginAddress(base: string, to: string, chooseAccount = false): string {
  const url = new URL('login', base);
  if (to !== base) url.searchParams.set('to', to.slice(base.length));
  if (chooseAccount) url.searchParams.set('account', 'choose');
  return url.href;
}

/**
 * What the browser's cookie is for. Over https that is the whole host, also where the service is only part of it:
 * browsers let no other host set such a cookie.
 */
function browserUrl(base: string): string {
  return new URL(base.startsWith('https:') ? '/' : 'login', base).href;
}

/** Undefined: none, or several: one of them was planted by another host or an earlier page. */
function browserOf(request: Request, base: string): string | undefined {
  const sent = cookieValues(request.headers.get('cookie'), BROWSER_COOKIE, browserUrl(base));
  const [value, ...others] = new Set(sent.filter((one) => BROWSER_VALUE.test(one)));
  return others.length === 0 ? value : undefined;
}

export const LOGIN_CALLBACK = '/login/callback';

class LoginFlow {
  constructor(private readonly needs: LoginNeeds) {}

  async begin(request: Request, query: URLSearchParams): Promise<Response> {
    const { provider, pending, isTrusted, random } = this.needs;
    const base = publicBase(request);
    const to = returnAddress(query.get('to'), base);
    const { address } = requesterOf(request);
    if (provider === null)
      return isTrusted(address) ? redirect(to) : LOGIN_PAGES.notConfigured(loginAddress(base, to));
    if (isTrusted(address)) return redirect(to);
    const refused = this.#limit(address, loginAddress(base, to));
    if (refused !== undefined) return refused;
    const redirectUri = new URL('login/callback', base).href;
    const sent = browserOf(request, base);
    // The login of another tab goes on with the same cookie; a value that no login gave out may be planted.
    const browser =
      sent !== undefined && pending.knows(sent)
        ? sent
        : random(BROWSER_BYTES).toBase64({ alphabet: 'base64url', omitPadding: true });
    try {
      const isChosen = query.get('account') === 'choose';
      const { url, checks } = await (await provider()).begin(redirectUri, isChosen);
      pending.add({ checks, redirectUri, to }, browser, address);
      const cookie = { name: BROWSER_COOKIE, value: browser, url: browserUrl(base) };
      return redirect(url.href, [setCookie({ ...cookie, lifetimeMs: BROWSER_LIFETIME_MS })]);
    } catch (error) {
      return this.#failed(error, loginAddress(base, to));
    }
  }

  async finish(request: Request, query: URLSearchParams): Promise<Response> {
    const { provider, pending } = this.needs;
    const base = publicBase(request);
    if (provider === null) return LOGIN_PAGES.notConfigured(loginAddress(base, base));
    const refused = this.#limit(requesterOf(request).address, loginAddress(base, base));
    if (refused !== undefined) return refused;
    const browser = browserOf(request, base);
    const state = query.get('state');
    const begun = browser === undefined || state === null ? undefined : pending.take(state, browser);
    // A provider returns to the address that it was given: another one is a forwarded name that changed meanwhile.
    if (begun === undefined || begun.redirectUri !== new URL('login/callback', base).href)
      return LOGIN_PAGES.expired(loginAddress(base, base));
    const callback = new URL(begun.redirectUri);
    callback.search = query.toString();
    try {
      const claims = await (await provider()).finish(callback, begun.checks);
      return this.#enter(request, begun.to, claims);
    } catch (error) {
      return this.#failed(error, loginAddress(base, returnAddress(begun.to, base)));
    }
  }

  /** Does not reveal whether anyone was logged in. */
  leave(request: Request): Response {
    const base = publicBase(request);
    for (const secret of cookieValues(request.headers.get('cookie'), SESSION_COOKIE, base))
      this.needs.sessions.end(secret);
    const cookie = setCookie({ name: SESSION_COOKIE, value: '', url: base, lifetimeMs: 0 });
    return new Response(null, {
      status: 204,
      headers: { 'set-cookie': cookie, 'cache-control': 'no-store' },
    });
  }

  #enter(request: Request, to: string, claims: IdentityClaims): Response {
    const { group, sessions, log } = this.needs;
    const base = publicBase(request);
    const { address } = requesterOf(request);
    const [name, denial] = [nameOfClaims(claims), denialOf(claims, group)];
    if (denial !== undefined) {
      log.warn('login denied', { reason: denial, name, address });
      return deniedPage(denial, group ?? '', name, loginAddress(base, returnAddress(to, base), true));
    }
    // Replaces earlier sessions of this browser.
    for (const secret of cookieValues(request.headers.get('cookie'), SESSION_COOKIE, base))
      sessions.end(secret);
    const agent = request.headers.get('user-agent') ?? '';
    const { secret, lifetimeMs } = sessions.begin({ subject: String(claims.sub), name, address, agent });
    log.info('logged in', { name, address });
    return redirect(returnAddress(to, base), [
      setCookie({ name: SESSION_COOKIE, value: secret, url: base, lifetimeMs }),
    ]);
  }

  #failed(error: unknown, again: string): Response {
    const { hasTrustedNetworks, log } = this.needs;
    if (!(error instanceof LoginFailure)) throw error;
    log.warn('login failed', { kind: error.kind, reason: error.message });
    switch (error.kind) {
      case 'provider_down':
        return LOGIN_PAGES.providerDown(again, hasTrustedNetworks);
      case 'refused':
        return LOGIN_PAGES.refused(again);
      case 'invalid':
        return LOGIN_PAGES.invalid(again);
    }
  }

  #limit(address: string, again: string): Response | undefined {
    const waitMs = this.needs.limiter.attempt(address);
    return waitMs === 0 ? undefined : LOGIN_PAGES.tooMany(retryAfter(waitMs), again);
  }
}

const PAGE = { content: { 'text/html': { schema: { type: 'string' as const } } } };

export function addLoginRoutes(app: Elysia, needs: LoginNeeds): void {
  const flow = new LoginFlow(needs);
  const queryOf = (request: Request): URLSearchParams => new URL(request.url).searchParams;
  const shared = { tags: ['access'], security: [] };
  const refusals = {
    403: {
      description: 'the login was refused, denied or could not be verified; the reason as a page',
      ...PAGE,
    },
    404: { description: 'no identity provider is configured', ...PAGE },
    429: { description: 'too many attempts from this address', ...PAGE },
    503: { description: 'the identity provider does not answer', ...PAGE },
  };

  app.get('/login', ({ request }) => flow.begin(request, queryOf(request)), {
    detail: {
      ...shared,
      summary: 'Begin a login with the identity provider',
      parameters: [
        {
          name: 'to',
          in: 'query',
          description: 'where to go afterwards, relative to the address of the service',
          schema: { type: 'string' },
        },
      ],
      responses: {
        ...refusals,
        302: { description: 'to the provider; inside a trusted network to the requested screen' },
      },
    },
  });

  app.get(LOGIN_CALLBACK, ({ request }) => flow.finish(request, queryOf(request)), {
    detail: {
      ...shared,
      summary: 'Where the identity provider sends the browser back',
      responses: {
        ...refusals,
        302: { description: 'to the requested screen, with the session cookie' },
        400: {
          description: 'not started in this browser, used or expired; a page with a link to a new login',
          ...PAGE,
        },
      },
    },
  });

  app.get(
    '/logout',
    ({ request }) => LOGIN_PAGES.loggedOut(loginAddress(publicBase(request), publicBase(request))),
    {
      detail: {
        ...shared,
        summary: 'Page to show after `POST /logout`; ends nothing',
        responses: { 200: { description: 'page', ...PAGE } },
      },
    },
  );

  app.post('/logout', ({ request }) => flow.leave(request), {
    detail: {
      ...shared,
      summary: 'End the session of this browser',
      description: 'The login at the identity provider is not changed.',
      responses: { 204: { description: 'ended, or there was none' }, 403: REFUSALS[403] },
    },
  });
}
