/** Confirmation of an action that cannot be undone. The safe answer has the focus. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Sheet } from './sheet.tsx';
import { TEXTS } from './texts.ts';

interface ConfirmProps {
  readonly title: string;
  /** Label of the dangerous button. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Confirm({ title, action, onConfirm, onClose, children }: ConfirmProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus({ preventScroll: true }), []);
  return (
    <Sheet title={title} onClose={onClose}>
      <div class="gap-100 stack">
        {children}
        <div class="flex wrap gap-75">
          <button ref={keep} type="button" class="button" data-nav-initial="" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button
            type="button"
            class="button button-danger"
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {action}
          </button>
        </div>
      </div>
    </Sheet>
  );
}
