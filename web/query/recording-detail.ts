/** Texts and damage of a recording that a screen shows. */
import { useEffect } from 'preact/hooks';
import type { Recording, RecordingDetail } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { pathQuery, type Shown, useQuery } from './use-query.ts';

/** Without events: of a recording that was moved to the bin they would ask for what is no longer there. */
const detailQuery = (id: RecordingId) => pathQuery<RecordingDetail>(`api/recordings/${id}/detail`, []);

/** Read again when the recording itself was, and changed in what its detail tells of. @param recording undefined: unknown yet */
export function useRecordingDetail(recording: Recording | undefined): Shown<RecordingDetail> {
  const isThere = recording !== undefined && recording.binnedAt === null;
  const shown = useQuery(isThere ? detailQuery(recording.id) : undefined);
  const { value, failure, renew } = shown;
  const version = isThere ? JSON.stringify([recording.id, recording.state, recording.verdict]) : undefined;
  useEffect(() => {
    // The first time it is read anyway.
    if (version !== undefined && (value ?? failure) !== undefined) void renew();
  }, [version]);
  return shown;
}
