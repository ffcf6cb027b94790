/** Shown with the message that no tuner is free: who uses those that the station needs, and until when. */
import type { Station } from '../../lib/wire/api.ts';
import type { ApiFailure } from '../query/api.ts';
import { CHANNELS, RUNNING_RECORDINGS, TUNERS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { holderLines } from './holder-lines.ts';
import { TEXTS } from './texts.ts';

/** Of the tuners that receive any of the types. */
export function TunerLines({ types }: { types: readonly Station['type'][] }) {
  const tuners = useQuery(TUNERS).value ?? [];
  const channels = useQuery(CHANNELS).value ?? [];
  const running = useQuery(RUNNING_RECORDINGS).value ?? [];
  const lines = [...new Set(types.flatMap((type) => holderLines(tuners, type, channels, running)))];
  if (lines.length === 0) return null;
  return (
    <ul class="tuner-holders numbers no-margin no-padding text-s unlisted" aria-label={TEXTS.holders}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

interface HoldersProps {
  readonly failure: ApiFailure;
  readonly station: Station | undefined;
}

/** Empty for other failures and for an unknown station. */
export function TunerHolders({ failure, station }: HoldersProps) {
  if (failure.code !== 'no_tuner' || station === undefined) return null;
  return <TunerLines types={[station.type]} />;
}
