/** Rows with octets changed by a bad disk: each only affects itself, the rest of the response stays readable. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { networkId, type ProgramId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { type GuideWindow, GuideWindowSchema } from '../../lib/wire/api.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { putPrograms, putReservation } from '../../test/service/guide-rows.ts';
import { putRecording } from '../../test/service/recording-rows.ts';
import { Shared } from '../booking/compact-programs.ts';
import { toRecording } from '../record/recording-answers.ts';
import { GuideWindowStore } from '../store/guide-window.ts';
import { ProgramStore } from '../store/program-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { ReservationStore } from '../store/reservation-store.ts';
import { SCHEMA } from '../store/schema.ts';
import { indexAllPending } from '../store/search-index.ts';
import { SearchStore } from '../store/search-store.ts';
import { StationStore } from '../store/station-store.ts';
import { writeWindow } from './guide-answers.ts';

const HOUR = 3_600_000;
const [NETWORK, SERVICE] = [networkId(4), serviceId(101)];
const STATION = stationId(NETWORK, SERVICE);
const PLACE = { type: 'BS' as const, networkId: NETWORK, serviceId: SERVICE, transportStreamId: null };
const HOME = { id: STATION, ...PLACE, channel: 'BS01_0', name: '海局', serviceType: 1, remoteControlKey: 1 };

/** Its columns accept values that the schema forbids, as flipped bits of a page may produce. */
function lenientDatabase(): Database {
  const database = new Database(':memory:', { strict: true });
  database.run(SCHEMA.replaceAll(/STRICT, (?=WITHOUT)|STRICT|(?<!IS) NOT NULL/g, ''));
  new StationStore(database).apply({ put: [HOME], hide: [], retype: [] }, broadcastMs(0));
  return database;
}

const programme = (event: number) => ({
  ...{ station: STATION, event, startAt: event * HOUR, endAt: (event + 1) * HOUR, name: `番組${event}` },
  genres: [{ lv1: 3, lv2: 1 }],
});

const DAMAGE: readonly string[] = [
  `genres = '[{"lv1":3,"lv'`,
  `genres = '[null]'`,
  `genres = '"]},'`,
  'genres = NULL',
  `genres = x'5b5d'`,
  `name = CAST(x'41ff00e3' AS TEXT)`,
  `name = x'e6b5b7'`,
  'name = NULL',
  'description = NULL',
  `audios = '[{"componentType":2}]'`,
  `groups = '[{"type":"relay"}]'`,
  `extended = '{'`,
  `start_at = 'x'`,
];

test('a damaged programme affects no other programme of a guide window', async () => {
  for (const damage of DAMAGE) {
    const database = lenientDatabase();
    putPrograms(database, [1, 2, 3].map(programme));
    putReservation(database, { ...programme(2), state: 'scheduled' });
    const id = STATION * 100_000 + 2;
    database.run(`UPDATE programs SET ${damage} WHERE id = ${id}`);
    const text = await writeWindow(
      new GuideWindowStore(database),
      [HOME],
      broadcastMs(0),
      broadcastMs(10 * HOUR),
    );
    const window = JSON.parse(text) as GuideWindow;
    expect({ damage, errors: [...Value.Errors(GuideWindowSchema, window)] }).toEqual({ damage, errors: [] });
    const programs = window[0]?.programs ?? [];
    const others = programs.filter((one) => one.id !== id);
    expect(others.map(({ name, genres }) => [name, genres])).toEqual([
      ['番組1', [{ lv1: 3, lv2: 1 }]],
      ['番組3', [{ lv1: 3, lv2: 1 }]],
    ]);
    // A programme whose time is unreadable is not found.
    expect({ damage, shown: programs.length }).toEqual({ damage, shown: damage.startsWith('start') ? 2 : 3 });
    new ProgramStore(database).find(id as ProgramId);
    expect((await new SearchStore(database).programs(['番組3'], 5, broadcastMs(0))).rows).toHaveLength(1);
    database.close();
  }
});

test('a damaged programme in a plan keeps its readable genres', () => {
  const shared = new Shared({
    texts: () => ({ name: '', description: '' }),
    extended: () => null,
    textsOf: () => [],
    extendedOf: () => [],
  });
  expect(shared.genres('[{"lv1":"x"},null,{"lv1":1,"lv2":2}]')).toEqual([{ lv1: 1, lv2: 2 }]);
});

test('lists and searches work with a damaged recording and reservation', async () => {
  for (const damage of [
    `verdict = '{"level":'`,
    `verdict = '{"level":"complete"}'`,
    `genres = x'00'`,
    `audios = '[{}]'`,
    'name = NULL',
    `service_name = x'e6b5b7'`,
  ]) {
    const database = lenientDatabase();
    putPrograms(database, [1, 2].map(programme));
    const ids = [1, 2].map((event) => {
      const { startAt, endAt, name } = programme(event);
      putReservation(database, { ...programme(event), state: 'finished' });
      const programId = STATION * 100_000 + event;
      const row = { station: STATION, serviceName: '海局', name, startAt, endAt, programId };
      return putRecording(database, { ...row, content: null, verdict: null }, null);
    });
    database.run(`UPDATE recordings SET reservation_id = (SELECT id FROM reservations AS r
      WHERE r.program_id = recordings.program_id), ${damage} WHERE id = ${ids[0]}`);
    indexAllPending(database);
    const list = new RecordingListStore(database);
    for (const id of ids) {
      const found = list.find(recordingId(id));
      if (found === undefined) throw new Error('not found');
      expect(toRecording(found, new Map()).id).toBe(recordingId(id));
    }
    expect(new ReservationStore(database).completed(broadcastMs(100 * HOUR))).toHaveLength(2);
    expect((await new SearchStore(database).recordings(['番組2'], 5)).rows).toHaveLength(1);
    await new SearchStore(database).recordings(['番組'], 5);
    database.close();
  }
});
