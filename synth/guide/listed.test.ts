import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { STC_ZERO } from '../clock.ts';
import { parseScenario } from '../scenario/file.ts';
import { smallScenario } from '../scenario/small.ts';
import { guideOf } from './guide.ts';
import type { Guide } from './programme.ts';

type Written = { readonly [field: string]: unknown };

/** Guides of stations of one channel, then of a BS station, whose programmes are listed in a file. */
function guides(stations: readonly (readonly Written[])[], satellite: readonly Written[] = []): Guide[] {
  const listed = (programmes: readonly Written[]) => ({ programmes });
  const scenario = parseScenario(
    smallScenario({
      channels: [
        { channel: 'T30', stations: stations.map(listed) },
        ...(satellite.length === 0
          ? []
          : [{ type: 'BS' as const, channel: 'BS01_0', stations: [listed(satellite)] }]),
      ],
    }),
  );
  return scenario.channels.flatMap((channel) =>
    channel.stations.map((station) => guideOf(scenario, channel, station)),
  );
}

function only(programmes: readonly Written[]): Guide {
  const [guide] = guides([programmes]);
  if (guide === undefined) throw new Error('no guide');
  return guide;
}

const second = (seconds: number) => broadcastMs(STC_ZERO + seconds * 1000);
/** Start and end in seconds of the list's own time, and the title. */
const listedTimes = (guide: Guide, at: number, to = 60) =>
  guide
    .starting(second(0), second(to), second(at))
    .map(({ startAt, durationMs, title }) => [
      (startAt - STC_ZERO) / 1000,
      (startAt + durationMs - STC_ZERO) / 1000,
      title,
    ]);

describe('a programme that another one interrupts', () => {
  const list = (newId: boolean) => [
    {
      durationSec: 10,
      title: '映画',
      interruption: { afterSec: 4, forSec: 6, title: '臨時ニュース', newId },
    },
    { durationSec: 10, title: '次' },
  ];
  const guide = only(list(false));

  test('is announced as planned until then, and afterwards with the rest', () => {
    expect(listedTimes(guide, 3, 26)).toEqual([
      [0, 10, '映画'],
      [10, 20, '次'],
    ]);
    expect(listedTimes(guide, 4, 26)).toEqual([
      [4, 10, '臨時ニュース'],
      [10, 16, '映画'],
      [16, 26, '次'],
    ]);
    const pair = (at: number) =>
      [guide.present(second(at)), guide.following(second(at))].map((one) => [one?.title, one?.durationMs]);
    expect(pair(3)).toEqual([
      ['映画', 10_000],
      ['次', 10_000],
    ]);
    expect(pair(4)).toEqual([
      ['臨時ニュース', 6_000],
      ['映画', 6_000],
    ]);
    expect(pair(10)).toEqual([
      ['映画', 6_000],
      ['次', 10_000],
    ]);
  });

  test('is on air in two parts, under one id or two', () => {
    const airing = (of: Guide) =>
      of
        .airing(second(0), second(26))
        .map(({ eventId, startAt, durationMs, title }) => [
          eventId,
          (startAt - STC_ZERO) / 1000,
          durationMs / 1000,
          title,
        ]);
    expect(airing(guide)).toEqual([
      [0, 0, 4, '映画'],
      [0x8000, 4, 6, '臨時ニュース'],
      [0, 10, 6, '映画'],
      [1, 16, 10, '次'],
    ]);
    expect(airing(only(list(true))).map(([id]) => id)).toEqual([0, 0x8000, 0xc000, 1]);
  });

  test('changes versions by one at each of its boundaries', () => {
    const changes = [3.9, 4, 9.9, 10, 15.9, 16].map(
      (at) => guide.presentChanges(second(at)) - guide.presentChanges(second(0)),
    );
    expect(changes).toEqual([0, 1, 1, 2, 2, 3]);
    expect(guide.revisions(second(4)) - guide.revisions(second(3))).toBe(1);
  });

  test('is longer than the part before the interruption, and neither overruns nor is cancelled', () => {
    const [first] = list(false);
    expect(() => only([{ ...first, durationSec: 4 }])).toThrow('interruption');
    expect(() => only([{ ...first, overrunSec: 4 }])).toThrow('interruption');
  });
});

