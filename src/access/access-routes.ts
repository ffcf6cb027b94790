/** `/api/access`: how this request was let in and who is logged in; ending other sessions; the live ticket. */
import type { Elysia } from 'elysia';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import type { Networks } from '../../lib/host/networks.ts';
import type { Random } from '../../lib/host/random.ts';
import { type Access, AccessSchema, LiveTicketSchema, RevokedSessionsSchema } from '../../lib/wire/access.ts';
import { ProblemSchema } from '../../lib/wire/api.ts';
import { REFUSAL_SCHEMAS } from '../http/route/described-responses.ts';
import { problem } from '../http/route/problems.ts';
import { publicBase, requesterOf } from '../http/route/request.ts';
import { type Requester, requesterKey } from '../model/requester.ts';
import { type AttemptLimiter, retryAfter } from './attempt-limiter.ts';
import { BoundedPlaces } from './bounded-places.ts';
import type { Sessions } from './sessions.ts';

/** A household opens a handful at a time. */
const LIMITS = { most: 256, mostPerOwner: 32, lifetimeMs: 30_000 };
const BYTES = 32;

interface TicketOptions {
  now: MonotonicClock;
  random: Random;
}

/**
 * Tickets for the WebSocket of live viewing: a browser sends no `Authorization` with its handshake, so it requests a
 * ticket over plain HTTP, where the access decision applies, and puts it into the socket's address.
 */
export class LiveTickets {
  readonly #held: BoundedPlaces<Requester>;

  constructor(private readonly options: TicketOptions) {
    this.#held = new BoundedPlaces(LIMITS, options.now);
  }

  /** @param requester for whom the socket will act */
  issue(requester: Requester): string {
    const ticket = this.options.random(BYTES).toBase64({ alphabet: 'base64url', omitPadding: true });
    this.#held.add(ticket, requesterKey(requester), requester);
    return ticket;
  }

  /** Works once, within 30 s. @returns for whom it was issued; undefined: unknown, used or expired */
  redeem(ticket: string): Requester | undefined {
    const requester = this.#held.get(ticket);
    this.#held.delete(ticket);
    return requester;
  }
}

interface AccessRouteNeeds {
  sessions: Pick<Sessions, 'list' | 'endOthers'>;
  tickets: Pick<LiveTickets, 'issue'>;
  ticketLimiter: Pick<AttemptLimiter, 'attempt'>;
  oidc: { issuer: string; group: string | null } | null;
  trustedNetworks: Networks;
  trustedProxies: Networks;
}

/** @throws Error for a request to an open path: these routes are not open */
function describeRequester({ letIn, address }: Requester): Access['you'] {
  if (letIn.by === 'open') throw new Error('not an open path');
  return {
    by: letIn.by,
    address,
    network: letIn.by === 'network' ? letIn.network : null,
    name: letIn.by === 'session' ? letIn.name : null,
  };
}

function describeAccess(needs: AccessRouteNeeds, request: Request): Access {
  const { sessions, oidc, trustedNetworks, trustedProxies } = needs;
  const requester = requesterOf(request);
  const { letIn } = requester;
  return {
    you: describeRequester(requester),
    login: {
      configured: oidc !== null,
      issuer: oidc?.issuer ?? null,
      group: oidc?.group ?? null,
      redirectUri: new URL('login/callback', publicBase(request)).href,
    },
    trustedNetworks: [...trustedNetworks.entries],
    trustedProxies: [...trustedProxies.entries],
    sessions: sessions.list().map((session) => ({
      ...session,
      current: letIn.by === 'session' && letIn.sessionId === session.id,
    })),
  };
}

export function addAccessRoutes(app: Elysia, needs: AccessRouteNeeds): void {
  const tags = ['access'];
  const { sessions, tickets, ticketLimiter } = needs;

  app.get('/api/access', ({ request }) => describeAccess(needs, request), {
    response: { 200: AccessSchema, ...REFUSAL_SCHEMAS },
    detail: {
      summary: 'How this request was let in, login sessions and trusted networks',
      description: 'The event `tokens` reports changes of sessions and paired devices.',
      tags,
    },
  });

  app.post(
    '/api/sessions/revoke-others',
    ({ request }) => {
      const { letIn } = requesterOf(request);
      return { count: sessions.endOthers(letIn.by === 'session' ? letIn.sessionId : null) };
    },
    {
      response: { 200: RevokedSessionsSchema, ...REFUSAL_SCHEMAS },
      detail: {
        summary: 'Log out every other browser',
        description:
          'Ends every login session of anyone but the one of this request. Access tokens of devices stay valid.',
        tags,
      },
    },
  );

  app.post(
    '/api/live/ticket',
    ({ request }) => {
      const requester = requesterOf(request);
      const waitMs = ticketLimiter.attempt(requester.address);
      if (waitMs === 0) return { ticket: tickets.issue(requester) };
      const headers = { 'retry-after': retryAfter(waitMs) };
      return problem('busy', '接続の要求が多すぎます。少し待ってください。', { status: 429, headers });
    },
    {
      response: { 200: LiveTicketSchema, 429: ProblemSchema, ...REFUSAL_SCHEMAS },
      detail: {
        summary: 'A ticket for the live socket',
        description: 'Works once, within 30 s, as `GET /api/live/socket?ticket=`.',
        tags,
      },
    },
  );
}
