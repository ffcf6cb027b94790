/** State of a recording left by an earlier process, and the result of one whose end passed while no service ran. */
import { type BroadcastMs, broadcastMs, earliest, latest } from '../../arib/time.ts';
import type { WallClock } from '../../host/clock.ts';
import type { RecordingPart, RecordingRecord } from '../model/recording.ts';
import { type Measured, nothingMeasured } from '../model/verdict.ts';
import { lastLife } from '../reception/recorded-file.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import { RecordingMeasurement } from './recording-measurement.ts';
import type { SessionResult } from './recording-session.ts';

export interface PreviousProgress {
  measured: Measured;
  parts: readonly RecordingPart[];
}

/**
 * State left by an earlier process. If its stored measurements are damaged, only the last file counts: it is counted
 * again, and assumed to be received without a gap since the recording began. @throws the database's error
 */
export function previousProgress(
  store: Pick<RecordingStore, 'measured' | 'parts'>,
  { id, beganAt }: Pick<RecordingRecord, 'id' | 'beganAt'>,
): PreviousProgress {
  const [measured, parts] = [store.measured(id), store.parts(id)];
  if (measured !== null) return { measured, parts };
  const stretches = beganAt === null ? [] : [{ from: beganAt, to: beganAt }];
  const uncounted = parts.map((part, index) => (index < parts.length - 1 ? part : { ...part, bytes: 0 }));
  return { measured: { ...nothingMeasured(), stretches }, parts: uncounted };
}

/** The result if nothing was received since the service stopped. */
export async function endedWhileAway(
  record: Pick<RecordingRecord, 'startAt' | 'closeAt' | 'beganAt' | 'ended'>,
  { measured, parts }: PreviousProgress,
  { broadcastClock, wallClock }: { broadcastClock: () => BroadcastMs; wallClock: WallClock },
): Promise<Pick<SessionResult, 'end' | 'at' | 'measured' | 'parts'>> {
  const { startAt, closeAt, beganAt, ended } = record;
  if (ended !== null) return { end: ended.as, at: ended.at, measured, parts: [...parts] };
  const measurement = new RecordingMeasurement(structuredClone(measured));
  const last = parts.at(-1);
  const former = last === undefined ? undefined : await lastLife(last);
  if (former !== undefined && last !== undefined && former.recounted.packets > 0) {
    const modifiedAt = broadcastMs(former.modifiedAt + broadcastClock() - wallClock());
    const from = measurement.reportedUntil ?? beganAt ?? modifiedAt;
    const writtenUntil = measurement.writtenUntil({ ...former, modifiedAt });
    const to = earliest(latest(writtenUntil, from), closeAt);
    const stretch = { from: earliest(from, to), to };
    measurement.received(stretch, nothingMeasured().sums, last.path);
    measurement.recounted(stretch, former);
  }
  const from = measurement.reportedUntil ?? beganAt ?? startAt;
  measurement.broke('service_stopped', { from, to: closeAt });
  return { end: 'finished', at: broadcastClock(), measured: measurement.value, parts: [...parts] };
}
