/** One of a few choices, side by side: radio buttons that look like tabs. */

export interface Option {
  readonly value: string;
  readonly label: string;
}

export function Segments({
  label,
  options,
  value,
  onChoose,
}: {
  label: string;
  options: readonly Option[];
  value: string;
  onChoose: (value: string) => void;
}) {
  return (
    <div class="tabs" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
        <button
          key={option.value}
          type="button"
          role="radio"
          class="tab"
          aria-checked={option.value === value}
          onClick={() => onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
