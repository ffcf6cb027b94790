/** A reception worker with an output and readers defined by a test, unknown to `src`. */
import { serveReception } from '../../src/reception/reception-host.ts';
import { receptionKinds } from '../../src/reception/reception-kinds.ts';
import { PROBES } from './probes.ts';

declare const self: Worker;

const kinds = receptionKinds(undefined);
serveReception(self, {
  kinds: {
    outputs: [...kinds.outputs, ...PROBES.outputs],
    readers: [...kinds.readers, ...PROBES.readers],
  },
});
