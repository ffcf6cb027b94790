/** A reception worker with readers of side data that `src` does not know. */
import { serveReception } from '../../src/reception/reception-host.ts';
import { receptionKinds } from '../../src/reception/reception-kinds.ts';
import { costlyReader, ownReader } from './own-side-data.ts';

declare const self: Worker;

const { outputs, readers } = receptionKinds(undefined);
serveReception(self, { kinds: { outputs, readers: [...readers, ownReader, costlyReader] } });
