/** Access: data of the settings screen, and the ticket of the live socket. */
import { type Static, Type as t } from '@sinclair/typebox';
import { EXTENSIBLE, nullable, oneOf, wallMsSchema } from './schema-parts.ts';
import { LET_IN_BY } from './vocabulary.ts';

const text = (description: string) => nullable(t.String(), description);

export const AccessSchema = t.Object(
  {
    you: t.Object(
      {
        by: oneOf(LET_IN_BY, {
          description: 'how this very request was let in',
        }),
        address: t.String({ description: "the client's address as the service decided it" }),
        network: text('the entry of TRUSTED_NETWORKS that contains it; null unless `by` is `network`'),
        name: text('who is logged in; null unless `by` is `session`'),
      },
      EXTENSIBLE,
    ),
    login: t.Object(
      {
        configured: t.Boolean({ description: 'people can log in with an identity provider' }),
        issuer: text('its address; null: none is configured'),
        group: text(
          'only members of this group or holders of this role pass; null: everyone who can sign in',
        ),
        redirectUri: t.String({ description: 'value to register at the provider for the current host name' }),
      },
      EXTENSIBLE,
    ),
    trustedNetworks: t.Array(t.String()),
    trustedProxies: t.Array(t.String()),
    sessions: t.Array(
      t.Object(
        {
          id: t.Integer(),
          name: t.String(),
          address: t.String({ description: 'of the client when it logged in' }),
          agent: t.String({ description: 'User-Agent of the browser when it logged in' }),
          createdAt: wallMsSchema({ description: 'epoch ms' }),
          expiresAt: wallMsSchema({ description: 'epoch ms' }),
          current: t.Boolean({ description: 'this is the session of the request' }),
        },
        EXTENSIBLE,
      ),
      { description: 'login sessions, newest first' },
    ),
  },
  EXTENSIBLE,
);
export type Access = Static<typeof AccessSchema>;

export const RevokedSessionsSchema = t.Object(
  { count: t.Integer({ description: 'sessions that were ended' }) },
  EXTENSIBLE,
);

export const LiveTicketSchema = t.Object(
  { ticket: t.String({ description: 'works once, within 30 s' }) },
  EXTENSIBLE,
);
