/**
 * The access decision: who is let in, by endpoint. Every request passes here first; only this table defines paths
 * that need no credentials.
 */
import type { Networks } from '../../lib/host/networks.ts';
import { cookieValues } from '../http/route/cookies.ts';
import type { LetIn } from '../model/requester.ts';

/** Looks up an access token. The result applies to this request only: the next one is checked again. */
export interface TokenCheck {
  /** @param token with its prefix `svc_`. @returns the row's id; undefined when unknown or revoked */
  check(token: string): { tokenId: number } | undefined;
}

/** Carries the secret of a login session. Its name has a prefix over https. */
export const SESSION_COOKIE = 'svc_session';

/** Looks a login session up by its cookie. */
export interface SessionCheck {
  /** @param secret the value of the cookie. @returns undefined when unknown, ended or expired */
  find(secret: string): { sessionId: number; name: string } | undefined;
}

export interface AccessPolicy {
  trustedNetworks: Networks;
  /** Whether people can log in with an identity provider. */
  hasLogin: boolean;
  tokens: TokenCheck;
  sessions: SessionCheck;
}

export interface AccessRequest {
  /** The client address; undefined when it cannot be read. */
  address: string | undefined;
  /** Normalised path without the query. */
  path: string;
  authorization: string | null;
  cookie: string | null;
  /** The address at which the client opened the service, with a final slash. */
  base: string;
}

export type AccessDecision =
  | { kind: 'allow'; letIn: LetIn }
  /** No login method is configured, or the client's address is unknown. */
  | { kind: 'forbidden'; reason: string }
  | { kind: 'unauthorized' }
  /** One of our tokens that is unknown or revoked: the device must pair again. */
  | { kind: 'invalid_token' };

/**
 * `open`: anyone. `ticket`: the route itself redeems a single-use ticket. `key`: the route itself checks the key in its
 * path. `credentials`: network, session or token.
 */
type Protection = 'open' | 'ticket' | 'key' | 'credentials';

interface EndpointRow {
  /** A complete path, or a prefix that ends in `*`. */
  path: string;
  protection: Protection;
  why: string;
}

/** The first matching row decides. */
const ENDPOINTS: readonly EndpointRow[] = [
  { path: '/login', protection: 'open', why: 'begins a login' },
  { path: '/login/*', protection: 'open', why: 'ends a login; files of its pages' },
  { path: '/logout', protection: 'open', why: 'ends the session that it is sent' },
  { path: '/api/health', protection: 'open', why: 'liveness, without anything of the household' },
  { path: '/manifest.webmanifest', protection: 'open', why: 'browsers fetch it without credentials' },
  ...['icon.svg', 'icon-192.png', 'icon-512.png', 'icon-maskable-512.png'].map(
    (file): EndpointRow => ({ path: `/${file}`, protection: 'open', why: 'icon of the manifest' }),
  ),
  { path: '/api/device/code', protection: 'open', why: 'a device without a token begins pairing' },
  { path: '/api/device/token', protection: 'open', why: 'such a device polls for its token' },
  { path: '/api/live/socket', protection: 'ticket', why: 'browsers send no header with a WebSocket' },
  { path: '/tv/-', protection: 'credentials', why: 'as the next' },
  { path: '/tv/-/*', protection: 'credentials', why: 'without a key, for clients that are let in anyway' },
  { path: '/tv/*', protection: 'key', why: 'the key of a client link is in the path' },
  { path: '*', protection: 'credentials', why: 'everything else' },
];

/** For the log. */
const NO_LOGIN_METHOD =
  'No login method is configured: set TRUSTED_NETWORKS, or OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, and restart.';

const NOTHING_CONFIGURED =
  'ログイン方法が設定されていないため、すべてのアクセスを拒否しています。' +
  `環境変数 TRUSTED_NETWORKS（例: 192.168.0.0/16）、または OIDC_ISSUER・OIDC_CLIENT_ID・OIDC_CLIENT_SECRET を設定して再起動してください。\n${NO_LOGIN_METHOD}\n`;

