/**
 * Layers between the picture and the controls: the veil that covers it, and messages about why there is no picture.
 * Captions are a layer of their own between the two.
 */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { currentMs } from '../device/clock.ts';
import type { ApiFailure } from '../query/api.ts';
import { Icon } from '../ui/icon.tsx';
import { type Advice, adviceFor } from '../words/advice.ts';
import { needsLogin, Reason } from '../words/failure-panel.tsx';
import { TEXTS as WORDS } from '../words/texts.ts';
import { TEXTS } from './texts.ts';

export function Veil({ shown }: { shown: boolean }) {
  return <div class="stage-veil inset-0 no-pointer" data-shown={shown ? '' : undefined} />;
}

/** The picture stands still or plays out of the buffer while data is on its way. */
export function BusyNote({ text }: { text: string }) {
  return (
    <div class="stage-note stage-note-small align-center text-s pill" role="status">
      <span class="spinner" />
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
  /** Undefined: the default text of the failure. */
  readonly advice?: Advice;
  /** The most likely one first. */
  readonly ways: readonly WayOut[];
  /** Shown below the text of the failure. */
  readonly children?: ComponentChildren;
}

function FailureText({ failure, advice }: Pick<FailureNoteProps, 'failure' | 'advice'>) {
  const { title, next } = advice ?? adviceFor(failure);
  return (
    <>
      <h2>{title}</h2>
      <Reason title={title} failure={failure} />
      <p class="stage-next text-s">{next}</p>
    </>
  );
}

function Ways({ ways }: { ways: readonly WayOut[] }) {
  return ways.map((way, index) => (
    <button
      key={way.text}
      type="button"
      class={index === 0 ? 'button button-main' : 'button'}
      onClick={way.act}
    >
      {way.text}
    </button>
  ));
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
  failure,
  advice,
  ways,
  until,
  children,
}: FailureNoteProps & { until: BroadcastMs }) {
  const seconds = useCountdown(until);
  return (
    <div class="stage-note stage-note-wide" role="alert">
      <span class="panel-sign">
        <Icon name="retry" />
      </span>
      <FailureText failure={failure} {...(advice === undefined ? {} : { advice })} />
      {children}
      <p class="numbers" aria-hidden="true">
        {seconds > 0 ? TEXTS.retryIn(seconds) : TEXTS.connecting}
      </p>
      <div class="panel-actions">
        <Ways ways={ways} />
      </div>
    </div>
  );
}

/** Instead of another attempt, which would be refused like this one. */
const REOPEN: WayOut = { text: WORDS.reopen, act: () => location.reload() };

/** Waits for the viewer's choice; the first button has the focus. */
export function FailureNote({ failure, advice, ways, children }: FailureNoteProps) {
  const actions = useRef<HTMLDivElement>(null);
  useEffect(() => actions.current?.querySelector('button')?.focus({ preventScroll: true }), []);
  return (
    <div class="stage-note stage-note-wide" role="alert">
      <span class="panel-sign panel-sign-bad">
        <Icon name="alert" />
      </span>
      <FailureText failure={failure} {...(advice === undefined ? {} : { advice })} />
      {children}
      <div class="panel-actions" ref={actions}>
        <Ways ways={needsLogin(failure) ? [REOPEN, ...ways.slice(1)] : ways} />
      </div>
    </div>
  );
}
