import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { momentOf, STC_ZERO, ticksAt } from '../clock.ts';
import { guideOf } from '../guide/guide.ts';
import { Random } from '../random.ts';
import { DEFAULT } from '../scenario/default.ts';
import { type CommercialPlan, isPartialReception, type StationPlan } from '../scenario/model.ts';
import { composeProgramme } from './compose.ts';
import {
  firstSoundFrame,
  GROUP_TICKS,
  groupOfSound,
  type Part,
  type Piece,
  SPOT_GROUPS,
  soundPieces,
} from './part.ts';
import { Rundown } from './rundown.ts';

const PLANS: CommercialPlan[] = [
  'none',
  'announcements',
  'usual',
  { everySec: 10, lengthSec: 15, sponsorSec: 2 },
  { everySec: 300, lengthSec: 120, sponsorSec: 0 },
];
const NOON = broadcastMs(Date.UTC(2026, 10, 21, 3));
const group = (at: number): number => Math.floor(ticksAt(broadcastMs(at)) / GROUP_TICKS);
const DAY_GROUPS = Math.floor((86_400 * 90_000) / GROUP_TICKS);

const STATIONS = DEFAULT.channels.flatMap((channel) => channel.stations.map((plan) => ({ channel, plan })));

function rundown(changed: Partial<StationPlan>, of = 0): Rundown {
  const found = STATIONS[of];
  if (found === undefined) throw new Error(`no station ${of}`);
  const plan = { ...found.plan, ...changed };
  return new Rundown(DEFAULT.seed, plan, guideOf(DEFAULT, found.channel, plan));
}

function blocks<T extends Piece | Part>(parts: readonly T[]): T[][] {
  const found: T[][] = [];
  for (const [index, part] of parts.entries()) {
    if (part.kind !== 'commercial') continue;
    if (parts[index - 1]?.kind === 'commercial') found.at(-1)?.push(part);
    else found.push([part]);
  }
  return found;
}

describe('a programme', () => {
  test('is filled exactly for every length', () => {
    const seed = Math.floor(performance.now() * 1000);
    const random = new Random(seed);
    for (let round = 0; round < 500; round++) {
      const groups = 1 + random.below(round % 2 === 0 ? 300 : 30_000);
      for (const plan of PLANS) {
        const pieces = composeProgramme(random, groups, plan);
        const context = `seed ${seed} round ${round} ${groups} ${JSON.stringify(plan)}`;
        expect([context, pieces.reduce((sum, piece) => sum + piece.groups, 0)]).toEqual([context, groups]);
        expect([context, pieces.every((piece) => piece.groups > 0)]).toEqual([context, true]);
      }
    }
  });

  test('of half an hour has an opening, two cards and two blocks of two to three minutes', () => {
    for (let seed = 0; seed < 50; seed++) {
      const pieces = composeProgramme(new Random(seed), Math.round((1_800 * 90_000) / GROUP_TICKS), 'usual');
      const kinds = pieces.map(({ kind }) => kind).filter((kind) => kind !== 'commercial');
      expect(kinds.join(' ')).toBe(
        'black main sponsor black black main black black main sponsor black announcement',
      );
      const lengths = blocks(pieces).map((block) => block.reduce((sum, { groups }) => sum + groups, 0));
      expect(lengths).toHaveLength(3);
      for (const length of lengths.slice(0, 2)) expect(length / SPOT_GROUPS).toBeOneOf([8, 10, 12]);
    }
  });

  test('of forty seconds has a break if a scenario requests one', () => {
    const plan = { everySec: 10, lengthSec: 15, sponsorSec: 2 };
    const pieces = composeProgramme(new Random(1), 80, plan);
    expect(pieces.map(({ kind, groups }) => `${kind} ${groups}`)).toEqual([
      'black 1',
      'sponsor 4',
      'main 20',
      'black 1',
      'commercial 30',
      'black 1',
      'main 19',
      'sponsor 4',
    ]);
  });
});

