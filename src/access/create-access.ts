/** Composition of access: pairing of devices, sessions, tickets, their routes, and the look-ups of the access decision. */
import type { Database } from 'bun:sqlite';
import type { MonotonicClock, WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Networks } from '../../lib/host/networks.ts';
import type { Random } from '../../lib/host/random.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import type { Requester } from '../model/requester.ts';
import type { Hub } from '../notify/hub.ts';
import { PairingStore, TokenStore } from '../store/pairing-store.ts';
import { SessionStore } from '../store/session-store.ts';
import { whenWritable } from '../store/transaction.ts';
import { type AccessPolicy, type TokenCheck, trustedNetworkOf } from './access.ts';
import { addAccessRoutes, LiveTickets } from './access-routes.ts';
import { AttemptLimiter } from './attempt-limiter.ts';
import { addDevicePageRoutes, FormGuard } from './device-page-routes.ts';
import { type Attempts, addDeviceRoutes } from './device-routes.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { addLoginRoutes, PendingLogins } from './login-routes.ts';
import type { OidcConfig } from './openid.ts';
import { PairingService, TokenService } from './pairing-service.ts';
import { Sessions } from './sessions.ts';

interface PairingNeeds {
  database: Database;
  hub: Hub;
  now: WallClock;
  random: Random;
  /** Interval of deleting expired codes. */
  purgeIntervalMs: number;
  limitAttempts: (limits: { burst: number; refillMs: number }) => Attempts;
  log: Log;
}

/** Limit per address, beside its places: requests that are refused cost little, those that are not a write each. */
const CODE_LIMITS = { burst: 60, refillMs: 10_000 };
/** Some twenty devices behind one address, each polling every 5 s. */
const POLL_LIMITS = { burst: 120, refillMs: 250 };

/** Composition of pairing: the codes, the tokens of paired devices, and their routes. */
export function createPairing(needs: PairingNeeds) {
  const { database, hub, now, random, purgeIntervalMs, limitAttempts, log } = needs;
  const store = new TokenStore(database);
  const onChanged = (): void => hub.changed('tokens');
  const tokens = new TokenService({ tokens: store, now, onChanged, log });
  const onPaired = (): void => {
    onChanged();
    hub.changed('paired');
  };
  const pairing = new PairingService({
    ...{ codes: new PairingStore(database), tokens: store, now, random, purgeIntervalMs, onPaired, log },
    write: (act) => whenWritable(database, act),
  });
  const guard = new FormGuard(random);
  const routes: AddRoutes = (app) => {
    addDeviceRoutes(app, {
      ...{ pairing, tokens },
      codeAttempts: limitAttempts(CODE_LIMITS),
      pollAttempts: limitAttempts(POLL_LIMITS),
    });
    addDevicePageRoutes(app, { pairing, guard });
  };
  return { pairing, tokens, routes };
}

/** Each channel change requests one socket; a page that is reloaded repeatedly requests a few. */
const TICKET_LIMITS = { burst: 60, refillMs: 500 };
/** A login is two requests; several tabs begin one each when their session ends. */
const LOGIN_LIMITS = { burst: 40, refillMs: 3_000 };

interface AccessNeeds {
  database: Database;
  hub: Hub;
  log: Log;
  /** null: no identity provider is configured. */
  oidc: OidcConfig | null;
  trustedNetworks: Networks;
  trustedProxies: Networks;
  tokens: TokenCheck;
  /** Whether a token is valid. */
  isToken: (id: number) => boolean;
  purgeIntervalMs: number;
  random: Random;
  now: WallClock;
  isTimeSure: () => boolean;
  monotonicClock: MonotonicClock;
}

export function createAccess(needs: AccessNeeds) {
  const { database, hub, log, oidc, trustedNetworks, trustedProxies, tokens, random, now } = needs;
  const { isTimeSure, monotonicClock } = needs;
  const sessions = new Sessions({
    store: new SessionStore(database),
    lifetimeMs: oidc?.sessionTtlMs ?? 0,
    purgeIntervalMs: needs.purgeIntervalMs,
    random,
    write: (act) => whenWritable(database, act),
    changed: () => hub.changed('tokens'),
    log: log.component('access'),
    now,
    isTimeSure,
  });
  const tickets = new LiveTickets({ now: monotonicClock, random });
  const ticketLimiter = new AttemptLimiter(TICKET_LIMITS, monotonicClock);
  // Without a provider there are no sessions, even if earlier ones are stored.
  const check = { find: (secret: string) => (oidc === null ? undefined : sessions.find(secret)) };
  const policy: AccessPolicy = { trustedNetworks, hasLogin: oidc !== null, tokens, sessions: check };
  /** Loaded by the first login: its library would take a quarter of the start, and most homes have no provider. */
  let provider: Promise<IdentityProvider> | undefined;
  const loadProvider = async (config: OidcConfig): Promise<IdentityProvider> => {
    const { IdentityProvider } = await import('./identity-provider.ts');
    return new IdentityProvider(config, monotonicClock, now);
  };
  const login = {
    provider: oidc === null ? null : () => (provider ??= loadProvider(oidc)),
    group: oidc?.group ?? null,
    pending: new PendingLogins(monotonicClock),
    ...{ sessions, random },
    limiter: new AttemptLimiter(LOGIN_LIMITS, monotonicClock),
    isTrusted: (address: string) => trustedNetworkOf(trustedNetworks, address) !== undefined,
    hasTrustedNetworks: !trustedNetworks.isEmpty,
    log: log.component('access'),
  };
  const routes: AddRoutes = (app) => {
    addAccessRoutes(app, { sessions, tickets, ticketLimiter, oidc, trustedNetworks, trustedProxies });
    addLoginRoutes(app, login);
  };
  /** Called for open connections when sessions or tokens changed. */
  const isLetIn = ({ letIn }: Requester): boolean => {
    if (letIn.by === 'session') return sessions.list().some(({ id }) => id === letIn.sessionId);
    return letIn.by !== 'token' || needs.isToken(letIn.tokenId);
  };
  return { policy, sessions, tickets, isLetIn, routes };
}
