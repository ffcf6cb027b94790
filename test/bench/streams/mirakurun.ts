/**
 * Mirakurun for comparison: one process that reads tuners and serves narrowed stations. It is no dependency
 * of the project; run `npm install --ignore-scripts mirakurun@3.9.0-rc.4` in a folder outside the tree, and
 * pass its path as the argument.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StationRecord } from '../../../src/model/station.ts';

const READY_LIMIT_MS = 30_000;

interface Peer {
  readonly pid: number;
  /** URL of a narrowed station. */
  stationUrl(station: StationRecord): string;
  end(): Promise<void>;
}

/**
 * @param installed the folder with `node_modules/mirakurun` @param tune a command in which `<channel>` is
 * replaced by the channel
 */
export async function startMirakurun(
  installed: string,
  folder: string,
  stations: readonly StationRecord[],
  tune: string,
): Promise<Peer> {
  const port = freePort();
  mkdirSync(folder);
  // JSON is YAML.
  const put = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const types = [...new Set(stations.map(({ type }) => type))];
  const environment = {
    SERVER_CONFIG_PATH: put('server.yml', {
      ...{ logLevel: 0, path: join(folder, 'socket'), port, disableIPv6: true },
      // It does not start if the machine has no address that it permits.
      allowIPv4CidrRanges: ['0.0.0.0/0'],
    }),
    TUNERS_CONFIG_PATH: put(
      'tuners.yml',
      stations.map((_, index) => ({ name: `tuner ${index}`, types, command: tune })),
    ),
    CHANNELS_CONFIG_PATH: put(
      'channels.yml',
      stations.map(({ type, channel }) => ({ name: channel, type, channel })),
    ),
    SERVICES_DB_PATH: put(
      'services.json',
      stations.map(({ type, channel, networkId, serviceId, name }) => ({
        ...{ id: networkId * 100_000 + serviceId, networkId, serviceId, name, type: 1 },
        ...{ channel: { type, channel }, epgReady: true, epgUpdatedAt: Date.now() },
      })),
    ),
    PROGRAMS_DB_PATH: put('programs.json', []),
    LOGO_DATA_DIR_PATH: join(folder, 'logos'),
  };
  const child = Bun.spawn(['node', '--max_old_space_size=512', join('lib', 'server.js')], {
    // It reads its own files by relative paths.
    cwd: join(installed, 'node_modules', 'mirakurun'),
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child.exited;
  };
  const base = `http://127.0.0.1:${port}/api`;
  const deadline = performance.now() + READY_LIMIT_MS;
  for (;;) {
    const count = await servicesOf(base);
    if (count === stations.length) break;
    if (child.exitCode !== null || performance.now() > deadline) {
      await end();
      throw new Error(`Mirakurun does not serve ${stations.length} stations but ${count}`);
    }
    await Bun.sleep(100);
  }
  return {
    pid: child.pid,
    stationUrl: ({ networkId, serviceId }) =>
      `${base}/services/${networkId * 100_000 + serviceId}/stream?decode=0`,
    end,
  };
}

async function servicesOf(base: string): Promise<number> {
  try {
    const list = await (await fetch(`${base}/services`)).json();
    return Array.isArray(list) ? list.length : 0;
  } catch {
    return 0;
  }
}

export function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = probe;
  void probe.stop(true);
  if (port === undefined) throw new Error('no free port');
  return port;
}
