/**
 * Detection of commercials in 200 short programmes of varied composition, including misleading ones: boundaries found
 * within a frame, the largest loss of programme by a cut, and the cost. `bun test/bench/commercials.ts [count]`. Ends with 1
 * when a figure is past its limit. Stations are new to the detector each time; results with logos learnt from earlier
 * programmes have the same limits.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pts90k } from '../../lib/arib/time.ts';
import { ptsDifference } from '../../lib/arib/ts/clock.ts';
import { detectCommercials } from '../../src/commercial/detect-commercials.ts';
import type { LogoModel } from '../../src/model/learnt-logo.ts';
import { MediaCache } from '../../synth/media/cache.ts';
import { findFfmpeg } from '../../synth/media/ffmpeg.ts';
import { Random } from '../../synth/random.ts';
import { featuresOf } from './commercials/detect.ts';
import { composeShort, KINDS, type Kind } from './commercials/programme.ts';
import { groupStamp, loadLoops, writeProgramme } from './commercials/stream.ts';
import { Figures } from './guide/figures.ts';

const FRAME_MS = 1001 / 30;
/** Longest allowed loss of a main part by a cut, ms. */
const MAX_LOSS_MS = 500;
const HIT_SHARE = 0.98;
const COST_RATIO = 1 / 8;

interface Tally {
  programmes: number;
  boundaries: number;
  hits: number;
  extra: number;
  reliable: number;
  worstLossMs: number;
  worstReliableLossMs: number;
}

const count = Number(process.argv[2] ?? 200);
const onlyKind = process.argv[3];
const SEED = 'commercials';
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-commercials-'));
const cache = new MediaCache(
  process.env.SYNTH_CACHE ?? join(import.meta.dir, '..', '..', '.cache', 'synth'),
  findFfmpeg(process.env),
);
const ffmpeg = Bun.which('ffmpeg') ?? 'ffmpeg';

function overlap(a: { from: number; to: number }, list: readonly { from: number; to: number }[]): number {
  return list.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(a.to, to) - Math.max(a.from, from)),
    0,
  );
}

