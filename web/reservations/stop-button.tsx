/** Stopping a recording cannot be taken back, so it asks, in its own place. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ReservationId } from '../../wire/ids.ts';
import { onBack } from '../navigation/back.ts';
import { Icon } from '../ui/icon.tsx';
import { cancel, isBusy } from './actions.ts';

interface StopProps {
  readonly id: ReservationId;
  readonly title: string;
  /** The one that most came for. */
  readonly main?: boolean;
}

export function StopButton({ id, title, main = false }: StopProps) {
  const [asking, setAsking] = useState(false);
  const answers = useRef<HTMLDivElement>(null);
  const asker = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!asking) return undefined;
    // Going on is what a press too many may do.
    answers.current?.querySelector<HTMLElement>('.stop-not')?.focus();
    const forget = onBack(() => {
      setAsking(false);
      return true;
    });
    return () => {
      forget();
      setTimeout(() => asker.current?.focus({ preventScroll: true }), 0);
    };
  }, [asking]);
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
        録画を停止
      </button>
    );
  }
  return (
    <div ref={answers} class="stop-question">
      <p>ここで録画を終えますか？ ここまでの録画は残ります。</p>
      <button type="button" class="button stop-not" onClick={() => setAsking(false)}>
        録画を続ける
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
        停止する
      </button>
    </div>
  );
}