const ADDRESS_UNKNOWN =
  '接続元のアドレスを確認できないため、アクセスを拒否しました。\nThe client address cannot be read.\n';

const TOKEN_PREFIX = 'svc_';
/** The documented way to allow everyone. */
const EVERYONE = '0.0.0.0/0';

export function protectionOf(path: string): Protection {
  const row = ENDPOINTS.find((one) =>
    one.path.endsWith('*') ? path.startsWith(one.path.slice(0, -1)) : path === one.path,
  );
  return row?.protection ?? 'credentials';
}

/** True when no client can be let in. */
export function isClosed({
  trustedNetworks,
  hasLogin,
}: Pick<AccessPolicy, 'trustedNetworks' | 'hasLogin'>): boolean {
  return trustedNetworks.isEmpty && !hasLogin;
}

/** `0.0.0.0/0` means IPv6 too, on a dual-stack socket. */
export function opensEverything(networks: Networks): boolean {
  return networks.text.split(',').includes(EVERYONE);
}

/** For the log, when nobody or everybody is let in. */
export function accessWarnings(policy: { trustedNetworks: Networks; hasLogin: boolean }): string[] {
  return [
    ...(isClosed(policy) ? [NO_LOGIN_METHOD] : []),
    ...(opensEverything(policy.trustedNetworks)
      ? ['TRUSTED_NETWORKS contains 0.0.0.0/0: everyone who reaches this address is let in']
      : []),
  ];
}

/** The entry of TRUSTED_NETWORKS that lets an address in; undefined when none does. */
export function trustedNetworkOf(networks: Networks, address: string): string | undefined {
  return networks.find(address) ?? (opensEverything(networks) ? EVERYONE : undefined);
}

/** The bearer token when it is one of this service's; others are ignored. */
function ownToken(authorization: string | null): string | undefined {
  const match = /^Bearer +(\S+) *$/i.exec(authorization ?? '');
  const token = match?.[1];
  return token?.startsWith(TOKEN_PREFIX) === true ? token : undefined;
}

function sessionOf({ sessions }: AccessPolicy, { cookie, base }: AccessRequest): LetIn | undefined {
  for (const secret of cookieValues(cookie, SESSION_COOKIE, base)) {
    const session = sessions.find(secret);
    if (session !== undefined) return { by: 'session', ...session };
  }
  return undefined;
}

/** @throws the errors of the look-ups: the database's error */
export function decideAccess(policy: AccessPolicy, request: AccessRequest): AccessDecision {
  const { address, path, authorization } = request;
  if (address === undefined) return { kind: 'forbidden', reason: ADDRESS_UNKNOWN };
  const protection = protectionOf(path);
  if (protection === 'open' || protection === 'ticket') return { kind: 'allow', letIn: { by: 'open' } };
  if (isClosed(policy)) return { kind: 'forbidden', reason: NOTHING_CONFIGURED };
  if (protection === 'key') return { kind: 'allow', letIn: { by: 'open' } };
  // Before the networks: a revoked device inside the house must learn that it has to pair again.
  const token = ownToken(authorization);
  if (token !== undefined) {
    const known = policy.tokens.check(token);
    return known === undefined
      ? { kind: 'invalid_token' }
      : { kind: 'allow', letIn: { by: 'token', ...known } };
  }
  const network = trustedNetworkOf(policy.trustedNetworks, address);
  if (network !== undefined) return { kind: 'allow', letIn: { by: 'network', address, network } };
  const letIn = sessionOf(policy, request);
  return letIn === undefined ? { kind: 'unauthorized' } : { kind: 'allow', letIn };
}

/** Paths, and all below them. */
const BEYOND_TOKENS = ['/api/device/tokens', '/api/sessions', '/api/client-links', '/api/folders'] as const;

/**
 * What an access token may not do although the screens may: manage the access of others, and list folders of the
 * machine. A stolen token must not end sessions, or remove and watch other devices. Approval of a pairing is refused by
 * its page, settings of folders by the settings' route.
 */
export function isBeyondTokens(path: string): boolean {
  return BEYOND_TOKENS.some((one) => path === one || path.startsWith(`${one}/`));
}
