/** Says that the picture is torn because packets of the broadcast are lost on the way to the tuner, while they are. */
import { useRef } from 'preact/hooks';
import type { Tuner } from '../../wire/agent.ts';
import { TUNERS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import type { LivePlayer } from './live-player.ts';

const POLL_MS = 3_000;
/** A single lost packet may be invisible; so many between two answers are not. */
const NOTICEABLE = 10;
/** A good answer in between does not make it good: it is gone after so many. */
const CALM_ANSWERS = 2;
const TEXT = '受信状態が悪く、映像が乱れています（電波が戻ると直ります）';

const LOSSES = { ...TUNERS, poll: POLL_MS };

interface Known {
  readonly tuner: string;
  readonly errors: number;
  readonly answer: readonly Tuner[];
  /** Answers that still show it. */
  readonly left: number;
}

function errorsOf(tuner: Tuner | undefined): number | undefined {
  const stats = tuner?.stats;
  return stats == null ? undefined : stats.continuityErrors + stats.transportErrors;
}

function nextKnown(before: Known | undefined, answer: readonly Tuner[], tuner: string): Known | undefined {
  if (before?.answer === answer && before.tuner === tuner) return before;
  const errors = errorsOf(answer.find(({ id }) => id === tuner));
  if (errors === undefined) return undefined;
  // Counted since the tuning began: less than before is another one.
  const isSame = before?.tuner === tuner && errors >= before.errors;
  const lost = isSame ? errors - before.errors : 0;
  const left = lost >= NOTICEABLE ? CALM_ANSWERS : Math.max(0, (isSame ? before.left : 0) - 1);
  return { tuner, errors, answer, left };
}

export function ReceptionNote({ player }: { player: LivePlayer }) {
  const tuner = player.tuned.value?.tuner;
  const { value: tuners } = useQuery(tuner === undefined ? undefined : LOSSES);
  const known = useRef<Known | undefined>(undefined);
  known.current =
    tuner === undefined || tuners === undefined ? undefined : nextKnown(known.current, tuners, tuner);
  if ((known.current?.left ?? 0) === 0) return null;
  return (
    <p class="reception-note" role="status">
      <Icon name="antenna" />
      {TEXT}
    </p>
  );
}
