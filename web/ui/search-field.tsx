/** A search field with its icon. The screen handles its keys. */
import type { ComponentChildren, RefObject } from 'preact';
import { Icon } from './icon.tsx';

interface SearchFieldProps {
  /** For screen readers, and in the empty field where there is no `hint`. */
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly field?: RefObject<HTMLInputElement | null> | null;
  /** Where arrow keys begin on this screen. */
  readonly initial?: boolean;
  /** Beside `search-field`. */
  readonly kind?: string;
  readonly onInput: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Behind the words. */
  readonly children?: ComponentChildren;
}

export function SearchField({
  label,
  hint = label,
  value,
  field = null,
  initial,
  kind,
  ...rest
}: SearchFieldProps) {
  const { onInput, onKeyDown, children } = rest;
  return (
    <label
      class={
        kind === undefined
          ? 'search-field hstack grow min-0 relative muted pill surface shadow-1 gap-75'
          : `search-field hstack grow min-0 relative muted pill surface shadow-1 gap-75 ${kind}`
      }
    >
      <Icon name="search" />
      <span class="hidden-text">{label}</span>
      <input
        ref={field}
        type="search"
        enterkeyhint="search"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={hint}
        value={value}
        data-nav-initial={initial ? '' : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {children}
    </label>
  );
}
