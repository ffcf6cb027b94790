/**
 * The part of the fake service behind the rules. Request bodies are validated and programmes are matched with
 * the code of the service; the outcome of each programme is made up.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type {
  PreviewProgram,
  Recording,
  ReservationItem,
  Retiring,
  RuleItem,
  RulePreview,
} from '../../lib/wire/api.ts';
import { reservationId, ruleId } from '../../lib/wire/ids.ts';
import { Failure } from '../../src/model/failure.ts';
import type { Rule } from '../../src/model/rule.ts';
import { checkExpression } from '../../src/schedule/expression/expression.ts';
import { GuideIndex } from '../../src/schedule/match/guide-index.ts';
import type { IndexedProgram } from '../../src/schedule/match/program-rows.ts';
import { RuleMatcher } from '../../src/schedule/match/rule-matcher.ts';
import { readRule, ruleItem } from '../../src/schedule/rule-body.ts';
import { type FakeGuide, guideWindow } from './fake-guide.ts';
import type { FakeRecordings } from './fake-recordings.ts';

const DAY_MS = 86_400_000;
const PREVIEW_ROWS = 50;

export interface FakeRules {
  rules: RuleItem[];
  nextId: number;
}

export function newRules(): FakeRules {
  return { rules: [], nextId: 1 };
}

function draftOf(body: unknown) {
  return readRule(body, checkExpression);
}

function itemOf(id: number, body: unknown): RuleItem {
  const rule: Rule = {
    ...draftOf(body),
    id: ruleId(id),
    disabledReason: null,
    createdAt: broadcastMs(0),
    updatedAt: broadcastMs(0),
  };
  return ruleItem(rule);
}

const indexes = new WeakMap<FakeGuide, GuideIndex>();

function indexOf(guide: FakeGuide, now: number): GuideIndex {
  const known = indexes.get(guide);
  if (known !== undefined) return known;
  const index = new GuideIndex();
  indexes.set(guide, index);
  const wish = { from: now, to: now + guide.days * DAY_MS, type: null };
  for (const { stationId, programs } of guideWindow(guide, wish, now)) {
    for (const program of programs) {
      const held: IndexedProgram = {
        id: program.id as ProgramId,
        stationId: stationId as StationId,
        startAt: program.startAt as BroadcastMs,
        endAt: program.endAt as BroadcastMs,
        openEnd: false,
        name: program.name,
        description: program.description ?? '',
        extended: {},
        genres: program.genres.map(({ lv1, lv2 }) => ({ lv1, lv2 })),
        isFree: program.isFree,
        copyNever: program.copyNever,
        groups: [],
      };
      index.put(held);
    }
  }
  return index;
}

function found(guide: FakeGuide, rule: RuleItem, now: number): IndexedProgram[] {
  const { conditions } = draftOf(bodyOf(rule));
  const stations = new Map(
    guide.stations.map(({ id, type }) => [id as StationId, { id: id as StationId, type }]),
  );
  const { programs } = new RuleMatcher(conditions).match(indexOf(guide, now), stations);
  return [...programs].sort((a, b) => a.startAt - b.startAt || a.id - b.id);
}

function bodyOf({ id: _, disabledReason: __, next: ___, ...rule }: RuleItem) {
  const { booked, conflicts, recorded, crowded, ...body } = rule;
  return body;
}

/** Of programmes with the same name only the first is reserved; every fifth of the others finds no tuner. */
function previewOf(guide: FakeGuide, rule: RuleItem, now: number): PreviewProgram[] {
  const names = new Map(guide.stations.map(({ id, name }) => [id, name]));
  const seen = new Map<string, number>();
  return found(guide, rule, now).map((program, at): PreviewProgram => {
    const { id, stationId, name, startAt, endAt } = program;
    const serviceName = names.get(stationId) ?? '';
    const { title } = removeTitleMarks(name);
    const row = { id, stationId, serviceName, name, title, startAt, endAt, reservationId: null };
    if (program.copyNever)
      return { ...row, state: 'skipped', reason: 'コピーが禁止されているため録画できません。' };
    if (rule.dedupe && seen.has(name)) {
      return { ...row, state: null, reason: '同じ回を先の放送で録画します。' };
    }
    seen.set(name, startAt);
    if (at % 5 === 4) return { ...row, state: 'conflict', reason: 'チューナーが足りません。' };
    return { ...row, state: 'scheduled', reason: null };
  });
}

