/** The piece of work beside a test: about a twentieth of a processor, a hundredth once the factor is known. Ends with its worker. */
import { MachineClock } from './bench/guide/machine.ts';

declare const self: Worker;

/** Longer than a time slice of the scheduler, which would hide what else runs. */
const WORK_MS = 10;
const FIRST_PAUSE_MS = 200;
const PAUSE_MS = 1_000;
/** Samples after the shorter pauses. */
const FIRST = 20;

const clock = new MachineClock();
for (let sample = 0; ; sample += 1) {
  const pauseMs = sample < FIRST ? FIRST_PAUSE_MS : PAUSE_MS;
  const asked = performance.now();
  await Bun.sleep(pauseMs);
  const begun = performance.now();
  const { slowness, processorMs } = clock.work(WORK_MS);
  const tookMs = performance.now() - begun;
  self.postMessage({
    slowness,
    share: Math.min(1, processorMs / tookMs),
    lateMs: Math.max(0, begun - asked - pauseMs),
  });
}
