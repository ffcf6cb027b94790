/** Runs all rules, in the order in which they are listed. */
import { within } from '../../lib/host/deadline.ts';
import type { MachineLateness } from '../machine-lateness.ts';
import { TEST_LIMIT_MS } from '../until.ts';
import type { Launched } from './launch.ts';
import type { LaunchOptions, Rule } from './rule.ts';
import { ENDING } from './rules-ending.ts';
import { INTERFACE } from './rules-interface.ts';
import { PROCESS } from './rules-process.ts';
import { SELECTION } from './rules-selection.ts';
import type { Subject } from './subject.ts';

export const RULES: readonly Rule[] = [...SELECTION, ...ENDING, ...INTERFACE, ...PROCESS];

export type Outcome =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'skipped'; readonly reason: string };

interface RunOptions {
  /** One agent per lane; a lane checks one rule after another. */
  readonly lanes: readonly Subject[];
  readonly launch: ((options: LaunchOptions) => Promise<Launched>) | undefined;
  readonly isLocal: boolean;
  readonly lateness: MachineLateness;
  readonly long: boolean;
  /** Only rules whose statement contains this. */
  readonly only: string;
  readonly report: (rule: Rule, outcome: Outcome, seconds: number) => void;
  /** No further rule is started once it is set. */
  readonly signal: AbortSignal;
}

/** Against hanging; several waits. */
const RULE_LIMIT_MS = TEST_LIMIT_MS / 2;

/** @returns the number of failed rules */
export async function run(options: RunOptions): Promise<number> {
  // Long rules first, so that the lanes end at about the same time.
  const waiting = RULES.filter(({ sentence }) => sentence.includes(options.only)).toSorted(
    (a, b) => (b.seconds ?? 1) - (a.seconds ?? 1),
  );
  let failed = 0;
  const lane = async (subject: Subject): Promise<void> => {
    for (let rule = waiting.shift(); rule !== undefined && !options.signal.aborted; rule = waiting.shift()) {
      const begun = performance.now();
      const outcome = await look(rule, subject, options);
      if (outcome.kind === 'failed') failed += 1;
      options.report(rule, outcome, (performance.now() - begun) / 1_000);
    }
  };
  await Promise.all(options.lanes.map(lane));
  return failed;
}

async function look(rule: Rule, subject: Subject, options: RunOptions): Promise<Outcome> {
  const { isLocal, lateness, launch } = options;
  if (rule.long === true && !options.long) return { kind: 'skipped', reason: 'takes long, see --long' };
  if (rule.needs === 'launch' && launch === undefined) {
    return { kind: 'skipped', reason: 'needs agents of its own, see --start' };
  }
  if (rule.needs === 'local' && !isLocal)
    return { kind: 'skipped', reason: 'the agent is on another machine' };
  const launched: Launched[] = [];
  const remember = async (more: LaunchOptions): Promise<Launched> => {
    if (launch === undefined) throw new Error('nothing to launch');
    const agent = await launch(more);
    launched.push(agent);
    return agent;
  };
  try {
    const check = rule.check(subject, {
      isLocal,
      atMost: (limitMs) => lateness.widened(limitMs),
      launch: launch === undefined ? undefined : remember,
    });
    await within(RULE_LIMIT_MS, check, () => {
      throw new Error(`not finished within ${RULE_LIMIT_MS} ms`);
    });
    return { kind: 'ok' };
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    subject.leaveAll();
    await Promise.all(launched.map((agent) => agent.end()));
  }
}
