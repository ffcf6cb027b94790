/** The households of the fault table: their equipment, and what happens to their processes. */
import { expect } from 'bun:test';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recording } from '../../lib/wire/api.ts';
import type { StorageFacts } from '../../lib/wire/recordings.ts';
import { until } from '../until.ts';
import { fill } from './disk-faults.ts';
import type { HouseholdName } from './fault-rows.ts';
import type { Household, Show } from './household.ts';
import { SilentNetwork } from './silent-network.ts';

const AWAY_MS = 4_000;
const SERVICE_STOPPED_MS = 10_000;
const AGENT_STOPPED_MS = 6_000;

export interface HouseholdSetup {
  /** Default: one per row. */
  tuners?: string;
  /** Further channels, which are not recorded. */
  others?: readonly Pick<Show, 'type' | 'channel'>[];
  environment?: Readonly<Record<string, string>>;
  /** Settings of the service that differ from the default. */
  settings?: Readonly<Record<string, unknown>>;
  reach?: (agentUrl: string) => string;
  events?: readonly { at: number; act(household: Household, tuners: string): Promise<void> }[];
  close?(): void;
}

export const killService = (signal: 'SIGKILL' | 'SIGTERM') => async (household: Household) => {
  await household.killService(signal);
  if (signal === 'SIGTERM') expect(household.exitCode).toBe(0);
  await Bun.sleep(AWAY_MS);
  await household.startService();
};

export const killAgent = async (household: Household, tuners: string): Promise<void> => {
  await household.air.killAgent();
  await Bun.sleep(AWAY_MS);
  await household.air.startAgent(tuners);
};

