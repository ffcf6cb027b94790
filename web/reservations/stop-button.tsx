/** Buttons that stop a recording. That cannot be undone, so they ask for confirmation in their own place. */
import type { ComponentChildren } from 'preact';
import type { ReservationId } from '../../lib/wire/ids.ts';
import { Icon } from '../ui/icon.tsx';
import { cancel, isBusy } from './actions.ts';
import { useAskInPlace } from './ask-in-place.ts';
import { TEXTS } from './texts.ts';

interface AskProps {
  readonly id: ReservationId;
  /** Classes of the button, and what stands on it. */
  readonly look?: string;
  readonly face: ComponentChildren;
  /** The main action of its sheet. */
  readonly main?: boolean;
  readonly question: string;
  readonly answer: string;
  readonly onStop: () => Promise<unknown>;
}

/** A button that names the loss and asks for confirmation in its own place. */
export function AskToStop({ id, look = 'button', face, main = false, question, answer, onStop }: AskProps) {
  const { asking, setAsking, not, asker } = useAskInPlace();
  if (!asking) {
    return (
      <button
        ref={asker}
        type="button"
        class={`${look} button-stop`}
        data-nav-initial={main ? '' : undefined}
        aria-disabled={isBusy(undefined, id)}
        onClick={() => setAsking(true)}
      >
        {face}
      </button>
    );
  }
  return (
    <div class="alert wrap whole-line ink">
      <p class="bold whole-line">{question}</p>
      <button ref={not} type="button" class="button" onClick={() => setAsking(false)}>
        {TEXTS.goOn}
      </button>
      <button
        type="button"
        class="button button-stop"
        aria-disabled={isBusy(undefined, id)}
        onClick={() => {
          setAsking(false);
          void onStop();
        }}
      >
        <Icon name="stop" />
        {answer}
      </button>
    </div>
  );
}

interface StopProps extends Pick<AskProps, 'id' | 'main'> {
  readonly title: string;
}

export function StopButton({ id, title, main = false }: StopProps) {
  return (
    <AskToStop
      id={id}
      face={
        <>
          <Icon name="stop" />
          {TEXTS.stopRecording}
        </>
      }
      main={main}
      question={TEXTS.stopQuestion}
      answer={TEXTS.stopIt}
      onStop={() => cancel({ id, title, state: 'recording' })}
    />
  );
}
