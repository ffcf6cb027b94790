/**
 * From the start of a program to its first HTTP answer, beside a bare HTTP server started in turns with it: the agent,
 * a service without data, and one with 60,000 programmes and 40,000 recordings. The executables where `dist/` is built
 * (`npm run build`), otherwise the sources, which take longer. `bun test/bench/start.ts [rounds] [folder]`: with a folder,
 * the database there is used, and made when there is none.
 *
 * Limits are multiples of the bare server's time. Ends with 1 when a program is past its own.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../src/service.ts';
import { fillDatabase, PROGRAMS, RECORDINGS } from './guide/bench-database.ts';
import { benchStations } from './guide/bench-stations.ts';
import { Figures, quantile } from './guide/figures.ts';
import { cpuSeconds, machineLoad } from './guide/process-use.ts';

const ROOT = join(import.meta.dir, '..', '..');
const BUN = process.execPath;
const rounds = Number(process.argv[2] ?? 5);
const kept = process.argv[3];
const READY_LIMIT_MS = 30_000;
/** In starts of the bare server. */
const LIMITS = { small: 5, full: 8 };

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const figures = new Figures();

interface Start {
  /** Time to the first response, ms. */
  readonly answer: number;
  /** Processor time until then, ms. */
  readonly processor: number;
}

interface Candidate {
  readonly name: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly path: string;
  readonly limit: number;
}

async function start(candidate: Candidate, port: number): Promise<Start> {
  const { command, environment, path } = candidate;
  const started = performance.now();
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...environment },
    stdout: 'ignore',
    stderr: 'ignore',
    cwd: folder,
  });
  try {
    for (;;) {
      try {
        await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer();
        return { answer: performance.now() - started, processor: cpuSeconds(child.pid) * 1000 };
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

/** The executable if built, as users run it. */
function program(name: string, source: string): string[] {
  const built = join(ROOT, 'dist', name);
  return existsSync(built) ? [built] : [BUN, join(ROOT, source)];
}

/** @returns the data folder with everything in it */
function fullHome(): string {
  const data = kept ?? join(folder, 'full');
  mkdirSync(data, { recursive: true });
  const path = join(data, DATABASE_FILE);
  if (!existsSync(path)) fillDatabase(path, benchStations(), Date.now());
  return data;
}

async function measure(): Promise<void> {
  const port = freePort();
  const bareServer = `Bun.serve({port:${port},hostname:'127.0.0.1',fetch:()=>new Response('ok')})`;
  const service = (name: string, data: string, limit: number): Candidate => ({
    name,
    limit,
    command: program('svc', 'src/main.ts'),
    environment: {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: data,
      TRUSTED_NETWORKS: '127.0.0.0/8',
      // No agent is running.
      TUNER_AGENT_URL: 'http://127.0.0.1:9',
    },
    path: '/api/services',
  });
  const bare = {
    ...{ name: 'bare', command: [BUN, '-e', bareServer], environment: {}, path: '/', limit: LIMITS.small },
  };
  const candidates: Candidate[] = [
    {
      name: 'svc-agent',
      command: program('svc-agent', 'agent/main.ts'),
      environment: {
        AGENT_PORT: String(port),
        CHANNELS_FILE: join(folder, 'start-channels.json'),
        TUNERS_FILE: join(folder, 'start-tuners.json'),
      },
      path: '/agent/tuners',
      limit: LIMITS.small,
    },
    service('svc, no data', join(folder, 'start-data'), LIMITS.small),
    service(`svc, ${PROGRAMS} programmes and ${RECORDINGS} recordings`, fullHome(), LIMITS.full),
  ];
  console.log(`${existsSync(join(ROOT, 'dist', 'svc')) ? 'executables' : 'sources'}, load ${machineLoad()}`);
  for (const candidate of candidates) {
    // Not measured: the first start of a version updates the database.
    await start(candidate, port);
    const own: Start[] = [];
    const bares: Start[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bares.push(await start(bare, port));
      own.push(await start(candidate, port));
    }
    const median = (list: readonly Start[], of: (one: Start) => number): number =>
      quantile(list.map(of), 0.5);
    const bareMs = median(bares, ({ answer }) => answer);
    const used = median(own, ({ processor }) => processor).toFixed(0);
    const answerMs = median(own, ({ answer }) => answer);
    figures.limited(
      `${candidate.name}: first answer ${answerMs.toFixed(0)} ms, processor time ${used} ms`,
      answerMs / bareMs,
      `times a bare server (${bareMs.toFixed(0)} ms)`,
      candidate.limit,
    );
  }
}

try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(figures.failed ? 1 : 0);
