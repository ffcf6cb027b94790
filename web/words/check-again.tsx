/** A button that reads a state again, and says when it was read: often nothing else changes on the screen. */
import { useState } from 'preact/hooks';
import { currentMs } from '../device/clock.ts';
import { TEXTS } from './texts.ts';
import { secondsText } from './time.ts';

interface CheckAgainProps {
  readonly isSmall?: boolean;
  readonly onCheck: () => Promise<unknown>;
}

export function CheckAgain({ isSmall = false, onCheck }: CheckAgainProps) {
  const [state, setState] = useState('');
  const check = async (): Promise<void> => {
    if (state === TEXTS.checking) return;
    setState(TEXTS.checking);
    await onCheck();
    setState(TEXTS.checkedAt(secondsText(currentMs())));
  };
  return (
    <span class="inline-row wrap gap-text">
      <button
        type="button"
        class={isSmall ? 'button button-small' : 'button'}
        aria-busy={state === TEXTS.checking}
        onClick={() => void check()}
      >
        {TEXTS.checkAgain}
      </button>
      <small class="numbers note" role="status">
        {state}
      </small>
    </span>
  );
}
