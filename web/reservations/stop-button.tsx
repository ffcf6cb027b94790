/** Stops a recording. It cannot be undone, so the button asks for confirmation in its own place. */
import type { ReservationId } from '../../lib/wire/ids.ts';
import { Icon } from '../ui/icon.tsx';
import { cancel, isBusy } from './actions.ts';
import { useAskInPlace } from './ask-in-place.ts';
import { TEXTS } from './texts.ts';

interface StopProps {
  readonly id: ReservationId;
  readonly title: string;
  /** The main action of its sheet. */
  readonly main?: boolean;
}

export function StopButton({ id, title, main = false }: StopProps) {
  const { asking, setAsking, not, asker } = useAskInPlace();
  if (!asking) {
    return (
      <button
        ref={asker}
        type="button"
        class="button button-stop"
        data-nav-initial={main ? '' : undefined}
        aria-disabled={isBusy(undefined, id)}
        onClick={() => setAsking(true)}
      >
        <Icon name="stop" />
        {TEXTS.stopRecording}
      </button>
    );
  }
  return (
    <div class="alert wrap whole-line ink">
      <p class="bold whole-line">{TEXTS.stopQuestion}</p>
      <button ref={not} type="button" class="button" onClick={() => setAsking(false)}>
        {TEXTS.goOn}
      </button>
      <button
        type="button"
        class="button button-stop"
        aria-disabled={isBusy(undefined, id)}
        onClick={() => {
          setAsking(false);
          void cancel({ id, title, state: 'recording' });
        }}
      >
        <Icon name="stop" />
        {TEXTS.stopIt}
      </button>
    </div>
  );
}
