/**
 * From the start of an executable to its first HTTP answer, beside a bare HTTP server started the same way.
 * `bun bench/start.ts [rounds]`; needs `npm run build`. Ends with 1 when an executable needs more than 150 ms.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const BUN = process.execPath;
const rounds = Number(process.argv[2] ?? 5);
const READY_LIMIT_MS = 20_000;
const LIMIT_MS = 150;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** ms from the start of a program to its first HTTP answer. */
async function timeToAnswer(
  command: string[],
  environment: Record<string, string>,
  port: number,
  path: string,
) {
  const started = performance.now();
  const child = Bun.spawn(command, {
    env: { ...process.env, ...environment },
    stdout: 'ignore',
    stderr: 'ignore',
    cwd: folder,
  });
  try {
    for (;;) {
      try {
        await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer();
        return performance.now() - started;
      } catch {
        if (performance.now() - started > READY_LIMIT_MS) throw new Error(`${command[0]} does not answer`);
        await Bun.sleep(1);
      }
    }
  } finally {
    child.kill();
    await child.exited;
  }
}

function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = probe;
  void probe.stop(true);
  if (port === undefined) throw new Error('no free port');
  return port;
}

async function coldStarts(): Promise<boolean> {
  const agentBinary = join(ROOT, 'dist', 'svc-agent');
  const serviceBinary = join(ROOT, 'dist', 'svc');
  if (!existsSync(agentBinary) || !existsSync(serviceBinary)) {
    console.log('cold start of the executables: skipped, dist/ is not built (npm run build)');
    return true;
  }
  const port = String(freePort());
  const bareServer = `Bun.serve({port:${port},hostname:'127.0.0.1',fetch:()=>new Response('ok')})`;
  const programs = [
    { name: 'bare', command: [BUN, '-e', bareServer], environment: {}, path: '/' },
    {
      name: 'svc-agent: start to first answer',
      command: [agentBinary],
      environment: {
        AGENT_PORT: port,
        CHANNELS_FILE: join(folder, 'start-channels.json'),
        TUNERS_FILE: join(folder, 'start-tuners.json'),
      },
      path: '/agent/tuners',
    },
    {
      name: 'svc: start to first answer',
      command: [serviceBinary],
      environment: { PORT: port, HOST: '127.0.0.1', DATA_DIR: join(folder, 'start-data') },
      path: '/api/health',
    },
  ];
  const figures: { name: string; took: number }[] = [];
  for (const program of programs) {
    const all: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      all.push(await timeToAnswer(program.command, program.environment, Number(port), program.path));
    }
    figures.push({ name: program.name, took: median(all) });
  }
  const [bare, ...own] = figures;
  let good = true;
  for (const { name, took } of own) {
    const ratio = took / (bare?.took ?? Number.NaN);
    good &&= took <= LIMIT_MS;
    const verdict = took <= LIMIT_MS ? 'ok' : `ABOVE ${LIMIT_MS} ms`;
    console.log(
      `${name.padEnd(36)}${took.toFixed(0).padStart(5)} ms   bare server ${bare?.took.toFixed(0)} ms   ratio ${ratio.toFixed(2)}   ${verdict}`,
    );
  }
  return good;
}

let good: boolean;
try {
  good = await coldStarts();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(good ? 0 : 1);
