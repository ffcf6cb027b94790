/**
 * Messages between the page (`hybrid-session.ts`) and the application's frame (`frame/`). Each side sends them within an
 * envelope with the nonce of this frame. What comes from the frame comes from the application, which can send anything:
 * `readFrameMessage` checks each field.
 */
import type { ApplicationBoundary } from '../../lib/arib/application/application.ts';
import { isPostType } from '../../lib/wire/vocabulary.ts';
import type { ApplicationIds, Stored } from './application-storage.ts';

/** Plane of the places that the page gets, px. */
export const PLANE = { width: 960, height: 540 } as const;

export interface Rectangle {
  /** As parts of the frame's width and height. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Characters of a URL, of a body, and of a stored value. */
const MAX_URL = 4096;
const MAX_BODY = 64 * 1024;
const MAX_TEXT = 256 * 1024;
const MAX_LOG = 500;
const MAX_HOST = 253;

export interface FetchMessage {
  readonly kind: 'fetch';
  readonly id: number;
  readonly url: string;
  /** A POST; its content type is one of `POST_TYPES`. */
  readonly body: { readonly type: string; readonly text: string } | undefined;
}

export type FrameMessage =
  /** The container runs. */
  | { readonly kind: 'ready' }
  /** It was busy for some time, as `probe` asks. */
  | { readonly kind: 'probed' }
  | { readonly kind: 'pong' }
  /** Width of the plane for which its document is made, CSS px. */
  | { readonly kind: 'viewport'; readonly width: number }
  /** The document of the application is there. */
  | { readonly kind: 'loaded' }
  | FetchMessage
  | { readonly kind: 'keySet'; readonly keySet: number }
  /** Where the application has the station's picture; `isCovered`: it draws over it. */
  | { readonly kind: 'video'; readonly rectangle: Rectangle | undefined; readonly isCovered: boolean }
  | { readonly kind: 'currentEvent'; readonly id: number }
  | { readonly kind: 'confirm'; readonly id: number; readonly host: string }
  | { readonly kind: 'region'; readonly id: number }
  | { readonly kind: 'store'; readonly key: string; readonly value: string | undefined }
  | { readonly kind: 'clearStore' }
  | { readonly kind: 'navigate'; readonly url: string }
  | {
      readonly kind: 'replace';
      readonly ids: ApplicationIds | undefined;
      readonly aitUrl: string | undefined;
    }
  | { readonly kind: 'destroy' }
  /** A loop of it was stopped. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'log'; readonly text: string };

/** The answer of a `fetch`. Undefined body: not allowed, or it failed. */
export interface FetchAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: ArrayBuffer;
}

export interface CurrentEvent {
  readonly networkId: number | null;
  readonly transportStreamId: number;
  readonly serviceId: number;
  readonly eventId: number | null;
  readonly name: string | null;
  /** Epoch ms of the broadcast. */
  readonly startAt: number | null;
  readonly durationMs: number | null;
}

export interface Region {
  readonly postalCode: string;
  readonly prefecture: number;
}

/** What the application's script may know of itself. */
export interface ApplicationFacts extends ApplicationIds {
  readonly controlCode: string;
  readonly autostartPriority: number | null;
  readonly boundaries: readonly ApplicationBoundary[];
  readonly canStore: boolean;
  readonly stored: Stored;
  /** Undefined: without the viewer's consent. */
  readonly region: Region | undefined;
  /** The frame and the page share a thread: loops are limited. */
  readonly isThreadShared: boolean;
  /** 0 to 1. */
  readonly volume: number;
}

export type HostMessage =
  | { readonly kind: 'probe' }
  | { readonly kind: 'ping' }
  | {
      readonly kind: 'document';
      readonly url: string;
      readonly html: string;
      /** Of the receiver. */
      readonly font: ArrayBuffer | undefined;
      readonly facts: ApplicationFacts;
    }
  | { readonly kind: 'key'; readonly code: number; readonly isDown: boolean }
  | { readonly kind: 'volume'; readonly volume: number }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown };

export interface FrameEnvelope extends ApplicationIds {
  readonly nonce: string;
  readonly message: unknown;
}

export interface HostEnvelope {
  readonly nonce: string;
  readonly message: HostMessage;
}

/** Widths of planes for which applications are made; the first one if they do not say it. */
export const VIEWPORTS: readonly number[] = [1920, 960, 1280, 3840];

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most;
const isId = (value: unknown, most = Number.MAX_SAFE_INTEGER): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most;
const isPart = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= 100;

/** Undefined: not an id of one. */
function readIds(organisation: unknown, application: unknown): ApplicationIds | undefined {
  if (!isId(organisation, 0xffff_ffff) || !isId(application, 0xffff)) return undefined;
  return { organisation, application };
}

function readBody(value: unknown): FetchMessage['body'] | null {
  if (value === undefined) return undefined;
  if (!isFields(value) || !isText(value.type, 128) || !isText(value.text, MAX_BODY)) return null;
  const [type = ''] = value.type.toLowerCase().split(';');
  return isPostType(type.trim()) ? { type: type.trim(), text: value.text } : null;
}

function readRectangle(value: unknown): Rectangle | undefined | null {
  if (value === undefined) return undefined;
  if (!isFields(value)) return null;
  const { left, top, width, height } = value;
  if (!isPart(left) || !isPart(top) || !isPart(width) || !isPart(height)) return null;
  return width > 0 && height > 0 ? { left, top, width, height } : undefined;
}

/** Undefined: a message that no frame of ours sends. */
export function readFrameMessage(value: unknown): FrameMessage | undefined {
  if (!isFields(value)) return undefined;
  const { kind, id } = value;
  switch (kind) {
    case 'ready':
    case 'probed':
    case 'pong':
    case 'loaded':
    case 'clearStore':
    case 'destroy':
    case 'busy':
      return { kind };
    case 'fetch': {
      const body = readBody(value.body);
      return isId(id) && isText(value.url, MAX_URL) && body !== null
        ? { kind, id, url: value.url, body }
        : undefined;
    }
    case 'viewport':
      return typeof value.width === 'number' && VIEWPORTS.includes(value.width)
        ? { kind, width: value.width }
        : undefined;
    case 'keySet':
      return isId(value.keySet, 0xffff) ? { kind, keySet: value.keySet } : undefined;
    case 'video': {
      const rectangle = readRectangle(value.rectangle);
      return rectangle === null ? undefined : { kind, rectangle, isCovered: value.isCovered === true };
    }
    case 'currentEvent':
    case 'region':
      return isId(id) ? { kind, id } : undefined;
    case 'confirm':
      return isId(id) && isText(value.host, MAX_HOST) ? { kind, id, host: value.host } : undefined;
    case 'store': {
      if (!isText(value.key, MAX_URL)) return undefined;
      if (value.value === undefined) return { kind, key: value.key, value: undefined };
      return isText(value.value, MAX_TEXT) ? { kind, key: value.key, value: value.value } : undefined;
    }
    case 'navigate':
      return isText(value.url, MAX_URL) ? { kind, url: value.url } : undefined;
    case 'replace': {
      const { ids, aitUrl } = value;
      const read = isFields(ids) ? readIds(ids.organisation, ids.application) : undefined;
      if (aitUrl !== undefined && !isText(aitUrl, MAX_URL)) return undefined;
      return read === undefined && aitUrl === undefined ? undefined : { kind, ids: read, aitUrl };
    }
    case 'log':
      return typeof value.text === 'string' ? { kind, text: value.text.slice(0, MAX_LOG) } : undefined;
    default:
      return undefined;
  }
}
