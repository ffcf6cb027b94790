/**
 * One viewer's frames as an HTTP body: the initialisation segment and fragments, or packets. Times of fragments start
 * near 0 whenever the viewer joined. Frames of other kinds have no place in such a body.
 */
import { FragmentRebaser } from '../../mp4/fragment-rebaser.ts';
import type { Frame } from './frame.ts';
import type { ViewerQueue } from './viewer-queue.ts';

export function httpBody(viewer: ViewerQueue): ReadableStream<Uint8Array> {
  let rebaser: FragmentRebaser | undefined;
  let isCancelled = false;
  const encode = (frame: Frame): Uint8Array[] => {
    switch (frame.kind) {
      case 'init':
        rebaser = new FragmentRebaser(frame.bytes);
        return [frame.bytes];
      case 'fragment':
        return rebaser?.fragment(frame.bytes) ?? [];
      case 'packets':
        return [frame.bytes];
      case 'captionTrack':
      case 'caption':
      case 'notice':
      case 'clock':
      case 'data':
        return [];
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      // A client that reads nothing must still lose its connection.
      start: (controller) => viewer.onFailure((reason) => controller.error(reason)),
      pull: async (controller) => {
        for (;;) {
          const frame = await viewer.next();
          if (frame === undefined) {
            if (!isCancelled) controller.close();
            return;
          }
          const pieces = encode(frame);
          for (const piece of pieces) controller.enqueue(piece);
          if (pieces.length > 0) return;
        }
      },
      cancel: () => {
        isCancelled = true;
        viewer.leave();
      },
    },
    { highWaterMark: 0 },
  );
}
