/** A sentence of the agent's contract with the way to see whether it holds. */
import type { Subject } from './subject.ts';

/** An agent that a rule starts for itself, with files and environment of its own. */
export interface LaunchedAgent {
  readonly url: string;
  /** Where its `tuners.json` and `channels.json` are. */
  readonly folder: string;
  readonly pid: number;
  log(): string;
}

export interface Surroundings {
  /** Present when the suite starts the agent under test itself. Ended with the rule. */
  readonly launch: ((options: LaunchOptions) => Promise<LaunchedAgent>) | undefined;
  /** Processes of the agent can be seen and signalled from here. */
  readonly isLocal: boolean;
}

export interface LaunchOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Files in its folder before it starts, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Rule {
  /** The sentence, with its number where it has one. */
  readonly sentence: string;
  /** What it cannot be checked without; otherwise it is skipped and said to be. */
  readonly needs?: 'launch' | 'local';
  /** Only with --long: a wait that the contract fixes is longer than a suite may take. */
  readonly long?: boolean;
  /** About how long it takes, in s: long ones are begun first. */
  readonly seconds?: number;
  check(subject: Subject, surroundings: Surroundings): Promise<void>;
}
