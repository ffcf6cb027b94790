/**
 * The words of the HTTP interfaces: every list of codes, the names of headers and events, and limits that clients know.
 * Values and their types without validators, so that the browser's bundle does not contain those; the schemas beside
 * this file are built from it. Codes with sentences of their own are in `gap-causes.ts` and `key-failure.ts`.
 */
import type { BroadcastType } from '../arib/ids.ts';

// The tuner agent

/** Broadcast types in sentences of the programs. */
export const BROADCAST_NAMES: Readonly<Record<BroadcastType, string>> = { GR: '地上波', BS: 'BS', CS: 'CS' };

/** Drivers whose devices are found on a machine. */
export const DEVICE_DRIVERS = ['dvb', 'px4'] as const;
export const DRIVERS = [...DEVICE_DRIVERS, 'fake'] as const;

export const TUNER_STATES = ['idle', 'tuning', 'tuned', 'lingering', 'error'] as const;
export type TunerState = (typeof TUNER_STATES)[number];

/** `clear`: nothing scrambled was received. `waiting`: for the first key. */
export const DESCRAMBLING_STATES = ['clear', 'waiting', 'descrambled', 'scrambled'] as const;
export type DescramblingState = (typeof DESCRAMBLING_STATES)[number];

/** Longest name of a tuner, in characters. */
export const TUNER_NAME_LENGTH = 128;

/** Why a device cannot be used now. `no_system`: for broadcasts of other countries. */
export const DEVICE_PROBLEMS = ['permission', 'busy', 'no_system', 'incomplete', 'failed'] as const;

/** `none`: neither a reader nor a peer was needed or found yet. `shared`: keys come from another agent. */
export const CARD_STATES = ['none', 'absent', 'ready', 'shared', 'error'] as const;

/** Why `/agent/stream` refuses. `tuner_taken`: the tuner went to another use, or was removed, before it sent anything. */
export const STREAM_REFUSALS = ['tuners_busy', 'tuner_taken', 'no_signal', 'agent_misconfigured'] as const;

/** Names of the events of `GET /agent/events`; the data of each is `1`. */
export const AGENT_EVENTS = ['tuners', 'channels'] as const;
export type AgentEvent = (typeof AGENT_EVENTS)[number];

/** Response header of `/agent/stream` with the id of the tuner. */
export const TUNER_HEADER = 'x-svc-tuner';

/** Priorities of the users of a tuner; larger wins, equal ones never preempt each other. */
export const PRIORITY = {
  recording: 10,
  live: 9,
  guideNow: 8,
  scan: 5,
  guide: 3,
  logo: 1,
  still: 0,
} as const;

// The service

/** Stations whose pictures one request may name: more than a home screen shows at once. */
export const MAX_STILLS = 128;
export const HEALTH_STATES = ['ok', 'degraded'] as const;
/** Of the connection to the agent. */
export const AGENT_STATES = ['connecting', 'connected', 'unavailable'] as const;
export const FFMPEG_STATES = ['probing', 'ready', 'missing'] as const;
export type FfmpegState = (typeof FFMPEG_STATES)[number];

