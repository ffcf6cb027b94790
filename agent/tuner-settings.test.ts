import { describe, expect, test } from 'bun:test';
import type { BroadcastType } from '../lib/arib/ids.ts';
import type { TunerDefinition } from '../lib/wire/agent.ts';
import { isSameEquipment, parseFakeTuners, rankTuners, settleTuners } from './tuner-settings.ts';

const fake = (more: Partial<TunerDefinition> = {}): TunerDefinition => ({
  driver: 'fake',
  device: '',
  types: ['GR'],
  ...more,
});

describe('settleTuners', () => {
  test('fills in id, name and options', () => {
    expect(settleTuners([fake()], [])).toEqual([
      { id: 'fake0', name: 'fake0', driver: 'fake', device: '', types: ['GR'], disabled: false, lnb: false },
    ]);
  });

  test('removes invisible characters from names', () => {
    const named = (name: string) => settleTuners([fake({ name })], [])[0]?.name;
    expect(named('居\u202e間\u0007')).toBe('居間');
    expect(named('\u202e')).toBe('fake0');
  });

  test('assigns the first free id, and never one that another tuner has', () => {
    const ids = settleTuners([fake(), fake({ id: 'fake0' }), fake()], []).map((tuner) => tuner.id);
    expect(ids).toEqual(['fake1', 'fake0', 'fake2']);
  });

  test('a tuner without an id gets the id of the known tuner that it matches', () => {
    const known = settleTuners(
      [fake({ id: 'x' }), fake({ id: 'y', types: ['BS', 'CS'] }), fake({ id: 'z' })],
      [],
    );
    const again = settleTuners([fake({ types: ['CS', 'BS'] }), fake(), fake(), fake()], known);
    expect(again.map((tuner) => tuner.id)).toEqual(['y', 'x', 'z', 'fake0']);
  });

  test('reports the field that repeats an id or a device', () => {
    expect(() => settleTuners([fake({ id: 'a' }), fake({ id: 'a' })], [])).toThrow('[1].id');
    const dvb = fake({ driver: 'dvb', device: '/dev/dvb/adapter0' });
    expect(() => settleTuners([dvb, dvb], [])).toThrow('[1].device');
  });
});

test('a tuner is the same equipment only if nothing but its name changed', () => {
  const [tuner] = settleTuners([fake({ id: 'a' })], []);
  if (tuner === undefined) throw new Error('no tuner');
  expect(isSameEquipment(tuner, { ...tuner, name: 'other' })).toBe(true);
  expect(isSameEquipment(tuner, { ...tuner, types: ['GR', 'BS'] })).toBe(false);
  expect(isSameEquipment(tuner, { ...tuner, disabled: true })).toBe(false);
  expect(isSameEquipment(tuner, { ...tuner, device: 'x' })).toBe(false);
});

describe('parseFakeTuners', () => {
  test('creates the given number of tuners of each set of types', () => {
    const tuners = parseFakeTuners('GR:2, BS+CS:1');
    expect(tuners.map((tuner) => [tuner.id, tuner.types])).toEqual([
      ['gr-0', ['GR']],
      ['gr-1', ['GR']],
      ['bs-cs-0', ['BS', 'CS']],
    ]);
  });
  for (const text of ['GR', 'GR:', 'GR:x', 'XX:1', 'GR+GR:1', 'GR:1,GR:1', 'GR:99', 'GR:-1']) {
    test(`refuses ${text}`, () => expect(() => parseFakeTuners(text)).toThrow());
  }
});

function ranks(...sets: (string | null)[]): (number | null)[] {
  return rankTuners(
    sets.map((set) => ({
      types: (set ?? 'GR').split('+') as BroadcastType[],
      disabled: set === null,
    })),
  );
}

test('tuners that receive fewer types rank first', () => {
  expect(ranks('GR+BS+CS', 'BS+CS', 'GR')).toEqual([2, 1, 0]);
});

test('equal counts are ordered by the first definition of their set of types', () => {
  expect(ranks('BS', 'GR', 'BS')).toEqual([0, 1, 0]);
  expect(ranks('GR', 'BS', 'GR')).toEqual([0, 1, 0]);
});

test('tuners of one rank support exactly the same types, in any order', () => {
  expect(ranks('BS+CS', 'CS+BS', 'GR+BS')).toEqual([0, 0, 1]);
});

test('a disabled tuner has no rank and does not affect the others', () => {
  expect(ranks(null, 'BS', 'GR')).toEqual([null, 0, 1]);
});

test('an empty list has no ranks', () => {
  expect(ranks()).toEqual([]);
});