function booked(guide: FakeGuide, rule: RuleItem, now: number): ReservationItem[] {
  if (!rule.enabled) return [];
  return previewOf(guide, rule, now)
    .filter(({ state }) => state !== null)
    .slice(0, 20)
    .map((program, at) => ({
      id: reservationId(rule.id * 1000 + at),
      programId: program.id,
      stationId: program.stationId,
      serviceName: program.serviceName,
      name: program.name,
      title: program.title,
      startAt: program.startAt,
      endAt: program.endAt,
      state: program.state ?? 'scheduled',
      priority: rule.priority,
      ruleId: rule.id,
      reason: program.reason,
      tuner: null,
    }));
}

interface Household {
  readonly rules: FakeRules;
  readonly guide: FakeGuide;
  readonly recordings: FakeRecordings;
  readonly delayMs: number;
}

/** Newest first. */
function recordedBy({ recordings }: Household, ruleId: number): Recording[] {
  return recordings.list.filter((one) => one.ruleId === ruleId).sort((a, b) => b.startAt - a.startAt);
}

function withFacts(household: Household, rule: RuleItem, now: number): RuleItem {
  const reservations = booked(household.guide, rule, now);
  const next = reservations.find(({ state: stands }) => stands !== 'skipped');
  return {
    ...rule,
    next: next === undefined ? null : { ...next, reservationId: next.id },
    booked: reservations.filter(({ state: stands }) => stands !== 'skipped').length,
    conflicts: reservations.filter(({ state: stands }) => stands === 'conflict').length,
    recorded: recordedBy(household, rule.id).length,
  };
}

function retiring(household: Household, ruleId: number | undefined, { keepNewest }: RuleItem): Retiring {
  if (keepNewest === null || ruleId === undefined) return [];
  return recordedBy(household, ruleId)
    .slice(keepNewest)
    .map(({ id, title, startAt, watchedAt, bytes }) => ({
      id,
      title,
      startAt,
      watched: watchedAt !== null,
      bytes,
    }));
}

function preview(household: Household, body: unknown, ruleId: number | undefined): RulePreview {
  const rule = itemOf(0, body);
  const programs = previewOf(household.guide, rule, Date.now());
  return {
    total: programs.length,
    programs: programs.slice(0, PREVIEW_ROWS),
    fault: null,
    retiring: retiring(household, ruleId, rule),
  };
}

const GONE = { message: 'このルールはありません。', code: 'not_found' };

interface Asked {
  readonly method: string;
  readonly name: string;
  readonly body: string;
  readonly query: URLSearchParams;
}

/** @returns undefined for a path of another part */
export async function answerRules(household: Household, asked: Asked): Promise<Response | undefined> {
  if (asked.name === 'rules/preview') await Bun.sleep(household.delayMs);
  try {
    return answer(household, asked);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message, options } = error;
    return Response.json({ code, message, path: options.path }, { status: 400 });
  }
}

function answer(household: Household, { method, name, body, query }: Asked): Response | undefined {
  const state = household.rules;
  const now = Date.now();
  if (name === 'rules/preview' && method === 'POST') {
    const id = query.get('ruleId');
    return Response.json(preview(household, JSON.parse(body), id === null ? undefined : Number(id)));
  }
  if (name === 'rules') {
    if (method === 'GET') return Response.json(state.rules.map((rule) => withFacts(household, rule, now)));
    const rule = itemOf(state.nextId++, JSON.parse(body));
    state.rules.push(rule);
    return Response.json(withFacts(household, rule, now), { status: 201 });
  }
  const id = /^rules\/(\d+)$/u.exec(name)?.[1];
  if (id === undefined) return undefined;
  const at = state.rules.findIndex((rule) => rule.id === Number(id));
  const rule = state.rules[at];
  if (rule === undefined) return Response.json(GONE, { status: 404 });
  if (method === 'DELETE') {
    state.rules.splice(at, 1);
    return new Response(null, { status: 204 });
  }
  if (method === 'PUT') {
    const replaced = itemOf(rule.id, JSON.parse(body));
    state.rules[at] = replaced;
    return Response.json(withFacts(household, replaced, now));
  }
  return Response.json(withFacts(household, rule, now));
}

/** Adds a rule to the service, as if it had existed before. */
export function addRule(state: FakeRules, body: unknown, more: Partial<RuleItem> = {}): RuleItem {
  const rule = { ...itemOf(state.nextId++, body), ...more };
  state.rules.push(rule);
  return rule;
}

/** The reservations made by rules, for the list of reservations. */
export function bookedByRules({ rules }: FakeRules, guide: FakeGuide): ReservationItem[] {
  return rules.flatMap((rule) => booked(guide, rule, Date.now()));
}
