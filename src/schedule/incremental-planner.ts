/**
 * Keeps the matches of all rules between plans, so that the cost of a plan depends on what changed: only a new rule
 * is matched against the guide, and only a new programme against every rule. The decisions are made by `plan`.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type ReservationId, type RuleId, ruleId } from '../../lib/wire/ids.ts';
import { OPEN_RESERVATION_STATES } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import type { Reservation } from '../model/reservation.ts';
import type { PassedOverReason, ReservationReason } from '../model/reservation-reason.ts';
import type { Rule, RuleDraft } from '../model/rule.ts';
import type { RuleFault } from '../model/rule-fault.ts';
import type { KnownStation } from '../model/station.ts';
import { isLimited } from './match/limited-conditions.ts';
import type { IndexedProgram } from './match/program-rows.ts';
import { RuleMatcher, type RuleStations } from './match/rule-matcher.ts';
import { Facts } from './plan/airings.ts';
import type { PlanGuide } from './plan/plan-guide.ts';
import type { Plan, PlanInput } from './plan/plan-types.ts';
import { type Decisions, plan, planDecisions } from './plan/reservation-plan.ts';
import { MAX_OF_RULE, type Near, nearest } from './rule-match-limit.ts';

/** Inputs of the plan besides guide, rules and stations. */
export type PlanCircumstances = Omit<PlanInput, 'guide' | 'facts' | 'matches' | 'rules' | 'stations'>;

/** A programme that a rule would match, with its resulting state. */
interface PreviewedProgram {
  readonly program: IndexedProgram;
  /** null: it would not be booked. */
  readonly state: Reservation['state'] | null;
  /** Reason of a conflict, a skip, or of not being booked. */
  readonly reason: ReservationReason | PassedOverReason | null;
  /** Of an existing reservation. */
  readonly reservationId: ReservationId | null;
}

interface Preview {
  /** Sorted by start. */
  readonly programs: readonly PreviewedProgram[];
  /** The rule cannot be used. */
  readonly fault: RuleFault | null;
}

const FAR: PassedOverReason = { code: 'beyond_limit', limit: MAX_OF_RULE };

/** No rule has this id. */
const PREVIEWED = ruleId(-1);

interface HeldRule {
  readonly rule: Rule;
  /** undefined: unusable. */
  readonly matcher: RuleMatcher | undefined;
  /** Why it must be disabled. */
  fault: RuleFault | null;
  /** undefined: not matched since the guide or the rule was replaced. */
  matched: Map<ProgramId, IndexedProgram> | undefined;
}

type UsedRule = HeldRule & { readonly matcher: RuleMatcher };

function isUsed(held: HeldRule): held is UsedRule {
  return held.rule.enabled && held.matcher !== undefined;
}

/** Changes in the guide since rules were matched. */
interface Changed {
  readonly ids: ReadonlySet<ProgramId>;
  /** Those that still exist. */
  readonly programs: readonly IndexedProgram[];
}

/** Above this number of changes every rule is matched from scratch: the index is quicker than checking each change. */
const MANY_CHANGES = 4000;

/** Reservations that stay with their rule when their programme moves. */
const KEPT_STATES: ReadonlySet<Reservation['state']> = new Set(OPEN_RESERVATION_STATES);

export class IncrementalPlanner {
  readonly facts = new Facts();
  #stations: ReadonlyMap<StationId, KnownStation> = new Map();
  /** Stations that rules match. */
  #listed: RuleStations = new Map();
  #rules = new Map<RuleId, HeldRule>();
  /** Version of the guide that the rules' matches belong to. */
  #version = -1;
  #crowded: ReadonlyMap<RuleId, number> = new Map();

  constructor(readonly guide: PlanGuide) {}

  /** All stations. Rules do not match hidden ones; their reservations stay. */
  setStations(stations: readonly KnownStation[]): void {
    const byId = (list: readonly KnownStation[]) => new Map(list.map((station) => [station.id, station]));
    this.#stations = byId(stations);
    this.#listed = byId(stations.filter(({ hidden }) => !hidden));
    this.#forgetMatches();
  }

  /** All rules. Rules with unchanged conditions keep their matches. */
  setRules(rules: readonly Rule[]): void {
    this.#rules = new Map(rules.map((rule) => [rule.id, this.#held(rule)]));
  }

  /** Rules to be disabled, with the reason; empty if all are valid. */
  faults(): ReadonlyMap<RuleId, RuleFault> {
    const faults = new Map<RuleId, RuleFault>();
    for (const [id, { fault }] of this.#rules) {
      if (fault !== null) faults.set(id, fault);
    }
    return faults;
  }

  /** Rules with too many matches in the last plan, with the number of programmes that are booked later. */
  crowded(): ReadonlyMap<RuleId, number> {
    return this.#crowded;
  }

