/** A compiled rule: its keywords (`keyword.ts`) and its conditions on station, time and genre. */
import type { StationId } from '../../../lib/arib/ids.ts';
import { type BroadcastMs, DAY_MS, JST_OFFSET_MS, MINUTE_MS } from '../../../lib/arib/time.ts';
import type { RuleConditions, RuleGenre } from '../../model/rule.ts';
import type { RuleFault } from '../../model/rule-fault.ts';
import type { StationRecord } from '../../model/station.ts';
import { ExpressionTooCostly } from '../expression/automaton.ts';
import { type CompiledExpression, compileExpression } from '../expression/expression.ts';
import type { GuideIndex } from './guide-index.ts';
import { readExclusion, readKeyword, type Words } from './keyword.ts';
import { type NormalTexts, READ_AT_ONCE } from './normal-texts.ts';
import type { IndexedProgram } from './program-rows.ts';
import type { BitSet } from './text-columns.ts';

const DAY_MINUTES = 24 * 60;
/** The broadcast day begins at 05:00. */
const DAY_BEGIN_MS = 5 * 60 * MINUTE_MS;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;

/** Fields of a station that rules need. */
type RuleStation = Readonly<Pick<StationRecord, 'id' | 'type'>>;

/** 0 (Sunday) to 6, of the broadcast day in Japan. */
export function broadcastWeekday(at: BroadcastMs): number {
  const days = Math.floor((at + JST_OFFSET_MS - DAY_BEGIN_MS) / DAY_MS);
  return (((days + FIRST_WEEKDAY) % 7) + 7) % 7;
}

/** Minutes of the day in Japan. */
export function minuteOfDay(at: BroadcastMs): number {
  const minutes = Math.floor((at + JST_OFFSET_MS) / MINUTE_MS) % DAY_MINUTES;
  return minutes < 0 ? minutes + DAY_MINUTES : minutes;
}

