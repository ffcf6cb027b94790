/** The service's deletion of old recordings, as a process that tests kill: `deletion-process.ts <database>`. */

import { broadcastMs } from '../../arib/time.ts';
import { systemWallClock } from '../../host/clock.ts';
import { createLog } from '../../host/log.ts';
import { Hub } from '../../src/hub/hub.ts';
import { RetentionService } from '../../src/record/retention-service.ts';
import { openDatabase } from '../../src/store/database.ts';
import { RecycleBin } from '../../src/store/recycle-bin.ts';

const database = openDatabase(process.argv[2] ?? '');
const log = createLog({
  level: 'error',
  now: systemWallClock,
  write: (line) => process.stderr.write(`${line}\n`),
});
const retention = new RetentionService({
  shelf: new RecycleBin(database),
  hub: new Hub(() => {}),
  intervalMs: 100,
  log,
  now: () => broadcastMs(Date.now()),
});
retention.start();
process.stdout.write('started\n');
