/** What the rules are called, for reservations that know but their ids. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getRules } from './api.ts';
import { listenFor } from './events.ts';

const names = signal<ReadonlyMap<number, string>>(new Map());

/** Who booked it: `手動`, `ルール「音楽番組」`. */
export function originText(ruleId: number | null): string {
  if (ruleId === null) return '手動';
  const name = names.value.get(ruleId) ?? '';
  return name === '' ? 'ルール' : `ルール「${name}」`;
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