function inTime({ timeFrom, timeTo }: RuleConditions, startAt: BroadcastMs): boolean {
  if (timeFrom === null && timeTo === null) return true;
  const minute = minuteOfDay(startAt);
  const from = timeFrom ?? 0;
  const to = timeTo ?? DAY_MINUTES;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function inLength({ durationMin, durationMax }: RuleConditions, length: number): boolean {
  return length >= (durationMin ?? 0) * MINUTE_MS && length <= (durationMax ?? Infinity) * MINUTE_MS;
}

function hasGenre(wanted: readonly RuleGenre[], { genres }: IndexedProgram): boolean {
  if (wanted.length === 0) return true;
  return genres.some((genre) =>
    wanted.some(({ lv1, lv2 }) => lv1 === genre.lv1 && (lv2 === null || lv2 === genre.lv2)),
  );
}

/**
 * Whether all conditions except keywords hold.
 * @param matchedAt the start that conditions of time apply to: the programme's own, or the one when a rule first
 *   matched it
 */
function meetsConditions(
  conditions: RuleConditions,
  program: IndexedProgram,
  station: RuleStation,
  matchedAt: BroadcastMs = program.startAt,
): boolean {
  const { stationIds, types, weekdays, freeOnly, periodFrom, periodTo, genres } = conditions;
  const { startAt, endAt } = program;
  if (freeOnly && !program.isFree) return false;
  if (stationIds.length > 0 && !stationIds.includes(station.id)) return false;
  if (types.length > 0 && !types.includes(station.type)) return false;
  if (periodFrom !== null && matchedAt < periodFrom) return false;
  if (periodTo !== null && matchedAt >= periodTo) return false;
  if (!inTime(conditions, matchedAt) || !inLength(conditions, endAt - startAt)) return false;
  if (weekdays.length > 0 && !weekdays.includes(broadcastWeekday(matchedAt))) return false;
  return hasGenre(genres, program);
}

export type RuleStations = ReadonlyMap<StationId, RuleStation>;

/** Why the service disables an accepted rule. */
const TOO_COSTLY: RuleFault = { code: 'too_costly' };

interface Matched {
  /** In no order. */
  readonly programs: readonly IndexedProgram[];
  /** Japanese; the rule must be disabled, and has no matches. */
  readonly fault: RuleFault | null;
}

function containsAny(text: string, words: readonly string[]): boolean {
  return words.some((word) => text.includes(word));
}

type Texts = readonly (() => string)[];

/** Whether one of the texts contains one of the words of each list. */
function containsEach(texts: Texts, wanted: Words['wanted']): boolean {
  return wanted.every((options) => texts.some((text) => containsAny(text(), options)));
}

export class RuleMatcher {
  readonly #words: Words;
  readonly #expression: CompiledExpression | undefined;

  /** @throws Failure for an unusable regular expression */
  constructor(readonly conditions: RuleConditions) {
    const { keyword, excludeKeyword, regex } = conditions;
    const own = regex ? { wanted: [], unwanted: [] } : readKeyword(keyword);
    this.#words = {
      wanted: own.wanted,
      unwanted: [...own.unwanted, ...readExclusion(excludeKeyword)],
    };
    this.#expression = regex && keyword !== '' ? compileExpression(keyword) : undefined;
  }

  match(index: GuideIndex, stations: RuleStations): Matched {
    const candidates: IndexedProgram[] = [];
    this.#narrowed(index, stations).forEach((row) => {
      const program = index.at(row);
      if (program !== undefined) candidates.push(program);
    });
    return this.among(candidates, index.texts, stations);
  }

  /** The matching ones of the given programmes. */
  among(candidates: readonly IndexedProgram[], texts: NormalTexts, stations: RuleStations): Matched {
    this.#expression?.automaton.renew();
    const meeting = candidates.filter((program) => this.#meetsConditions(program, stations));
    if (!this.#hasWords) return { programs: meeting, fault: null };
    const programs: IndexedProgram[] = [];
    try {
      for (let at = 0; at < meeting.length; at += READ_AT_ONCE) {
        const some = meeting.slice(at, at + READ_AT_ONCE);
        this.#readAhead(some, texts);
        for (const program of some) if (this.#acceptsTexts(program, texts)) programs.push(program);
      }
    } catch (error) {
      if (!(error instanceof ExpressionTooCostly)) throw error;
      return { programs: [], fault: TOO_COSTLY };
    }
    return { programs, fault: null };
  }

  /** Extended texts, which are long, only of programmes for which others do not decide. */
  #readAhead(programs: readonly IndexedProgram[], normal: NormalTexts): void {
    const { keywordIn } = this.conditions;
    normal.readShort(programs, keywordIn);
    if (!keywordIn.includes('extended')) return;
    const { wanted, unwanted } = this.#words;
    const isOpen = (program: IndexedProgram): boolean =>
      unwanted.length > 0 || !containsEach(this.#texts(program, normal, false), wanted);
    normal.readDetails(programs.filter(isOpen));
  }

  /**
   * Whether a programme that the rule matched when it began at `matchedAt` still belongs to the rule after it moved.
   */
  stillMatches(
    program: IndexedProgram,
    texts: NormalTexts,
    stations: RuleStations,
    matchedAt: BroadcastMs,
  ): boolean {
    this.#expression?.automaton.renew();
    try {
      return this.#meetsConditions(program, stations, matchedAt) && this.#acceptsTexts(program, texts);
    } catch (error) {
      if (!(error instanceof ExpressionTooCostly)) throw error;
      return false;
    }
  }

  #narrowed(index: GuideIndex, stations: RuleStations): BitSet {
    const { stationIds, types, genres, keywordIn } = this.conditions;
    const rows = index.all();
    if (stationIds.length > 0) index.narrowByStations(rows, stationIds);
    if (types.length > 0) {
      const listed = [...stations.values()].filter((station) => types.includes(station.type));
      index.narrowByStations(
        rows,
        listed.map((station) => station.id),
      );
    }
    if (genres.length > 0) index.narrowByGenres(rows, new Set(genres.map((genre) => genre.lv1)));
    const extended = keywordIn.includes('extended');
    const groups = this.#expression?.required === undefined ? [] : [this.#expression.required];
    for (const options of [...this.#words.wanted, ...groups]) {
      const [first, ...others] = options;
      if (first === undefined) continue;
      const before = others.map(() => rows.copy());
      index.narrowByWord(rows, first, extended);
      for (const [at, other] of others.entries()) {
        const option = before[at];
        if (option === undefined) continue;
        index.narrowByWord(option, other, extended);
        rows.or(option);
      }
    }
    return rows;
  }

  #meetsConditions(program: IndexedProgram, stations: RuleStations, matchedAt?: BroadcastMs): boolean {
    const station = stations.get(program.stationId);
    return station !== undefined && meetsConditions(this.conditions, program, station, matchedAt);
  }

  get #hasWords(): boolean {
    const { wanted, unwanted } = this.#words;
    return wanted.length > 0 || unwanted.length > 0 || this.#expression !== undefined;
  }

  #acceptsTexts(program: IndexedProgram, normal: NormalTexts): boolean {
    if (!this.#hasWords) return true;
    const { wanted, unwanted } = this.#words;
    const texts = this.#texts(program, normal);
    if (!containsEach(texts, wanted)) return false;
    const hasAll = (words: readonly string[]): boolean =>
      words.every((word) => texts.some((text) => text().includes(word)));
    if (unwanted.some(hasAll)) return false;
    const { automaton } = this.#expression ?? {};
    return automaton === undefined || texts.some((text) => automaton.test(text()));
  }

  /** The texts to search for keywords, short ones first: each is only read if it is needed. */
  #texts(program: IndexedProgram, normal: NormalTexts, extended = true): Texts {
    const found: (() => string)[] = [];
    const { keywordIn } = this.conditions;
    if (keywordIn.includes('title')) found.push(() => normal.title(program));
    if (keywordIn.includes('description')) found.push(() => normal.description(program));
    if (extended && keywordIn.includes('extended')) found.push(() => normal.detail(program));
    return found;
  }
}