const tallies = new Map<Kind, Tally>();
const logos = new Map<string, LogoModel>();
let [taughtHits, taughtExtra, taughtReliable, taughtLossMs] = [0, 0, 0, 0];
let broadcastMs = 0;
let cpuMs = 0;
try {
  const loops = await loadLoops(cache);
  for (let number = 0; number < count; number += 1) {
    const kind = KINDS[number % KINDS.length] as Kind;
    if (onlyKind !== undefined && onlyKind !== kind) continue;
    const programme = composeShort(new Random(SEED, number), kind);
    const path = join(folder, 'programme.ts');
    await writeProgramme(path, programme, loops);
    const began = process.cpuUsage();
    const childBefore = childCpuMs();
    const { features, ask } = await featuresOf(path, ffmpeg);
    const { chapters } = detectCommercials(features, { logo: null, corrected: null });
    const taught = detectCommercials(features, {
      logo: logos.get(programme.station) ?? null,
      corrected: null,
    });
    if (taught.learnt !== null) logos.set(programme.station, taught.learnt);
    const used = process.cpuUsage(began);
    cpuMs += (used.user + used.system) / 1000 + childCpuMs() - childBefore;
    broadcastMs += chapters.durationMs;
    const [piece] = ask.pieces;
    const zero = piece === undefined ? 0 : piece.pts;
    const at = (group: number): number => ptsDifference(pts90k(groupStamp(group)), pts90k(zero)) / 90;
    const inside = (ms: number): boolean => ms > 100 && ms < chapters.durationMs - 100;
    // Before its first part the stream shows the same.
    const truth = programme.commercials.map(({ from, to }) => ({
      from: from === 0 ? 0 : at(from),
      to: at(to),
    }));
    const wanted = truth.flatMap(({ from, to }) => [from, to]).filter(inside);
    const near = (one: number, list: readonly number[]) =>
      list.some((other) => Math.abs(other - one) <= FRAME_MS + 1);
    const judged = ({ segments }: typeof chapters) => {
      const cms = segments
        .filter((one) => one.kind === 'cm')
        .map(({ startMs, endMs }) => ({ from: startMs, to: endMs }));
      const found = cms.flatMap(({ from, to }) => [from, to]).filter(inside);
      return {
        found,
        hits: wanted.filter((one) => near(one, found)).length,
        extra: found.filter((one) => !near(one, wanted)).length,
        lossMs: cms.reduce((most, cm) => Math.max(most, cm.to - cm.from - overlap(cm, truth)), 0),
      };
    };
    const { found, hits, extra, lossMs } = judged(chapters);
    const known = judged(taught.chapters);
    taughtHits += known.hits;
    taughtExtra += known.extra;
    if (taught.chapters.reliable) {
      taughtReliable += 1;
      taughtLossMs = Math.max(taughtLossMs, known.lossMs);
    }
    const tally = tallies.get(kind) ?? {
      ...{
        programmes: 0,
        boundaries: 0,
        hits: 0,
        extra: 0,
        reliable: 0,
        worstLossMs: 0,
        worstReliableLossMs: 0,
      },
    };
    tally.programmes += 1;
    tally.boundaries += wanted.length;
    tally.hits += hits;
    tally.extra += extra;
    tally.reliable += chapters.reliable ? 1 : 0;
    tally.worstLossMs = Math.max(tally.worstLossMs, lossMs);
    if (chapters.reliable) tally.worstReliableLossMs = Math.max(tally.worstReliableLossMs, lossMs);
    tallies.set(kind, tally);
    if (process.env.VERBOSE !== undefined && (hits < wanted.length || extra > 0)) {
      const round = (list: readonly number[]): string => list.map((ms) => (ms / 1000).toFixed(2)).join(' ');
      console.log(
        `${number} ${kind}: wanted ${round(wanted)} | found ${round(found)} | ${chapters.reliable}`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * CPU time of child processes that have ended, ms: cutime and cstime of proc(5), in hundredths of a second.
 */
function childCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

const figures = new Figures();
const all = [...tallies.values()];
const worst = (field: 'worstLossMs' | 'worstReliableLossMs'): number =>
  Math.max(0, ...all.map((tally) => tally[field]));
const sum = (field: keyof Tally): number => all.reduce((total, tally) => total + tally[field], 0);
for (const [kind, tally] of tallies) {
  const { programmes, boundaries, hits, extra, reliable, worstLossMs } = tally;
  console.log(
    `${kind.padEnd(12)} ${programmes} programmes, ${hits}/${boundaries} boundaries, ${extra} others, ` +
      `${reliable} reliable, ${Math.round(worstLossMs)} ms lost at most`,
  );
}
const boundaries = sum('boundaries') + sum('extra');
figures.note('programmes', sum('programmes'), '');
figures.note('reliable', sum('reliable'), 'programmes');
figures.note('worst loss of a main part if it is reported as unreliable', worst('worstLossMs'), 'ms');
figures.limited('boundaries missed or wrong', 1 - sum('hits') / boundaries, 'of all', 1 - HIT_SHARE);
figures.limited(
  'worst loss of a main part where it is reliable',
  worst('worstReliableLossMs'),
  'ms',
  MAX_LOSS_MS,
);
figures.note('reliable with learnt logos', taughtReliable, 'programmes');
const taughtAll = sum('boundaries') + taughtExtra;
figures.note('boundaries missed or wrong with learnt logos', 1 - taughtHits / taughtAll, 'of all');
figures.limited('worst loss where it is reliable, with learnt logos', taughtLossMs, 'ms', MAX_LOSS_MS);
figures.limited('CPU time', cpuMs / broadcastMs, 'of the length', COST_RATIO);
process.exitCode = figures.failed ? 1 : 0;
