/** `POST /agent/decode`: returns the request's stream descrambled, as fast as the client reads it. */
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import type { KeySource } from './key-source.ts';
import { StreamDescrambler } from './stream-descrambler.ts';

/** Limit of descrambled data that the client has not read: above it the request's body is not read further. */
const BUFFER_BYTES = 4 * 1024 * 1024;
/** A client that sends or reads nothing for this long is disconnected, ms. */
const IDLE_MS = 30_000;
/** Maximum wait of the last packets for a key after the request's end, ms. */
const FLUSH_MS = 10_000;

/** @param onEnd called once, when nothing of it is held any more */
export function decodeBody(
  request: ReadableStream<Uint8Array>,
  source: KeySource,
  clock: MonotonicClock,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const reader = request.getReader();
  let wake = Promise.withResolvers<void>();
  const changed = (): void => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  const descrambler = new StreamDescrambler({
    source,
    clock,
    output: (packets) => {
      controller.enqueue(packets);
      changed();
    },
    onChange: changed,
  });
  let idle: ReturnType<typeof setTimeout> | undefined;
  let isCancelled = false;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    descrambler.close();
    onEnd();
  };

  const run = async (): Promise<void> => {
    for (;;) {
      // `desiredSize` is the space left until BUFFER_BYTES are queued.
      while (!isCancelled && (controller.desiredSize ?? 0) <= 0) {
        if (!(await settlesWithin(IDLE_MS, wake.promise))) throw new Error('the client takes nothing');
      }
      if (isCancelled) return;
      clearTimeout(idle);
      idle = setTimeout(() => void reader.cancel(new Error('idle')).catch(() => {}), IDLE_MS);
      const { done, value } = await reader.read();
      if (done) break;
      descrambler.feed(value.slice());
    }
    clearTimeout(idle);
    const until = clock() + FLUSH_MS;
    while (descrambler.isWaiting && clock() < until) {
      const timer = setTimeout(changed, until - clock());
      await wake.promise;
      clearTimeout(timer);
    }
    descrambler.flush();
    controller.close();
  };

  return new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
        run().then(end, (error: unknown) => {
          clearTimeout(idle);
          end();
          void reader.cancel(error).catch(() => {});
          controller.error(error);
        });
      },
      pull: changed,
      cancel: async (reason) => {
        isCancelled = true;
        changed();
        clearTimeout(idle);
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk?.length ?? 0 },
  );
}
