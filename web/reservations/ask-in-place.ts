/** A question in the place of the button that asks it, for what cannot be taken back. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { onBack } from '../navigation/back.ts';

/**
 * While it is asked the focus is on the answer that changes nothing, and Back takes the question away; afterwards the
 * focus returns to the button.
 */
export function useAskInPlace() {
  const [asking, setAsking] = useState(false);
  const not = useRef<HTMLButtonElement>(null);
  const asker = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!asking) return undefined;
    // Going on is what a press too many may do.
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
