/** Pairing of devices and their access tokens. The responses of the token endpoint follow RFC 8628. */
import { type Static, Type as t } from '@sinclair/typebox';
import { EXTENSIBLE, oneOf, wallMsSchema } from './schema-parts.ts';
import { POLL_ERRORS } from './vocabulary.ts';

/** Longer than any issued device code. */
const MAX_CODE = 128;

/** Body of `POST /api/device/code`. */
export const PairingRequestSchema = t.Object(
  {
    name: t.String({
      description: 'the name shown to users, at most 40 characters; controls are left out',
    }),
  },
  EXTENSIBLE,
);

export const PairingAnswerSchema = t.Object(
  {
    deviceCode: t.String({ description: 'secret of the device, for polling' }),
    userCode: t.String({ description: '`XXXX-XXXX`' }),
    verificationUri: t.Literal('device'),
    verificationUriComplete: t.String({
      description: 'for the QR code, absolute by the address of the service',
    }),
    expiresIn: t.Integer({ description: 'seconds' }),
    interval: t.Integer({ description: 'seconds between two polls' }),
  },
  EXTENSIBLE,
);
export type PairingAnswer = Static<typeof PairingAnswerSchema>;

/** Body of `POST /api/device/token`. */
export const PollRequestSchema = t.Object({ deviceCode: t.String({ maxLength: MAX_CODE }) }, EXTENSIBLE);

export const PollAnswerSchema = t.Object(
  {
    token: t.String({ description: '`svc_…`, only sent once' }),
    tokenType: t.Literal('Bearer'),
  },
  EXTENSIBLE,
);
export type PollAnswer = Static<typeof PollAnswerSchema>;

export const PollErrorSchema = t.Object({ error: oneOf(POLL_ERRORS) }, EXTENSIBLE);

/** A paired device. */
export const DeviceTokenSchema = t.Object(
  {
    id: t.Integer(),
    name: t.String({ description: 'as the device named itself' }),
    pairedAt: wallMsSchema({ description: 'epoch ms' }),
    usedAt: t.Union([wallMsSchema(), t.Null()], { description: 'epoch ms, to the minute; null: never' }),
    approver: t.String({ description: 'name of the member, or address in a trusted network' }),
  },
  EXTENSIBLE,
);
export type DeviceToken = Static<typeof DeviceTokenSchema>;
export const DeviceTokensSchema = t.Array(DeviceTokenSchema);
