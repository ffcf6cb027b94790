/** The first run: tuners, card, channel scan, guide; each step with its state and a retry button. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import { type ApiFailure, abortScan, asFailure, startScan } from '../query/api.ts';
import { isUsable } from '../query/first-scan.ts';
import { CARD, CHANNELS, DEVICES, GUIDE_STATUS, SCAN, TUNERS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { ProgressBar } from '../ui/progress.tsx';
import { CheckAgain } from '../words/check-again.tsx';
import { Refusal } from '../words/field-failure.tsx';
import { type SetupFacts, type Step, type StepState, setupSteps } from './steps.ts';
import { TEXTS } from './texts.ts';

/** A device that is plugged in, a card that is inserted, and the course of a scan show without a press. */
const POLL_MS = 3_000;

/** All at once, also when the agent starts: steps that grow one after the other move what a finger is aiming at. */
function useFacts() {
  const tuners = useQuery({ ...TUNERS, poll: POLL_MS });
  // Before the agent is installed every answer about its devices would be the same failure.
  const isAway = tuners.value === undefined && tuners.failure !== undefined;
  const devices = useQuery(isAway ? undefined : { ...DEVICES, poll: POLL_MS });
  const card = useQuery(isAway ? undefined : { ...CARD, poll: POLL_MS });
  const channels = useQuery(isAway ? undefined : CHANNELS);
  const scan = useQuery({ ...SCAN, poll: POLL_MS });
  const guide = useQuery({ ...GUIDE_STATUS, poll: POLL_MS });
  const all = [tuners, devices, card, channels, scan, guide];
  const asked = isAway ? [tuners, scan, guide] : all;
  const facts = useRef<SetupFacts | undefined>(undefined);
  // From before the agent was started: read again now.
  const isOld = (failure: ApiFailure): boolean =>
    failure.code === 'agent_unavailable' && !isAway && facts.current !== undefined;
  if (
    asked.every(({ value, failure }) => value !== undefined || (failure !== undefined && !isOld(failure)))
  ) {
    facts.current = {
      tuners: tuners.value,
      devices: devices.value?.devices,
      card: card.value,
      channels: channels.value,
      scan: scan.value,
      guide: guide.value,
      failure: tuners.value === undefined ? tuners.failure : undefined,
    };
  }
  return {
    renew: async () => void (await Promise.all(all.map((one) => one.renew()))),
    facts: facts.current,
  };
}

/** Starting a scan, and how it goes. */
function ScanActions({ step, facts, renew }: { step: Step; facts: SetupFacts; renew: () => Promise<void> }) {
  const [refused, setRefused] = useState<string>();
  const able = BROADCAST_TYPES.filter((type) =>
    (facts.tuners ?? []).some((tuner) => isUsable(tuner) && tuner.types.includes(type)),
  );
  const run = async (act: () => Promise<void>): Promise<void> => {
    setRefused(undefined);
    try {
      await act();
    } catch (error) {
      setRefused(asFailure(error).message);
    } finally {
      void renew();
    }
  };
  const { scan } = facts;
  const running = scan?.state === 'running';
  return (
    <>
      {running ? (
        <ProgressBar
          part={scan.total === 0 ? 0 : scan.done / scan.total}
          label={TEXTS.progress(scan.done, scan.total)}
        />
      ) : null}
      <div class="flex wrap gap-75">
        {running ? (
          <button type="button" class="button" onClick={() => void run(abortScan)}>
            {TEXTS.stop}
          </button>
        ) : able.length === 0 ? null : (
          <button
            type="button"
            class={step.state === 'done' ? 'button' : 'button button-main'}
            onClick={() => void run(() => startScan({ types: [...able] }))}
          >
            {step.state === 'now' ? TEXTS.start : TEXTS.again}
          </button>
        )}
      </div>
      <Refusal text={refused} />
    </>
  );
}

function Actions({ step, facts, renew }: { step: Step; facts: SetupFacts; renew: () => Promise<void> }) {
  switch (step.key) {
    case 'tuners':
    case 'card':
      return ['now', 'later', 'problem'].includes(step.state) ? <CheckAgain onCheck={renew} /> : null;
    case 'scan':
      return step.state === 'waiting' ? null : <ScanActions step={step} facts={facts} renew={renew} />;
    case 'guide':
      return null;
  }
}

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

function StepItem({ step, number, children }: StepItemProps) {
  const { key, title, state, text, lines } = step;
  return (
    <li class="setup-step block stack gap-100" data-state={state} aria-labelledby={`setup-${key}`}>
      <span
        class="sign numbers"
        data-tone={state === 'done' ? 'good' : state === 'problem' ? 'bad' : undefined}
        aria-hidden="true"
      >
        {state === 'done' ? <Icon name="check" /> : state === 'problem' ? <Icon name="alert" /> : number}
      </span>
      <div class="items-left stack min-0 gap-50">
        <h2 class="flex wrap align-baseline gap-50 text-l" id={`setup-${key}`}>
          {title}
          <small class="note semibold">{STATES[state]}</small>
        </h2>
        <p role={state === 'problem' ? 'alert' : undefined}>{text}</p>
        {lines.map((line) => (
          <p key={line} class="note">
            {line}
          </p>
        ))}
        {children}
      </div>
    </li>
  );
}

function Steps({
  steps,
  facts,
  renew,
}: {
  steps: readonly Step[];
  facts: SetupFacts;
  renew: () => Promise<void>;
}) {
  const open = steps.filter(({ state }) => state !== 'done');
  // Stations whose guide has arrived can be watched while it is collected for the others.
  const isReady = open.every(({ key, state }) => key === 'guide' && state === 'running');
  return (
    <>
      <p>{open.length === 0 ? TEXTS.allDone : TEXTS.note}</p>
      <ol class="stack no-margin no-padding gap-75 unlisted">
        {steps.map((step, index) => (
          <StepItem key={step.key} step={step} number={index + 1}>
            <Actions step={step} facts={facts} renew={renew} />
          </StepItem>
        ))}
      </ol>
      <nav class="flex wrap gap-75" aria-label={TEXTS.next}>
        <a class={isReady ? 'button button-main' : 'button'} href="./">
          {TEXTS.toTelevision}
        </a>
        <a class="button" href="tuners">
          {TEXTS.toTuners}
        </a>
      </nav>
    </>
  );
}

export function SetupScreen() {
  const { facts, renew } = useFacts();
  return (
    <div class="stack gap-100 max-60">
      <header class="screen-head">
        <h1 class="screen-title">{TEXTS.setup}</h1>
      </header>
      {facts !== undefined ? (
        <Steps steps={setupSteps(facts)} facts={facts} renew={renew} />
      ) : (
        <div class="stack no-margin no-padding gap-75 unlisted" role="status">
          <span class="hidden-text">{TEXTS.loading}</span>
          <span class="skeleton block-skeleton" />
          <span class="skeleton block-skeleton" />
        </div>
      )}
    </div>
  );
}
