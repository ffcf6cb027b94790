import { describe, expect, test } from 'bun:test';
import {
  type BroadcastType,
  networkId,
  type StationId,
  serviceId,
  stationId,
  transportStreamId,
} from '../../lib/arib/ids.ts';
import { type WallMs, wallMs } from '../../lib/host/clock.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { tunerOf } from '../../test/tuner.ts';
import { LOGO_LIFE_MS } from '../model/logo.ts';
import type { StationRecord } from '../model/station.ts';
import { type LogoPlanInput, logoKey, logoTargets, mayTryAt, planLogos } from './logo-plan.ts';

const NOW = wallMs(1_700_000_000_000);

function station(type: BroadcastType, network: number, service: number, channel: string, tsid: number) {
  const record: StationRecord = {
    id: stationId(networkId(network), serviceId(service)),
    type,
    networkId: networkId(network),
    serviceId: serviceId(service),
    transportStreamId: transportStreamId(tsid),
    channel,
    name: '',
    serviceType: 1,
    remoteControlKey: 1,
  };
  return record;
}

const GR1 = station('GR', 0x7fe8, 1024, 'T27', 0x7fe8);
const GR2 = station('GR', 0x7fe9, 1032, 'T26', 0x7fe9);
const BS1 = station('BS', 4, 151, 'BS01_0', 0x4010);
const BS15 = station('BS', 4, 101, 'BS15_0', 0x40f1);
const CS2 = station('CS', 6, 296, 'CS02', 0x6020);

function tuner(types: BroadcastType[], on: StationRecord | null = null, ...uses: string[]): Tuner {
  const users = uses.map((use) => ({ use, priority: 9, lagBytes: 0 }));
  if (on === null) return tunerOf(types, { users });
  return tunerOf(types, { state: 'tuned', tuned: { type: on.type, channel: on.channel }, users });
}

function input(over: Partial<LogoPlanInput> = {}): LogoPlanInput {
  return {
    stations: [GR1, GR2],
    held: new Map(),
    carriers: new Map(),
    tuners: [],
    tries: new Map(),
    running: [],
    busy: false,
    now: NOW,
    ...over,
  };
}

const keys = (targets: readonly { type: BroadcastType; channel: string }[]) => targets.map(logoKey);
const have = (of: StationRecord, type: number, fetchedAt = NOW) =>
  new Map<StationId, { type: number; fetchedAt: WallMs }>([[of.id, { type, fetchedAt }]]);

describe('which stations need a logo', () => {
  test('those without one, with an old one, and terrestrial ones with a small one', () => {
    expect(keys(logoTargets(input()))).toEqual(['GR/T27', 'GR/T26']);
    expect(keys(logoTargets(input({ held: have(GR1, 5) })))).toEqual(['GR/T26']);
    expect(keys(logoTargets(input({ held: have(GR1, 2) })))).toEqual(['GR/T27', 'GR/T26']);
    const old = have(GR1, 5, wallMs(NOW - LOGO_LIFE_MS - 1));
    expect(keys(logoTargets(input({ held: old })))).toEqual(['GR/T27', 'GR/T26']);
    const carriers = new Map([
      [BS1.networkId, [{ networkId: BS1.networkId, transportStreamId: transportStreamId(0x4010) }]],
    ]);
    expect(logoTargets(input({ stations: [BS1], held: have(BS1, 2), carriers }))).toEqual([]);
  });

  test('satellite logos are on the stream that the network names, those of CS with those of BS', () => {
    const stations = [BS1, BS15, CS2];
    // No stream was read yet, and each can report it.
    expect(keys(logoTargets(input({ stations })))).toEqual(['BS/BS01_0', 'BS/BS15_0', 'CS/CS02']);
    const carriers = new Map([
      [BS1.networkId, [{ networkId: BS15.networkId, transportStreamId: transportStreamId(0x40f1) }]],
      [CS2.networkId, []],
    ]);
    const [target, ...more] = logoTargets(input({ stations, carriers }));
    expect([target?.channel, target?.wanted, more]).toEqual(['BS15_0', stations, []]);
  });
});

