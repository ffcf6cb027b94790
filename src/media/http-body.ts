/**
 * One viewer's frames as an HTTP body: the initialisation segment and fragments, or packets. Frames of other kinds are
 * omitted.
 */
import { releaseBuffer } from '../../lib/host/release-buffer.ts';
import { FragmentRebaser } from '../../lib/mp4/fragment.ts';
import type { Frame } from './frame.ts';
import type { ViewerQueue } from './viewer-queue.ts';

interface HttpBodyOptions {
  /** Fragments keep their times; else their times start near 0 for each viewer. */
  readonly keepsTimes?: boolean;
  /** A client that reads nothing for this long is disconnected, ms; undefined: only the queue's bound applies. */
  readonly abandonedAfterMs?: number;
  /** Whether this failure is a regular end for the client: all that there was has been sent. Never rejects. */
  readonly isRegularEnd?: (reason: Error) => Promise<boolean>;
  /**
   * Whoever reads the body has written a chunk, or copied it, before it reads the next one, as the runtime does with the
   * body of a response. Exclusive packets are then freed at once.
   */
  readonly freesWritten?: boolean;
}

export function httpBody(
  viewer: ViewerQueue,
  { keepsTimes = false, abandonedAfterMs, isRegularEnd, freesWritten = false }: HttpBodyOptions = {},
): ReadableStream<Uint8Array> {
  let rebaser: FragmentRebaser | undefined;
  let isCancelled = false;
  let untaken: ReturnType<typeof setTimeout> | undefined;
  /** Exclusive packets that were sent last. */
  let written: Uint8Array | undefined;
  const waitForClient = (): void => {
    if (abandonedAfterMs === undefined) return;
    untaken = setTimeout(() => viewer.fail(new Error('the client does not read')), abandonedAfterMs);
    untaken.unref();
  };
  const encode = (frame: Frame): Uint8Array[] => {
    switch (frame.kind) {
      case 'init':
        if (!keepsTimes) rebaser = new FragmentRebaser(frame.bytes);
        return [frame.bytes];
      case 'fragment':
        if (keepsTimes) return [frame.bytes];
        return rebaser?.fragment(frame.bytes) ?? [];
      case 'packets':
        return [frame.bytes];
      case 'side':
      case 'notice':
      case 'fault':
        return [];
    }
  };
  let ending: Promise<void> | undefined;
  const fail = async (
    controller: ReadableStreamDefaultController<Uint8Array>,
    reason: Error,
  ): Promise<void> => {
    const isRegular = isRegularEnd !== undefined && (await isRegularEnd(reason));
    if (isCancelled) return;
    if (isRegular) controller.close();
    else controller.error(reason);
  };
  return new ReadableStream<Uint8Array>(
    {
      // A client that reads nothing must still lose its connection.
      start: (controller) =>
        viewer.onFailure((reason) => {
          ending = fail(controller, reason);
        }),
      pull: async (controller) => {
        clearTimeout(untaken);
        if (written !== undefined) releaseBuffer(written);
        written = undefined;
        for (;;) {
          let frame: Frame | undefined;
          try {
            frame = await viewer.next();
          } catch {
            await ending;
            return;
          }
          if (frame === undefined) {
            if (!isCancelled) controller.close();
            return;
          }
          const pieces = encode(frame);
          if (freesWritten && frame.kind === 'packets' && frame.isExclusive) written = frame.bytes;
          for (const piece of pieces) controller.enqueue(piece);
          if (pieces.length > 0) {
            waitForClient();
            return;
          }
        }
      },
      cancel: () => {
        isCancelled = true;
        clearTimeout(untaken);
        viewer.leave();
      },
    },
    { highWaterMark: 0 },
  );
}
