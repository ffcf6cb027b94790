/** Says over a sheet with empty columns that their programmes are being received. */
import { useEffect, useState } from 'preact/hooks';
import type { Station } from '../../lib/wire/api.ts';
import { firstReading } from '../query/guide-status.ts';
import { GUIDE_STATUS } from '../query/queries.ts';
import { stations } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { TEXTS } from './texts.ts';

/** A guide that is complete is not polled for its progress. */
const { poll: _, ...ON_EVENTS } = GUIDE_STATUS;

export function FirstRead({ type }: { readonly type: Station['type'] }) {
  const [isReading, setReading] = useState(false);
  const { value: status } = useQuery(isReading ? GUIDE_STATUS : ON_EVENTS);
  const shown = new Set(stations.value.filter((station) => station.type === type).map(({ id }) => id));
  const progress = status === undefined ? undefined : firstReading(status, (id) => shown.has(id));
  useEffect(() => setReading(progress !== undefined), [progress === undefined]);
  if (progress === undefined) return null;
  return (
    <p class="guide-loading numbers no-pointer nowrap" role="status">
      {TEXTS.receiving(progress.total, progress.known)}
    </p>
  );
}
