/**
 * The files of a minimal Debian with systemd and the packages that the README installs, made once from the
 * machine's own package sources.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToEnd } from './guest-machine.ts';

const SOURCES = '/etc/apt/sources.list.d';
const OF_A_SYSTEM = ['systemd-sysv', 'udev', 'dbus', 'polkitd', 'iproute2'];

/** @param packages additional ones @returns the folder */
export async function debianRoot(packages: readonly string[]): Promise<string> {
  const release = readFileSync('/etc/os-release', 'utf8');
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(release)?.[1];
  if (suite === undefined) throw new Error('/etc/os-release contains no release of Debian');
  const all = [...OF_A_SYSTEM, ...packages].sort().join(',');
  const root = join(tmpdir(), `svc-rig-debian-${suite}-${Bun.hash(all).toString(36)}`);
  if (existsSync(root)) return root;
  if (Bun.which('mmdebstrap') === null)
    await runToEnd(['apt-get', 'install', '-y', '--no-install-recommends', 'mmdebstrap']);
  const sources = [
    '/etc/apt/sources.list',
    ...(existsSync(SOURCES) ? readdirSync(SOURCES).map((name) => join(SOURCES, name)) : []),
  ].filter((path) => /\.(list|sources)$/.test(path) && existsSync(path));
  const part = `${root}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part);
  await runToEnd(['mmdebstrap', '--variant=apt', `--include=${all}`, suite, part, ...sources]);
  renameSync(part, root);
  return root;
}
