/** Access: data of the settings screen, and the ticket of the live socket. */
import { type Static, Type as t } from '@sinclair/typebox';
import { wallMsSchema } from './time-schemas.ts';

const EXTENSIBLE = { additionalProperties: true } as const;
const nullable = (text: string) => t.Union([t.String(), t.Null()], { description: text });

export const AccessSchema = t.Object(
  {
    you: t.Object(
      {
        by: t.Union([t.Literal('network'), t.Literal('session'), t.Literal('token')], {
          description: 'how this very request was let in',
        }),
        address: t.String({ description: "the client's address as the service decided it" }),
        network: nullable('the entry of TRUSTED_NETWORKS that contains it; null unless `by` is `network`'),
        name: nullable('who is logged in; null unless `by` is `session`'),
      },
      EXTENSIBLE,
    ),
    login: t.Object(
      {
        configured: t.Boolean({ description: 'people can log in with an identity provider' }),
        issuer: nullable('its address; null: none is configured'),
        group: nullable(
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
