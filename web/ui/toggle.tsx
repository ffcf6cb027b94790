/** A chip that is on or off, and the list that it changes. */
import type { ComponentChildren } from 'preact';

interface ToggleProps {
  readonly on: boolean;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
  readonly label?: string;
}

/** One of several that may all be on. */
export function Toggle({ on, onPress, children, label }: ToggleProps) {
  return (
    <button
      type="button"
      class="chip toggle button button-small"
      aria-pressed={on}
      aria-label={label}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** With the value, or without it when it was there. */
export function toggled<T>(values: readonly T[], value: T): T[] {
  return values.includes(value) ? values.filter((other) => other !== value) : [...values, value];
}
