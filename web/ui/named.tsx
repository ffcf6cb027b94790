/**
 * The content of a control whose accessible name is longer than its visible text, such as a card. An `aria-label`
 * instead would hide visible text from users of speech input (WCAG 2.5.3).
 */
import type { ComponentChildren } from 'preact';

export function Named({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <span class="hidden-text">{name}</span>
      <span class="named-face" aria-hidden="true">
        {children}
      </span>
    </>
  );
}
