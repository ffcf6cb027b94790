/**
 * Processes the encode queue of a folder in a process that kills itself at a given step, for tests of crash
 * recovery. Arguments: folder, step (or `none`).
 */
import { until } from '../until.ts';
import { EncodeHome } from './encode-home.ts';

const [folder = '', killAt = 'none'] = process.argv.slice(2);
const home = new EncodeHome(folder, {
  sources: {
    onStep: (step) => {
      if (step === killAt) process.kill(process.pid, 'SIGKILL');
    },
  },
});
home.jobs.start();
await until('an empty queue', () => home.store.queue().length === 0 && home.store.recent().length > 0);
await home.close();
process.exit(0);
