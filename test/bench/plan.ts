/**
 * The plan of a home with everything: 120 stations, 60,000 programmes, 300 rules (30 of them regular expressions), 500
 * reservations on 4 tuners. How long it takes to match every rule again and plan, to plan after a few changes, and with
 * a rule besides that matches all of the satellites. `bun test/bench/plan.ts`: times are of the processor, beside a fixed
 * piece of work; every figure stands beside its limit as a ratio (below 1 is better); ends with 1 when one is past its
 * limit.
 */
import { eventId, programId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { reservationId, ruleId } from '../../lib/wire/ids.ts';
import type { Reservation } from '../../src/model/reservation.ts';
import type { Rule } from '../../src/model/rule.ts';
import { checkExpression } from '../../src/schedule/expression/expression.ts';
import { IncrementalPlanner, type PlanCircumstances } from '../../src/schedule/incremental-planner.ts';
import { GuideIndex } from '../../src/schedule/match/guide-index.ts';
import type { IndexedProgram } from '../../src/schedule/match/program-rows.ts';
import type { RecordedEpisode, TunerOfPlan } from '../../src/schedule/plan/plan-types.ts';
import { readRule } from '../../src/schedule/rule-body.ts';
import { applied } from '../schedule/applied.ts';
import { PROGRAMS, record, stretch } from './guide/bench-database.ts';
import { benchStations } from './guide/bench-stations.ts';
import { Figures, quantile } from './guide/figures.ts';

const RULES = 300;
const EXPRESSIONS = 30;
const RESERVATIONS = 500;
const RECORDED = 1500;
const ROUNDS = 40;
const CHANGES_A_ROUND = 40;
const DAY_MS = 86_400_000;
const LIMITS = { fullMs: 250, incrementalMs: 10 };
const TUNERS: TunerOfPlan[] = [
  ...Array.from({ length: 2 }, (): TunerOfPlan => ({ rank: 0, types: ['GR'], recording: [] })),
  ...Array.from({ length: 2 }, (): TunerOfPlan => ({ rank: 1, types: ['BS', 'CS'], recording: [] })),
];

const figures = new Figures();
// A fixed evening, so that the guide and the number of reservations are the same in every run.
const now = broadcastMs(Date.UTC(2026, 3, 7, 11));
const stations = benchStations();

function programmes(): IndexedProgram[] {
  const each = PROGRAMS / stations.length;
  return stations.flatMap((station) =>
    stretch(station, now, each).map((one, index) => ({
      id: programId(station.id, eventId(index)),
      stationId: station.id,
      startAt: one.startAt,
      endAt: broadcastMs(one.startAt + one.durationMs),
      openEnd: false,
      name: one.title,
      description: one.description,
      extended: Object.fromEntries(one.items.map(({ heading, text }) => [heading, text])),
      genres: one.genres.map(([lv1, lv2]) => ({ lv1, lv2 })),
      isFree: one.isFree,
      copyNever: one.copyControl === 'never',
      groups: [],
    })),
  );
}

/** Rules as users write them: a name, its beginning with a station or a genre, or a regular expression. */
function makeRules(guide: readonly IndexedProgram[]): Rule[] {
  const upcoming = guide.filter(({ endAt }) => endAt > now);
  return Array.from({ length: RULES }, (_, index): Rule => {
    const program = upcoming[Math.floor((index / RULES) * upcoming.length)];
    const name = (program?.name ?? '').replace(/[[\]{}()*+?.\\^$|「」#"-]/g, ' ');
    const words = name.split(/[\s　]+/).filter((word) => word.length > 1);
    const isExpression = index % (RULES / EXPRESSIONS) === 0;
    const word = words[0] ?? '番組';
    const body = isExpression
      ? { keyword: `(${word}|${words[1] ?? 'スペシャル'}).*(第?[0-9]+|[一-龠]{2})`, regex: true }
      : { keyword: words.slice(0, 2).join(' ') || word, excludeKeyword: '再放送' };
    const narrowed = { stationIds: program === undefined ? [] : [program.stationId] };
    const weekdays = [index % 7, (index + 3) % 7];
    const choices = { priority: index % 5, dedupe: index % 3 !== 0, weekdays };
    const draft = readRule({ ...body, ...narrowed, ...choices }, checkExpression);
    return {
      ...draft,
      id: ruleId(index + 1),
      disabledReason: null,
      createdAt: broadcastMs(0),
      updatedAt: broadcastMs(0),
    };
  });
}

function recordedEpisodes(guide: readonly IndexedProgram[]): RecordedEpisode[] {
  const step = Math.floor(guide.length / RECORDED);
  return guide
    .filter((_, index) => index % step === 0)
    .map((program, index) => ({
      ...program,
      programId: null,
      startAt: broadcastMs(now - (index % 30) * DAY_MS),
    }));
}

const clock = figures.machine;
const timed = <T>(work: () => T): { ms: number; value: T } => clock.timed(work);

/** The median is compared with the limit: other load affects only the slowest. */
function report(name: string, times: readonly number[], limit: number): void {
  const slow = quantile(times, 0.9).toFixed(1);
  figures.limited(`${name}: processor time, p90 ${slow} ms, median`, quantile(times, 0.5), 'ms', limit);
}

const guide = programmes();
const rules = makeRules(guide);
const index = new GuideIndex();
const put = (programs: readonly IndexedProgram[]): void => {
  for (const program of programs) index.put(program);
};
const planning = new IncrementalPlanner(index);
planning.setStations(stations.map((station) => ({ ...record(station), hidden: false, forgotten: false })));
const warm = timed(() => put(guide));
figures.note(`index of ${index.size} programmes made`, warm.ms, 'ms');

let reservations: Reservation[] = [];
const recorded = recordedEpisodes(guide);
const circumstances = (): PlanCircumstances => ({
  now,
  reservations,
  recorded,
  cancellations: [],
  tuners: TUNERS,
  settings: {
    marginBefore: 10_000,
    tuning: 2_000,
    marginAfter: 15_000,
    retuneCost: 'first',
    retractGrace: 3_600_000,
  },
  airings: new Map(),
});
const choice = { marginBefore: null, marginAfter: null, encode: null, keepTs: null, commercials: null };

planning.setRules(rules);
const first = timed(() => planning.plan(circumstances()));
figures.note('first plan, texts read for their episodes', first.ms, 'ms');
reservations = applied([], first.value, reservationId(1), () => choice, now);
figures.note('reservations of rules', reservations.length, '');

/** Adds manual reservations, or removes some, to reach the required number. */
function fillUp(): void {
  const booked = new Set(reservations.map((one) => one.programId));
  const upcoming = guide.filter(
    (program) => program.startAt > now && !program.copyNever && !booked.has(program.id),
  );
  const step = Math.max(1, Math.floor(upcoming.length / Math.max(1, RESERVATIONS - reservations.length)));
  for (let at = 0; reservations.length < RESERVATIONS && at < upcoming.length; at += step) {
    const program = upcoming[at];
    if (program === undefined) continue;
    const { id, stationId, name, description, startAt, endAt } = program;
    const planned = {
      programId: id,
      stationId,
      name,
      description,
      startAt,
      endAt,
      ruleId: null,
      matchedAt: null,
      priority: 2,
    };
    const nowhere = { tuner: null, blockers: [], alternatives: [], reason: null };
    reservations.push({
      ...planned,
      ...nowhere,
      ...choice,
      state: 'scheduled',
      id: reservationId(reservations.length + 1),
      createdAt: broadcastMs(0),
      updatedAt: broadcastMs(0),
    });
  }
}
fillUp();
reservations = applied(
  reservations,
  planning.plan(circumstances()),
  reservationId(100_000),
  () => choice,
  now,
);
const conflicts = reservations.filter(({ state }) => state === 'conflict').length;
figures.note('reservations', reservations.length, '');
figures.note('of these in conflict', conflicts, '');
if (reservations.length < RESERVATIONS) throw new Error('too few reservations');

clock.factor();
const full: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  // New conditions, so that no cache of the last round applies.
  const again = rules.map((rule) => ({
    ...rule,
    conditions: { ...rule.conditions, durationMax: 10_000 + round },
  }));
  const made = timed(() => {
    planning.setRules(again);
    return planning.plan(circumstances());
  });
  full.push(made.ms);
}
report('all rules matched and planned', full, LIMITS.fullMs);

const incremental: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const changed = guide
    .filter((_, index) => index % Math.floor(guide.length / CHANGES_A_ROUND) === round)
    .map((program) => ({ ...program, description: `${program.description} ${round}` }));
  const made = timed(() => {
    put(changed);
    return planning.plan(circumstances());
  });
  incremental.push(made.ms);
}
report(`${CHANGES_A_ROUND} programmes changed and planned`, incremental, LIMITS.incrementalMs);

// A rule with almost no condition, as users may try.
const wide = readRule({ types: ['BS', 'CS'], freeOnly: false, dedupe: false }, checkExpression);
planning.setRules([
  ...rules,
  {
    ...wide,
    id: ruleId(RULES + 1),
    disabledReason: null,
    createdAt: broadcastMs(0),
    updatedAt: broadcastMs(0),
  },
]);
const widened = timed(() => planning.plan(circumstances()));
figures.note('a rule that matches every satellite programme added: first plan', widened.ms, 'ms');
figures.note('of its programmes left for later', planning.crowded().get(ruleId(RULES + 1)) ?? 0, '');
reservations = applied(reservations, widened.value, reservationId(200_000), () => choice, now);
figures.note('reservations with it', reservations.length, '');
const again = Array.from({ length: ROUNDS }, () => timed(() => planning.plan(circumstances())).ms);
report('planned again with it', again, LIMITS.fullMs);
figures.note('memory', process.memoryUsage().rss / 2 ** 20, 'MB');
process.exit(figures.failed ? 1 : 0);
