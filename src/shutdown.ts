/** Closing the service's parts. Part of the composition root. */
import type { Log } from '../lib/host/log.ts';

/** Closes step by step, the parts of a step at the same time. One that fails is logged. */
export async function closeInOrder(
  steps: readonly (readonly { close(): unknown }[])[],
  log: Log,
): Promise<void> {
  for (const step of steps) {
    const ends = await Promise.allSettled(step.map(async (part) => part.close()));
    for (const end of ends) {
      if (end.status === 'rejected') log.error('shutdown step failed', { error: String(end.reason) });
    }
  }
}

/** Runs `act` on the first call; every call returns the same promise. */
export function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= act();
    return done;
  };
}
