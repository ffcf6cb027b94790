/** What the rules are called, for reservations that know but their ids. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getRules } from '../api.ts';
import { listenFor } from '../events.ts';

const names = signal<ReadonlyMap<number, string>>(new Map());

export function ruleName(id: number): string {
  const name = names.value.get(id) ?? '';
  return name === '' ? 'ルール' : name;
}

export function useRuleNames(): void {
  useEffect(() => {
    const abort = new AbortController();
    const read = (): void => {
      getRules(abort.signal)
        .then((rules) => {
          names.value = new Map(rules.map(({ id, name }) => [id, name]));
        })
        // Without it reservations are told of a rule without a name.
        .catch(() => undefined);
    };
    read();
    const stop = listenFor(['rules'], read);
    return () => {
      abort.abort();
      stop();
    };
  }, []);
}
