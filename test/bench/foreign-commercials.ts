/**
 * Detection of commercials in recordings that are not made of the synthetic films (`commercials/foreign.ts`): stations
 * with their recordings in order, so that logos are learnt as in a household. Half of the stations are for development, the
 * other half only prints its figures. `bun test/bench/foreign-commercials.ts [stations a half] [folder]`: with a folder of
 * photographs (Debian's mate-backgrounds has some), shots are details of those. Ends with 1 when a figure of the unseen half
 * is past its limit.
 */
import { join } from 'node:path';
import { detectCommercials } from '../../src/commercial/detect-commercials.ts';
import type { LogoModel } from '../../src/model/learnt-logo.ts';
import { Random } from '../../synth/random.ts';
import { detailOf, FORMS, type Form, type Photograph, Station } from './commercials/foreign.ts';

const NEAR_MS = 1_000;
/** A recording that is skipped by itself may lose this much, ms. */
const MOST_LOST_MS = 5_000;
const MINUTES = 12;
const RECORDINGS = 5;

interface Span {
  from: number;
  to: number;
}

const overlap = (a: Span, list: readonly Span[]): number =>
  list.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(a.to, to) - Math.max(a.from, from)), 0);

class Tally {
  recordings = 0;
  boundaries = 0;
  hits = 0;
  extra = 0;
  reliable = 0;
  lostMs = 0;
  reliableLostMs = 0;
  reliableMs = 0;
  worstReliableMs = 0;
  tooMuch = 0;
}

/** Shots of a station. */
const DETAILS = 60;
const SIZE = { width: 1536, height: 864 } as const;

/** Photographs of a folder, decoded by ffmpeg. */
async function photographsOf(folder: string): Promise<Photograph[]> {
  const { width, height } = SIZE;
  const names = await Array.fromAsync(new Bun.Glob('**/*.{jpg,jpeg,webp,png}').scan(folder));
  return names.sort().flatMap((name) => {
    const format = ['-vf', `scale=${width}:${height}`, '-pix_fmt', 'yuv444p', '-f', 'rawvideo', '-'];
    const { stdout } = Bun.spawnSync(['ffmpeg', '-v', 'error', '-i', join(folder, name), ...format]);
    const plane = (index: number): Uint8Array =>
      stdout.subarray(index * width * height, (index + 1) * width * height);
    return stdout.length < 3 * width * height
      ? []
      : [{ width, height, planes: [plane(0), plane(1), plane(2)] }];
  });
}

const photographs = process.argv[3] === undefined ? [] : await photographsOf(process.argv[3]);
const stations = Number(process.argv[2] ?? 5);
let [elapsedMs, broadcastMs, failed] = [0, 0, false];
let cutFilms = 0;

function measure(half: string): void {
  const byOrder = Array.from({ length: RECORDINGS }, () => new Tally());
  const all = new Tally();
  for (let number = 0; number < stations; number += 1) {
    const random = new Random(`commercials ${half}`, number);
    const details =
      photographs.length === 0
        ? undefined
        : Array.from({ length: DETAILS }, () => detailOf(random.pick(photographs), random));
    const station = new Station(random, details);
    let logo: LogoModel | null = null;
    for (let order = 0; order < RECORDINGS; order += 1) {
      const form = FORMS[(number * 3 + order * (1 + (number % 3))) % FORMS.length] as Form;
      const { features, commercials } = station.record(form, MINUTES);
      const began = performance.now();
      const { chapters, learnt } = detectCommercials(features, { logo, corrected: null });
      elapsedMs += performance.now() - began;
      broadcastMs += features.durationMs;
      if (learnt !== null) logo = learnt;
      const inside = (ms: number): boolean => ms > 300 && ms < features.durationMs - 300;
      const wanted = commercials.flatMap(({ from, to }) => [from, to]).filter(inside);
      const cms = chapters.segments
        .filter(({ kind }) => kind === 'cm')
        .map((one) => ({ from: one.startMs, to: one.endMs }));
      const found = cms.flatMap(({ from, to }) => [from, to]).filter(inside);
      const near = (one: number, list: readonly number[]) =>
        list.some((other) => Math.abs(other - one) <= NEAR_MS);
      const hits = wanted.filter((one) => near(one, found)).length;
      const extra = found.filter((one) => !near(one, wanted)).length;
      const lostMs = cms.reduce((sum, cm) => sum + cm.to - cm.from - overlap(cm, commercials), 0);
      if (form === 'film' && cms.length > 0) cutFilms += 1;
      for (const tally of [byOrder[order] as Tally, all]) {
        tally.recordings += 1;
        tally.boundaries += wanted.length;
        tally.hits += hits;
        tally.extra += extra;
        tally.lostMs += lostMs;
        if (!chapters.reliable) continue;
        tally.reliable += 1;
        tally.reliableMs += features.durationMs;
        tally.reliableLostMs += lostMs;
        tally.worstReliableMs = Math.max(tally.worstReliableMs, lostMs);
        if (lostMs > MOST_LOST_MS) tally.tooMuch += 1;
      }
      if (process.env.VERBOSE === half) {
        const round = (list: readonly number[]): string => list.map((ms) => (ms / 1000).toFixed(1)).join(' ');
        console.log(
          `${number}.${order} ${form.padEnd(8)} ${hits}/${wanted.length}+${extra} lost ${(lostMs / 1000).toFixed(1)} reliable ${chapters.reliable} logo ${logo !== null} learnt ${learnt !== null}` +
            (hits < wanted.length || extra > 0
              ? `\n   wanted ${round(wanted)}\n   found  ${round(found)}`
              : ''),
        );
      }
    }
  }
  for (const [name, tally] of [
    ...byOrder.map((one, index) => [`recording ${index + 1}`, one] as const),
    ['all', all] as const,
  ]) {
    const {
      recordings,
      boundaries,
      hits,
      extra,
      reliable,
      lostMs,
      reliableLostMs,
      reliableMs,
      worstReliableMs,
    } = tally;
    const anHour = reliableMs === 0 ? 0 : (reliableLostMs / reliableMs) * 3600;
    console.log(
      `${half} ${name}: ${recordings} recordings, ${hits}/${boundaries} boundaries (${((100 * hits) / boundaries).toFixed(1)} %), ${extra} others, ` +
        `${(lostMs / 1000).toFixed(0)} s lost, ${reliable} reliable: ${anHour.toFixed(1)} s an hour lost, ${(worstReliableMs / 1000).toFixed(1)} s at most`,
    );
  }
  const late = byOrder
    .slice(3)
    .reduce(
      (sum, one) => ({ reliable: sum.reliable + one.reliable, recordings: sum.recordings + one.recordings }),
      { reliable: 0, recordings: 0 },
    );
  console.log(
    `${half}: reliable after three recordings ${((100 * late.reliable) / late.recordings).toFixed(0)} %`,
  );
  if (half === 'unseen') {
    const anHour = all.reliableMs === 0 ? 0 : (all.reliableLostMs / all.reliableMs) * 3600;
    failed =
      all.hits < 0.95 * all.boundaries ||
      anHour > 2 ||
      all.tooMuch > 0 ||
      late.reliable < 0.6 * late.recordings ||
      cutFilms > 0;
  }
}

measure('seen');
measure('unseen');
console.log(`films without breaks that were divided: ${cutFilms}`);
console.log(`decision: ${((100 * elapsedMs) / broadcastMs).toFixed(2)} % of the length`);
process.exitCode = failed ? 1 : 0;