/** The stable values of `code` in error bodies. */
export const PROBLEM_CODES = [
  'bad_request',
  // An access token may not do this.
  'forbidden',
  'not_found',
  'conflict',
  'busy',
  // All tuners are in use, or none supports the broadcast type.
  'no_tuner',
  // There was a tuner, but the station could not be received.
  'no_signal',
  // The agent does not respond.
  'agent_unavailable',
  // The agent reports that its own configuration is wrong, or does not admit the service.
  'agent_misconfigured',
  // The station is scrambled, and the agent has no keys: no card, no reader, no card daemon, …
  'card_unavailable',
  // The card has no contract for the station.
  'not_subscribed',
  'ffmpeg_unavailable',
  // The server of bidirectional content did not answer properly.
  'peer_failed',
  'copy_never',
  'ended',
  'internal',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** Names of the events of `GET /api/events`. */
export const EVENTS = [
  'recordings',
  'reservations',
  'rules',
  'services',
  'tuners',
  'channels',
  'scan',
  'programs',
  'settings',
  'tokens',
  'paired',
  'notices',
  'encode',
  'chapters',
  'yielded',
  'ping',
] as const;
export type EventName = (typeof EVENTS)[number];

export const SCAN_STATES = ['idle', 'running', 'finished', 'aborted', 'failed'] as const;

// Audio and video

/** Of dual mono; `both` also of every other stream. */
export const AUDIO_SIDES = ['both', 'main', 'sub'] as const;
export type AudioSide = (typeof AUDIO_SIDES)[number];

export const ENCODED_CODECS = ['av1', 'h264'] as const;
export type EncodedCodec = (typeof ENCODED_CODECS)[number];
export const FILE_CODECS = [...ENCODED_CODECS, 'mpeg2'] as const;

/** Codecs of the live stream's `codec` parameter; `raw` is the original stream. */
export const LIVE_CODECS = ['h264', 'av1', 'raw'] as const;
export type LiveCodec = (typeof LIVE_CODECS)[number];

/**
 * Bandwidth of an encoded live stream, audio included: up to 6, 2.6, 1.1 and 0.32 Mbit/s, with at most 720, 540, 360
 * and 240 lines. The best first.
 */
export const LIVE_QUALITIES = ['high', 'middle', 'low', 'least'] as const;
export type LiveQuality = (typeof LIVE_QUALITIES)[number];

/** Response header of a live stream: why another encoder or codec than requested is used, comma-separated. */
export const NOTICE_HEADER = 'x-svc-notice';
export const LIVE_NOTICES = [
  'software_encoder',
  'slow_encoder',
  'codec_fallback',
  'raw_fallback',
  'audio_fallback',
] as const;
export type LiveNotice = (typeof LIVE_NOTICES)[number];

/** Response header of an encoded live stream: its RFC 6381 type, e.g. `video/mp4; codecs="avc1.64001f,mp4a.40.2"`. */
export const MIME_HEADER = 'x-svc-mime';

/** Codes of `error` on the live socket: its own, then those that every response of the service may have. */
export const LIVE_ERRORS = ['suspended', 'encoder_failed', 'bad_message', ...PROBLEM_CODES] as const;

/** `v` of the caption page that this program makes and draws (`caption.ts`). */
export const CAPTION_PAGE_VERSION = 1;

// Guide, reservations and rules

/** How a programme refers to another: the same one on another service; it continues there; it came from there. */
export const PROGRAM_RELATIONS = ['shared', 'relay', 'movement'] as const;
export type ProgramRelation = (typeof PROGRAM_RELATIONS)[number];

/** `reserved` in other payloads means `scheduled` or `recording`. */
export const RESERVATION_STATES = [
  'scheduled',
  'conflict',
  'skipped',
  'missed',
  'cancelled',
  'recording',
  'finished',
] as const;
export type ReservationState = (typeof RESERVATION_STATES)[number];
/** It is not over: booked, or it could still be recorded. */
export const OPEN_RESERVATION_STATES = [
  'scheduled',
  'recording',
  'conflict',
] as const satisfies ReservationState[];
/** It is over, and its programme is not recorded any more. */
export const CLOSED_RESERVATION_STATES = [
  'finished',
  'missed',
  'cancelled',
] as const satisfies ReservationState[];

/** Limit of a description in the guide screen, in characters. */
export const GUIDE_DESCRIPTION_LENGTH = 120;
/** Maximum window of `GET /api/guide`: the eight days of a guide, which touch nine calendar days. */
export const MAX_GUIDE_WINDOW_MS = 9 * 86_400_000;
export const COLLECT_LEASE_MS = 60_000;

/**
 * Why the guide of a channel could not be read. `no_such_tuner`: no enabled tuner receives its type; `no_tuner`: all
 * were in use; `unreadable`: tuning failed, or the stream broke.
 */
export const GUIDE_TROUBLES = ['no_such_tuner', 'no_tuner', 'unreadable'] as const;

export const SEARCH_LIMIT = { default: 4, maximum: 10 } as const;
/** Maximum number of skipped rows of a section: results are requested page by page. */
export const SEARCH_MAX_OFFSET = 500;
export const SEARCH_SECTIONS = ['programs', 'recordings', 'reservations', 'rules'] as const;
export type SearchSection = (typeof SEARCH_SECTIONS)[number];
/** Of a link for television software, in characters. */
export const CLIENT_LINK_NAME_LENGTH = 40;

/** Longer queries are truncated, in characters (code points). */
export const MAX_QUERY_LENGTH = 100;

/** Texts of a programme in which the words of a rule are searched. */
export const KEYWORD_FIELDS = ['title', 'description', 'extended'] as const;
export type KeywordField = (typeof KEYWORD_FIELDS)[number];

// Recordings

/**
 * `recording`: from the decision to record until its end, also while the service is not running. `recorded`: ended,
 * the original stream exists. `available`: an encoded file exists. `failed`: there is nothing worth keeping.
 */
export const RECORDING_STATES = ['recording', 'recorded', 'available', 'failed'] as const;
export type RecordingState = (typeof RECORDING_STATES)[number];

/** `lost`: less than half of the wanted part is usable. */
export const VERDICT_LEVELS = ['complete', 'damaged', 'lost'] as const;
export type VerdictLevel = (typeof VERDICT_LEVELS)[number];

/**
 * Of a running recording. `interrupted`: it is being opened again, or with the cause `broken_off` waits for its
 * programme; `over`: it is being judged.
 */
export const RECORDING_PHASES = ['waiting', 'opening', 'receiving', 'interrupted', 'over'] as const;
export type RecordingPhase = (typeof RECORDING_PHASES)[number];

/** `alt` is H.264 beside or instead of AV1. */
export const ENCODED_SOURCES = ['encoded', 'alt'] as const;
export type EncodedSource = (typeof ENCODED_SOURCES)[number];
export const FILE_SOURCES = [...ENCODED_SOURCES, 'ts'] as const;

export const RECORDING_SORTS = ['newest', 'oldest', 'title', 'unwatched', 'longest', 'largest'] as const;
export type RecordingSort = (typeof RECORDING_SORTS)[number];
/** Lists other than that of watchable recordings. */
export const RECORDING_SHOWS = ['recording', 'failed', 'bin', 'protected', 'resume'] as const;
export type RecordingShow = (typeof RECORDING_SHOWS)[number];
export const RECORDING_LIMIT = { default: 100, maximum: 500 } as const;
/** Header of `GET /api/recordings`: the total number. */
export const TOTAL_HEADER = 'x-svc-total';
/** Header of a page: the cursor of the next one; absent on the last. */
export const NEXT_HEADER = 'x-svc-next';
/** How long a recording in the bin can be restored, ms. */
export const BIN_MS = 2 * 86_400_000;

/** Of a recording folder. */
export const FOLDER_STATES = ['ok', 'floor', 'full', 'away'] as const;

/** Codecs of `GET /api/recordings/<id>/stream`; `mpeg2` is the original transport stream. */
export const STREAM_CODECS = ['h264', 'av1', 'mpeg2'] as const;
/** `encoded`: time of the encoded file; `ts`: time of the original transport stream, beginning with 0. */
export const PLAYBACK_AXES = ['encoded', 'ts'] as const;
/** `file`: the encoded file itself; `stream`: fragmented MP4; `raw`: the original stream. */
export const PLAYBACK_WAYS = ['file', 'stream', 'raw'] as const;

/** Response header of `mpeg2` and chase `raw`: PTS (90 kHz, 33 bits) that corresponds to second 0 of the playback scale. */
export const ORIGIN_HEADER = 'x-svc-origin';
/** Response header of `stream` and `chase`: s on the playback scale of the first picture (or audio frame). */
export const START_HEADER = 'x-svc-start';
/**
 * Response header of `stream` and `chase`: s to add to the times of the fragments to get the playback scale; 0 for
 * `stream`.
 */
export const OFFSET_HEADER = 'x-svc-offset';
/** Response header of `chase`: s on the playback scale recorded when the response began. */
export const RECORDED_HEADER = 'x-svc-recorded';

// Encoding and detection of commercials

/** Of an encode, and of a detection of commercials. `cancelled`: not before the next request. */
export const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];
export const ENCODE_CODECS = [...ENCODED_CODECS, 'both'] as const;
export const ENCODE_CHOICES = ['none', ...ENCODE_CODECS] as const;
export type EncodeChoice = (typeof ENCODE_CHOICES)[number];
export const ENCODE_QUALITIES = ['small', 'standard', 'fine'] as const;
export type EncodeQuality = (typeof ENCODE_QUALITIES)[number];
export const COMMERCIAL_HANDLINGS = ['chapters', 'cut', 'none'] as const;
export type CommercialHandling = (typeof COMMERCIAL_HANDLINGS)[number];
/** Why nothing is encoded now. */
export const ENCODE_PAUSES = ['paused', 'window', 'machine'] as const;
export type EncodePause = (typeof ENCODE_PAUSES)[number];
/** What an encode waits for. */
export const ENCODE_WAITS = ['commercials', 'pictures', 'retry', 'recording'] as const;
/** `cut`: a scene change; `silence`: a pause of the audio without one. */
export const CHANGE_KINDS = ['cut', 'silence'] as const;

