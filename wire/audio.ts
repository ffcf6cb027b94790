/** Selectable audio of a broadcast. */
import { type Static, Type as t } from '@sinclair/typebox';

export const AudioSideSchema = t.Union([t.Literal('both'), t.Literal('main'), t.Literal('sub')]);
export type AudioSide = Static<typeof AudioSideSchema>;

export const AudioOptionSchema = t.Object({
  id: t.String({ description: '`<stream>:<side>`, passed back as `audio=<id>`' }),
  stream: t.Integer({ minimum: 0 }),
  side: AudioSideSchema,
  label: t.String(),
  main: t.Optional(t.Literal(true)),
});
export type AudioOption = Static<typeof AudioOptionSchema>;
