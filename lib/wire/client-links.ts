/** Links for television software: `/tv/<key>/…` in place of a login. */
import { type Static, Type as t } from '@sinclair/typebox';
import { EXTENSIBLE, wallMsSchema } from './schema-parts.ts';
import { CLIENT_LINK_NAME_LENGTH } from './vocabulary.ts';

const ClientLinkSchema = t.Object(
  {
    id: t.Integer(),
    name: t.String(),
    createdAt: wallMsSchema({ description: 'epoch ms' }),
    usedAt: t.Union([wallMsSchema(), t.Null()], { description: 'epoch ms of the last use, to the minute' }),
  },
  EXTENSIBLE,
);
export type ClientLink = Static<typeof ClientLinkSchema>;

/** `GET /api/client-links`. */
export const ClientLinksSchema = t.Object(
  {
    links: t.Array(ClientLinkSchema, { description: 'the newest first' }),
    mirakurunPort: t.Union([t.Integer(), t.Null()], { description: 'null: off' }),
    hdhomerunPort: t.Union([t.Integer(), t.Null()], { description: 'null: off' }),
  },
  EXTENSIBLE,
);
export type ClientLinks = Static<typeof ClientLinksSchema>;

/** Body of `POST /api/client-links`. */
export const NewClientLinkSchema = t.Object(
  { name: t.String({ minLength: 1, maxLength: CLIENT_LINK_NAME_LENGTH, description: 'shown in the list' }) },
  EXTENSIBLE,
);

/** Its answer. */
export const CreatedClientLinkSchema = t.Composite(
  [
    ClientLinkSchema,
    t.Object({
      path: t.String({ description: 'relative to the service, without a final slash; sent only once' }),
    }),
  ],
  EXTENSIBLE,
);
export type CreatedClientLink = Static<typeof CreatedClientLinkSchema>;
