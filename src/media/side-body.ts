/**
 * One viewer's side data of one kind as a frame stream (captions: `GET …/captions`), with keep-alive notices. A frame
 * consists of its length (four octets, not counting these) and a message of the live socket: channel, 90 kHz time in
 * eight octets, payload.
 */
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import type { Frame } from './frame.ts';
import { type SideRow, sideFrame } from './side-row.ts';
import type { ViewerQueue } from './viewer-queue.ts';

const LENGTH_BYTES = 4;
/** Interval of keep-alive notices. */
const PING_MS = 20_000;
const PING = sideFrame({ channel: LIVE_CHANNEL.control, time: 0, text: JSON.stringify({ type: 'ping' }) });

function streamFrame(frame: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(LENGTH_BYTES + frame.length);
  new DataView(bytes.buffer).setUint32(0, frame.length);
  bytes.set(frame, LENGTH_BYTES);
  return bytes;
}

/** Frames of a session as those of a stream of one row; frames of other kinds are omitted. */
function encoderOf(row: SideRow, language: number): (frame: Frame) => Uint8Array<ArrayBuffer>[] {
  const encoder = row.encoder?.(language);
  return (frame) => {
    if (frame.kind !== 'side' || frame.row !== row) return [];
    const { item, time } = frame;
    if (encoder !== undefined)
      return encoder.encode(item, time).map((message) => streamFrame(sideFrame(message)));
    return item.frame === undefined ? [] : [streamFrame(item.frame)];
  };
}

interface SideBodyOptions {
  readonly row: SideRow;
  /** 1 to 8; if the programme has no such language, the first one is sent. */
  readonly language: number;
  readonly pingMs?: number | undefined;
}

export function sideBody(
  viewer: ViewerQueue,
  { row, language, pingMs = PING_MS }: SideBodyOptions,
): ReadableStream<Uint8Array> {
  const encode = encoderOf(row, language);
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
        // The response's headers are sent with the first bytes; items may be minutes away.
        controller.enqueue(streamFrame(PING));
        ping = setInterval(() => {
          // A client that reads nothing gets at most one pending keep-alive.
          if (!isOver && (controller.desiredSize ?? 0) >= 0) controller.enqueue(streamFrame(PING));
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
          const pieces = encode(frame);
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
