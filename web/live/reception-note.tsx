/**
 * Says why the picture is torn, stands or is silent: from what the stream itself lacks, and from the tuner's counters of
 * lost and scrambled packets.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReceptionFault } from '../../lib/arib/ts/clock.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { TUNERS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import type { LivePlayer } from './live-player.ts';
import { TEXTS } from './texts.ts';

const POLL_MS = 3_000;
/** A single lost packet may be invisible; this many between two polls are not. */
const NOTICEABLE = 10;
/** One good poll is not enough: hidden after this many. */
const CALM_ANSWERS = 2;
const FAULTS = { lost: TEXTS.badReception, scrambled: TEXTS.scrambled } as const;
/** Long enough to be read, also where the fault was short. */
const READABLE_MS = 4_000;
const LACKING: Readonly<Record<ReceptionFault, string>> = {
  scrambled: TEXTS.staysScrambled,
  no_picture: TEXTS.pictureMissing,
  no_sound: TEXTS.soundMissing,
};

const LOSSES = { ...TUNERS, poll: POLL_MS };

type Fault = keyof typeof FAULTS;

interface KnownCounts {
  readonly tuner: string;
  readonly counts: Readonly<Record<Fault, number>>;
  readonly answer: readonly Tuner[];
  readonly fault: Fault;
  /** Answers that still show it. */
  readonly left: number;
}

function lossCounts(tuner: Tuner | undefined): KnownCounts['counts'] | undefined {
  const stats = tuner?.stats;
  if (stats == null) return undefined;
  return { lost: stats.continuityErrors + stats.transportErrors, scrambled: stats.scrambled };
}

function nextKnown(
  before: KnownCounts | undefined,
  answer: readonly Tuner[],
  tuner: string,
): KnownCounts | undefined {
  if (before?.answer === answer && before.tuner === tuner) return before;
  const counts = lossCounts(answer.find(({ id }) => id === tuner));
  if (counts === undefined) return undefined;
  // Counted since the tuning began: less than before is another one.
  const grown = (fault: Fault): number =>
    before?.tuner === tuner ? counts[fault] - before.counts[fault] : 0;
  const fault = (['scrambled', 'lost'] as const).find((one) => grown(one) >= NOTICEABLE);
  if (fault !== undefined) return { tuner, counts, answer, fault, left: CALM_ANSWERS };
  const isSame = before?.tuner === tuner && grown('lost') >= 0 && grown('scrambled') >= 0;
  const left = isSame ? Math.max(0, (before?.left ?? 0) - 1) : 0;
  return { tuner, counts, answer, fault: before?.fault ?? 'lost', left };
}

/** What of the station does not come, or did not a moment ago. */
function useFault(player: LivePlayer): ReceptionFault | undefined {
  const now = player.fault.value;
  const [shown, setShown] = useState(now);
  useEffect(() => {
    if (now !== undefined) {
      setShown(now);
      return;
    }
    const timer = setTimeout(() => setShown(undefined), READABLE_MS);
    return () => clearTimeout(timer);
  }, [now]);
  return now ?? shown;
}

function Note({ text }: { text: string }) {
  return (
    <p
      class="reception-note hstack gap-50 absolute at-middle layer-2 no-pointer text-s bold round-m"
      role="status"
    >
      <Icon name="antenna" />
      {text}
    </p>
  );
}

export function ReceptionNote({ player }: { player: LivePlayer }) {
  const lacking = useFault(player);
  const tuner = player.tuned.value?.tuner;
  const { value: tuners } = useQuery(tuner === undefined ? undefined : LOSSES);
  const known = useRef<KnownCounts | undefined>(undefined);
  known.current =
    tuner === undefined || tuners === undefined ? undefined : nextKnown(known.current, tuners, tuner);
  if (lacking !== undefined) return <Note text={LACKING[lacking]} />;
  if (known.current === undefined || known.current.left === 0) return null;
  const { fault } = known.current;
  // The tuner counts all stations of its channel: one that plays is not among those that stay scrambled.
  if (fault === 'scrambled' && player.state.value.kind === 'playing') return null;
  return <Note text={FAULTS[fault]} />;
}