describe('the channels to read for logos', () => {
  test('on tunings of others, and on an unused tuner', () => {
    const tuners = [tuner(['GR'], GR1, 'live GR/T27'), tuner(['GR'])];
    const plan = planLogos(input({ tuners }));
    expect([keys(plan.share), plan.own && logoKey(plan.own)]).toEqual([['GR/T27'], 'GR/T26']);
  });

  test('on no tuner of its own while tuners are in demand, all used, or unusable', () => {
    expect(planLogos(input({ tuners: [tuner(['GR'])], busy: true })).own).toBeNull();
    const useless = [
      tuner(['GR'], GR1, 'epg T27'),
      tuner(['BS', 'CS']),
      { ...tuner(['GR']), disabled: true },
      { ...tuner(['GR']), rank: null },
      { ...tuner(['GR']), state: 'error' as const },
    ];
    expect(planLogos(input({ tuners: useless })).own).toBeNull();
  });

  test('a shared tuning is released when only logos are read from it', () => {
    const running = [{ type: 'GR' as const, channel: 'T27', own: false }];
    const alone = [tuner(['GR'], GR1, 'logo GR/T27')];
    expect(planLogos(input({ running, tuners: alone })).leave).toEqual(running);
    const watched = [tuner(['GR'], GR1, 'logo GR/T27', 'rec 1')];
    expect(planLogos(input({ running, tuners: watched })).leave).toEqual([]);
    const own = [{ type: 'GR' as const, channel: 'T27', own: true }];
    expect(planLogos(input({ running: own, tuners: alone })).leave).toEqual([]);
  });

  test('a channel without logos is retried at growing intervals, an interrupted one soon', () => {
    const minutes = (fruitless: number, cut: boolean, own = true) =>
      (mayTryAt({ at: NOW, fruitless, cut, own }, NOW) - NOW) / 60_000;
    expect([0, 1, 2, 3].map((n) => minutes(n, false))).toEqual([30, 30, 60, 120]);
    expect(minutes(30, false)).toBe(24 * 60);
    expect(minutes(30, false, false)).toBe(24 * 60);
    expect(minutes(30, true)).toBe(2);
    // A shared one that was interrupted cost no tuner.
    expect(minutes(30, true, false)).toBe(1 / 6);
    expect(mayTryAt({ at: wallMs(NOW + 1), fruitless: 5, cut: false, own: true }, NOW)).toBe(0);
  });

  test('limits: two shared tunings, one of its own, no channel twice, none without a need', () => {
    const seed = fuzzSeed();
    const random = new Random(seed);
    const all = [GR1, GR2, BS1, BS15, CS2];
    for (let round = 0; round < 2000; round++) {
      const stations = all.filter(() => random.below(4) > 0);
      const tuners = Array.from({ length: random.below(5) }, () => {
        const on = random.below(2) === 0 ? random.pick(all) : null;
        const uses = ['live x', 'logo x', 'epg x'].filter(() => random.below(3) === 0);
        return tuner(
          random.pick([['GR'], ['BS', 'CS'], ['GR', 'BS', 'CS']]),
          on,
          ...(on === null ? [] : uses),
        );
      });
      const running = all
        .filter(() => random.below(5) === 0)
        .map(({ type, channel }, at) => ({ type, channel, own: at === 0 }));
      const asked = input({ stations, tuners, running, busy: random.below(3) === 0 });
      const plan = planLogos(asked);
      const what = `seed ${seed} round ${round}`;
      const begun = [...plan.share, ...(plan.own === null ? [] : [plan.own])];
      const active = [...running.map(logoKey), ...begun.map(logoKey)];
      expect(new Set(active).size, what).toBe(active.length);
      const shared = running.filter((one) => !one.own).length;
      if (plan.share.length > 0) expect(plan.share.length + shared, what).toBeLessThanOrEqual(2);
      if (running.some((one) => one.own) || asked.busy) expect(plan.own, what).toBeNull();
      for (const target of begun) expect(target.wanted.length, what).toBeGreaterThan(0);
      for (const target of plan.share) {
        const open = tuners.filter((one) => one.tuned?.channel === target.channel);
        expect(
          open.some((one) => one.users.some(({ use }) => !use.startsWith('logo'))),
          what,
        ).toBe(true);
      }
      if (plan.own !== null)
        expect(
          tuners.some((one) => one.users.length === 0),
          what,
        ).toBe(true);
    }
  });
});
