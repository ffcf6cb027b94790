/**
 * Layers between the picture and the controls: the veil that covers it, and messages about why there is no picture.
 * Captions are a layer of their own between the two.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { currentMs } from '../device/clock.ts';
import type { ApiFailure } from '../query/api.ts';
import { Icon } from '../ui/icon.tsx';
import { type Advice, detailsBeside } from '../words/advice.ts';
import { needsLogin } from '../words/failure-panel.tsx';
import { TEXTS as WORDS } from '../words/texts.ts';
import { TEXTS } from './texts.ts';

export function Veil({ shown }: { shown: boolean }) {
  return <div class="stage-veil inset-0 no-pointer" data-shown={shown ? '' : undefined} />;
}

/** The picture stands still or plays out of the buffer while data is on its way. */
export function BusyNote({ text }: { text: string }) {
  return (
    <div class="stage-note stage-note-small align-center text-s pill" role="status">
      <span class="spinner circle" />
      <span>{text}</span>
      <SlowNote />
    </div>
  );
}

/** A wait this long needs a word: the timeouts of a feed are longer, because a conversion may wait for the disk. */
const SLOW_MS = 8_000;

/** Beside a spinner: appears when the wait becomes long. */
export function SlowNote() {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return slow ? <span class="stage-slow text-xs text-center">{TEXTS.slow}</span> : null;
}

/** One thing that the viewer can do about a failure. */
export interface WayOut {
  readonly text: string;
  readonly act: () => void;
}

interface FailureNoteProps {
  readonly failure: ApiFailure;
  readonly advice: Advice;
  /** What helps most. */
  readonly way: WayOut;
  /** Shown below the text of the failure. */
  readonly children?: ComponentChildren;
}

type Explained = Pick<FailureNoteProps, 'failure' | 'advice'>;

/** The details that are open: they stay so when the next attempt fails in the same way. */
const openDetails = signal('');

/** The next step, and folded what the service itself says. */
export function NextStep({ failure, advice }: Explained) {
  const details = detailsBeside(advice, failure);
  return (
    <>
      {advice.next === '' ? null : <p>{advice.next}</p>}
      {details === undefined ? null : (
        <details
          class="failure-details"
          open={openDetails.value === details}
          onToggle={({ currentTarget: { open } }) => {
            openDetails.value = open ? details : '';
          }}
        >
          <summary class="press">{TEXTS.failureDetails}</summary>
          <p>{details}</p>
        </details>
      )}
    </>
  );
}

function FailureText(props: Explained) {
  return (
    <>
      <h2 class="text-xl text-white">{props.advice.title}</h2>
      <div class="stage-next text-s">
        <NextStep {...props} />
      </div>
    </>
  );
}

function Way({ text, act }: WayOut) {
  return (
    <button type="button" class="button button-main" onClick={act}>
      {text}
    </button>
  );
}

/** Whole seconds until `until`, counted while shown. */
function useCountdown(until: BroadcastMs): number {
  const left = (): number => Math.max(0, Math.ceil((until - currentMs()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    const timer = setInterval(() => setSeconds(left()), 500);
    return () => clearInterval(timer);
  }, [until]);
  return seconds;
}

/** The player retries automatically at `until`. */
export function RetryNote({
  way,
  until,
  children,
  ...explained
}: FailureNoteProps & { readonly until: BroadcastMs }) {
  const seconds = useCountdown(until);
  return (
    <div class="stage-note stage-note-wide" role="alert">
      <span class="panel-sign">
        <Icon name="retry" />
      </span>
      <FailureText {...explained} />
      {children}
      <p class="numbers" aria-hidden="true">
        {seconds > 0 ? TEXTS.retryIn(seconds) : TEXTS.connecting}
      </p>
      <div class="panel-actions">
        <Way {...way} />
      </div>
    </div>
  );
}

/** Instead of another attempt, which would be refused like this one. */
const REOPEN: WayOut = { text: WORDS.reopen, act: () => location.reload() };

/** Waits for the viewer; the button has the focus. */
export function FailureNote({ way, children, ...explained }: FailureNoteProps) {
  const actions = useRef<HTMLDivElement>(null);
  useEffect(() => actions.current?.querySelector('button')?.focus({ preventScroll: true }), []);
  return (
    <div class="stage-note stage-note-wide" role="alert">
      <span class="panel-sign panel-sign-bad">
        <Icon name="alert" />
      </span>
      <FailureText {...explained} />
      {children}
      <div class="panel-actions" ref={actions}>
        <Way {...(needsLogin(explained.failure) ? REOPEN : way)} />
      </div>
    </div>
  );
}
