/** `POST /agent/decode`: the request's stream comes back descrambled, as fast as the client takes it. */
import type { MonotonicClock } from '../../host/clock.ts';
import { settlesWithin } from '../../host/deadline.ts';
import type { KeySource } from './key-source.ts';
import { StreamDescrambler } from './stream-descrambler.ts';

/** Descrambled and not taken by the client: above it the request's body is not read on. */
const BUFFER_BYTES = 4 * 1024 * 1024;
/** A client that sends or takes nothing for so long is given up, ms. */
const IDLE_MS = 30_000;
/** The last packets may wait for a key for so long after the request's end, ms. */
const FLUSH_MS = 10_000;

export function decodeBody(
  request: ReadableStream<Uint8Array>,
  source: KeySource,
  clock: MonotonicClock,
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

  const run = async (): Promise<void> => {
    for (;;) {
      // `desiredSize` is what the client still takes before BUFFER_BYTES wait.
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
        run().then(
          () => descrambler.close(),
          (error: unknown) => {
            clearTimeout(idle);
            descrambler.close();
            void reader.cancel(error).catch(() => {});
            controller.error(error);
          },
        );
      },
      pull: changed,
      cancel: async (reason) => {
        isCancelled = true;
        changed();
        clearTimeout(idle);
        descrambler.close();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk?.length ?? 0 },
  );
}
