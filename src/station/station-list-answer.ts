/**
 * The response of `/api/services`: stations with their current programmes. Written once and cached until something
 * changed: a station, a programme, a reservation, or the current programme by the clock.
 */
import type { StationId } from '../../arib/ids.ts';
import { removeTitleMarks } from '../../arib/text/title-marks.ts';
import { type BroadcastMs, earliest, plusMs } from '../../arib/time.ts';
import type { NowProgram, ReservationState, Station } from '../../wire/api.ts';
import { audioOptions } from '../model/audio.ts';
import { mainStationOf } from '../model/main-station.ts';
import type { StationRecord } from '../model/station.ts';
import type { PolledAnswer } from '../route/polled-answer.ts';
import type { GuideWindowStore } from '../store/guide-window.ts';
import type { AiringProgram } from '../store/program-store.ts';

export interface StationListNeeds {
  now: () => BroadcastMs;
  stations: {
    list(): readonly StationRecord[];
    airing(): Map<StationId, AiringProgram>;
  };
  logos: {
    /** Changes with the picture; undefined while there is none. */
    tag(id: StationId): string | undefined;
  };
  guide: Pick<GuideWindowStore, 'stamp' | 'reserved' | 'nextChange'>;
}

/** Maximum age of the cached list, in case of a change without an event. */
const LONGEST_KEPT_MS = 60_000;

function nowOf(
  program: AiringProgram | undefined,
  state: ReservationState | undefined,
  isListed: (id: StationId) => boolean,
): NowProgram | null {
  if (program === undefined) return null;
  const main = mainStationOf(program, isListed);
  return {
    ...(main === undefined ? {} : { mainStationId: main }),
    id: program.id,
    title: removeTitleMarks(program.name).title,
    name: program.name,
    startAt: program.startAt,
    endAt: program.endAt,
    reserved: state !== undefined,
    recording: state === 'recording',
    audios: audioOptions(program.audios),
  };
}

function toStation(
  station: StationRecord,
  airing: AiringProgram | undefined,
  state: ReservationState | undefined,
  logoTag: string | undefined,
  isListed: (id: StationId) => boolean,
): Station {
  return {
    id: station.id,
    type: station.type,
    name: station.name,
    remoteControlKey: station.remoteControlKey,
    // The tag changes the URL when the picture changes.
    logo: logoTag === undefined ? null : `api/services/${station.id}/logo?v=${logoTag}`,
    live: `api/services/${station.id}/live`,
    now: nowOf(airing, state, isListed),
  };
}

interface Kept extends PolledAnswer {
  stamp: string;
  list: readonly StationRecord[];
  /** Epoch ms of its validity; both ends, because the clock may be set back. */
  from: BroadcastMs;
  until: BroadcastMs;
}

export class StationListAnswer {
  #kept: Kept | undefined;

  constructor(private readonly parts: StationListNeeds) {}

  answer(): PolledAnswer {
    const { stations, guide } = this.parts;
    const now = this.parts.now();
    const stamp = guide.stamp('programs', 'stations', 'reservations');
    const list = stations.list();
    const kept = this.#kept;
    if (kept?.stamp === stamp && kept.list === list && now >= kept.from && now < kept.until) return kept;
    const body = JSON.stringify(this.#stations());
    const change = guide.nextChange(
      list.map((station) => station.id),
      now,
    );
    const longest = plusMs(now, LONGEST_KEPT_MS);
    const until = change === undefined ? longest : earliest(change, longest);
    this.#kept = { stamp, list, from: now, until, body, etag: `"${Bun.hash(body).toString(36)}"` };
    return this.#kept;
  }

  #stations(): Station[] {
    const { stations, logos, guide } = this.parts;
    const airing = stations.airing();
    const reserved = guide.reserved([...airing.values()].map((program) => program.id));
    const list = stations.list();
    const listed = new Set(list.map(({ id }) => id));
    const isListed = (id: StationId): boolean => listed.has(id);
    return list.map((station) => {
      const program = airing.get(station.id);
      const state = program === undefined ? undefined : reserved.get(program.id);
      return toStation(station, program, state, logos.tag(station.id), isListed);
    });
  }
}