describe('a programme that overruns', () => {
  const guide = only([
    { durationSec: 10, title: '試合', overrunSec: 6, overrunSteps: 2, noticeSec: 2 },
    { durationSec: 10, title: '次' },
    { durationSec: 10, title: '終わり' },
  ]);

  test.each([
    [7, 10],
    [8, 13],
    [10, 13],
    [11, 16],
    [15, 16],
  ])('after %d s it is announced to end at %d s, and the following ones later', (at, end) => {
    expect(listedTimes(guide, at, 36)).toEqual([
      [0, end, '試合'],
      [end, end + 10, '次'],
      [end + 10, end + 20, '終わり'],
    ]);
    expect(guide.present(second(at))?.durationMs).toBe(end * 1000);
    expect(guide.following(second(at))?.startAt).toBe(second(end));
  });

  test('is longer on air, and the list repeats after the real lengths', () => {
    const real = guide.airing(second(0), second(50)).map(({ startAt }) => (startAt - STC_ZERO) / 1000);
    expect(real).toEqual([0, 16, 26, 36]);
  });

  test('leaves a gap in what is announced in advance, and changes versions by one', () => {
    expect(listedTimes(guide, 0, 40).at(-1)).toEqual([36, 46, '試合']);
    const moments = Array.from({ length: 400 }, (_, tenth) => second(tenth / 10));
    const counts = (count: (at: ReturnType<typeof second>) => number) =>
      moments.slice(1).map((at, index) => count(at) - count(moments[index] as typeof at));
    const changed = counts((at) => guide.presentChanges(at));
    // Boundaries at 16, 26, 36 s; announcements at 8 and 11 s.
    expect(changed.flatMap((by, index) => (by === 0 ? [] : [[(index + 1) / 10, by]]))).toEqual([
      [8, 1],
      [11, 1],
      [16, 1],
      [26, 1],
      [36, 1],
    ]);
    const revised = counts((at) => guide.revisions(at));
    expect(revised.flatMap((by, index) => (by === 0 ? [] : [[(index + 1) / 10, by]]))).toEqual([
      [8, 1],
      [11, 1],
    ]);
  });
});

test('an unknown end is announced by present/following only, until shortly before', () => {
  const guide = only([
    { durationSec: 10, title: '生中継', undefinedEnd: true, overrunSec: 5, noticeSec: 3 },
    { durationSec: 10, title: '次' },
  ]);
  expect(guide.following(second(-1))).toMatchObject({ title: '生中継', openEnd: false });
  expect(guide.present(second(0))).toMatchObject({ title: '生中継', openEnd: true });
  expect(guide.following(second(11))).toMatchObject({ title: '次', openStart: true });
  expect(listedTimes(guide, 11, 20)).toEqual([
    [0, 10, '生中継'],
    [10, 20, '次'],
  ]);
  expect(guide.present(second(12))).toMatchObject({ openEnd: false, durationMs: 15_000 });
  expect(guide.following(second(12))).toMatchObject({ openStart: false, startAt: second(15) });
});

test('a cancelled programme leaves the tables, and its replacement has an id of its own', () => {
  const guide = only([
    { durationSec: 10, title: '前' },
    { durationSec: 10, title: '中止', cancelled: '代わり', noticeSec: 5, eventId: 77 },
  ]);
  expect(listedTimes(guide, 4, 20).at(-1)).toEqual([10, 20, '中止']);
  expect(guide.following(second(4))).toMatchObject({ title: '中止', eventId: 77 });
  expect(listedTimes(guide, 5, 20).at(-1)).toEqual([10, 20, '代わり']);
  const instead = guide.present(second(12));
  expect(instead?.title).toBe('代わり');
  expect(instead?.eventId).not.toBe(77 as never);
});

