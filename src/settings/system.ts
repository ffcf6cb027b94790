/** Facts about the machine and the service that the settings screen shows. Nothing secret. */
import { statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { WallMs } from '../../lib/host/clock.ts';
import { within } from '../../lib/host/deadline.ts';
import type { RecordingFolder, SystemFacts } from '../../lib/wire/settings.ts';
import { folderProblem } from './recording-folder-rules.ts';

type Folder = SystemFacts['folders'][number];

/** A network folder that is unavailable may block forever: then its space is unknown. */
const STAT_TIMEOUT_MS = 2000;

/** The folder itself or its nearest existing parent: a folder is created when first used. */
async function nearest(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const there = await stat(at).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (there || at === dirname(at)) return at;
  }
}

async function space(path: string): Promise<{ totalBytes: number; freeBytes: number } | undefined> {
  try {
    const { blocks, bavail, bsize } = await statfs(await nearest(path));
    return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
  } catch {
    return undefined;
  }
}

/** A folder with its space (null if not read before the timeout) and the reason why it is not writable. */
export async function folderFacts({
  role,
  path,
  floorBytes,
}: Pick<Folder, 'role' | 'path' | 'floorBytes'>): Promise<Folder> {
  const [found, problem] = await Promise.all([
    within(STAT_TIMEOUT_MS, space(path), () => undefined),
    folderProblem(path),
  ]);
  return {
    role,
    path,
    totalBytes: found?.totalBytes ?? null,
    freeBytes: found?.freeBytes ?? null,
    floorBytes,
    problem: problem ?? null,
  };
}

/** Size of the database with its log. */
export function databaseBytes(path: string): number {
  return [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

interface SystemParts {
  version: string;
  startedAt: WallMs;
  /** Without credentials, which the configuration does not accept. */
  agentUrl: string;
  agent: () => Pick<SystemFacts['agent'], 'state' | 'message'>;
  ffmpeg: () => SystemFacts['ffmpeg'];
  dataDir: string;
  /** In order of use. */
  recordingFolders: () => readonly RecordingFolder[];
  databasePath: string;
  countPrograms: () => number;
  clocks: () => SystemFacts['clocks'];
  defaults: () => SystemFacts['defaults'];
}

export async function systemFacts(parts: SystemParts): Promise<SystemFacts> {
  const folders = [
    { role: 'data' as const, path: parts.dataDir, floorBytes: 0 },
    ...parts.recordingFolders().map((folder) => ({ role: 'recordings' as const, ...folder })),
  ];
  return {
    version: parts.version,
    startedAt: parts.startedAt,
    agent: { url: parts.agentUrl, ...parts.agent() },
    ffmpeg: parts.ffmpeg(),
    folders: await Promise.all(folders.map(folderFacts)),
    database: { bytes: databaseBytes(parts.databasePath), programs: parts.countPrograms() },
    clocks: parts.clocks(),
    defaults: parts.defaults(),
  };
}
