/** A confirmation in the place of its button, for actions that cannot be undone. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { onBack } from '../navigation/back.ts';

/** The safe answer has the focus, and Back dismisses the confirmation; afterwards the focus returns to the button. */
export function useAskInPlace() {
  const [asking, setAsking] = useState(false);
  const not = useRef<HTMLButtonElement>(null);
  const asker = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!asking) return undefined;
    // An accidental second press must choose the safe answer.
    not.current?.focus();
    const forget = onBack(() => {
      setAsking(false);
      return true;
    });
    return () => {
      forget();
      setTimeout(() => asker.current?.focus({ preventScroll: true }), 0);
    };
  }, [asking]);
  return { asking, setAsking, not, asker };
}
