/** Recordings unlike those of the synthetic broadcast: a station teaches its logo, and breaks are certain from then on. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { detectCommercials } from '../../src/commercial/detect-commercials.ts';
import type { LogoModel } from '../../src/model/learnt-logo.ts';
import { Random } from '../../synth/random.ts';
import { type Form, Station } from '../bench/commercials/foreign.ts';

const NEAR_MS = 1_000;
const MINUTES = 6;

describe('a station', () => {
  let station: Station;
  let logo: LogoModel | null = null;
  beforeAll(() => {
    station = new Station(new Random('foreign recordings', 7), 30);
  });

  /** Its next recording, with what was learnt before. */
  function next(form: Form) {
    const { features, commercials } = station.record(form, MINUTES);
    const { chapters, learnt } = detectCommercials(features, { logo, corrected: null });
    if (learnt !== null) logo = learnt;
    const inside = (ms: number): boolean => ms > 300 && ms < features.durationMs - 300;
    const cms = chapters.segments.filter(({ kind }) => kind === 'cm');
    const found = cms.flatMap(({ startMs, endMs }) => [startMs, endMs]).filter(inside);
    const wanted = commercials.flatMap(({ from, to }) => [from, to]).filter(inside);
    const near = (one: number, list: readonly number[]) =>
      list.some((other) => Math.abs(other - one) <= NEAR_MS);
    return {
      missed: wanted.filter((one) => !near(one, found)),
      invented: found.filter((one) => !near(one, wanted)),
      isReliable: chapters.reliable,
      hasLearnt: learnt !== null,
    };
  }

  test('teaches its logo by its first recording, although bright pictures hide it', () => {
    expect(next('variety')).toEqual({ missed: [], invented: [], isReliable: true, hasLearnt: true });
  });

  test('a score display or a text beside the logo changes nothing', () => {
    expect(next('sports')).toMatchObject({ missed: [], invented: [], isReliable: true });
    expect(next('telop')).toMatchObject({ missed: [], invented: [], isReliable: true });
  });

  test('a film without breaks stays whole', () => {
    expect(next('film')).toMatchObject({ missed: [], invented: [] });
  });

  test('without its logo nothing is certain', () => {
    logo = null;
    expect(next('no-logo')).toMatchObject({ isReliable: false, hasLearnt: false });
  });
});
