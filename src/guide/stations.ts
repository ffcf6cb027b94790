/** The listed stations, held in memory and kept in step with the agent and the database. */
import { isDeepStrictEqual } from 'node:util';
import type { StationId } from '../../arib/ids.ts';
import type { Log } from '../../host/log.ts';
import type { Channel } from '../../wire/agent.ts';
import type { AudioOption } from '../../wire/api.ts';
import type { Hub } from '../hub/hub.ts';
import { audioOptions } from '../model/audio.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import type { ProgramStore } from '../store/programs.ts';
import type { StationStore } from '../store/stations.ts';
import { stationsOfChannels } from './station-import.ts';

export interface StationsOptions {
  stations: StationStore;
  programs: ProgramStore;
  hub: Hub;
  log: Log;
  /** Epoch ms. */
  now: () => number;
}

export class Stations {
  #listed: readonly StationRecord[] = [];
  #byId = new Map<StationId, StationRecord>();

  constructor(private readonly options: StationsOptions) {
    this.#reload();
  }

  /** In the order of lists: GR, BS, CS, each by remote-control number. */
  list(): readonly StationRecord[] {
    return this.#listed;
  }

  find(id: StationId): StationRecord | undefined {
    return this.#byId.get(id);
  }

  /** What listed stations air now. */
  airing(): Map<StationId, ProgramRecord> {
    return this.options.programs.airing(this.#byId.keys(), this.options.now());
  }

  /** Audio choices of what a station airs now; at least one. */
  audios(id: StationId): AudioOption[] {
    return audioOptions(this.options.programs.airingOn(id, this.options.now())?.audios ?? []);
  }

  /**
   * Takes over the agent's channel definitions. An empty answer changes nothing: it is an agent that was never
   * scanned, or lost its file, not a country that went dark.
   * @returns whether the list changed
   */
  import(channels: readonly Channel[]): boolean {
    const found = stationsOfChannels(channels);
    if (found.length === 0) return false;
    const before = this.#listed;
    const known = new Map(before.map((station) => [station.id, station]));
    const same =
      found.length === before.length &&
      found.every((station) => isDeepStrictEqual(station, known.get(station.id)));
    if (same) return false;
    this.options.stations.replaceListed(found, this.options.now());
    this.#reload();
    this.options.log.info('stations imported', { stations: found.length, before: before.length });
    this.options.hub.changed('services');
    return true;
  }

  #reload(): void {
    this.#listed = this.options.stations.listed();
    this.#byId = new Map(this.#listed.map((station) => [station.id, station]));
  }
}
