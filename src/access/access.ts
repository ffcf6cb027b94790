/**
 * The one access decision: a pure function of the policy and of what is known about a request. Everything that
 * is served passes here first.
 */
import type { Networks } from '../../host/networks.ts';

export interface AccessPolicy {
  trustedNetworks: Networks;
}

export interface AccessRequest {
  /** The decided client address; undefined when it cannot be read. */
  address: string | undefined;
  /** Normalised path without the query. */
  path: string;
  /** The Authorization header. */
  authorization: string | null;
}

export type AccessDecision =
  | { kind: 'allow'; by: 'open' | 'network' }
  /** No login method is configured, or the client's address is unknown. */
  | { kind: 'forbidden'; reason: string }
  | { kind: 'unauthorized' }
  /** A token of ours that is unknown or revoked: the device is to pair again. */
  | { kind: 'invalid_token' };

/** For the log. */
export const NO_LOGIN_METHOD = 'No login method is configured: set TRUSTED_NETWORKS and restart.';

const NOTHING_CONFIGURED =
  'ログイン方法が設定されていないため、すべてのアクセスを拒否しています。' +
  `環境変数 TRUSTED_NETWORKS(例: 192.168.0.0/16)を設定して再起動してください。\n${NO_LOGIN_METHOD}\n`;

const ADDRESS_UNKNOWN =
  '接続元のアドレスを確認できないため、アクセスを拒否しました。\nThe client address cannot be read.\n';

const OPEN_PATHS: ReadonlySet<string> = new Set([
  '/login',
  '/logout',
  '/manifest.webmanifest',
  '/api/health',
  '/api/device/code',
  '/api/device/token',
]);

const TOKEN_PREFIX = 'svc_';

/** Paths that are answered without credentials. */
export function isOpenPath(path: string): boolean {
  return OPEN_PATHS.has(path) || path.startsWith('/login/');
}

/** True when no client can be let in. */
export function isClosed(policy: AccessPolicy): boolean {
  return policy.trustedNetworks.isEmpty;
}

/** `0.0.0.0/0` is the documented way to open everything: it means IPv6 too, on a dual-stack socket. */
export function opensEverything(networks: Networks): boolean {
  return networks.text.split(',').includes('0.0.0.0/0');
}

/** The bearer token when it is one of this service's; others are ignored. */
function ownToken(authorization: string | null): string | undefined {
  const match = /^Bearer +(\S+) *$/i.exec(authorization ?? '');
  const token = match?.[1];
  return token?.startsWith(TOKEN_PREFIX) === true ? token : undefined;
}

export function decideAccess(policy: AccessPolicy, request: AccessRequest): AccessDecision {
  if (request.address === undefined) return { kind: 'forbidden', reason: ADDRESS_UNKNOWN };
  if (isOpenPath(request.path)) return { kind: 'allow', by: 'open' };
  if (isClosed(policy)) return { kind: 'forbidden', reason: NOTHING_CONFIGURED };
  // Before the networks: a revoked device inside the house must learn that it has to pair again.
  if (ownToken(request.authorization) !== undefined) return { kind: 'invalid_token' };
  const trusted = policy.trustedNetworks.contains(request.address) || opensEverything(policy.trustedNetworks);
  return trusted ? { kind: 'allow', by: 'network' } : { kind: 'unauthorized' };
}
