/** The service's settings: one table of keys, each with its schema and default. A feature adds its own here. */
import { type Static, Type as t } from '@sinclair/typebox';
import { ClockOffsetSchema } from './guide.ts';
import { MAX_KEPT, MAX_MARGIN_MS } from './rule-fields.ts';
import { EXTENSIBLE, oneOf, wallMsSchema } from './schema-parts.ts';
import {
  AGENT_STATES,
  CAPTION_BACKGROUNDS,
  CAPTION_FONTS,
  CAPTION_POSITIONS,
  COMMERCIAL_HANDLINGS,
  ENCODE_CHOICES,
  ENCODE_QUALITIES,
  FFMPEG_STATES,
  LIVE_CODECS,
  RETRY_CHOICES,
  RETUNE_COSTS,
  THEMES,
} from './vocabulary.ts';

/** More than any home machine can encode at the same time. */
const MAX_CONVERSIONS = 16;
const MAX_FOLDERS = 32;
const MINUTE_OF_DAY = { minimum: 0, maximum: 1439 } as const;
const MAX_PATH_LENGTH = 4096;

export const RecordingFolderSchema = t.Object(
  {
    path: t.String({ minLength: 1, maxLength: MAX_PATH_LENGTH, pattern: '^/[^\\u0000]*$' }),
    floorBytes: t.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'free space that recordings leave',
    }),
  },
  EXTENSIBLE,
);
export type RecordingFolder = Static<typeof RecordingFolderSchema>;

export const CaptionStyleSchema = t.Object(
  {
    scale: t.Number({ minimum: 0.5, maximum: 2, description: 'size of the letters; 1 as broadcast' }),
    font: oneOf(CAPTION_FONTS),
    background: oneOf(CAPTION_BACKGROUNDS),
    ruby: t.Boolean(),
    visible: t.Optional(t.Boolean({ description: 'absent: true' })),
    opacity: t.Optional(
      t.Number({ minimum: 0.2, maximum: 1, description: 'opacity of the complete caption; absent: 1' }),
    ),
    position: t.Optional(
      oneOf(CAPTION_POSITIONS, {
        description: 'position of the text; absent: `broadcast`',
      }),
    ),
  },
  EXTENSIBLE,
);
export type CaptionStyle = Static<typeof CaptionStyleSchema>;

export const SETTING_SCHEMAS = {
  marginBefore: t.Integer({ minimum: 0, maximum: MAX_MARGIN_MS, description: 'ms before a programme' }),
  marginAfter: t.Integer({ minimum: 0, maximum: MAX_MARGIN_MS, description: 'ms after a programme' }),
  retuneCost: oneOf(RETUNE_COSTS, {
    description:
      'where two programmes meet on one tuner, retuning takes the end of the first or the beginning of the second',
  }),
  encode: oneOf(ENCODE_CHOICES),
  encodeQuality: oneOf(ENCODE_QUALITIES, {
    description: 'of encoded files; `GET /api/encodes` has the resulting size and time on this machine',
  }),
  encodeFrom: t.Integer({
    ...MINUTE_OF_DAY,
    description: 'recordings are encoded from this minute of the day on',
  }),
  encodeTo: t.Integer({
    ...MINUTE_OF_DAY,
    description: 'until this one, Japanese time; equal to `encodeFrom`: all day',
  }),
  keepTs: t.Boolean({ description: 'keep the original transport stream beside the encoded file' }),
  commercials: oneOf(COMMERCIAL_HANDLINGS),
  conversions: t.Integer({ minimum: 1, maximum: MAX_CONVERSIONS, description: 'simultaneous conversions' }),
  liveCodec: oneOf(LIVE_CODECS),
  recordingFolders: t.Array(RecordingFolderSchema, {
    maxItems: MAX_FOLDERS,
    description: 'used in this order after RECORDINGS_DIR, whose floor may be given here too',
  }),
  keepNewest: t.Integer({
    ...{ minimum: 0, maximum: MAX_KEPT },
    description: 'default number of recordings that a new rule keeps; 0: all',
  }),
  keepDays: t.Integer({
    ...{ minimum: 0, maximum: MAX_KEPT },
    description: 'default number of days that a new rule keeps recordings; 0: forever',
  }),
  retryDamaged: oneOf(RETRY_CHOICES, {
    description: 'book the next airing automatically if a recording is lost, or also if it is damaged',
  }),
  collectGuide: t.Boolean({ description: 'read the guide from the broadcast by itself' }),
  idleStills: t.Boolean({
    description:
      'an unused tuner takes the pictures of stations on the home screen; off: only what is received anyway',
  }),
  mirakurunRecordings: t.Integer({
    ...{ minimum: 0, maximum: 128 },
    description:
      'from which priority on streams of the Mirakurun-compatible interface count as recordings; 0: none does',
  }),
  bidirectional: t.Boolean({ description: 'communication content of data broadcasts' }),
  postalCode: t.String({ pattern: '^([0-9]{7})?$', description: 'seven digits, or empty' }),
  prefecture: t.Union([t.Integer({ minimum: 1, maximum: 50 }), t.Literal(255)], {
    description: 'ARIB STD-B10 table, Tokyo is 14; 255 is unset',
  }),
  theme: oneOf(THEMES),
  captionStyle: CaptionStyleSchema,
} as const;

