/**
 * Detects the tuners of this machine by the device files of their drivers. A DVB frontend is opened read-only, which
 * neither powers it up nor blocks others; a character device is never opened, because that would do both.
 */
import { BROADCAST_TYPES, type BroadcastType } from '../../lib/arib/ids.ts';
import type { DetectedDevice, TunerDefinition } from '../../lib/wire/agent.ts';
import { BROADCAST_NAMES } from '../../lib/wire/vocabulary.ts';
import {
  busyError,
  DeviceError,
  type DeviceErrorCode,
  openError,
  permissionError,
} from '../driver/device-error.ts';
import { type DeviceFacts, MachineFacts, namesIn } from '../driver/device-facts.ts';
import {
  frontendPaths,
  readDeliverySystems,
  readFrontendName,
  receivedTypes,
} from '../driver/dvb/frontend.ts';
import { openLibc } from '../driver/libc.ts';
import { characterDevice, FAMILIES } from '../driver/px4/device-names.ts';
import { O_CLOEXEC, O_NONBLOCK, O_RDONLY, type SystemCalls } from '../driver/system-calls.ts';

/** The machine, or a scripted one in tests. */
interface DetectionSystem {
  /** Names in a folder; empty if it does not exist. */
  names(folder: string): string[];
  readonly calls: SystemCalls;
  readonly facts: DeviceFacts;
  /** Of this process: a device that it uses itself is not busy. */
  readonly pid: number;
}

type Problem = NonNullable<DetectedDevice['problem']>;

function machineSystem(): DetectionSystem {
  return { names: namesIn, calls: openLibc(), facts: new MachineFacts(), pid: process.pid };
}

/** All detected tuners, usable or not, in the order of device names. Blocks for some milliseconds. */
export function detectEquipment(system: DetectionSystem = machineSystem()): DetectedDevice[] {
  return tunerPaths(system.names).map((path) =>
    path.startsWith('/dev/dvb/') ? detectFrontend(path, system) : detectCharacterDevice(path, system),
  );
}

/** Device files of tuners, in natural order of names; cheap enough to be called every second. */
export function tunerPaths(names: DetectionSystem['names'] = namesIn): string[] {
  const frontends = names('/dev/dvb')
    .filter((name) => /^adapter\d+$/.test(name))
    .flatMap((adapter) => names(`/dev/dvb/${adapter}`).map((name) => `/dev/dvb/${adapter}/${name}`))
    .filter((path) => /\/frontend\d+$/.test(path));
  const character = names('/dev')
    .map((name) => `/dev/${name}`)
    .filter((path) => characterDevice(path) !== undefined);
  return [...frontends, ...character].sort(new Intl.Collator('en', { numeric: true }).compare);
}

/** The tuner list of a machine without `tuners.json`: detected tuners with known types. */
export function toTunerDefinitions(devices: readonly DetectedDevice[]): TunerDefinition[] {
  const counts = new Map<string, number>();
  return devices
    .filter((device) => device.types.length > 0)
    .map(({ driver, device, types }) => {
      const kind = typeNames(types);
      const number = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, number);
      return { name: `${kind} ${number}`, driver, device, types: [...types] };
    });
}

/** `地上波`, `BS・CS` */
export function typeNames(types: readonly BroadcastType[]): string {
  return BROADCAST_TYPES.filter((type) => types.includes(type))
    .map((type) => BROADCAST_NAMES[type])
    .join('・');
}

function detectFrontend(path: string, system: DetectionSystem): DetectedDevice {
  const found = { driver: 'dvb' as const, device: path, types: [], model: '' };
  const { calls, facts } = system;
  const fd = calls.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return { ...found, problem: problemOf(openError(path, -fd, facts)) };
  try {
    const model = readFrontendName(calls, fd, path);
    const types = receivedTypes(readDeliverySystems(calls, fd, path));
    if (types.length === 0) {
      const message = `${model} は日本の放送 (ISDB-T・ISDB-S) を受信できません`;
      return { ...found, model, problem: { code: 'no_system', message } };
    }
    return { ...found, model, types, problem: frontendProblem(path, system) };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return { ...found, problem: problemOf(error) };
  } finally {
    calls.close(fd);
  }
}

function frontendProblem(path: string, { facts, pid }: DetectionSystem): Problem | null {
  const paths = frontendPaths(path, facts.exists.bind(facts));
  if (paths === undefined) return null;
  for (const needed of [paths.demux, paths.dvr]) {
    if (!facts.exists(needed)) {
      const message = `${needed} がありません。ドライバーを読み込み直してください`;
      return { code: 'incomplete', message };
    }
  }
  for (const written of [paths.frontend, paths.demux]) {
    if (!facts.mayOpen(written, 'write')) return problemOf(permissionError(written, facts));
  }
  if (!facts.mayOpen(paths.dvr, 'read')) return problemOf(permissionError(paths.dvr, facts));
  return busyProblem([paths.frontend, paths.dvr], facts, pid);
}

function detectCharacterDevice(path: string, { facts, pid }: DetectionSystem): DetectedDevice {
  const known = characterDevice(path);
  if (known === undefined) throw new Error(`${path} is no known character device`);
  const problem = facts.mayOpen(path, 'read')
    ? busyProblem([path], facts, pid)
    : problemOf(permissionError(path, facts));
  const model = FAMILIES[known.family].label;
  return { driver: 'px4', device: path, types: [...known.types], model, problem };
}

function busyProblem(paths: readonly string[], facts: DeviceFacts, pid: number): Problem | null {
  for (const path of paths) {
    const user = facts.userOf(path);
    if (user !== undefined && user.pid !== pid) return problemOf(busyError(path, facts));
  }
  return null;
}

const PROBLEMS: Partial<Record<DeviceErrorCode, Problem['code']>> = {
  permission: 'permission',
  busy: 'busy',
};

function problemOf(error: DeviceError): Problem {
  return { code: PROBLEMS[error.code] ?? 'failed', message: error.message };
}
