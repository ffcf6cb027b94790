/** A statement of the agent's contract with its check. */
import type { Subject } from './subject.ts';

/** An agent that a rule starts for itself, with its own files and environment. */
export interface LaunchedAgent {
  readonly url: string;
  /** Folder of its `tuners.json` and `channels.json`. */
  readonly folder: string;
  readonly pid: number;
  log(): string;
}

export interface Surroundings {
  /** Present if the suite starts the agent under test itself. Ended with the rule. */
  readonly launch: ((options: LaunchOptions) => Promise<LaunchedAgent>) | undefined;
  /** The longest time that a rule may observe on this machine, for a limit in ms that holds on a quiet one. */
  readonly atMost: (limitMs: number) => number;
  /** Processes of the agent can be inspected and signalled from here. */
  readonly isLocal: boolean;
}

export interface LaunchOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Files in its folder before it starts, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Rule {
  /** The statement of the contract, with its number if it has one. */
  readonly sentence: string;
  /** Prerequisites; without them it is skipped, and reported as skipped. */
  readonly needs?: 'launch' | 'local';
  /** Only with --long: the contract prescribes a wait that is too long for a normal run. */
  readonly long?: boolean;
  /** Approximate duration, s: long ones are started first. */
  readonly seconds?: number;
  check(subject: Subject, surroundings: Surroundings): Promise<void>;
}
