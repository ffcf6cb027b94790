/** Scenarios by name or from a file. */
import { readFileSync } from 'node:fs';
import type { BroadcastType } from '../../lib/arib/ids.ts';
import { DEFAULT } from './default.ts';
import { ScenarioError } from './fields.ts';
import { parseScenario } from './file.ts';
import { MINI } from './mini.ts';
import type { ChannelPlan, Scenario } from './model.ts';
import { WIDE } from './wide.ts';

/** The built-in scenarios, by name. */
export const BUILT_IN: readonly Scenario[] = [DEFAULT, MINI, WIDE];

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const names = BUILT_IN.map(({ name }) => name).join(', ');
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ScenarioError(`シナリオ ${path} を読めません (${reason})。名前なら ${names} があります`);
  }
}

/** One of the built-in scenarios, or a JSON file. @throws ScenarioError */
export function loadScenario(name: string): Scenario {
  const found = BUILT_IN.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  return parseText(name, readFile(name));
}

/** @param name for messages @throws ScenarioError */
export function parseText(name: string, text: string): Scenario {
  try {
    return parseScenario(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new ScenarioError(`${name}: JSON ではありません (${error.message})`);
    if (error instanceof ScenarioError) throw new ScenarioError(`${name}: ${error.message}`);
    throw error;
  }
}

/** @throws ScenarioError if the scenario has no such channel */
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