// Bidirectional content

/** Media types of bodies that documents and applications may send (`POST /api/bml/post`). */
export const POST_TYPES = ['application/x-www-form-urlencoded', 'application/json', 'text/plain'] as const;

export function isPostType(type: string): boolean {
  return POST_TYPES.some((one) => one === type);
}

// Settings

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export const CAPTION_FONTS = ['rounded', 'system'] as const;
export type CaptionFont = (typeof CAPTION_FONTS)[number];
export const CAPTION_BACKGROUNDS = ['broadcast', 'none', 'solid'] as const;
export const CAPTION_POSITIONS = ['broadcast', 'bottom', 'top'] as const;
export type CaptionPosition = (typeof CAPTION_POSITIONS)[number];
/** Setting `retryDamaged`: after which outcome the next airing is booked. */
export const RETRY_CHOICES = ['never', 'failed', 'damaged'] as const;
export type RetryChoice = (typeof RETRY_CHOICES)[number];
/** Setting `retuneCost`: which of two programmes that meet on one tuner is shortened. */
export const RETUNE_COSTS = ['first', 'second'] as const;

// Notices

/** What happened. Exactly one of `finished` and `failed` tells how a recording, or a booking without one, ended. */
export const NOTICE_EVENTS = [
  /** Booked by a rule. */
  'reserved',
  /** A booking found no tuner. */
  'conflict',
  /** A booking will not be recorded, or not whole. */
  'will_fail',
  'started',
  'finished',
  'failed',
  /** The next airing was booked after a damaged recording. */
  'rebooked',
  'encoded',
  'encode_failed',
  'tuner_lost',
  'tuner_back',
  'card_lost',
  'guide_stale',
  'disk_low',
  'paired',
  'update',
  'database_trouble',
  /** A programme begins soon that somebody wanted to be reminded of. */
  'reminder',
] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** Those that need somebody: told at once also where the others are collected. */
export const URGENT_EVENTS: readonly NoticeEvent[] = [
  ...(['conflict', 'will_fail', 'failed', 'encode_failed'] as const),
  ...(['tuner_lost', 'card_lost', 'guide_stale', 'disk_low', 'database_trouble'] as const),
];

export const DEFAULT_EVENTS: readonly NoticeEvent[] = [...URGENT_EVENTS, 'reminder'];

export const NOTICE_KINDS = [
  'recording',
  'reservation',
  'program',
  'tuner',
  'card',
  'guide',
  'storage',
  'device',
  'service',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** What can be done about a notice with one press. */
export const NOTICE_ACTIONS = ['watch', 'book_next', 'record', 'cancel', 'encode', 'empty_bin'] as const;
export type NoticeActionName = (typeof NOTICE_ACTIONS)[number];

/** Message formats of a webhook. `generic`: JSON, signed in the Standard Webhooks way. */
export const WEBHOOK_FORMATS = ['generic', 'discord', 'slack', 'ntfy', 'gotify', 'line', 'telegram'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

// Access

/** How a request was let in. */
export const LET_IN_BY = ['network', 'session', 'token'] as const;
/** Errors of the token endpoint, RFC 8628, 3.5. */
export const POLL_ERRORS = ['authorization_pending', 'slow_down', 'expired_token', 'invalid_grant'] as const;
export type PollError = (typeof POLL_ERRORS)[number];
