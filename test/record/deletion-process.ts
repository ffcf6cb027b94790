/**
 * The service's deletion of old recordings, as a process that tests kill: `deletion-process.ts DATABASE
 * FOLDER COUNT`. It kills itself once fewer than COUNT files are left in the folder, because a busy test
 * process would kill it too late.
 */
import { readdirSync } from 'node:fs';
import { broadcastMs } from '../../lib/arib/time.ts';

import { systemWallClock } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { Hub } from '../../src/notify/hub.ts';
import { RetentionService } from '../../src/record/retention-service.ts';
import { openDatabase } from '../../src/store/database.ts';
import { RecycleBin } from '../../src/store/recycle-bin.ts';

const [path = '', folder = '', count = ''] = process.argv.slice(2);
const database = openDatabase(path);
const log = createLog({
  level: 'error',
  now: systemWallClock,
  write: (line) => process.stderr.write(`${line}\n`),
});
const retention = new RetentionService({
  recycleBin: new RecycleBin(database),
  hub: new Hub(() => {}),
  intervalMs: 100,
  log,
  now: () => broadcastMs(Date.now()),
});
retention.start();
setInterval(() => {
  if (readdirSync(folder).length < Number(count)) process.kill(process.pid, 'SIGKILL');
}, 5);
process.stdout.write('started\n');
