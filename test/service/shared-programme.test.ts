/**
 * Rules on a station with several services: its tables as the synthetic broadcast sends them, through guide
 * and plan.
 */
import { expect, test } from 'bun:test';
import { serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import type { ProgramDetail, ReservationItem, RuleItem, Station } from '../../lib/wire/api.ts';
import { GuideSession, KnownStations } from '../../src/guide/guide-session.ts';
import { ProgramWriter } from '../../src/store/program-writer.ts';
import { INVENTED_REGION, terrestrialService } from '../../synth/scenario/identity.ts';
import { loadScenario } from '../../synth/scenario/load.ts';
import { channelList } from '../../synth/truth.ts';
import { GuideSections } from '../guide-sections.ts';
import { tablePackets } from '../peer/sent.ts';
import { scenarioFile } from '../synth/scenario-file.ts';
import { tuner } from './bookings.ts';
import { StandInAgent } from './harness.ts';
import { type Household, startHousehold } from './household.ts';

const HOUR = 3_600_000;
const MAIN = terrestrialService(INVENTED_REGION, 0, 'tv', 0);
const BRANCH = terrestrialService(INVENTED_REGION, 0, 'tv', 1);
const sharedWith = [MAIN, BRANCH];
const together = (title: string) => ({ durationSec: 1_800, title, sharedWith });

/** Schedules are sent so often that a minute contains all tables. */
const scenario = loadScenario(
  scenarioFile({
    scheduleSpeed: 20,
    channels: [
      {
        channel: 'T30',
        stations: [
          {
            programmes: [
              { ...together('灯台守の日記'), items: [{ heading: '出演者', text: '架空太郎' }] },
              { durationSec: 1_800, title: '港の朝' },
            ],
          },
          {
            branch: true,
            programmes: [together('灯台守の日記'), { durationSec: 1_800, title: '野球　灯台杯' }],
          },
        ],
      },
    ],
  }),
);

/** Stores a collection run of the channel. */
async function readGuide(home: Household): Promise<void> {
  const [plan] = scenario.channels;
  if (plan === undefined) throw new Error('no channel');
  const now = wallMs(Date.now());
  const known = new KnownStations();
  known.replace(
    [MAIN, BRANCH].map((service) => {
      const of = serviceId(service);
      return { id: stationId(plan.networkId, of), networkId: plan.networkId, serviceId: of };
    }),
  );
  const sections = new GuideSections();
  const events = { present: () => {}, clock: () => {}, repeat: () => sections.repeat() };
  const session = new GuideSession(1, plan.networkId, known, events);
  const packets = tablePackets(scenario, plan, 60, broadcastMs(now));
  // The first run receives the time, without which no schedule is accepted.
  for (let pass = 0; pass < 2; pass += 1) session.feed(sections.feed(packets), wallMs(now));
  const pause = async (): Promise<void> => {};
  const writer = new ProgramWriter({ database: home.database, elapsed: systemMonotonicClock, pause });
  for (const change of session.take()) await writer.write(change, now);
}

test("a rule reserves a programme shared by two services once, and the branch's own programmes as well", async () => {
  const agent = new StandInAgent();
  agent.channels = channelList(scenario) as Channel[];
  agent.tuners = [tuner('a', 0, ['GR'])];
  const home = await startHousehold({}, agent);
  const json = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const response = await home.ask(path, { headers: { 'content-type': 'application/json' }, ...init });
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  };
  try {
    const stations = await json<Station[]>('/api/services');
    const [main, branch] = stations.map(({ id }) => id);
    await readGuide(home);
    const body = JSON.stringify({ keyword: '灯台', dedupe: false });
    await json<RuleItem>('/api/rules', { method: 'POST', body });
    const soon = Date.now() + 12 * HOUR;
    const booked = (await json<ReservationItem[]>('/api/reservations')).filter(
      ({ startAt }) => startAt < soon,
    );
    const places = booked.map(({ startAt, title, stationId: station }) => [startAt, title, station === main]);
    // One an hour each: the shared one at its main station, the other at the branch.
    const [shared, alone] = ['灯台守の日記', '野球　灯台杯'].map((name) =>
      places.filter(([, title]) => title === name),
    );
    expect(shared?.length).toBeGreaterThan(8);
    expect(alone?.length).toBeGreaterThan(8);
    expect(shared?.every(([, , isMain]) => isMain)).toBe(true);
    expect(alone?.every(([, , isMain]) => !isMain)).toBe(true);
    expect(new Set(booked.map(({ startAt }) => startAt)).size).toBe(booked.length);
    expect(booked.every(({ state }) => state === 'scheduled' || state === 'recording')).toBe(true);
    // The branch's entry is empty: its fields are filled in from the main station's event.
    const branches = home.database
      .query<{ id: number; start_at: number }, { station: number }>(
        'SELECT id, start_at FROM programs WHERE station_id = $station ORDER BY start_at',
      )
      .all({ station: branch ?? 0 });
    const later = shared?.map(([startAt]) => startAt).at(2);
    const bare = branches.find(({ start_at }) => start_at === later);
    const detail = await json<ProgramDetail>(`/api/programs/${bare?.id}`);
    expect(JSON.stringify(detail)).toContain('架空太郎');
  } finally {
    await home.close();
  }
});
