/** Worker entry: reads streams of the agent and gives them to outputs and readers (`reception/reception-host.ts`). */
import { FileSyncer } from './reception/file-syncer.ts';
import { serveReception } from './reception/reception-host.ts';
import { receptionKinds } from './reception/reception-kinds.ts';

declare const self: Worker;

const syncer = new FileSyncer(() => new Worker(new URL('./sync.worker.ts', import.meta.url)));
serveReception(self, { kinds: receptionKinds((path) => syncer.sync(path)) });
