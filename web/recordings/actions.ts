/** Actions on recordings, one or many: each shows a toast with undo, or the reason of its failure. */
import { signal } from '@preact/signals';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { type ApiFailure, asFailure, cancelReservation, getReservations } from '../query/api.ts';
import { cancelEncode, ENCODES, encodeRecording } from '../query/encodes.ts';
import {
  binRecording,
  eraseRecording,
  markWatched,
  protectRecording,
  putPlace,
  restoreRecording,
} from '../query/recordings.ts';
import { entryOf } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { quoted } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

/** Counts changes made here: components that show recordings read them again. */
export const changed = signal(0);

interface Work {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}
/** Progress of an action on many recordings. */
export const work = signal<Work | undefined>(undefined);

/** Parallel requests: a service on two cores still answers everything else. */
const AT_ONCE = 4;
/** Shorter work needs no progress. */
const WORTH_TELLING = 20;

interface BulkOutcome {
  readonly done: readonly Recording[];
  readonly failed: number;
  readonly failure: ApiFailure | undefined;
}

async function each(
  label: string,
  list: readonly Recording[],
  call: (recording: Recording) => Promise<void>,
): Promise<BulkOutcome> {
  const waiting = [...list];
  const done: Recording[] = [];
  let failed = 0;
  let failure: ApiFailure | undefined;
  const run = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        await call(next);
        done.push(next);
      } catch (error) {
        failed += 1;
        failure = asFailure(error);
        // Without a connection the rest would fail, too.
        if (failure.code === 'network') failed += waiting.splice(0).length;
      }
      if (list.length >= WORTH_TELLING) {
        work.value = { label, done: done.length + failed, total: list.length };
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  work.value = undefined;
  changed.value += 1;
  return { done, failed, failure };
}

/** Subject of notices about a recording's end. */
export function endNotice(id: RecordingId): string {
  return `ended ${id}`;
}

function nameOf(list: readonly Recording[]): string {
  const only = list[0];
  return list.length === 1 && only !== undefined
    ? quoted(splitTitle(only.name).title)
    : TEXTS.count(list.length);
}

interface Telling {
  readonly about: 'bin' | 'watched' | 'protection' | 'encode';
  /** Follows the recording's name: `をごみ箱へ移しました`. */
  readonly done: string;
  readonly failed: string;
  readonly undo?: (done: readonly Recording[]) => void;
  readonly focusUndo?: boolean;
}

function tell({ done, failed, failure }: BulkOutcome, words: Telling): void {
  if (done.length > 0) {
    const { undo } = words;
    const text = `${nameOf(done)}${words.done}`;
    const about = `${words.about} ${done.map(({ id }) => id).sort((a, b) => a - b)}`;
    const focus = words.focusUndo === true;
    const way = undo === undefined ? undefined : { label: TEXTS.undo, run: () => undo(done), focus };
    showToast(text, way, about);
  }
  if (failure !== undefined) {
    const which = done.length === 0 && failed === 1 ? '' : TEXTS.failedOf(failed);
    showToast(TEXTS.failure(which, words.failed, failure.message));
  }
}

/** @param focusUndo the focused element was removed: the toast gets the focus */
export async function moveToBin(list: readonly Recording[], focusUndo = false): Promise<void> {
  tell(await each(TEXTS.binning, list, ({ id }) => binRecording(id)), {
    about: 'bin',
    done: TEXTS.binned,
    failed: TEXTS.notBinned,
    undo: (done) => void takeFromBin(done),
    focusUndo,
  });
}

export async function takeFromBin(list: readonly Recording[]): Promise<void> {
  tell(await each(TEXTS.restoring, list, ({ id }) => restoreRecording(id)), {
    about: 'bin',
    done: TEXTS.restored,
    failed: TEXTS.notRestored,
  });
}

