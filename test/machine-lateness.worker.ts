/** The piece of work beside a test: about a twentieth of a processor. Ends with its worker. */
import { MachineClock } from './bench/guide/machine.ts';

declare const self: Worker;

/** Longer than a time slice of the scheduler, which would hide what else runs. */
const WORK_MS = 10;
const PAUSE_MS = 200;

const clock = new MachineClock();
for (;;) {
  const asked = performance.now();
  await Bun.sleep(PAUSE_MS);
  const begun = performance.now();
  const { slowness, processorMs } = clock.work(WORK_MS);
  const tookMs = performance.now() - begun;
  self.postMessage({
    slowness,
    share: Math.min(1, processorMs / tookMs),
    lateMs: Math.max(0, begun - asked - PAUSE_MS),
  });
}
