/** Descriptors of events and how their tables change, byte by byte. */
import { describe, expect, test } from 'bun:test';
import { eventId, networkId, serviceId, transportStreamId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, jstDayStart } from '../../lib/arib/time.ts';
import { eventStations } from '../broadcast.ts';
import { parseScenario } from '../scenario/file.ts';
import { loadScenario } from '../scenario/load.ts';
import { smallScenario } from '../scenario/small.ts';
import { type EventStation, liveSegments, presentFollowing, scheduleSections } from './eit.ts';
import {
  captionInfo,
  content,
  dataContent,
  eventGroup,
  parentalRating,
  series,
} from './event-descriptors.ts';
import { encodeJstTime } from './jst-time.ts';

function octets(text: string): string {
  return text
    .replace(/\/\/.*/g, '')
    .replace(/\s/g, '')
    .toLowerCase();
}

test('content: genres, then notes in the user nibbles', () => {
  const sent = content(
    [
      [1, 1],
      [3, 15],
    ],
    [0x01],
  );
  expect(sent.toHex()).toBe(octets('54 06 11 FF 3F FF E0 01 // baseball, drama, may be extended'));
});

test('parental rating', () => {
  expect(parentalRating(15).toHex()).toBe(octets('55 04 4A504E 0C // JPN, 15 less 3'));
});

describe('series', () => {
  const plain = { id: 0x1234, name: '', repeatLabel: 1, pattern: 2, episode: 5, lastEpisode: 12 };

  test('with its last day', () => {
    const expireAt = broadcastMs(Date.UTC(2026, 11, 31));
    expect(series({ ...plain, expireAt }).toHex()).toBe(
      octets(`
        D5 08 1234
        15             // repeat_label 1, weekly, the date is valid
        EFDD           // MJD 61405: 2026-12-31
        005 00C        // part 5 of 12
      `),
    );
  });

  test('without', () => {
    expect(series({ ...plain, expireAt: null }).toHex()).toBe(octets('D5 08 1234 14 FFFF 005 00C'));
  });
});

describe('event group', () => {
  const link = { serviceId: serviceId(0x2400), eventId: eventId(0x0102) };

  test('shared by two stations', () => {
    const other = { ...link, serviceId: serviceId(0x2401) };
    expect(eventGroup({ kind: 'shared', events: [link, other], others: [] }).toHex()).toBe(
      octets('D6 09 12 2400 0102 2401 0102'),
    );
  });

  test.each([
    ['relay', '2'],
    ['movement', '3'],
  ] as const)('%s within the stream', (kind, type) => {
    expect(eventGroup({ kind, events: [link], others: [] }).toHex()).toBe(octets(`D6 05 ${type}1 2400 0102`));
  });

  test.each([
    ['relay-network', '4'],
    ['movement-network', '5'],
  ] as const)('%s: none of this network, one of another', (kind, type) => {
    const far = { ...link, networkId: networkId(4), transportStreamId: transportStreamId(0x4010) };
    expect(eventGroup({ kind, events: [], others: [far] }).toHex()).toBe(
      octets(`D6 09 ${type}0 0004 4010 2400 0102`),
    );
  });
});

test('data content of captions in two languages', () => {
  const selector = captionInfo(['jpn', 'eng']);
  expect(dataContent({ dataComponentId: 0x0008, entry: 0x30, selector, text: '' }).toHex()).toBe(
    octets(`
      C7 12 0008 30    // captions, begin with component 0x30
      09 02            // selector: two languages
      13 6A706E        // language_tag 0, DMF 0011, jpn
      33 656E67        // language_tag 1, DMF 0011, eng
      00 6A706E 00     // no other components; jpn, no text
    `),
  );
});

/** Version and the other content of sections: the version must change exactly when the content does. */
function parts(sections: readonly Uint8Array[]): { version: string; rest: string } {
  const versions = new Set(sections.map((section) => ((section[5] ?? 0) >> 1) & 0x1f));
  const rest = sections.map((section) => section.slice(0, 5).toHex() + section.slice(6, -4).toHex());
  return { version: [...versions].join(), rest: rest.join('\n') };
}

function scheduleOf(station: EventStation, schedule: 'basic' | 'extended', table: number, at: BroadcastMs) {
  const segments = liveSegments(jstDayStart(at), station.guide.days);
  return parts(
    segments
      .filter(({ day }) => Math.floor(day / 4) === table)
      .flatMap((segment) => scheduleSections(station, { kind: 'actual', schedule, at }, segment)),
  );
}

/**
 * At every moment the version differs from the previous one exactly if the content does, and is then the next
 * one.
 */
