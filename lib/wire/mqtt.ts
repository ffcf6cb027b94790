/** `/api/mqtt`: the broker that the state of the service is published to, for Home Assistant. */
import { type Static, Type as t } from '@sinclair/typebox';
import { CLOSED, EXTENSIBLE, wallMsSchema } from './schema-parts.ts';

const FIELDS = {
  enabled: t.Boolean(),
  host: t.String({ maxLength: 253, pattern: '^[^\\s/]*$', description: 'name or address' }),
  port: t.Integer({ minimum: 1, maximum: 65_535 }),
  tls: t.Boolean({ description: 'with a certificate that this machine trusts' }),
  user: t.String({ maxLength: 200, description: 'empty: none' }),
  prefix: t.String({
    ...{ minLength: 1, maxLength: 100, pattern: '^[\\w/-]+$' },
    description: 'of the discovery topics of Home Assistant',
  }),
};

/** Body of `PUT /api/mqtt`. */
export const MqttBrokerSchema = t.Object(
  {
    ...FIELDS,
    password: t.Optional(
      t.Union([t.String({ maxLength: 1_000 }), t.Null()], {
        description: 'write only; absent: unchanged, but removed with a changed host',
      }),
    ),
  },
  CLOSED,
);
export type MqttBroker = Static<typeof MqttBrokerSchema>;

/** `GET /api/mqtt`, and the answer of `PUT`. */
export const MqttStateSchema = t.Object(
  {
    ...FIELDS,
    hasPassword: t.Boolean(),
    isConnected: t.Boolean(),
    last: t.Union(
      [
        t.Object({
          at: wallMsSchema({ description: 'epoch ms' }),
          ok: t.Boolean(),
          message: t.String({ description: 'Japanese' }),
        }),
        t.Null(),
      ],
      { description: 'the last attempt to connect, or the last loss of the connection' },
    ),
  },
  EXTENSIBLE,
);
export type MqttState = Static<typeof MqttStateSchema>;
