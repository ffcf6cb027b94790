/**
 * The inside of a control whose name says more than its face, such as a card: screen readers read the name, eyes see
 * the face. An `aria-label` instead would hide visible text from those who speak to their device (WCAG 2.5.3).
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