describe.each([
  ['usual', 0],
  ['announcements', 3],
  ['usual', 5],
] as const)('a day of a station with %s commercials (%#)', (commercials, of) => {
  const day = rundown({ commercials }, of).parts(group(NOON), group(NOON) + DAY_GROUPS);

  test('has no gap and no overlap', () => {
    for (const [index, part] of day.entries()) {
      expect(part.to).toBeGreaterThan(part.from);
      if (index > 0) expect(part.from).toBe(day[index - 1]?.to ?? 0);
    }
  });

  test('has blocks of whole quarter minutes, each commercial different from the previous one', () => {
    for (const block of blocks(day)) {
      for (const [index, { from, to, number }] of block.entries()) {
        expect([1, 2, 4]).toContain((to - from) / SPOT_GROUPS);
        if (index > 0) expect(number).not.toBe(block[index - 1]?.number ?? -1);
      }
    }
    expect(blocks(day).length > 0).toBe(commercials === 'usual');
  });

  test('is black between programmes and other parts', () => {
    const isProgramme = ({ kind }: Part): boolean => kind === 'main' || kind === 'sponsor';
    for (const [index, part] of day.slice(1).entries()) {
      const before = day[index] as Part;
      if (part.kind === 'black' || before.kind === 'black' || before.kind === 'pause') continue;
      expect([before.kind, part.kind, isProgramme(before)]).toEqual([
        before.kind,
        part.kind,
        isProgramme(part),
      ]);
    }
  });

  test('uses most of its time for programmes', () => {
    const length = (parts: readonly Part[]): number =>
      parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const share = length(day.filter(({ kind }) => kind === 'main' || kind === 'pause')) / length(day);
    expect(share).toBeWithin(commercials === 'usual' ? 0.75 : 0.9, 1);
  });
});

test('any window agrees with any other, independent of earlier requests', () => {
  const seed = Math.floor(performance.now() * 1000);
  const random = new Random('windows', seed);
  const once = rundown({ commercials: 'usual' }, 4);
  for (let round = 0; round < 200; round++) {
    const from = group(NOON) + random.below(30 * DAY_GROUPS);
    const to = from + 1 + random.below(4_000);
    const fresh = rundown({ commercials: 'usual' }, 4).parts(from, to);
    expect([seed, round, once.parts(from, to)]).toEqual([seed, round, fresh]);
    const at = from + random.below(to - from);
    const part = fresh.find((one) => one.from <= at && at < one.to);
    expect([seed, round, once.partAt(at)]).toEqual([seed, round, part as Part]);
  }
});

test('programmes begin within a quarter of a second of their time', () => {
  const day = rundown({ commercials: 'usual' }).parts(group(NOON), group(NOON) + DAY_GROUPS);
  const firsts = day.filter(
    ({ programme }, index) => programme?.startAt !== day[index - 1]?.programme?.startAt,
  );
  expect(firsts.length).toBeGreaterThan(20);
  for (const { from, programme } of firsts.slice(1)) {
    if (programme === undefined) continue;
    expect(Math.abs(momentOf(from * GROUP_TICKS) - programme.startAt)).toBeLessThanOrEqual(251);
  }
});

test('a station without commercials consists only of its programmes', () => {
  for (const [index, { plan }] of STATIONS.entries()) {
    if (plan.commercials !== 'none') continue;
    const kinds = rundown({}, index)
      .parts(group(NOON), group(NOON) + DAY_GROUPS)
      .map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'main' && kind !== 'pause')).toEqual([]);
  }
});

test('one-segment consists of its programmes only, including the pause of the night', () => {
  const partial = [...STATIONS.entries()].filter(([, { plan }]) => isPartialReception(plan));
  expect(partial.length).toBeGreaterThan(1);
  for (const [index] of partial) {
    const parts = rundown({ commercials: 'usual' }, index).parts(group(NOON), group(NOON) + DAY_GROUPS);
    expect(new Set(parts.map(({ kind, cadence }) => `${kind} ${cadence}`))).toEqual(new Set(['main video']));
  }
});

test('time between programmes of a list is split identically from any starting point', () => {
  const programmes = [NOON, NOON + 7_200_000].map((startAt) => ({
    startAt,
    durationSec: 600,
    title: '番組',
    description: '',
    items: [],
    genres: [[0, 0]] as [number, number][],
  }));
  const [found] = STATIONS;
  if (found === undefined) throw new Error('no station');
  const plan: StationPlan = { ...found.plan, commercials: 'usual', programmes };
  const make = (): Rundown => new Rundown(1, plan, guideOf(DEFAULT, found.channel, plan));
  const [from, to] = [group(NOON - 8_000_000), group(NOON + 16_000_000)];
  const parts = make().parts(from, to);
  for (const part of parts) expect(make().partAt(part.to - 1)).toEqual(part);
  expect(parts.filter(({ programme }) => programme === undefined).length).toBeGreaterThan(2);
  expect(group(STC_ZERO)).toBe(0);
});

test('sound follows its parts frame by frame', () => {
  const parts = rundown({ commercials: 'usual' }, 4).parts(group(NOON), group(NOON) + 8_000);
  const [first] = parts;
  let at = firstSoundFrame(first?.from ?? 0);
  for (const part of parts) {
    for (const { from, to } of soundPieces(part)) {
      expect(from).toBe(at);
      expect(to).toBeGreaterThan(from);
      expect(groupOfSound(from)).toBeWithin(part.from, part.to);
      expect(groupOfSound(to - 1)).toBeWithin(part.from, part.to);
      at = to;
    }
    expect(at).toBe(firstSoundFrame(part.to));
  }
});
