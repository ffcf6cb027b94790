/** Announces recordings that end while a screen is open, with a button to watch them. */
import { useEffect, useRef } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import { navigate, watchPath } from '../navigation/router.ts';
import { RUNNING_RECORDINGS, recordingQuery } from '../query/queries.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { splitTitle } from '../words/title.ts';
import { endNotice } from './actions.ts';
import { TEXTS } from './texts.ts';

async function tell({ id, name }: Recording): Promise<void> {
  const entry = entryOf(recordingQuery(id));
  await entry.renew();
  const ended = entry.answer.peek().value;
  // Not for recordings in the bin or running again.
  if (ended === undefined || ended.id !== id || ended.recording) return;
  const title = TEXTS.quoted(splitTitle(name).title);
  if (ended.state === 'failed') {
    const why = { label: TEXTS.why, run: () => navigate(`recordings?recording=${id}`) };
    showToast(TEXTS.recordingFailed(title), why, endNotice(id));
  } else {
    const watch = { label: TEXTS.play, run: () => navigate(watchPath(ended)) };
    showToast(TEXTS.recordingEnded(title), watch, endNotice(id));
  }
}

export function FinishedNotices() {
  const { value } = useQuery(RUNNING_RECORDINGS);
  const before = useRef<readonly Recording[]>([]);
  useEffect(() => {
    if (value === undefined) return;
    const ended = before.current.filter(({ id }) => !value.some((one) => one.id === id));
    before.current = value;
    for (const one of ended) void tell(one);
  }, [value]);
  return null;
}
