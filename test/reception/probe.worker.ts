/** A reception worker with an output and readers of a test's own: nothing of `src` names them. */
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
