/** A list of what may be used without a login, each of which can be revoked after a confirmation. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { asFailure } from '../query/api.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Refusal } from '../words/field-failure.tsx';
import { TEXTS } from './texts.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Does something and reads the list again. `refused`: why the last attempt failed. */
export function useAttempts(renew: () => Promise<unknown>) {
  const [refused, setRefused] = useState<string>();
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setRefused(undefined);
    try {
      await act();
      await renew();
    } catch (error) {
      setRefused(asFailure(error).message);
    }
  };
  return { refused, attempt };
}

interface AccessListProps<T extends Named> {
  readonly items: readonly T[];
  readonly factsOf: (item: T) => string;
  /** On the button and as the title of the question, with the note on what revoking means. */
  readonly words: { readonly button: string; readonly title: string; readonly note: string };
  readonly refused: string | undefined;
  readonly onRevoke: (item: T) => Promise<void>;
  /** Below the list. */
  readonly children: ComponentChildren;
}

export function AccessList<T extends Named>(props: AccessListProps<T>) {
  const { items, factsOf, words, refused, onRevoke, children } = props;
  const [asked, setAsked] = useState<T>();
  return (
    <>
      <ul class="below-75 above-75 stack">
        {items.map((item) => (
          <li key={item.id} class="access-row line-above line">
            <b>
              <bdi>{item.name}</bdi>
            </b>
            <span class="basis-16 note">{factsOf(item)}</span>
            <button type="button" class="button button-small" onClick={() => setAsked(item)}>
              <span class="hidden-text">{TEXTS.of(item.name)}</span>
              {words.button}
            </button>
          </li>
        ))}
      </ul>
      {children}
      <Refusal text={refused} />
      {asked === undefined ? null : (
        <Confirm
          title={words.title}
          action={TEXTS.revokeNow}
          onConfirm={() => void onRevoke(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p class="bold text-l">
            「<bdi>{asked.name}</bdi>」
          </p>
          <p>{words.note}</p>
        </Confirm>
      )}
    </>
  );
}
