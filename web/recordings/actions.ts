/** Actions on recordings, one or many: each shows a toast with undo, or the reason of its failure. */
import { signal } from '@preact/signals';
import type { Recording } from '../../wire/api.ts';
import { ApiFailure, cancelReservation, getReservations, networkFailure } from '../query/api.ts';
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

/** Counts changes made here: components that show recordings read them again. */
export const changed = signal(0);

interface Work {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}
/** Goes on now with many recordings. */
export const work = signal<Work | undefined>(undefined);

/** A service of two cores answers these beside everything else. */
const AT_ONCE = 4;
/** Shorter work needs no progress. */
const WORTH_TELLING = 20;

interface Outcome {
  readonly done: readonly Recording[];
  readonly failed: number;
  readonly failure: ApiFailure | undefined;
}

async function each(
  label: string,
  list: readonly Recording[],
  call: (recording: Recording) => Promise<void>,
): Promise<Outcome> {
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
        failure = error instanceof ApiFailure ? error : networkFailure(error);
        // Without a connection every other fails, too.
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

function nameOf(list: readonly Recording[]): string {
  const only = list[0];
  return list.length === 1 && only !== undefined ? quoted(splitTitle(only.name).title) : `${list.length}件`;
}

interface Telling {
  /** What of the recordings was changed. */
  readonly about: 'shelf' | 'watched' | 'protection' | 'encode';
  /** Follows the recording's name: `をごみ箱へ移しました`. */
  readonly done: string;
  readonly failed: string;
  readonly undo?: (done: readonly Recording[]) => void;
  readonly focusUndo?: boolean;
}

function tell({ done, failed, failure }: Outcome, words: Telling): void {
  if (done.length > 0) {
    const { undo } = words;
    const text = `${nameOf(done)}${words.done}`;
    const about = `${words.about} ${done.map(({ id }) => id).sort((a, b) => a - b)}`;
    const focus = words.focusUndo === true;
    const way = undo === undefined ? undefined : { label: '元に戻す', run: () => undo(done), focus };
    showToast(text, way, about);
  }
  if (failure !== undefined) {
    const which = done.length === 0 && failed === 1 ? '' : `${failed}件は`;
    showToast(`${which}${words.failed}。${failure.message}`);
  }
}

/** @param focusUndo what had the focus is gone: the notice gets it */
export async function moveToBin(list: readonly Recording[], focusUndo = false): Promise<void> {
  tell(await each('ごみ箱へ移しています', list, ({ id }) => binRecording(id)), {
    about: 'shelf',
    done: 'をごみ箱へ移しました',
    failed: 'ごみ箱へ移せませんでした',
    undo: (done) => void takeFromBin(done),
    focusUndo,
  });
}

export async function takeFromBin(list: readonly Recording[]): Promise<void> {
  tell(await each('元に戻しています', list, ({ id }) => restoreRecording(id)), {
    about: 'shelf',
    done: 'を元に戻しました',
    failed: '元に戻せませんでした',
  });
}

/** For good: asked about before. */
export async function erase(list: readonly Recording[]): Promise<void> {
  tell(await each('削除しています', list, ({ id }) => eraseRecording(id)), {
    about: 'shelf',
    done: 'を完全に削除しました',
    failed: '削除できませんでした',
  });
}

/** Restores each as it was: watched or not, and its resume position. */
async function restoreMarks(list: readonly Recording[]): Promise<void> {
  const outcome = await each('元に戻しています', list, async ({ id, watchedAt, resumeMs }) => {
    await markWatched(id, watchedAt !== null);
    if (resumeMs !== null) await putPlace(id, resumeMs);
  });
  tell({ ...outcome, done: [] }, { about: 'watched', done: '', failed: '元に戻せませんでした' });
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
    showToast(watched ? '選んだ録画はどれも視聴済みです' : '選んだ録画はどれも未視聴です');
    return;
  }
  const outcome = await each('変更しています', concerned, ({ id }) => markWatched(id, watched));
  if (quiet && outcome.failed === 0) return;
  tell(outcome, {
    about: 'watched',
    done: watched ? 'を視聴済みにしました' : 'を未視聴に戻しました',
    failed: '変更できませんでした',
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
  const outcome = await each('変更しています', concerned, ({ id }) => protectRecording(id, on));
  if (quiet && outcome.failed === 0) return;
  tell(outcome, {
    about: 'protection',
    done: on ? 'を保護しました' : 'の保護をやめました',
    failed: '変更できませんでした',
    undo: (done) =>
      void setProtected(
        done.map((one) => ({ ...one, protected: on })),
        !on,
        { quiet: true },
      ),
    focusUndo,
  });
}

/** Puts recordings that have their original stream into the queue of conversions, or takes them out. */
export async function encode(list: readonly Recording[], on: boolean, focusUndo = false): Promise<void> {
  const able = list.filter(
    ({ files, recording }) => !recording && files.some(({ source }) => source === 'ts'),
  );
  if (able.length === 0) {
    showToast('選んだ録画には変換できるものがありません');
    return;
  }
  const outcome = await each('変換の準備をしています', able, ({ id }) =>
    on ? encodeRecording(id) : cancelEncode(id),
  );
  tell(outcome, {
    about: 'encode',
    done: on ? 'を変換の待ちに加えました' : 'の変換を取り消しました',
    failed: on ? '変換を始められませんでした' : '変換を取り消せませんでした',
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
      showToast('録画はもう終わっています');
      return;
    }
    await cancelReservation(own.id);
    showToast(`${nameOf([recording])}の録画を止めました。ここまでの分は残ります`);
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : networkFailure(error);
    showToast(`録画を止められませんでした。${failure.message}`);
  } finally {
    changed.value += 1;
  }
}
