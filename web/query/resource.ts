/**
 * Something of the service that a screen shows for as long as it is open: read at once, on every event that concerns
 * it, and from time to time where changes have no event. What was read stays when a later read fails.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, networkFailure } from './api.ts';
import { listenFor, type Watched } from './events.ts';

export interface Resource<T> {
  readonly value: T | undefined;
  readonly failure: ApiFailure | undefined;
  /** Reads again, after a change that was made here or a failure. */
  readonly renew: () => void;
}

interface Options {
  readonly events: readonly Watched[];
  /** Milliseconds; 0 for never. Nothing is read while the page is hidden. */
  readonly poll: number;
}

export function useResource<T>(
  read: (signal: AbortSignal) => Promise<T>,
  { events, poll }: Options,
): Resource<T> {
  const [state, setState] = useState<Omit<Resource<T>, 'renew'>>({ value: undefined, failure: undefined });
  const renew = useRef<() => void>(() => undefined);
  useEffect(() => {
    const abort = new AbortController();
    let reading = false;
    let again = false;
    const load = async (): Promise<void> => {
      again = reading;
      if (reading) return;
      reading = true;
      try {
        const value = await read(abort.signal);
        if (!abort.signal.aborted) setState({ value, failure: undefined });
      } catch (error) {
        if (abort.signal.aborted) return;
        const failure = error instanceof ApiFailure ? error : networkFailure(error);
        setState((before) => ({ value: before.value, failure }));
      } finally {
        reading = false;
      }
      if (again && !abort.signal.aborted) void load();
    };
    renew.current = () => void load();
    void load();
    const stop = listenFor(events, () => void load());
    return () => {
      abort.abort();
      stop();
    };
  }, []);
  useEffect(() => {
    if (poll === 0) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') renew.current();
    }, poll);
    return () => clearInterval(timer);
  }, [poll]);
  return { ...state, renew: () => renew.current() };
}