export async function stopped(pid: number, forMs: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await Bun.sleep(forMs);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** @returns undefined if a prerequisite is not permitted on this machine */
export function setUp(name: HouseholdName): HouseholdSetup | undefined {
  switch (name) {
    case 'air':
      return {};
    case 'late':
      // Shorter than the tables are late.
      return { settings: { marginBefore: 3_000 } };
    case 'service':
      return {
        events: [
          { at: 5, act: killService('SIGKILL') },
          { at: 27, act: killService('SIGTERM') },
        ],
      };
    case 'agent':
      return {
        events: [
          {
            at: 5,
            act: killAgent,
          },
        ],
      };
    case 'tuners':
      return {
        tuners: 'GR:1,BS:1,CS:1',
        others: [{ type: 'CS', channel: 'CS04' }],
        events: [{ at: -12, act: occupyTuner }],
      };
    case 'disk':
      return smallDisk();
    case 'folders':
      return twoFolders();
    case 'files':
      return changedFiles();
    case 'network':
      return silentNetwork();
    case 'frozen':
      return {
        events: [
          { at: 5, act: (household) => stopped(household.pid, SERVICE_STOPPED_MS) },
          { at: 26, act: (household) => stopped(household.air.agentPid, AGENT_STOPPED_MS) },
        ],
      };
  }
}

/** Another client of the agent takes the tuner of CS at a priority above recordings, for 16 s. */
async function occupyTuner(household: Household): Promise<void> {
  const leaving = new AbortController();
  const { body } = await fetch(
    `${household.air.agentUrl}/agent/stream?type=CS&channel=CS04&priority=100&use=occupyTuner`,
    { signal: leaving.signal },
  );
  const left = Bun.sleep(16_000).then(() => leaving.abort());
  try {
    for await (const _ of body ?? []);
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  }
  await left;
}

function twoFolders(): HouseholdSetup {
  const folder = mkdtempSync(join(tmpdir(), 'svc-folders-'));
  const [first, second] = ['first', 'second'].map((name) => join(folder, name)) as [string, string];
  for (const path of [first, second]) mkdirSync(path);
  const folders = (floorBytes: number) => [
    { path: first, floorBytes },
    { path: second, floorBytes: 0 },
  ];
  return {
    tuners: 'GR:1,BS:1',
    environment: { RECORDINGS_DIR: first },
    settings: { retuneCost: 'second', recordingFolders: folders(0) },
    events: [
      {
        at: 4,
        act: async (household) => {
          // More free space than any disk has.
          await household.send('PUT', 'settings', { recordingFolders: folders(2 ** 50) });
          await until(
            'it is recorded to the other folder',
            () => readdirSync(second).length > 0 || undefined,
          );
          expect(readdirSync(first).length).toBeGreaterThan(0);
        },
      },
    ],
    close: () => rmSync(folder, { recursive: true }),
  };
}

export function silentNetwork(from = 4, to = 20): HouseholdSetup {
  const network = new SilentNetwork();
  return {
    reach: (agentUrl) => network.to(agentUrl),
    events: [
      { at: from, act: async () => network.silence(true) },
      { at: to, act: async () => network.silence(false) },
    ],
    close: () => network.close(),
  };
}

/** @param parts by show: the part of its file that another program cuts off; 0: nothing */
export function cutFiles(at: number, parts: readonly number[]): HouseholdSetup {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cut-'));
  return {
    environment: { RECORDINGS_DIR: folder },
    events: [
      {
        at,
        act: async ({ shows }) => {
          for (const [index, part] of parts.entries()) {
            const name = readdirSync(folder).find((one) => one.includes(shows[index]?.title ?? '/'));
            if (name === undefined || part === 0) continue;
            const path = join(folder, name);
            truncateSync(path, Math.floor(statSync(path).size * (1 - part)));
          }
        },
      },
    ],
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** The folder of recordings is renamed away and back. */
export function folderAway(from: number, to: number): HouseholdSetup {
  const root = mkdtempSync(join(tmpdir(), 'svc-away-'));
  const [folder, aside] = [join(root, 'recordings'), join(root, 'aside')];
  mkdirSync(folder);
  return {
    environment: { RECORDINGS_DIR: folder },
    events: [
      { at: from, act: async () => renameSync(folder, aside) },
      { at: to, act: async () => renameSync(aside, folder) },
    ],
    close: () => rmSync(root, { recursive: true }),
  };
}

/** In the order of the rows: all files but the first are changed. */
function changedFiles(): HouseholdSetup {
  const root = mkdtempSync(join(tmpdir(), 'svc-files-'));
  const folder = join(root, 'recordings');
  const aside = join(root, 'aside');
  mkdirSync(folder);
  const change = (path: string, index: number): void => {
    const { size } = statSync(path);
    expect(size).toBeGreaterThan(188_000);
    if (index === 1) truncateSync(path, Math.floor(size / 2) + 7);
    else if (index === 2) truncateSync(path, 0);
    else if (index === 3) appendFileSync(path, 'foreign octets');
    else if (index === 4) {
      writeFileSync(`${path}.new`, 'another file');
      renameSync(`${path}.new`, path);
    } else if (index === 5) rmSync(path);
  };
  return {
    environment: { RECORDINGS_DIR: folder },
    events: [
      {
        at: 6,
        act: async (household) => {
          for (const [index, { title }] of household.shows.entries()) {
            const name = readdirSync(folder).find((one) => one.includes(title));
            if (name === undefined) throw new Error(`no file of ${title}`);
            change(join(folder, name), index);
          }
        },
      },
      { at: 9, act: async () => renameSync(folder, aside) },
      { at: 17, act: async () => renameSync(aside, folder) },
    ],
    close: () => rmSync(root, { recursive: true }),
  };
}

function smallDisk(): HouseholdSetup | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-table-'));
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=24m', 'svc-table', folder]);
  if (mounted.exitCode !== 0) {
    console.warn(`a full disk is not tested, mounting is not allowed: ${mounted.stderr}`);
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const recordings = join(folder, 'recordings');
  mkdirSync(recordings);
  const filler = join(folder, 'filler');
  return {
    environment: { RECORDINGS_DIR: recordings },
    events: [
      {
        at: 4,
        act: async (household) => {
          fill(filler);
          // Reported while it happens, before anything is lost.
          await until('progress names the disk', async () => {
            const running = await household.read<Recording[]>('recordings?show=recording');
            return running.some(({ progress }) => progress?.cause === 'disk_full') || undefined;
          });
          const { folders } = await household.read<StorageFacts>('storage');
          expect(folders.map(({ state }) => state)).toEqual(['full']);
        },
      },
      { at: 9, act: async () => rmSync(filler) },
      { at: 18, act: async () => fill(filler) },
    ],
    close: () => {
      Bun.spawnSync(['umount', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
