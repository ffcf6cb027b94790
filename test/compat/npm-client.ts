/**
 * The real `mirakurun` client of npm, as EPGStation and scripts use it. The package is a whole server with some 290
 * dependencies, of which its client uses one: so only the two are fetched, once a machine.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '..', '..', '.cache', 'mirakurun-clients');

/** Version and integrity, as in a lock file. The older client needs this js-yaml, the newer one works with it. */
export const CLIENT_VERSIONS = {
  '2.15.2': 'sha512-K00ziufE1aFiONtBnEa5KOnJVgNtB12TZwAjXTu/DSicTrE9xhsFr/hC2VlEEjTEhQOPwshRZhg5Rurn9rcHeg==',
  '3.9.0-rc.4':
    'sha512-EaLOEnSF2qo8alwT3JtTxUkICVc+y1bZKdb2F6rxF8zm0/GZUI4gmFJnHVNId66ImRDw4gSQVsrFC7uWaVb1iw==',
} as const;
const YAML = 'js-yaml@3.14.1';

interface Answer {
  status: number;
  body: unknown;
}

interface Stream {
  headers: Record<string, string | undefined>;
  on(event: 'data', listener: (bytes: Uint8Array) => void): void;
  on(event: 'error' | 'close' | 'end', listener: () => void): void;
  destroy(): void;
}

/** The part of the client that tests use; every operation is a method too. */
export interface NpmClient {
  host: string;
  port: number;
  socketPath: string;
  priority: number;
  call(operation: string, values?: object): Promise<Answer & Stream>;
  getServices(
    query?: object,
  ): Promise<{ id: number; serviceId: number; channel: { type: string; channel: string } }[]>;
  getServiceStream(id: number, decode: boolean): Promise<Stream>;
  getEventsStream(query?: object): Promise<Stream>;
}

function run(command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command], { cwd: FOLDER, stdout: 'ignore', stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`);
}

/** @throws Error if the registry cannot be reached, or sends another package */
function fetchClient(version: keyof typeof CLIENT_VERSIONS): string {
  const folder = join(FOLDER, version);
  if (existsSync(folder)) return folder;
  mkdirSync(FOLDER, { recursive: true });
  if (!existsSync(join(FOLDER, 'package.json')))
    writeFileSync(join(FOLDER, 'package.json'), '{"private":true}');
  if (!existsSync(join(FOLDER, 'node_modules/js-yaml')))
    run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', YAML]);
  run(['npm', 'pack', `mirakurun@${version}`]);
  const archive = join(FOLDER, `mirakurun-${version}.tgz`);
  const hash = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (`sha512-${hash}` !== CLIENT_VERSIONS[version])
    throw new Error(`mirakurun ${version} is another package`);
  run(['tar', 'xzf', archive]);
  renameSync(join(FOLDER, 'package'), folder);
  return folder;
}

/** Undefined without a registry: the reason is printed. */
export function npmClient(version: keyof typeof CLIENT_VERSIONS): (new () => NpmClient) | undefined {
  try {
    const load = createRequire(import.meta.url);
    return (load(join(fetchClient(version), 'lib/client.js')) as { default: new () => NpmClient }).default;
  } catch (error) {
    console.info(`skipped: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
