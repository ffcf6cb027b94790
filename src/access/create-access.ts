/** Composition of the access feature: sessions, tickets, their routes, and the look-ups of the access decision. */
import type { Database } from 'bun:sqlite';
import type { MonotonicClock, WallClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { Networks } from '../../host/networks.ts';
import type { Random } from '../../host/random.ts';
import type { Hub } from '../hub/hub.ts';
import type { Requester } from '../model/requester.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import { SessionStore } from '../store/session-store.ts';
import { whenWritable } from '../store/transaction.ts';
import { type AccessPolicy, type TokenCheck, trustedNetworkOf } from './access.ts';
import { addAccessRoutes } from './access-routes.ts';
import { AttemptLimiter } from './attempt-limiter.ts';
import { IdentityProvider, type OidcConfig } from './identity-provider.ts';
import { LiveTickets } from './live-tickets.ts';
import { addLoginRoutes } from './login-routes.ts';
import { PendingLogins } from './pending-logins.ts';
import { Sessions } from './sessions.ts';

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
  /** Epoch ms. */
  now: WallClock;
  monotonicClock: MonotonicClock;
}

export function createAccess(needs: AccessNeeds) {
  const { database, hub, log, oidc, trustedNetworks, trustedProxies, tokens, random, now } = needs;
  const { monotonicClock } = needs;
  const sessions = new Sessions({
    store: new SessionStore(database),
    lifetimeMs: oidc?.sessionTtlMs ?? 0,
    purgeIntervalMs: needs.purgeIntervalMs,
    random,
    write: (act) => whenWritable(database, act),
    changed: () => hub.changed('tokens'),
    log: log.component('access'),
    now,
  });
  const tickets = new LiveTickets({ now: monotonicClock, random });
  const ticketLimiter = new AttemptLimiter(TICKET_LIMITS, monotonicClock);
  // Without a provider there are no sessions, even if earlier ones are stored.
  const check = { find: (secret: string) => (oidc === null ? undefined : sessions.find(secret)) };
  const policy: AccessPolicy = { trustedNetworks, hasLogin: oidc !== null, tokens, sessions: check };
  const login = {
    provider: oidc === null ? null : new IdentityProvider(oidc, monotonicClock, now),
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
