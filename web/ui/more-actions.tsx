/** Actions that few come for, behind one button beside the others. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { TEXTS } from './texts.ts';

interface MoreProps {
  /** Something in it is under way, or went wrong: it opens without a press. */
  readonly wanted?: boolean;
  readonly children: ComponentChildren;
}

export function MoreActions({ wanted = false, children }: MoreProps) {
  const isOpen = useSignal(false);
  useEffect(() => {
    if (wanted) isOpen.value = true;
  }, [wanted]);
  return (
    <>
      <button
        type="button"
        class="button more-toggle"
        aria-expanded={isOpen.value}
        aria-label={TEXTS.more}
        title={TEXTS.more}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="more" />
        <span>{TEXTS.more}</span>
      </button>
      {isOpen.value ? (
        <div class="all-columns flex wrap round-m ground-deep gap-50 whole-line pad-1">{children}</div>
      ) : null}
    </>
  );
}
