/**
 * The broadcaster's web servers as a program: prints one line for the service's `BML_HOSTS`, then runs until SIGTERM or
 * SIGINT.
 */
import { startHostile } from './hostile.ts';
import { WEB_NAME } from './pages.ts';
import { HOSTILE_NAME, startWeb } from './server.ts';

const web = startWeb(0);
const hostile = await startHostile(0);
process.stdout.write(`${WEB_NAME}=127.0.0.1:${web.port},${HOSTILE_NAME}=127.0.0.1:${hostile.port}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all([web.close(), hostile.close()]).then(() => process.exit(0)));
}
