/**
 * Events of reservations, rules and recordings: one is sent if the list of its name changed, and only then.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { ReservationItem, RuleItem } from '../../lib/wire/api.ts';
import { LIST_GATHER_MS } from '../../src/booking/list-change-notifier.ts';
import { ServerSentEventParser } from '../../src/tuner/agent-link.ts';
import { until } from '../until.ts';
import { Bookings, OTHER_STATION } from './bookings.ts';
import { HOME_STATION } from './harness.ts';
import { putRecording } from './recording-rows.ts';

const LISTS = ['reservations', 'rules', 'recordings', 'settings'] as const;
type List = (typeof LISTS)[number];

let home: Bookings;
let received: string[];
const leaving = new AbortController();
let listening: Promise<void>;

beforeAll(async () => {
  home = await Bookings.start();
  const response = await fetch(`${home.home.url}/api/events`, { signal: leaving.signal });
  expect(response.headers.get('content-type')).toStartWith('text/event-stream');
  received = [];
  listening = listen(response);
  // Connected: announcements of the agent arrive.
  await heard(() => {
    home.agent.announce('tuners');
    return received.includes('tuners');
  });
});

afterAll(async () => {
  leaving.abort();
  await listening;
  await home.close();
});

async function listen({ body }: Response): Promise<void> {
  const parser = new ServerSentEventParser();
  try {
    for await (const chunk of body ?? []) {
      for (const { name, data } of parser.feed(chunk)) {
        if (name !== 'ping') expect([name, data]).toEqual([name, '1']);
        received.push(name);
      }
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  }
  if (!leaving.signal.aborted) throw new Error('the event stream ended');
}

/** Waits for events; fails as soon as their stream does. */
async function heard(isThere: () => boolean): Promise<void> {
  await Promise.race([until(isThere), listening]);
}

/** Waits until all events of earlier changes were received, and forgets them. */
async function settled(): Promise<void> {
  await allReceived();
  received = [];
}

let markers = 0;

/** Waits until all events of earlier changes were received. */
async function allReceived(): Promise<void> {
  // Planned after everything before. Both changes may be compared as one, which sends no event.
  const item = await home.json<ReservationItem>('POST', '/api/reservations', {
    programId: home.program(`しるし${++markers}`, 10_000 + markers * 60),
  });
  expect((await home.ask('DELETE', `/api/reservations/${item.id}`)).status).toBe(204);
  // The service runs in this process: its timer for the comparison was set earlier and expires earlier.
  await Bun.sleep(LIST_GATHER_MS);
  // Sent after the events of that comparison.
  const from = received.length;
  home.agent.announce('tuners');
  await heard(() => received.slice(from).includes('tuners'));
}

const read = async (): Promise<Record<List, string>> => ({
  reservations: JSON.stringify([await home.reservations(), await home.reservations(true)]),
  rules: JSON.stringify(await home.rules()),
  recordings: JSON.stringify([
    await home.json('GET', '/api/recordings'),
    await home.json('GET', '/api/recordings?show=bin'),
  ]),
  settings: JSON.stringify(await home.json('GET', '/api/settings')),
});

/** Lists that one action of a user changed, after their events were checked. */
async function eventsDuring(act: () => Promise<unknown>): Promise<string[]> {
  await settled();
  const before = await read();
  await act();
  const wanted = LISTS.filter((name) => name !== 'reservations');
  const after = await read();
  const changed = LISTS.filter((name) => before[name] !== after[name]);
  await heard(() => changed.every((name) => received.includes(name)));
  const sooner = new Set(received);
  await allReceived();
  const later = new Set(received);
  for (const name of wanted) expect([name, later.has(name)]).toEqual([name, changed.includes(name)]);
  if (!changed.includes('reservations')) expect([...sooner]).not.toContain('reservations');
  return changed;
}

beforeEach(() => {
  received = [];
  home.clear();
  home.database.run('DELETE FROM recordings');
});

describe('an event is sent when its list changed, and only then', () => {
  test('a booking by hand sends no event of rules', async () => {
    const programId = home.program('灯台の朝', 60);
    expect(await eventsDuring(() => home.json('POST', '/api/reservations', { programId }))).toEqual([
      'reservations',
    ]);
    expect(await eventsDuring(() => home.json('POST', '/api/reservations', { programId }))).toEqual([]);
    const [item] = await home.reservations();
    const cancel = () => home.ask('DELETE', `/api/reservations/${item?.id}`);
    expect(await eventsDuring(cancel)).toEqual(['reservations']);
    expect(await eventsDuring(cancel)).toEqual([]);
    expect(await eventsDuring(() => home.json('POST', `/api/reservations/${item?.id}/restore`))).toEqual([
      'reservations',
    ]);
  });

  test('a booking by a rule sends both events, a refused one none', async () => {
    home.program('灯台の朝', 60);
    home.program('港の朝', 65, { station: OTHER_STATION });
    let rule: RuleItem | undefined;
    const add = async () => {
      rule = await home.json<RuleItem>('POST', '/api/rules', { keyword: '灯台' });
    };
    expect(await eventsDuring(add)).toEqual(['reservations', 'rules']);
    expect(await eventsDuring(() => home.ask('POST', '/api/rules', { keyword: 5 }))).toEqual([]);
    expect(await eventsDuring(() => home.json('POST', '/api/rules/preview', { keyword: '港' }))).toEqual([]);
    expect(await eventsDuring(() => home.json('PUT', `/api/rules/${rule?.id}`, rule))).toEqual([]);
    expect(
      await eventsDuring(() => home.json('PUT', `/api/rules/${rule?.id}`, { ...rule, name: '朝' })),
    ).toEqual(['rules']);
    expect(await eventsDuring(() => home.ask('DELETE', `/api/rules/${rule?.id}`))).toEqual([
      'reservations',
      'rules',
    ]);
  });

  test('margins move the times of bookings; a deleted recording no longer counts for its rule', async () => {
    home.program('灯台の朝', 60);
    const { id: ruleId } = await home.json<RuleItem>('POST', '/api/rules', { keyword: '灯台' });
    const set = async () => {
      await home.json('PUT', '/api/settings', { marginBefore: 20_000 });
      await until(async () =>
        (await home.reservations()).every((one) => one.openAt === one.startAt - 22_000),
      );
    };
    expect(await eventsDuring(set)).toEqual(['reservations', 'settings']);
    expect(await eventsDuring(set)).toEqual([]);
    await home.json('PUT', '/api/settings', { marginBefore: null });
    const startAt = Date.now() - 7_200_000;
    const id = putRecording(
      home.database,
      {
        station: HOME_STATION,
        serviceName: '試験テレビ',
        name: '灯台',
        startAt,
        endAt: startAt + 60_000,
        ruleId,
      },
      join(home.home.folder, 'recordings'),
    );
    const mark = (watched: boolean) => () => home.ask('POST', `/api/recordings/${id}/watched`, { watched });
    expect(await eventsDuring(mark(true))).toEqual(['recordings']);
    const bin = () => home.ask('POST', `/api/recordings/${id}/bin`);
    expect(await eventsDuring(bin)).toEqual(['rules', 'recordings']);
    expect(await eventsDuring(bin)).toEqual([]);
    expect(await eventsDuring(() => home.ask('DELETE', `/api/recordings/${id}`))).toEqual(['recordings']);
  });
});
