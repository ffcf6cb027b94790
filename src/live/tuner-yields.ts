/**
 * Notifies the viewers of a station that lost its tuner which recording took it. The agent does not report it, but
 * its list of tuners shows it.
 */
import type { StationId } from '../../arib/ids.ts';
import type { Log } from '../../host/log.ts';
import type { Tuner } from '../../wire/agent.ts';
import type { EventData, Hub } from '../hub/hub.ts';
import { type RecordingId, recordingId } from '../model/ids.ts';
import type { StationRecord } from '../model/station.ts';

/** The list is usually right when the stream broke; a busy agent may need a moment. */
const WAITS_MS = [0, 250, 1000] as const;
const RECORDING_USE = /^rec (\d+)$/;

type YieldedTo = EventData['yielded']['recording'];

export interface TunerYieldsOptions {
  tuners: () => Promise<readonly Tuner[]>;
  /** A running recording; `endAt` is epoch ms with its end margin. */
  findRecording: (id: RecordingId) => YieldedTo | undefined;
  hub: Hub;
  log: Log;
  pause?: (milliseconds: number) => Promise<void>;
}

/**
 * The recordings on a tuner that a station was watched on; undefined if the tuner still receives that station's
 * channel.
 */
function recordingsOn(
  tuners: readonly Tuner[],
  tunerId: string,
  { type, channel }: Pick<StationRecord, 'type' | 'channel'>,
): RecordingId[] | undefined {
  const tuner = tuners.find(({ id }) => id === tunerId);
  if (tuner?.tuned?.type === type && tuner.tuned.channel === channel) return undefined;
  return (tuner?.users ?? []).flatMap(({ use }) => {
    const id = RECORDING_USE.exec(use)?.[1];
    return id === undefined ? [] : [recordingId(Number(id))];
  });
}

export class TunerYields {
  constructor(readonly options: TunerYieldsOptions) {}

  /**
   * A watched station is no longer received. Never rejects.
   * @param tunerId the tuner that it was received on
   * @returns the recording that took it, or null
   */
  async lost(station: StationRecord, tunerId: string): Promise<RecordingId | null> {
    const { tuners, log, pause = Bun.sleep } = this.options;
    for (const wait of WAITS_MS) {
      if (wait > 0) await pause(wait);
      try {
        const found = recordingsOn(await tuners(), tunerId, station);
        if (found === undefined) return null;
        const taken = found.find((id) => this.#notify(station.id, id));
        if (taken !== undefined) return taken;
      } catch (error) {
        log.warn('cannot tell which recording took the tuner', { station: station.id, error: String(error) });
        return null;
      }
    }
    return null;
  }

  #notify(serviceId: StationId, id: RecordingId): boolean {
    const recording = this.options.findRecording(id);
    if (recording === undefined) return false;
    this.options.log.info('tuner yielded to a recording', { station: serviceId, recording: id });
    this.options.hub.publish({ name: 'yielded', data: { serviceId, recording } });
    return true;
  }
}
