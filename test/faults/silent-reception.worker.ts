/**
 * A reception worker that a test can make unresponsive, by a busy loop or by blocking it; otherwise it works
 * like that of the service.
 */
import { serveReception } from '../../src/reception/reception-host.ts';
import { receptionKinds } from '../../src/reception/reception-kinds.ts';

declare const self: Worker;

export type Silence = 'loops' | 'is blocked';

/** Longer than any test. */
const BLOCKED_MS = 600_000;

function fallSilent(silence: Silence): never {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) if (silence === 'is blocked') Atomics.wait(never, 0, 0, BLOCKED_MS);
}

const isSilence = (data: unknown): data is { silence: Silence } =>
  typeof data === 'object' && data !== null && 'silence' in data;

serveReception(self, { kinds: receptionKinds(undefined) });
const serve = self.onmessage;
self.onmessage = (event: MessageEvent): void => {
  if (isSilence(event.data)) fallSilent(event.data.silence);
  else serve?.call(self, event);
};
