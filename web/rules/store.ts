/** What a press of a button does with a rule: switch, delete, bring back. */
import { signal } from '@preact/signals';
import type { RuleItem } from '../../wire/api.ts';
import { ApiFailure, createRule, deleteRule, networkFailure, replaceRule } from '../query/api.ts';
import { RULES } from '../query/queries.ts';
import { entryOf } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { bodyOfRule } from './form.ts';

/** The rule whose card gets the focus as soon as it is there: the one that was left or brought back. */
export const wantedRule = signal<number | undefined>(undefined);

/** The service's reason in words for a toast. */
function reasonOf(error: unknown): string {
  const failure = error instanceof ApiFailure ? error : networkFailure(error);
  return failure.message;
}

const aboutRule = ({ id }: RuleItem): string => `rule ${id}`;

interface Pressed {
  readonly rule: RuleItem;
  /** Reads the rules again. */
  readonly renew: () => void;
  /** By keys or a remote control. */
  readonly byKeys: boolean;
}

/** Switches a rule on or off. False when that failed; the reason is shown. */
export async function switchRule({ rule, renew, byKeys }: Pressed, enabled: boolean): Promise<boolean> {
  try {
    await replaceRule(rule.id, { ...bodyOfRule(rule), enabled });
  } catch (error) {
    showToast(`切り替えられませんでした。${reasonOf(error)}`);
    renew();
    return false;
  }
  renew();
  const booked = rule.booked ?? 0;
  if (!enabled) {
    const gone = booked === 0 ? '' : `予約 ${booked}件は取り消されます。`;
    const run = (): void => void switchRule({ rule: { ...rule, enabled: false }, renew, byKeys }, true);
    showToast(`「${rule.name}」を止めました。${gone}`, { label: '元に戻す', run }, aboutRule(rule));
  } else showToast(`「${rule.name}」を有効にしました。`, undefined, aboutRule(rule));
  return true;
}

/** Deletes a rule; the notice brings the same rule back. False when that failed; the reason is shown. */
export async function removeRule({ rule, renew, byKeys }: Pressed): Promise<boolean> {
  try {
    await deleteRule(rule.id);
  } catch (error) {
    showToast(`削除できませんでした。${reasonOf(error)}`);
    return false;
  }
  const held = entryOf(RULES);
  held.put((held.answer.peek().value ?? []).filter(({ id }) => id !== rule.id));
  renew();
  const run = (): void => void bringBack({ rule, renew, byKeys });
  showToast(`「${rule.name}」を削除しました。`, { label: '元に戻す', focus: byKeys, run }, aboutRule(rule));
  return true;
}

async function bringBack({ rule, renew }: Pressed): Promise<void> {
  try {
    const back = await createRule(bodyOfRule(rule));
    wantedRule.value = back.id;
    showToast(`「${rule.name}」を元に戻しました。`);
  } catch (error) {
    showToast(`元に戻せませんでした。${reasonOf(error)}`, {
      label: 'もう一度',
      run: () => void bringBack({ rule, renew, byKeys: false }),
    });
  }
  renew();
}
