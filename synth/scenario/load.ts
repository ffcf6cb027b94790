/** Scenarios by name or from a file. */
import type { BroadcastType } from '../../arib/ids.ts';
import { DEFAULT } from './default.ts';
import { MINI } from './mini.ts';
import type { ChannelPlan, Scenario } from './model.ts';

/** No such scenario or channel, or a file that is none; the message is for people. */
export class ScenarioError extends Error {}

const BUILT_IN = [DEFAULT, MINI];

/** @throws ScenarioError. */
export function loadScenario(name: string): Scenario {
  const found = BUILT_IN.find((scenario) => scenario.name === name);
  if (found === undefined) throw new ScenarioError(`シナリオがありません: ${name}`);
  return found;
}

/** @throws ScenarioError when the scenario has no such channel. */
export function findChannel(
  scenario: Scenario,
  type: BroadcastType | undefined,
  channel: string,
): ChannelPlan {
  const found = scenario.channels.find(
    (plan) => plan.channel === channel && (type === undefined || plan.type === type),
  );
  if (found === undefined) {
    const known = scenario.channels.map((plan) => `${plan.type} ${plan.channel}`).join(', ');
    throw new ScenarioError(
      `チャンネル ${type ?? ''} ${channel} は ${scenario.name} にありません (あるもの: ${known})`,
    );
  }
  return found;
}
