/** The body of `GET /agent/events`: Server-Sent Events, WHATWG HTML 9.2. */
import type { AgentEvent } from '../wire/agent.ts';
import type { ChangeEvents } from './events.ts';

const KEEP_ALIVE = new TextEncoder().encode(': keep-alive\n\n');

/** Pending events of a slow reader are kept as names only, so that each is sent once. */
export function eventStream(events: ChangeEvents, keepAliveMs: number): ReadableStream<Uint8Array> {
  const pending = new Set<AgentEvent>();
  let wanted = false;
  let stop = (): void => {};
  const flush = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (!wanted || pending.size === 0) return;
    wanted = false;
    const text = [...pending].map((event) => `event: ${event}\ndata: 1\n\n`).join('');
    pending.clear();
    controller.enqueue(new TextEncoder().encode(text));
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Sent immediately, because headers are only sent with data.
        controller.enqueue(KEEP_ALIVE);
        const timer = setInterval(() => {
          if (!wanted) return;
          wanted = false;
          controller.enqueue(KEEP_ALIVE);
        }, keepAliveMs);
        const unsubscribe = events.subscribe((changed) => {
          for (const event of changed) pending.add(event);
          flush(controller);
        });
        stop = () => {
          clearInterval(timer);
          unsubscribe();
        };
      },
      pull(controller) {
        wanted = true;
        flush(controller);
      },
      cancel: () => stop(),
    },
    { highWaterMark: 0 },
  );
}
