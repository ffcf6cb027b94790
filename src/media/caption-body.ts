/**
 * One viewer's frames as a caption frame stream: the pages of one language, superimposed text and notices. A frame
 * consists of its length (four octets, not counting these), its kind, a 90 kHz time in eight octets, and its payload,
 * big-endian.
 */
import { CAPTION_FRAME, type CaptionStreamNotice } from '../../wire/caption.ts';
import { CaptionSelection } from './caption-selection.ts';
import type { Frame } from './frame.ts';
import type { ViewerQueue } from './viewer-queue.ts';

const LENGTH_BYTES = 4;
const HEADER_BYTES = 9;
/** Interval of keep-alive notices. */
const PING_MS = 20_000;
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

/** Converts frames of a session to those of a caption stream. */
export class CaptionStreamEncoder {
  readonly #selection: CaptionSelection;

  /** @param language 1 to 8 */
  constructor(language: number) {
    this.#selection = new CaptionSelection(language);
  }

  encode(frame: Frame): Uint8Array<ArrayBuffer>[] {
    switch (frame.kind) {
      case 'caption':
      case 'captionTrack':
        return this.#selection.take(frame).map((selected) => {
          if (selected.kind === 'notice') return notice(selected.notice);
          const kind = selected.superimpose ? CAPTION_FRAME.superimpose : CAPTION_FRAME.page;
          return captionStreamFrame(kind, selected.time, selected.json);
        });
      case 'init':
      case 'fragment':
      case 'packets':
      case 'notice':
      case 'fault':
      case 'clock':
      case 'data':
        return [];
    }
  }
}

interface CaptionBodyOptions {
  /** 1 to 8; if the programme has no such language, the first one is sent. */
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
        // The response's headers are sent with the first bytes; pages may be minutes away.
        controller.enqueue(notice({ type: 'ping' }));
        ping = setInterval(() => {
          // A client that reads nothing gets at most one pending keep-alive.
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
