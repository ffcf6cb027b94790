/**
 * One viewer's frames as a caption frame stream: the pages of one language, superimposed text and notices. Each frame is
 * its length without these four octets, its kind, a time of 90 kHz in eight octets, and its payload, big-endian.
 */
import type { CaptionLanguage, CaptionStreamNotice } from '../../wire/caption.ts';
import { CAPTION_FRAME, CAPTION_PAGE_VERSION, type CaptionPage } from '../../wire/caption.ts';
import { captionLanguageLabel } from '../model/caption-language.ts';
import type { CaptionFrame, CaptionTrackFrame, Frame } from './frame.ts';
import type { ViewerQueue } from './viewer-queue.ts';

const LENGTH_BYTES = 4;
const HEADER_BYTES = 9;
/** Interval of notices that tell the client that its connection lives. */
const PING_MS = 20_000;
const FIRST_LANGUAGE = 1;

const NO_PAGE: CaptionPage = { v: CAPTION_PAGE_VERSION, plane: [960, 540], duration: null, runs: [] };

function captionStreamFrame(kind: number, time: number, payload: string): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(payload);
  const bytes = new Uint8Array(LENGTH_BYTES + HEADER_BYTES + text.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, HEADER_BYTES + text.length);
  view.setUint8(LENGTH_BYTES, kind);
  view.setBigUint64(LENGTH_BYTES + 1, BigInt(Math.max(0, Math.round(time))));
  bytes.set(text, LENGTH_BYTES + HEADER_BYTES);
  return bytes;
}

function notice(value: CaptionStreamNotice): Uint8Array<ArrayBuffer> {
  return captionStreamFrame(CAPTION_FRAME.notice, 0, JSON.stringify(value));
}

/** The pages of one kind of text; which language's depends on what there is. */
class Track {
  languages: CaptionTrackFrame['languages'] = null;
  readonly #pages = new Map<number, CaptionFrame>();

  constructor(
    readonly kind: number,
    private readonly wanted: number,
  ) {}

  /** The wanted language, while it may still come or is there; else the first. */
  get language(): number {
    const { languages, wanted } = this;
    if (languages === null || languages.length === 0) return wanted;
    return languages.some(({ index }) => index === wanted) ? wanted : FIRST_LANGUAGE;
  }

  /** What of before is on the screen is cleared. */
  follow(languages: CaptionTrackFrame['languages']): Uint8Array<ArrayBuffer>[] {
    const shown = this.#pages.get(this.language);
    this.languages = languages;
    this.#pages.clear();
    if (shown === undefined) return [];
    return [captionStreamFrame(this.kind, shown.time, JSON.stringify(NO_PAGE))];
  }

  show(frame: CaptionFrame): Uint8Array<ArrayBuffer>[] {
    if (frame.language !== this.language) return [];
    this.#pages.set(frame.language, frame);
    return [captionStreamFrame(this.kind, frame.time, frame.json)];
  }
}

/** Turns frames of a session into those of a caption stream. */
export class CaptionStreamEncoder {
  readonly #captions: Track;
  readonly #superimpose: Track;

  /** @param language 1 to 8 */
  constructor(language: number) {
    this.#captions = new Track(CAPTION_FRAME.page, language);
    this.#superimpose = new Track(CAPTION_FRAME.superimpose, language);
  }

  encode(frame: Frame): Uint8Array<ArrayBuffer>[] {
    switch (frame.kind) {
      case 'caption':
        return this.#track(frame).show(frame);
      case 'captionTrack': {
        const cleared = this.#track(frame).follow(frame.languages);
        return frame.superimpose || frame.languages === null ? cleared : [...cleared, this.#notice()];
      }
      case 'init':
      case 'fragment':
      case 'packets':
      case 'notice':
      case 'clock':
      case 'data':
        return [];
    }
  }

  #track({ superimpose }: CaptionFrame | CaptionTrackFrame): Track {
    return superimpose ? this.#superimpose : this.#captions;
  }

  #notice(): Uint8Array<ArrayBuffer> {
    const { language } = this.#captions;
    const languages: CaptionLanguage[] = (this.#captions.languages ?? []).map(({ index, code }) => ({
      index,
      code,
      label: captionLanguageLabel(index, code),
    }));
    const code = languages.find(({ index }) => index === language)?.code ?? '';
    return notice({
      type: 'captions',
      tracks: [{ index: 0, lang: code === '' ? null : code, label: captionLanguageLabel(language, code) }],
      track: 0,
      ...(languages.length > 1 ? { languages, language } : {}),
    });
  }
}

interface CaptionBodyOptions {
  /** 1 to 8; where the programme has no such language the first one is sent. */
  readonly language: number;
  readonly pingMs?: number | undefined;
}

export function captionBody(
  viewer: ViewerQueue,
  { language, pingMs = PING_MS }: CaptionBodyOptions,
): ReadableStream<Uint8Array> {
  const encoder = new CaptionStreamEncoder(language);
  let isOver = false;
  let ping: ReturnType<typeof setInterval> | undefined;
  const end = (): void => {
    isOver = true;
    clearInterval(ping);
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        viewer.onFailure((reason) => {
          end();
          controller.error(reason);
        });
        ping = setInterval(() => {
          // One that waits to be sent is enough for a client that reads nothing.
          if (!isOver && (controller.desiredSize ?? 0) >= 0) controller.enqueue(notice({ type: 'ping' }));
        }, pingMs);
      },
      pull: async (controller) => {
        for (;;) {
          const frame = await viewer.next();
          if (isOver) return;
          if (frame === undefined) {
            end();
            controller.close();
            return;
          }
          const pieces = encoder.encode(frame);
          for (const piece of pieces) controller.enqueue(piece);
          if (pieces.length > 0) return;
        }
      },
      cancel: () => {
        end();
        viewer.leave();
      },
    },
    { highWaterMark: 0 },
  );
}
