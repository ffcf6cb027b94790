/** Calls of a component one after the other. */
import { useRef } from 'preact/hooks';

/** @returns begins a call when the one before has ended, however it ended */
export function useInOrder(): (call: () => Promise<void>) => void {
  const last = useRef(Promise.resolve());
  return (call) => {
    last.current = last.current.then(call, call);
  };
}
