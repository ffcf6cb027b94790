/** A compiled rule. */

import type { StationId } from '../../../arib/ids.ts';
import type { BroadcastMs } from '../../../arib/time.ts';
import type { RuleConditions } from '../../model/rule.ts';
import type { RuleFault } from '../../model/rule-fault.ts';
import { ExpressionTooCostly } from '../expression/automaton.ts';
import { type CompiledExpression, compileExpression } from '../expression/expression.ts';
import type { BitSet } from './bit-set.ts';
import { meetsConditions, type RuleStation } from './conditions.ts';
import type { GuideIndex, GuideProgram } from './guide-index.ts';
import { readExclusion, readKeyword, type Words } from './keyword.ts';
import type { NormalTexts } from './normal-texts.ts';

export type RuleStations = ReadonlyMap<StationId, RuleStation>;

/** Why the service disables an accepted rule. */
const TOO_COSTLY: RuleFault = { code: 'too_costly' };

interface Matched {
  /** In no order. */
  readonly programs: readonly GuideProgram[];
  /** Japanese; the rule must be disabled, and has no matches. */
  readonly fault: RuleFault | null;
}

function containsAny(texts: readonly string[], words: readonly string[]): boolean {
  return words.some((word) => texts.some((text) => text.includes(word)));
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

  /** All programmes of the guide that match. */
  match(index: GuideIndex, stations: RuleStations): Matched {
    const candidates: GuideProgram[] = [];
    this.#narrowed(index, stations).forEach((row) => {
      const program = index.at(row);
      if (program !== undefined) candidates.push(program);
    });
    return this.among(candidates, index.texts, stations);
  }

  /** The matching ones of the given programmes. */
  among(candidates: readonly GuideProgram[], texts: NormalTexts, stations: RuleStations): Matched {
    this.#expression?.automaton.renew();
    const programs: GuideProgram[] = [];
    try {
      for (const program of candidates) {
        if (this.#accepts(program, texts, stations)) programs.push(program);
      }
    } catch (error) {
      if (!(error instanceof ExpressionTooCostly)) throw error;
      return { programs: [], fault: TOO_COSTLY };
    }
    return { programs, fault: null };
  }

  /**
   * Whether a programme that the rule matched when it began at `matchedAt` still belongs to the rule after it moved.
   */
  stillMatches(
    program: GuideProgram,
    texts: NormalTexts,
    stations: RuleStations,
    matchedAt: BroadcastMs,
  ): boolean {
    this.#expression?.automaton.renew();
    try {
      return this.#accepts(program, texts, stations, matchedAt);
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

  #accepts(
    program: GuideProgram,
    normal: NormalTexts,
    stations: RuleStations,
    matchedAt?: BroadcastMs,
  ): boolean {
    const station = stations.get(program.stationId);
    if (station === undefined || !meetsConditions(this.conditions, program, station, matchedAt)) return false;
    const { wanted, unwanted } = this.#words;
    if (wanted.length === 0 && unwanted.length === 0 && this.#expression === undefined) return true;
    const texts = this.#texts(program, normal);
    if (!wanted.every((options) => containsAny(texts, options))) return false;
    if (unwanted.some((words) => words.every((word) => containsAny(texts, [word])))) return false;
    const { automaton } = this.#expression ?? {};
    return automaton === undefined || texts.some((text) => automaton.test(text));
  }

  /** The texts to search for keywords. */
  #texts(program: GuideProgram, normal: NormalTexts): string[] {
    const found: string[] = [];
    const { keywordIn } = this.conditions;
    if (keywordIn.includes('title')) found.push(normal.title(program));
    if (keywordIn.includes('description')) found.push(normal.description(program));
    if (keywordIn.includes('extended')) found.push(normal.detail(program));
    return found;
  }
}
