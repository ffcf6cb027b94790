/**
 * Conclusion of a recording: joins its parts to one file if there is room, and stores its verdict and its row. Parts
 * in an unavailable folder count as present; missing ones are reported by the verdict.
 */
import { earliest } from '../../lib/arib/time.ts';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { RetryChoice } from '../../lib/wire/vocabulary.ts';
import type { RecordingPart } from '../model/recording.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import { type Judgement, judge, recordedMs, type Wanted, worthRepeating } from '../model/verdict.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import { asHeld, withoutFiles } from './file-contents.ts';
import type { FolderMounts } from './folder-mounts.ts';
import type { Folder } from './folder-selection.ts';
import { FILE_GONE, findParts, joinParts, removeJoined, sizeOf } from './recording-parts.ts';
import type { SessionResult } from './recording-session.ts';

export interface ConcludeOptions {
  store: RecordingStore;
  folders: () => readonly Folder[];
  free: (path: string) => Promise<number | undefined>;
  mounts?: FolderMounts | undefined;
  /** The setting `retryDamaged`. */
  retryDamaged: () => RetryChoice;
  /** Retries until the database accepts. @throws when it is aborted */
  persist: (act: () => void) => Promise<void>;
  log: Log;
  /** For the time of the row's change. */
  wallClock: WallClock;
}

export interface Conclusion extends Judgement {
  /** By the setting `retryDamaged`. */
  worthRepeating: boolean;
}

/**
 * Ends a recording in the store. Idempotent: after an error it can be called again.
 * @param wanted the real times of its programme
 * @throws the database's error; the recording then stays unfinished
 */
export async function concludeRecording(
  id: RecordingId,
  result: Pick<SessionResult, 'end' | 'at' | 'measured' | 'parts'>,
  wanted: Wanted,
  options: ConcludeOptions,
): Promise<Conclusion> {
  const { store, wallClock, persist, retryDamaged } = options;
  const stopped = result.end === 'stopped' ? { until: earliest(wanted.until ?? result.at, result.at) } : {};
  const parts = await findParts(result.parts, options.mounts);
  const gone = parts.gone.map(({ path }) => path);
  const measured = asHeld(withoutFiles(result.measured, gone), parts.differences);
  const judgement = judge(measured, { ...wanted, ...stopped });
  const { verdict } = judgement;
  const mayJoin = parts.isWhole && parts.kept.length > 1;
  const joined = mayJoin ? await joinParts(id, parts.kept, options) : undefined;
  const rest = joined === undefined ? parts.kept : [joined];
  const file = rest.reduce<RecordingPart | null>(
    (best, part) => (best === null || part.bytes > best.bytes ? part : best),
    null,
  );
  const failed = verdict.level === 'lost' || result.end === 'copy_never' || file === null;
  // A recording stopped by a user, or of a copy-never programme, is not repeated.
  const repeat = result.end === 'finished' && worthRepeating(judgement, retryDamaged());
  await persist(() =>
    store.finish(
      id,
      {
        state: failed ? 'failed' : 'recorded',
        reason: failed ? reasonOf(result.end, judgement) : null,
        verdict,
        durationMs: recordedMs(measured),
        startAt: wanted.startAt,
        endAt: wanted.endAt,
        file,
        joined: joined === undefined ? [] : parts.kept,
        released: repeat,
      },
      rest,
      wallClock(),
    ),
  );
  if (joined !== undefined) {
    await removeJoined(
      id,
      parts.kept.map(({ path }) => path),
      options,
    );
  }
  return { ...judgement, worthRepeating: repeat };
}

/** Joins the parts of ended recordings once all of their folders are available again. @throws the database's error */
export async function joinReturned(
  options: Pick<ConcludeOptions, 'store' | 'folders' | 'free' | 'persist' | 'log' | 'wallClock'>,
): Promise<void> {
  const { store, persist, wallClock } = options;
  for (const id of store.inParts()) {
    const parts = store.parts(id);
    const sizes = await Promise.all(parts.map(({ path }) => sizeOf(path)));
    if (parts.some(({ bytes }, index) => sizes[index] !== bytes)) continue;
    const joined = await joinParts(id, parts, options);
    if (joined === undefined) continue;
    await persist(() => store.joinedLater(id, joined, parts, wallClock()));
    const paths = parts.map(({ path }) => path);
    await removeJoined(id, paths, options);
  }
}

/** The cause of the largest part of the loss. */
function reasonOf(end: SessionResult['end'], { verdict }: Judgement): RecordingReason {
  if (end === 'copy_never') return { code: 'copy_never' };
  const lost = new Map<GapCause, number>();
  for (const { startMs, endMs, cause } of verdict.gaps)
    lost.set(cause, (lost.get(cause) ?? 0) + endMs - startMs);
  const [cause] = [...lost].sort(([, a], [, b]) => b - a)[0] ?? [];
  // Stopped by a user within its first moments: no reason needed.
  if (end === 'stopped' && (cause === undefined || cause === 'late'))
    return { code: 'missing', cause: 'stopped' };
  return cause === undefined ? FILE_GONE : { code: 'missing', cause };
}