function followVersions(
  moments: readonly BroadcastMs[],
  read: (at: BroadcastMs) => ReturnType<typeof parts>,
): number {
  let changes = 0;
  let before: ReturnType<typeof parts> | undefined;
  for (const at of moments) {
    const now = read(at);
    if (before !== undefined) {
      const changed = now.rest !== before.rest;
      const next = changed ? (Number(before.version) + 1) % 32 : Number(before.version);
      expect([at, Number(now.version)]).toEqual([at, next]);
      if (changed) changes += 1;
    }
    before = now;
  }
  return changes;
}

describe('a table changes its version exactly when its content changes:', () => {
  const MINUTE = 60_000;
  const EVENING = broadcastMs(Date.UTC(2026, 10, 21, 9));
  const scenario = loadScenario('default');
  const stations = scenario.channels
    .flatMap((channel) => eventStations(scenario, channel))
    .filter(({ place }) => ['かわせみテレビ', 'あさぎりテレビ', 'こもれび放送'].includes(place.plan.name));
  const minutes = (count: number, step: number) =>
    Array.from({ length: count }, (_, index) => broadcastMs(EVENING + index * step * MINUTE));

  test.each(stations.map((station) => [station.place.plan.name, station] as const))(
    'present and following of %s',
    (_, station) => {
      const changes = followVersions(minutes(12 * 60, 1), (at) =>
        parts(presentFollowing(station, 'actual', at)),
      );
      expect(changes).toBeGreaterThan(10);
    },
  );

  test.each(stations.map((station) => [station.place.plan.name, station] as const))(
    'schedule of %s, over a midnight',
    (name, station) => {
      for (const schedule of ['basic', 'extended'] as const) {
        const near = followVersions(minutes(100, 5), (at) => scheduleOf(station, schedule, 0, at));
        const far = followVersions(minutes(10, 50), (at) => scheduleOf(station, schedule, 1, at));
        expect(far).toBe(1);
        expect([name, near > 1]).toEqual([name, name !== 'こもれび放送']);
      }
    },
  );
});

test('a list of programmes of seconds contains the next minutes at every time of day, and changes with its version', () => {
  const scenario = parseScenario(
    smallScenario({
      channels: [
        {
          channel: 'T30',
          stations: [{ programmes: [{ durationSec: 30, title: '短い番組', description: '' }] }],
        },
      ],
    }),
  );
  const [station] = scenario.channels.flatMap((channel) => eventStations(scenario, channel));
  if (station === undefined) throw new Error('no station');
  const MINUTE = 60_000;
  const dayStart = jstDayStart(broadcastMs(EPOCH));
  const moments = Array.from({ length: 55 }, (_, index) => broadcastMs(dayStart + index * 26 * MINUTE));
  for (const at of moments) {
    const ahead = station.guide.airing(at, broadcastMs(at + 10 * MINUTE));
    const [now, next] = liveSegments(at, 1).map((segment) =>
      scheduleSections(station, { kind: 'actual', schedule: 'basic', at }, segment)
        .map((section) => section.toHex())
        .join(),
    );
    for (const { eventId: id, startAt } of ahead) {
      const start = encodeJstTime(startAt);
      const event = Uint8Array.of(id >> 8, id & 0xff, ...start).toHex();
      expect([at, now?.includes(event) || next?.includes(event)]).toEqual([at, true]);
    }
  }
  const hour = Array.from({ length: 13 }, (_, index) => broadcastMs(dayStart + index * 5 * MINUTE));
  expect(followVersions(hour, (at) => scheduleOf(station, 'basic', 0, at))).toBe(4);
});

test('an unknown start or duration is all ones, in present/following only', () => {
  const scenario = parseScenario(
    smallScenario({
      channels: [
        {
          channel: 'T30',
          stations: [
            {
              programmes: [
                { durationSec: 60, title: '生', undefinedEnd: true, overrunSec: 60, noticeSec: 20 },
                { durationSec: 60, title: '次' },
              ],
            },
          ],
        },
      ],
    }),
  );
  const [station] = scenario.channels.flatMap((channel) => eventStations(scenario, channel));
  if (station === undefined) throw new Error('no station');
  const begin =
    station.guide.airing(broadcastMs(EPOCH), broadcastMs(EPOCH + 180_000))[0]?.startAt ?? broadcastMs(0);
  const eventOf = (section: Uint8Array | undefined) => section?.slice(16, 24).toHex();
  const [present, following] = presentFollowing(station, 'actual', broadcastMs(begin + 70_000));
  // Duration unknown; the start of the next one unknown, its duration of a minute known.
  expect(eventOf(present)?.slice(10)).toBe('ffffff');
  expect(eventOf(following)).toBe(octets('FFFFFFFFFF 000100'));
  const [, later] = presentFollowing(station, 'actual', broadcastMs(begin + 101_000));
  expect(eventOf(later)?.slice(10)).toBe('000100');
  expect(eventOf(later)?.slice(0, 10)).not.toBe('ffffffffff');
});

const EPOCH = Date.UTC(2026, 10, 20, 12);
