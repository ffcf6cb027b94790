/** A line of settings that is switched on and off as a whole. */
import type { Signal } from '@preact/signals';

export function SwitchButton({ label, value }: { readonly label: string; readonly value: Signal<boolean> }) {
  return (
    <button
      type="button"
      role="switch"
      class="line text-left full-width justify-between"
      aria-checked={value.value}
      onClick={() => {
        value.value = !value.value;
      }}
    >
      <span class="bold">{label}</span>
      <span class="switch" aria-hidden="true" />
    </button>
  );
}
