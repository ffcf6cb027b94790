/** Fields of a form in a sheet. */

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string | undefined;
  readonly kind?: 'text' | 'url' | 'numeric' | 'password';
  readonly failed?: boolean;
  readonly onInput: (value: string) => void;
}

export function TextField({ label, value, placeholder, kind = 'text', failed = false, onInput }: FieldProps) {
  const shared = {
    ...{ class: 'rule-input', value, placeholder, spellcheck: false, 'aria-invalid': failed },
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onInput(currentTarget.value),
  };
  const name = <span class="rule-label">{label}</span>;
  if (kind === 'password')
    return (
      <label class="rule-field">
        {name}
        <input {...shared} type="password" autocomplete="new-password" />
      </label>
    );
  return (
    <label class="rule-field">
      {name}
      <input {...shared} type="text" inputMode={kind} autocomplete="off" />
    </label>
  );
}

export function Switch({ label, on, onPress }: { label: string; on: boolean; onPress: () => void }) {
  return (
    <div class="field stack align-center">
      <span class="field-words">{label}</span>
      <button
        type="button"
        role="switch"
        class="switch-button"
        aria-checked={on}
        aria-label={label}
        onClick={onPress}
      >
        <span class="switch" aria-hidden="true" />
      </button>
    </div>
  );
}
