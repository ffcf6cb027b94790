/** Actions on rules: switch, delete, restore. */
import { signal } from '@preact/signals';
import type { RuleItem } from '../../lib/wire/api.ts';
import { asFailure, createRule, deleteRule, getRule, replaceRule } from '../query/api.ts';
import { RULES } from '../query/queries.ts';
import { entryOf } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { bodyOfRule } from './form.ts';
import { TEXTS } from './texts.ts';

/** The rule whose card gets the focus as soon as it is shown: the one just left or restored. */
export const wantedRule = signal<number | undefined>(undefined);

/** The service's reason in words for a toast. */
export function reasonOf(error: unknown): string {
  return asFailure(error).message;
}

export const aboutRule = ({ id }: RuleItem): string => `rule ${id}`;

interface Pressed {
  readonly rule: RuleItem;
  /** Reads the rules again. */
  readonly renew: () => void;
  /** The last input was a key or a remote control. */
  readonly byKeys: boolean;
}

/** Switches a rule on or off. False when that failed; the reason is shown. */
export async function switchRule({ rule, renew, byKeys }: Pressed, enabled: boolean): Promise<boolean> {
  try {
    // It may have been edited since it was drawn, here before an undo or on another screen: only the switch is changed.
    await replaceRule(rule.id, { ...bodyOfRule(await getRule(rule.id)), enabled });
  } catch (error) {
    showToast(TEXTS.notSwitched(reasonOf(error)));
    renew();
    return false;
  }
  renew();
  const booked = rule.booked ?? 0;
  if (!enabled) {
    const gone = booked === 0 ? '' : TEXTS.bookingsGo(booked);
    const run = (): void => void switchRule({ rule: { ...rule, enabled: false }, renew, byKeys }, true);
    showToast(TEXTS.switchedOff(rule.name, gone), { label: TEXTS.undo, run }, aboutRule(rule));
  } else showToast(TEXTS.switchedOn(rule.name), undefined, aboutRule(rule));
  return true;
}

/** Deletes a rule; the toast restores the same rule. False when that failed; the reason is shown. */
export async function removeRule({ rule, renew, byKeys }: Pressed): Promise<boolean> {
  try {
    await deleteRule(rule.id);
  } catch (error) {
    showToast(TEXTS.notRemoved(reasonOf(error)));
    return false;
  }
  const held = entryOf(RULES);
  held.put((held.answer.peek().value ?? []).filter(({ id }) => id !== rule.id));
  renew();
  const run = (): void => void bringBack({ rule, renew, byKeys });
  showToast(TEXTS.removed(rule.name), { label: TEXTS.undo, focus: byKeys, run }, aboutRule(rule));
  return true;
}

async function bringBack({ rule, renew }: Pressed): Promise<void> {
  try {
    const back = await createRule(bodyOfRule(rule));
    wantedRule.value = back.id;
    showToast(TEXTS.broughtBack(rule.name));
  } catch (error) {
    showToast(TEXTS.notBroughtBack(reasonOf(error)), {
      label: TEXTS.again,
      run: () => void bringBack({ rule, renew, byKeys: false }),
    });
  }
  renew();
}
