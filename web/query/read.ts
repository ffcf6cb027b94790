/** One thing of the service by its number, for a sheet about it. */
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure, networkFailure } from './api.ts';
import { listenFor, type Watched } from './events.ts';

export type Read<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: T }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

interface Options {
  /** Read again on these. */
  readonly events: readonly Watched[];
  /** Nothing is read, as it is known or is not told. */
  readonly skip?: boolean;
}

/** Read at once and on events, with what reads it from the beginning after a failure. */
export function useRead<T>(
  id: number,
  read: (id: number, signal: AbortSignal) => Promise<T>,
  { events, skip = false }: Options,
): readonly [Read<T>, () => void] {
  const [state, setState] = useState<Read<T>>({ kind: 'loading' });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (skip) return undefined;
    const abort = new AbortController();
    setState({ kind: 'loading' });
    const load = (): void => {
      read(id, abort.signal)
        .then((value) => setState({ kind: 'ready', value }))
        .catch((error: unknown) => {
          if (abort.signal.aborted) return;
          const failure = error instanceof ApiFailure ? error : networkFailure(error);
          // What is shown stays while the service is away; what is gone says so.
          setState((before) =>
            before.kind === 'ready' && failure.code !== 'not_found' ? before : { kind: 'failed', failure },
          );
        });
    };
    load();
    const stop = listenFor(events, load);
    return () => {
      abort.abort();
      stop();
    };
  }, [id, turn, skip]);
  return [state, () => setTurn((before) => before + 1)];
}
