/**
 * The end of a recording: its parts made one file where there is room, its verdict, its row. And what a start finds:
 * rows whose files are gone, files whose rows say that they must be. Only files that a row names are touched.
 */
import { constants } from 'node:fs';
import { access, copyFile, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../host/log.ts';
import type { RecordingPart } from '../model/recording.ts';
import {
  CAUSES,
  type Judgement,
  judge,
  type Measured,
  type Wanted,
  worthRepeating,
} from '../model/verdict.ts';
import type { RecordingStore, StoredFile } from '../store/recordings.ts';
import { syncFolder } from '../stream/recorded-file.ts';
import { joinedName } from './file-name.ts';
import { chooseFolder, type Folder } from './folders.ts';
import { Measurement } from './measurement.ts';
import type { SessionResult } from './session.ts';

const BLOCK_BYTES = 1024 * 1024;
const GONE = '録画ファイルが見つかりません';
const COPY_NEVER = 'コピー禁止の番組なので録画しません';

export interface ConcludeOptions {
  store: RecordingStore;
  folders: () => readonly Folder[];
  free: (path: string) => Promise<number | undefined>;
  /** The setting of that name. */
  retryDamaged: () => 'never' | 'failed' | 'damaged';
  /** Acts in the end: again, where the database refuses now. @throws when it is given up */
  persist: (act: () => void) => Promise<void>;
  log: Log;
  /** Epoch ms. */
  now: () => number;
}

export interface Conclusion extends Judgement {
  /** By the setting `retryDamaged`. */
  worthRepeating: boolean;
}

/**
 * Ends a recording in the store. Called again after an error it does what is left to do.
 * @param wanted the real times of its programme
 * @throws the database's error; the recording then stays one under way
 */
export async function conclude(
  id: number,
  result: Pick<SessionResult, 'end' | 'at' | 'measured' | 'parts'>,
  wanted: Wanted,
  options: ConcludeOptions,
): Promise<Conclusion> {
  const { store, now, log, persist, retryDamaged } = options;
  const stopped = result.end === 'stopped' ? { until: Math.min(wanted.until ?? result.at, result.at) } : {};
  const judgement = judge(result.measured, { ...wanted, ...stopped });
  const parts = await present(result.parts);
  const joined = parts.length > 1 ? await joinParts(id, parts, options) : undefined;
  const rest = joined === undefined ? parts : [joined];
  const file = rest.reduce<RecordingPart | null>(
    (best, part) => (best === null || part.bytes > best.bytes ? part : best),
    null,
  );
  const failed = judgement.verdict.level === 'lost' || result.end === 'copy_never' || file === null;
  const first = result.measured.stretches[0];
  // What a person ended, or nobody may record, is not tried again.
  const repeat = result.end === 'finished' && worthRepeating(judgement, retryDamaged());
  const { verdict } =
    file === null || failed ? judgement : judgeShown(result.measured, { ...wanted, ...stopped }, rest, file);
  await persist(() =>
    store.finish(
      id,
      {
        state: failed ? 'failed' : 'recorded',
        reason: failed ? reasonOf(result.end, judgement) : rest.length > 1 ? partedReason(rest.length) : null,
        verdict,
        durationMs: Math.round((result.measured.stretches.at(-1)?.to ?? 0) - (first?.from ?? 0)),
        startAt: wanted.startAt,
        endAt: wanted.endAt,
        file,
        joined: joined === undefined ? [] : parts,
        released: repeat,
      },
      rest,
      now(),
    ),
  );
  for (const { path } of joined === undefined ? [] : parts) {
    await rm(path, { force: true }).catch((error: unknown) => {
      log.error('part of a recording not removed', { recording: id, path, error: String(error) });
    });
  }
  return { ...judgement, verdict, worthRepeating: repeat };
}

/** What can be watched is one file only: where no folder had room to join them, the others are missing from it. */
function judgeShown(
  measured: Measured,
  wanted: Wanted,
  parts: readonly RecordingPart[],
  file: RecordingPart,
): Judgement {
  const elsewhere = (measured.files ?? []).filter(
    ({ path }) => path !== file.path && parts.some((part) => part.path === path),
  );
  const shown = new Measurement(structuredClone(measured));
  for (const one of elsewhere) shown.broke('disk_full', one);
  const judgement = judge(shown.value, wanted);
  // All of it is there, if not in one piece.
  const level = judgement.verdict.level === 'lost' ? 'damaged' : judgement.verdict.level;
  return { ...judgement, verdict: { ...judgement.verdict, level } };
}

function partedReason(files: number): string {
  return `録画が${files}個のファイルに分かれています。1つにまとめるだけの空き容量がどのフォルダーにもないため、最も大きいファイルだけを再生できます`;
}

/** The cause that took the most of it. */
function reasonOf(end: SessionResult['end'], { verdict }: Judgement): string {
  if (end === 'copy_never') return COPY_NEVER;
  const longest = [...verdict.gaps].sort((a, b) => b.endMs - b.startMs - (a.endMs - a.startMs))[0];
  return longest === undefined ? GONE : CAUSES[longest.cause];
}

/** Those that are there, with their sizes. */
async function present(parts: readonly RecordingPart[]): Promise<RecordingPart[]> {
  const found: RecordingPart[] = [];
  for (const { path } of parts) {
    const bytes = await sizeOf(path);
    if (bytes !== undefined && bytes > 0) found.push({ path, bytes });
    else if (bytes === 0) await rm(path, { force: true });
  }
  return found;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}

/** One file of all parts, in a folder that has room for it; undefined: none has, or it failed. */
async function joinParts(
  id: number,
  parts: readonly RecordingPart[],
  { store, folders, free, log }: ConcludeOptions,
): Promise<RecordingPart | undefined> {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const wished = folders();
  const room = await Promise.all(wished.map(({ path }) => free(path)));
  const left = room.map((one) => (one === undefined || one < bytes ? undefined : one - bytes));
  const folder = chooseFolder(wished, left);
  const [first, ...others] = parts;
  const stem = store.find(id)?.stem;
  if (folder === undefined || first === undefined || stem === undefined || stem === null) return undefined;
  const path = join(folder.path, joinedName(stem));
  // Looked at before it is named as ours: what is named may be removed by the next start.
  if ((await sizeOf(path)) !== undefined) return undefined;
  store.joining(id, path);
  try {
    await copyFile(first.path, path, constants.COPYFILE_EXCL);
  } catch (error) {
    log.error('parts not joined', { recording: id, path, error: String(error) });
    if ((error as { code?: unknown }).code !== 'EEXIST') await rm(path, { force: true });
    store.notJoined(id);
    return undefined;
  }
  try {
    for (const part of others) await appendFile(path, part.path);
    await syncFolder(folder.path);
    return { path, bytes };
  } catch (error) {
    log.error('parts not joined', { recording: id, path, error: String(error) });
    await rm(path, { force: true });
    store.notJoined(id);
    return undefined;
  }
}

async function appendFile(to: string, from: string): Promise<void> {
  const target = await open(to, 'a');
  try {
    const source = await open(from, 'r');
    try {
      const block = new Uint8Array(BLOCK_BYTES);
      for (;;) {
        const { bytesRead } = await source.read(block, 0, block.length);
        if (bytesRead === 0) break;
        await target.writeFile(block.subarray(0, bytesRead));
      }
    } finally {
      await source.close();
    }
    await target.sync();
  } finally {
    await target.close();
  }
}

export interface Reconciled {
  /** Files that rows named and that are gone. */
  forgotten: number;
  /** Files that had to be removed and were. */
  removed: number;
}

/**
 * Makes rows and files agree, at a start and before any recording goes on: no row without its file, no file that was
 * being made out of others. A folder that is away (an empty mount point has none of the files it should have) is left
 * alone. Files of deleted recordings: `removal.ts`.
 */
export async function reconcile({
  store,
  log,
  now,
}: Pick<ConcludeOptions, 'store' | 'log' | 'now'>): Promise<Reconciled> {
  const count: Reconciled = { forgotten: 0, removed: 0 };
  for (const leftover of store.unjoined()) {
    if (await isAway(leftover.path)) continue;
    await rm(leftover.path, { force: true });
    store.forgetFile(leftover, GONE, now());
    count.removed += 1;
  }
  const byFolder = Map.groupBy(store.files(), ({ path }) => dirname(path));
  for (const [folder, files] of byFolder) {
    const missing: StoredFile[] = [];
    for (const file of files) if ((await sizeOf(file.path)) === undefined) missing.push(file);
    if (missing.length === 0) continue;
    if (missing.length === files.length && (await isEmptyOrAway(folder))) {
      log.warn('recording folder is away', { folder, files: files.length });
      continue;
    }
    for (const file of missing) store.forgetFile(file, GONE, now());
    count.forgotten += missing.length;
  }
  if (count.forgotten + count.removed > 0) log.warn('recordings and files did not agree', { ...count });
  return count;
}

async function isAway(path: string): Promise<boolean> {
  return access(dirname(path)).then(
    () => false,
    () => true,
  );
}

async function isEmptyOrAway(folder: string): Promise<boolean> {
  const files = new Bun.Glob('*').scan({ cwd: folder, dot: true, onlyFiles: false });
  try {
    for await (const _ of files) return false;
    return true;
  } catch {
    return true;
  }
}
