/** One step of the first run: its number or mark, its text, and its actions. */
import type { ComponentChildren } from 'preact';
import { Icon } from '../ui/icon.tsx';
import type { Step, StepState } from './steps.ts';
import { TEXTS } from './texts.ts';

const STATES: Readonly<Record<StepState, string>> = {
  done: TEXTS.done,
  now: TEXTS.now,
  later: TEXTS.later,
  running: TEXTS.running,
  problem: TEXTS.problem,
  waiting: TEXTS.waiting,
};

interface StepItemProps {
  readonly step: Step;
  readonly number: number;
  /** The actions. */
  readonly children?: ComponentChildren;
}

export function StepItem({ step, number, children }: StepItemProps) {
  const { key, title, state, text, lines } = step;
  return (
    <li class="setup-step block stack gap-100" data-state={state} aria-labelledby={`setup-${key}`}>
      <span class="setup-mark numbers place-center extrabold muted circle track-color" aria-hidden="true">
        {state === 'done' ? <Icon name="check" /> : state === 'problem' ? <Icon name="alert" /> : number}
      </span>
      <div class="setup-words stack min-0 gap-50">
        <h2 class="flex wrap align-baseline" id={`setup-${key}`}>
          {title}
          <small>{STATES[state]}</small>
        </h2>
        <p role={state === 'problem' ? 'alert' : undefined}>{text}</p>
        {lines.map((line) => (
          <p key={line} class="block-note">
            {line}
          </p>
        ))}
        {children}
      </div>
    </li>
  );
}