test('a repeating list announces nothing further ahead than one round', () => {
  const guide = only([
    { durationSec: 10, title: '前' },
    { durationSec: 10, title: '中止', cancelled: '代わり', noticeSec: 300 },
  ]);
  const counts = Array.from({ length: 60 }, (_, at) => guide.revisions(second(at)));
  // One announcement per round, 20 s before its 10th second.
  expect(
    counts.map((count, at) => count - (counts[at - 1] ?? count)).flatMap((by, at) => (by > 0 ? [at] : [])),
  ).toEqual([10, 30, 50]);
});

test('stations share, relay and take over programmes of each other', () => {
  const list = (fields: Written) => [{ durationSec: 10, title: 'はじめ', ...fields }];
  const [main, branch, satellite] = guides(
    [
      [
        { durationSec: 10, title: 'はじめ', relayTo: { networkId: 4, serviceId: 510 } },
        { durationSec: 10, title: '別' },
      ],
      [...list({}), { durationSec: 10, title: 'つづき', movedFrom: { serviceId: serviceOf(0) } }],
    ],
    [
      ...list({}),
      { durationSec: 10, title: 'つづき', movedFrom: { networkId: networkOf(), serviceId: serviceOf(0) } },
    ],
  );
  const target = satellite?.present(second(10));
  expect(main?.present(second(0))?.groups).toMatchObject([
    {
      kind: 'relay-network',
      events: [],
      others: [{ networkId: 4, serviceId: 510, eventId: target?.eventId }],
    },
  ]);
  const source = main?.present(second(0))?.eventId;
  expect(target?.groups).toMatchObject([{ kind: 'movement-network', others: [{ eventId: source }] }]);
  expect(branch?.present(second(10))?.groups).toMatchObject([
    { kind: 'movement', events: [{ serviceId: serviceOf(0), eventId: source }], others: [] },
  ]);
});

function firstChannel() {
  const [channel] = parseScenario(smallScenario({ channels: [{ channel: 'T30' }] })).channels;
  if (channel === undefined) throw new Error('no channel');
  return channel;
}

function networkOf(): number {
  return firstChannel().networkId;
}

function serviceOf(number: number): number {
  return firstChannel().stations[number]?.serviceId ?? 0;
}

test('a branch station borrows a programme under the same id', () => {
  const [first, other] = [serviceOf(0), serviceOf(0) + 1];
  const sharedWith = [first, other];
  const [main, branch] = guides([
    [{ durationSec: 10, title: '番組', sharedWith }],
    [{ durationSec: 10, title: '番組', sharedWith }],
  ]);
  const id = main?.present(second(0))?.eventId;
  const events = sharedWith.map((serviceId) => ({ serviceId, eventId: id }));
  expect(branch?.present(second(0))).toMatchObject({
    eventId: id,
    borrowed: true,
    groups: [{ kind: 'shared', events: events.slice(0, 1) }],
  });
  expect(main?.present(second(0))).toMatchObject({ borrowed: false, groups: [{ kind: 'shared', events }] });
});

test('sound, captions, copying, age and series in a file are announced', () => {
  const series = { id: 5, name: '連続', episode: 3, lastEpisode: 12, repeatLabel: 1, pattern: 2 };
  const fields = {
    copyControl: 'never',
    isFree: false,
    sound: 'dual',
    audioCount: 1,
    captions: true,
    kind: 'film',
    minimumAge: 15,
    notes: [1],
  };
  const guide = only([{ durationSec: 10, title: '番組', ...fields, series }]);
  expect(guide.present(second(0))).toMatchObject({
    ...fields,
    series: { ...series, expireAt: null },
  } as never);
});

test('a silent pause is on air, but in no table', () => {
  const guide = only([
    { durationSec: 10, title: '番組' },
    { durationSec: 10, title: '休止', pause: 'silent' },
  ]);
  expect(guide.present(second(12))).toBeUndefined();
  expect(guide.following(second(12))?.startAt).toBe(second(20));
  expect(guide.following(second(5))?.startAt).toBe(second(20));
  expect(guide.airing(second(12), second(13))).toMatchObject([{ title: '休止', pause: true }]);
  expect(listedTimes(guide, 0, 20)).toEqual([[0, 10, '番組']]);
});
