/** 毎回録画: a rule by one press, for a programme's series on its station or for the conditions of a search. */
import { signal } from '@preact/signals';
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { ProgramDetail, RuleItem } from '../../lib/wire/api.ts';
import type { RuleBody } from '../../lib/wire/schedule.ts';
import { navigate } from '../navigation/router.ts';
import { newRule } from '../navigation/rule-address.ts';
import { createRule, deleteRule, previewRule } from '../query/api.ts';
import { readBookings } from '../query/reservations.ts';
import { showToast } from '../ui/toast.tsx';
import { seriesWords } from '../words/series.ts';
import { keywordFor } from './form.ts';
import { aboutRule, reasonOf } from './store.ts';
import { TEXTS } from './texts.ts';

/** In the eight days of a guide: three broadcasts a day. With more, the words are probably no name of a series. */
const MOST_OF_A_SERIES = 24;

/** Programmes whose rule is being made: their buttons are disabled. */
export const makingRules = signal<ReadonlySet<ProgramId>>(new Set());

async function takeBack(rule: RuleItem): Promise<void> {
  try {
    await deleteRule(rule.id);
    showToast(TEXTS.removed(rule.name), undefined, aboutRule(rule));
    await readBookings();
  } catch (error) {
    showToast(TEXTS.notRemoved(reasonOf(error)));
  }
}

/** What a person would enter first: the words of the title, found in titles, on this station. */
function bodyFor(program: ProgramDetail): RuleBody & { readonly keyword: string } {
  return {
    keyword: keywordFor(seriesWords(program.name)),
    keywordIn: ['title'],
    stationIds: [program.station_id],
    freeOnly: program.is_free,
  };
}

async function make(body: RuleBody, total: number): Promise<void> {
  const rule = await createRule(body);
  await readBookings();
  const run = (): void => void takeBack(rule);
  showToast(TEXTS.everyTime(rule.name, total), { label: TEXTS.undo, run }, aboutRule(rule));
}

/** What a search shows, from now on; a toast tells how many that are, with the way back. */
export async function recordAllOf(body: RuleBody): Promise<void> {
  try {
    const { total } = await previewRule(body, undefined);
    await make(body, total);
  } catch (error) {
    showToast(TEXTS.notMade(reasonOf(error)));
  }
}

/** The result is shown as a toast with the way back. Words that match too much are left to the editor. */
export async function recordEveryTime(program: ProgramDetail): Promise<void> {
  if (makingRules.value.has(program.id)) return;
  makingRules.value = new Set([...makingRules.value, program.id]);
  const body = bodyFor(program);
  try {
    const { total } = await previewRule(body, undefined);
    if (total > MOST_OF_A_SERIES) {
      showToast(TEXTS.tooMany(total));
      navigate(newRule({ keyword: body.keyword, stationId: program.station_id }));
      return;
    }
    await make(body, total);
  } catch (error) {
    showToast(TEXTS.notMade(reasonOf(error)));
  } finally {
    makingRules.value = new Set([...makingRules.value].filter((id) => id !== program.id));
  }
}
