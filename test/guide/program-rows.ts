/** Programmes of a station and of its branch, written like those received by the guide. */
import type { Database } from 'bun:sqlite';
import { eventId, networkId, programId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import type { StationChange } from '../../src/model/guide-change.ts';
import type { ProgramRecord } from '../../src/model/program.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ProgramStore } from '../../src/store/program-store.ts';
import { ProgramWriter, type Written } from '../../src/store/program-writer.ts';
import { StationStore } from '../../src/store/station-store.ts';

export const HOME = stationId(networkId(0x7fe8), serviceId(1024));
export const BRANCH = stationId(networkId(0x7fe8), serviceId(1025));
const MINUTE = 60_000;
/** 12:00 JST. */
const NOON = wallMs(Date.parse('2026-11-21T12:00:00+09:00'));
/** Minutes from noon. */
export const at = (minutes: number): BroadcastMs => broadcastMs(NOON + minutes * MINUTE);

/** A new database in memory with both stations. */
export class ProgramRows {
  readonly database: Database = openDatabase(':memory:');
  readonly store = new ProgramStore(this.database);
  readonly writer: ProgramWriter;

  constructor(pause: () => Promise<void> = () => Promise.resolve()) {
    const home = {
      ...{ id: HOME, type: 'GR' as const, networkId: networkId(0x7fe8), serviceId: serviceId(1024) },
      ...{ transportStreamId: null, channel: 'T27', name: '局', serviceType: 1, remoteControlKey: 1 },
    };
    const branch = { ...home, id: BRANCH, serviceId: serviceId(1025), name: '局２' };
    new StationStore(this.database).apply({ put: [home, branch], hide: [], retype: [] }, broadcastMs(0));
    this.writer = new ProgramWriter({ database: this.database, elapsed: systemMonotonicClock, pause });
  }

  write(change: Partial<StationChange>, minutes = 0): Promise<Written> {
    const nothing = { programs: [], extended: new Map(), windows: [], presentFollowing: undefined };
    return this.writer.write({ stationId: HOME, ...nothing, ...change }, wallMs(at(minutes)));
  }

  close(): void {
    this.database.close();
  }
}

/** Adds one to the main station. @param from and to in minutes from noon */
export function program(
  event: number,
  from: number,
  to: number,
  over: Partial<ProgramRecord> = {},
): ProgramRecord {
  return {
    id: programId(HOME, eventId(event)),
    stationId: HOME,
    eventId: eventId(event),
    startAt: broadcastMs(at(from)),
    endAt: broadcastMs(at(to)),
    openEnd: false,
    name: `番組${event}`,
    description: '',
    extended: null,
    genres: [{ lv1: 0, lv2: 1 }],
    audios: [{ componentTag: 16, componentType: 3, main: true, languages: ['jpn'], text: '' }],
    videoType: 'mpeg2',
    videoResolution: '1080i',
    isFree: true,
    copyNever: false,
    groups: [],
    series: null,
    ...over,
  };
}