export type SettingKey = keyof typeof SETTING_SCHEMAS;
export type Settings = { [Key in SettingKey]: Static<(typeof SETTING_SCHEMAS)[Key]> };

/** What some defaults depend on. */
export interface SettingFacts {
  /** A hardware encoder works. */
  gpu: boolean;
}

export function settingDefaults({ gpu }: SettingFacts): Settings {
  return {
    marginBefore: 10_000,
    marginAfter: 15_000,
    retuneCost: 'first',
    encode: 'av1',
    encodeQuality: 'standard',
    encodeFrom: 0,
    encodeTo: 0,
    keepTs: false,
    commercials: 'chapters',
    conversions: gpu ? 4 : 2,
    liveCodec: 'h264',
    recordingFolders: [],
    keepNewest: 0,
    keepDays: 0,
    retryDamaged: 'failed',
    collectGuide: true,
    idleStills: true,
    mirakurunRecordings: 0,
    bidirectional: true,
    postalCode: '',
    prefecture: 255,
    theme: 'auto',
    captionStyle: { scale: 1, font: 'rounded', background: 'broadcast', ruby: true },
  };
}

/** `GET /api/folders`: folders for selecting a recording folder. */
export const FolderListSchema = t.Object(
  {
    path: t.String({ description: 'as requested, normalized' }),
    parent: t.Union([t.String(), t.Null()]),
    folders: t.Array(t.Object({ name: t.String(), path: t.String() }, EXTENSIBLE)),
    more: t.Boolean({ description: 'there are more than are listed' }),
  },
  EXTENSIBLE,
);
export type FolderList = Static<typeof FolderListSchema>;

/** `GET /api/settings`: every key with its current value. */
export const SettingsSchema = t.Object(SETTING_SCHEMAS, EXTENSIBLE);

/** `GET /api/system`: facts for the settings screen. No secrets. */
export const SystemSchema = t.Object(
  {
    version: t.String(),
    startedAt: wallMsSchema({ description: 'epoch ms' }),
    agent: t.Object({
      url: t.String(),
      state: oneOf(AGENT_STATES),
      message: t.Union([t.String(), t.Null()]),
    }),
    ffmpeg: t.Object({
      state: oneOf(FFMPEG_STATES),
      path: t.Union([t.String(), t.Null()]),
      version: t.Union([t.String(), t.Null()]),
      encoders: t.Array(
        t.Object({ name: t.String(), hardware: t.Boolean(), usable: t.Boolean() }, EXTENSIBLE),
      ),
    }),
    folders: t.Array(
      t.Object(
        {
          role: t.Union([t.Literal('data'), t.Literal('recordings')]),
          path: t.String(),
          totalBytes: t.Union([t.Integer(), t.Null()], { description: 'null: the folder cannot be read' }),
          freeBytes: t.Union([t.Integer(), t.Null()]),
          floorBytes: t.Integer({ description: 'free space that recordings leave' }),
          problem: t.Optional(
            t.Union([t.String(), t.Null()], { description: 'why it cannot be written to, Japanese' }),
          ),
        },
        EXTENSIBLE,
      ),
    ),
    database: t.Object({ bytes: t.Integer(), programs: t.Integer() }, EXTENSIBLE),
    clocks: t.Array(ClockOffsetSchema, { description: "this machine's clock against each network's" }),
    defaults: SettingsSchema,
  },
  EXTENSIBLE,
);
export type SystemFacts = Static<typeof SystemSchema>;
