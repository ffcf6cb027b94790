/** Composition of live viewing: sessions, live socket, tuners lost to a recording, and routes. */
import type { Database } from 'bun:sqlite';
import type { StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import type { StationRecord } from '../model/station.ts';
import type { EventData, Hub } from '../notify/hub.ts';
import type { StationGuide } from '../reception/side-item.ts';
import type { ProgramStore } from '../store/program-store.ts';
import { BroadcasterStore } from '../store/station-store.ts';
import {
  addLiveCaptionRoutes,
  addLiveRoutes,
  addLiveSocketRoute,
  type LiveRouteNeeds,
} from './live-routes.ts';
import { type LiveOptions, LiveService } from './live-service.ts';
import { LiveSockets, type LiveSocketsNeeds } from './live-sockets.ts';
import { stillOf } from './still-picture.ts';
import { opensSoon } from './still-plan.ts';
import { addStillRoutes } from './still-routes.ts';
import { Stills } from './stills.ts';

/** The list is usually right when the stream broke; a busy agent may need a moment. */
const WAITS_MS = [0, 250, 1000] as const;
const RECORDING_USE = /^rec (\d+)$/;

type YieldedTo = EventData['yielded']['recording'];

interface TunerYieldsOptions {
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

/**
 * Notifies the viewers of a station that lost its tuner which recording took it. The agent does not report it, but
 * its list of tuners shows it.
 */
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

/** Some hours: who watches longer is told by present/following. */
const MAX_PROGRAMMES = 16;

/** @param now time of the broadcast */
export function stationGuide(
  programs: Pick<ProgramStore, 'airingOn' | 'shown'>,
  { id, networkId }: Pick<StationRecord, 'id' | 'networkId'>,
  now: BroadcastMs,
): StationGuide {
  const present = programs.airingOn(id, now)?.eventId ?? null;
  const programmes = programs
    .shown(id, now)
    .slice(0, MAX_PROGRAMMES)
    .map(({ eventId, startAt, endAt, openEnd, name }) => ({
      ...{ eventId, startAt, name },
      durationMs: openEnd ? null : endAt - startAt,
    }));
  return { networkId, present, programmes };
}

interface LiveNeeds
  extends Omit<LiveOptions, 'known' | 'onLost' | 'stations' | 'tuners'>,
    Pick<TunerYieldsOptions, 'findRecording' | 'hub' | 'tuners'> {
  stations: LiveOptions['stations'] & LiveRouteNeeds['stations'] & Pick<LiveSocketsNeeds, 'isSuspended'>;
  database: Database;
  programs: Pick<ProgramStore, 'airingOn' | 'shown'>;
  broadcastNow: () => BroadcastMs;
  chase: LiveSocketsNeeds['chase'];
  redeem: LiveSocketsNeeds['redeem'];
  clock: LiveSocketsNeeds['clock'];
  sources: LiveSocketsNeeds['sources'];
  /** Unused tuners may take the pictures of the home screen. */
  mayTuneForStills: () => boolean;
  /** When recordings run or are planned. */
  recordingUses: () => readonly { readonly from: BroadcastMs }[];
}

export function createLive(needs: LiveNeeds) {
  const log = needs.log.component('live');
  const yields = new TunerYields({ ...needs, log });
  const broadcasters = new BroadcasterStore(needs.database);
  const live = new LiveService({
    ...needs,
    log,
    known: (station) => ({
      broadcaster: broadcasters.find(station.id),
      guide: stationGuide(needs.programs, station, needs.broadcastNow()),
    }),
    onLost: (station, tunerId) => yields.lost(station, tunerId),
  });
  const sockets = new LiveSockets({
    ...needs,
    live,
    log,
    isSuspended: (id) => needs.stations.isSuspended(id),
  });
  const stills = new Stills({
    ...{ pool: needs.pool, stations: needs.stations, tuners: () => needs.tuners(), log },
    broadcastNow: needs.broadcastNow,
    mayTune: () => needs.mayTuneForStills() && !opensSoon(needs.recordingUses(), needs.broadcastNow()),
    clock: needs.clock,
    jpegOf: async (picture, signal) => await stillOf(await needs.encoders.ffmpeg(), picture, signal),
  });
  const routes: AddRoutes = (app) => {
    const parts = { stations: needs.stations, live };
    addLiveRoutes(app, parts);
    addLiveCaptionRoutes(app, parts);
    addLiveSocketRoute(app);
    addStillRoutes(app, stills);
  };
  return { live, sockets, stills, routes };
}
