/**
 * Captions for clients: the caption page, the captions file of a recording and the notices of a caption frame stream.
 * Public interface: fields are added, never changed; incompatible changes increment `v`.
 */
import { type Static, Type as t } from '@sinclair/typebox';
import { CAPTION_PAGE_VERSION } from './vocabulary.ts';

const ColourSchema = t.String({ pattern: '^#[0-9a-f]{8}$', description: '#rrggbbaa' });
/** Present with this value, or absent. */
const MarkSchema = t.Optional(t.Literal(true));

const CaptionRunSchema = t.Object({
  x: t.Number({ description: 'left of the first cell, in units of the plane' }),
  y: t.Number({ description: 'top of the cells' }),
  w: t.Number({ exclusiveMinimum: 0, description: 'width of a cell' }),
  h: t.Number({ exclusiveMinimum: 0, description: 'height of a cell' }),
  fx: t.Number({ description: "glyph box from the cell's left" }),
  fy: t.Number({ description: "glyph box from the cell's top" }),
  size: t.Number({ exclusiveMinimum: 0, description: 'em of the glyphs; width = size * scaleX' }),
  scaleX: t.Number({ exclusiveMinimum: 0 }),
  text: t.String({ description: 'each character takes one cell from x rightwards' }),
  fg: ColourSchema,
  bg: ColourSchema,
  stroke: t.Optional(ColourSchema),
  underline: MarkSchema,
  box: t.Optional(t.Integer({ minimum: 1, maximum: 15, description: '1 bottom, 2 right, 4 top, 8 left' })),
  flash: MarkSchema,
  ruby: MarkSchema,
  bold: MarkSchema,
  italic: MarkSchema,
  drcs: t.Optional(t.String({ description: 'key of a glyph in `drcs`; the text is 〓' })),
});
export type CaptionRun = Static<typeof CaptionRunSchema>;

const DrcsImageSchema = t.Object({
  w: t.Integer({ minimum: 1 }),
  h: t.Integer({ minimum: 1 }),
  depth: t.Integer({ minimum: 2, description: 'levels; intensity = value / (depth - 1)' }),
  bits: t.Union([t.Literal(1), t.Literal(2), t.Literal(4), t.Literal(8)]),
  data: t.String({ description: 'base64; pixels packed from the top left, rows not padded' }),
  md5: t.String({ description: 'of the image as it was broadcast' }),
});
export type DrcsImage = Static<typeof DrcsImageSchema>;

export const CaptionPageSchema = t.Object({
  v: t.Literal(CAPTION_PAGE_VERSION),
  plane: t.Unsafe<[number, number]>(
    t.Array(t.Integer({ minimum: 1 }), { minItems: 2, maxItems: 2, description: 'width, height' }),
  ),
  duration: t.Union([t.Integer({ minimum: 0 }), t.Null()], { description: 'ms; null: until the next page' }),
  runs: t.Array(CaptionRunSchema),
  drcs: t.Optional(t.Record(t.String(), DrcsImageSchema)),
});
export type CaptionPage = Static<typeof CaptionPageSchema>;

const CaptionLanguageSchema = t.Object({
  index: t.Integer({ minimum: 1, maximum: 8 }),
  code: t.String({ description: 'ISO 639-2; empty when none was declared' }),
  label: t.String(),
});
export type CaptionLanguage = Static<typeof CaptionLanguageSchema>;

const TimedCaptionPageSchema = t.Object({
  at: t.Number({ minimum: 0, description: 'seconds on the playback scale' }),
  page: CaptionPageSchema,
});
export type TimedCaptionPage = Static<typeof TimedCaptionPageSchema>;

/** `captions.json` of a recording: the last page whose `at` does not exceed the position is shown. */
export const CaptionsFileSchema = t.Object({
  v: t.Literal(CAPTION_PAGE_VERSION),
  pages: t.Array(TimedCaptionPageSchema, { description: 'language 1' }),
  language: t.Optional(CaptionLanguageSchema),
  others: t.Optional(
    t.Array(t.Object({ ...CaptionLanguageSchema.properties, pages: t.Array(TimedCaptionPageSchema) }), {
      description: 'language 2 onward; present when there are any',
    }),
  ),
});
export type CaptionsFile = Static<typeof CaptionsFileSchema>;

/** Which captions a stream has; sent when there are any, and again when they change. */
export const CaptionsNoticeSchema = t.Object({
  type: t.Literal('captions'),
  tracks: t.Array(
    t.Object({
      index: t.Integer({ minimum: 0 }),
      lang: t.Union([t.String(), t.Null()], { description: 'ISO 639-2; null: not declared' }),
      label: t.String(),
    }),
  ),
  track: t.Literal(0),
  languages: t.Optional(
    t.Array(CaptionLanguageSchema, { description: 'when the track has several, once they are known' }),
  ),
  language: t.Optional(t.Integer({ minimum: 1, maximum: 8, description: 'whose pages are sent' })),
});
export type CaptionsNotice = Static<typeof CaptionsNoticeSchema>;

export const PingNoticeSchema = t.Object({ type: t.Literal('ping') });