  plan(circumstances: PlanCircumstances): Plan {
    this.#match();
    const near = nearest(this.#matched(circumstances.reservations), circumstances.now);
    this.#crowded = new Map([...near].flatMap(([id, { left }]) => (left === 0 ? [] : [[id, left]])));
    return plan(this.#input(circumstances, near, undefined));
  }

  /** Includes programmes that the broadcaster moved out of the rule's time window after they were booked. */
  #matched(reservations: readonly Reservation[]): Map<RuleId, IndexedProgram[]> {
    const matches = new Map<RuleId, IndexedProgram[]>();
    for (const [id, { matched }] of this.#rules) {
      if (matched !== undefined) matches.set(id, [...matched.values()]);
    }
    for (const { ruleId, programId, state, matchedAt } of reservations) {
      if (ruleId === null || matchedAt === null || !KEPT_STATES.has(state)) continue;
      const { matcher, matched } = this.#rules.get(ruleId) ?? {};
      if (matcher === undefined || matched === undefined || matched.has(programId)) continue;
      const program = this.guide.get(programId);
      if (program === undefined) continue;
      if (matcher.stillMatches(program, this.guide.texts, this.#stations, matchedAt))
        matches.get(ruleId)?.push(program);
    }
    return matches;
  }

  /** @param instead a rule being previewed, in place of its stored form */
  #input(
    circumstances: PlanCircumstances,
    near: ReadonlyMap<RuleId, Near>,
    instead: Rule | undefined,
  ): PlanInput {
    const rules = instead === undefined ? [] : [instead];
    for (const [id, { rule, fault }] of this.#rules) {
      // An unusable rule counts as disabled.
      if (id !== instead?.id) rules.push(fault === null ? rule : { ...rule, enabled: false });
    }
    const matches = new Map([...near].map(([id, { programs }]) => [id, programs]));
    const { guide, facts } = this;
    return { ...circumstances, guide, facts, matches, rules, stations: this.#stations };
  }

  /**
   * Current matches of a rule, with the state that each programme would get besides all reservations.
   * @param replaces the rule under edit; null: a new one
   * @throws Failure for an unusable regular expression
   */
  preview(draft: RuleDraft, circumstances: PlanCircumstances, replaces: RuleId | null): Preview {
    this.#match();
    const { programs, fault } = new RuleMatcher(draft.conditions).match(this.guide.whole(), this.#listed);
    if (fault !== null) return { programs: [], fault };
    const id = replaces ?? PREVIEWED;
    const times = { createdAt: circumstances.now, updatedAt: circumstances.now };
    const rule: Rule = { ...draft, id, enabled: true, disabledReason: null, ...times };
    const near = nearest(this.#matched(circumstances.reservations).set(id, [...programs]), circumstances.now);
    const made = planDecisions(this.#input(circumstances, near, rule));
    const upcoming = programs.filter((program) => program.endAt > circumstances.now);
    const planned = new Set(near.get(id)?.programs);
    const isFar = (program: IndexedProgram): boolean => !planned.has(program);
    return { programs: becoming(upcoming, circumstances.reservations, made, isFar), fault: null };
  }

  #held(rule: Rule): HeldRule {
    const known = this.#rules.get(rule.id);
    if (known !== undefined && JSON.stringify(known.rule.conditions) === JSON.stringify(rule.conditions))
      return { ...known, rule };
    if (!isLimited(rule.conditions))
      return { rule, matcher: undefined, fault: { code: 'no_conditions' }, matched: undefined };
    try {
      return { rule, matcher: new RuleMatcher(rule.conditions), fault: null, matched: undefined };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { rule, matcher: undefined, fault: { code: 'bad_expression' }, matched: undefined };
    }
  }

  #forgetMatches(): void {
    for (const held of this.#rules.values()) held.matched = undefined;
  }

  #match(): void {
    for (const held of this.#rules.values()) if (!isUsed(held)) held.matched = undefined;
    const used = [...this.#rules.values()].filter(isUsed);
    // Without rules the guide is not needed.
    if (used.length === 0) return;
    const log = this.guide.changedSince(this.#version);
    const changed = new Set(log);
    const isNew = log === undefined || changed.size > MANY_CHANGES;
    if (isNew) this.#forgetMatches();
    const ids = isNew ? new Set<ProgramId>() : changed;
    const programs = [...ids].flatMap((id) => this.guide.get(id) ?? []);
    for (const held of used) this.#matchRule(held, { ids, programs });
    this.#version = this.guide.version;
  }

  #matchRule(held: UsedRule, changed: Changed): void {
    const { matcher, matched: known } = held;
    const { programs, fault } =
      known === undefined
        ? matcher.match(this.guide.whole(), this.#listed)
        : matcher.among(changed.programs, this.guide.texts, this.#listed);
    held.fault = fault;
    if (fault !== null) {
      held.matched = undefined;
      return;
    }
    for (const id of changed.ids) known?.delete(id);
    const matched = known ?? new Map<ProgramId, IndexedProgram>();
    for (const program of programs) matched.set(program.id, program);
    held.matched = matched;
  }
}

function becoming(
  programs: readonly IndexedProgram[],
  reservations: readonly Reservation[],
  { create, update, remove, passedOver }: Decisions,
  isFar: (program: IndexedProgram) => boolean,
): PreviewedProgram[] {
  const planned = new Map([...create, ...update.map(({ to }) => to)].map((one) => [one.programId, one]));
  const removed = new Set(remove);
  const booked = new Map(
    reservations.filter(({ id }) => !removed.has(id)).map((one) => [one.programId, one]),
  );
  return programs
    .map((program): PreviewedProgram => {
      const reservation = booked.get(program.id);
      const target = planned.get(program.id) ?? reservation;
      return {
        program,
        state: target?.state ?? null,
        // A reservation says how it stands, whatever a rule would do without it: one that was stopped is finished.
        reason:
          target === undefined
            ? (passedOver.get(program.id) ?? (isFar(program) ? FAR : null))
            : target.reason,
        reservationId: reservation?.id ?? null,
      };
    })
    .sort((a, b) => a.program.startAt - b.program.startAt || a.program.id - b.program.id);
}