/** Permanent; the caller has asked for confirmation. */
export async function erase(list: readonly Recording[]): Promise<void> {
  tell(await each(TEXTS.erasing, list, ({ id }) => eraseRecording(id)), {
    about: 'bin',
    done: TEXTS.erased,
    failed: TEXTS.notErased,
  });
}

/** Restores each as it was: watched or not, and its resume position. */
async function restoreMarks(list: readonly Recording[]): Promise<void> {
  const outcome = await each(TEXTS.restoring, list, async ({ id, watchedAt, resumeMs }) => {
    await markWatched(id, watchedAt !== null);
    if (resumeMs !== null) await putPlace(id, resumeMs);
  });
  tell({ ...outcome, done: [] }, { about: 'watched', done: '', failed: TEXTS.notRestored });
}

export async function setWatched(
  list: readonly Recording[],
  watched: boolean,
  { quiet = false, focusUndo = false } = {},
): Promise<void> {
  const others = list.filter(({ watchedAt }) => (watchedAt !== null) !== watched);
  // A partly watched one is not marked, but its resume position is cleared.
  const concerned = watched
    ? others
    : list.filter(({ watchedAt, resumeMs }) => (watchedAt ?? resumeMs) !== null);
  if (concerned.length === 0) {
    showToast(watched ? TEXTS.allWatched : TEXTS.allUnwatched);
    return;
  }
  const outcome = await each(TEXTS.changing, concerned, ({ id }) => markWatched(id, watched));
  if (quiet && outcome.failed === 0) return;
  tell(outcome, {
    about: 'watched',
    done: watched ? TEXTS.markedWatched : TEXTS.markedUnwatched,
    failed: TEXTS.notChanged,
    undo: (done) => void restoreMarks(done),
    focusUndo,
  });
}

export async function setProtected(
  list: readonly Recording[],
  on: boolean,
  { quiet = false, focusUndo = false } = {},
): Promise<void> {
  const concerned = list.filter((one) => one.protected !== on);
  const outcome = await each(TEXTS.changing, concerned, ({ id }) => protectRecording(id, on));
  if (quiet && outcome.failed === 0) return;
  tell(outcome, {
    about: 'protection',
    done: on ? TEXTS.protectedNow : TEXTS.unprotected,
    failed: TEXTS.notChanged,
    undo: (done) =>
      void setProtected(
        done.map((one) => ({ ...one, protected: on })),
        !on,
        { quiet: true },
      ),
    focusUndo,
  });
}

/** Queues recordings that have their original stream for conversion, or removes them from the queue. */
export async function encode(list: readonly Recording[], on: boolean, focusUndo = false): Promise<void> {
  const able = list.filter(
    ({ files, recording }) => !recording && files.some(({ source }) => source === 'ts'),
  );
  if (able.length === 0) {
    showToast(TEXTS.nothingToEncode);
    return;
  }
  const outcome = await each(TEXTS.preparing, able, ({ id }) =>
    on ? encodeRecording(id) : cancelEncode(id),
  );
  tell(outcome, {
    about: 'encode',
    done: on ? TEXTS.queued : TEXTS.unqueued,
    failed: on ? TEXTS.notQueued : TEXTS.notUnqueued,
    undo: (done) => void encode(done, !on),
    focusUndo,
  });
  await entryOf(ENCODES).renew();
}

/** What was recorded until then is kept. */
export async function stopRecording(recording: Recording): Promise<void> {
  try {
    const reservations = await getReservations(false);
    const own = reservations.find(({ recordingId, programId, state }) =>
      state === 'recording' && (recordingId ?? null) === null
        ? programId === recording.programId
        : recordingId === recording.id,
    );
    if (own === undefined) {
      showToast(TEXTS.overAlready);
      return;
    }
    await cancelReservation(own.id);
    // One notice: that of its end takes this one's place.
    showToast(TEXTS.stopped(nameOf([recording])), undefined, endNotice(recording.id));
  } catch (error) {
    showToast(TEXTS.notStopped(asFailure(error).message));
  } finally {
    changed.value += 1;
  }
}
