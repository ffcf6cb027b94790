/** One setting: changed with one press, saved at once, with the result shown beside it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type KnownSettings } from '../query/api.ts';
import { saveSetting } from '../query/settings.ts';
import { Icon } from '../ui/icon.tsx';
import { Segments } from '../ui/segments.tsx';
import type {
  ChoiceRow,
  Described,
  DeviceRow,
  DigitsRow,
  ListRow,
  NumberRow,
  SettingRow,
  SwitchRow,
} from './table.ts';
import { TEXTS } from './texts.ts';

type Saving =
  | { readonly kind: 'rest' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'saved' }
  /** `isTyped`: it was not sent. */
  | { readonly kind: 'failed'; readonly message: string; readonly isTyped?: boolean };

const AT_REST: Saving = { kind: 'rest' };
const SAVED_MS = 2_500;

/**
 * While it is on its way the new value is shown; a refusal brings the old one back.
 * @param standard the default; undefined: unknown
 * @returns `shown`: what is to be said beside the value
 */
function useSaving<T>(held: T, standard: T | undefined, save: (value: T) => Promise<void>) {
  const [pending, setPending] = useState<{ readonly value: T }>();
  const [saving, setSaving] = useState<Saving>(AT_REST);
  const turn = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = async (value: T): Promise<void> => {
    turn.current += 1;
    const mine = turn.current;
    clearTimeout(timer.current);
    setPending({ value });
    setSaving({ kind: 'saving' });
    let outcome: Saving = { kind: 'saved' };
    try {
      await save(value);
    } catch (error) {
      outcome = { kind: 'failed', message: asFailure(error).message };
    }
    if (mine !== turn.current) return;
    setPending(undefined);
    setSaving(outcome);
    if (outcome.kind === 'saved') timer.current = setTimeout(() => setSaving(AT_REST), SAVED_MS);
  };
  const value = pending === undefined ? held : pending.value;
  const onReset = standard === undefined || standard === value ? undefined : () => void change(standard);
  return { value, change, shown: { saving, onReset } };
}

function SavingWords({ saving }: { saving: Saving }) {
  if (saving.kind === 'failed') {
    return (
      <p class="alert" role="alert">
        {saving.message} {saving.isTyped === true ? null : TEXTS.takenBack}
      </p>
    );
  }
  return (
    <span
      class="field-saving all-columns hstack justify-end note bold gap-40"
      role="status"
      data-kind={saving.kind}
    >
      {saving.kind === 'saving' ? TEXTS.saving : null}
      {saving.kind === 'saved' ? (
        <>
          <Icon name="check" />
          {TEXTS.saved}
        </>
      ) : null}
    </span>
  );
}

interface ShownProps {
  readonly row: SettingRow;
  readonly saving: Saving;
  /** The value is not known yet. */
  readonly isWaiting?: boolean;
  readonly onReset: (() => void) | undefined;
  readonly children: preact.ComponentChildren;
}

/** The name and its phrase; a press on them shows more, where there is more. */
export function FieldWords({ about: { label, note, help } }: { about: Described }) {
  const words = (
    <>
      <h3>{label}</h3>
      <p class="note">{note}</p>
    </>
  );
  if (help === undefined) return <div class="field-words">{words}</div>;
  return (
    <details class="field-words">
      <summary class="press hstack gap-75 press-height">
        <div>{words}</div>
        <Icon name="help" class="rigid muted" />
      </summary>
      <p class="note">{help}</p>
    </details>
  );
}

function ShownField({ row, saving, isWaiting = false, onReset, children }: ShownProps) {
  return (
    <div class="field stack align-center" data-setting={row.key} data-nav-whole="">
      <FieldWords about={row} />
      <div class="field-control hstack gap-40" inert={isWaiting}>
        {children}
        {onReset === undefined ? null : (
          <button
            type="button"
            class="round muted"
            aria-label={TEXTS.resetOf(row.label)}
            title={TEXTS.reset}
            onClick={onReset}
          >
            <Icon name="undo" />
          </button>
        )}
      </div>
      <SavingWords saving={saving} />
    </div>
  );
}

/** As large as the field with its value, so that nothing below moves when the value arrives. */
export function WaitingField({ row }: { row: SettingRow }) {
  return (
    <ShownField row={row} saving={AT_REST} isWaiting onReset={undefined}>
      {row.kind === 'switch' ? (
        <span class="switch-button">
          <span class="switch" />
        </span>
      ) : row.kind === 'digits' || row.kind === 'list' ? (
        <span class="rule-input" />
      ) : (
        <Segments
          label={row.label}
          options={row.options.map(({ value, label }) => ({ value: String(value), label }))}
          value=""
          onChoose={() => undefined}
        />
      )}
    </ShownField>
  );
}

interface HouseholdProps<R> {
  readonly row: R;
  readonly settings: KnownSettings;
  readonly defaults: KnownSettings | undefined;
}

export function SwitchField({ row, settings, defaults }: HouseholdProps<SwitchRow>) {
  const { value, change, shown } = useSaving(settings[row.key] === true, defaults?.[row.key], (next) =>
    saveSetting({ [row.key]: next }),
  );
  return (
    <ShownField row={row} {...shown}>
      <button
        type="button"
        role="switch"
        class="switch-button"
        aria-label={row.label}
        aria-checked={value}
        onClick={() => void change(!value)}
      >
        <span class="switch" aria-hidden="true" />
      </button>
    </ShownField>
  );
}

export function ChoiceField({ row, settings, defaults }: HouseholdProps<ChoiceRow>) {
  const { value, change, shown } = useSaving(String(settings[row.key] ?? ''), defaults?.[row.key], (next) =>
    saveSetting({ [row.key]: next }),
  );
  return (
    <ShownField row={row} {...shown}>
      <Segments
        label={row.label}
        options={row.options}
        value={value}
        onChoose={(next) => void change(next)}
      />
    </ShownField>
  );
}

const fieldSeconds = (ms: number): string => TEXTS.seconds(ms / 1000);

/** One of a few numbers; a value in force that is none of them stands among them. */
export function NumberField({ row, settings, defaults }: HouseholdProps<NumberRow>) {
  const { value, change, shown } = useSaving(settings[row.key] ?? 0, defaults?.[row.key], (next) =>
    saveSetting({ [row.key]: next }),
  );
  const known = row.options.some((option) => option.value === value);
  const options = known ? row.options : [...row.options, { value, label: fieldSeconds(value) }];
  return (
    <ShownField row={row} {...shown}>
      <Segments
        label={row.label}
        options={options.map((option) => ({ value: String(option.value), label: option.label }))}
        value={String(value)}
        onChoose={(next) => void change(Number(next))}
      />
    </ShownField>
  );
}

export function ListField({ row, settings, defaults }: HouseholdProps<ListRow>) {
  const { value, change, shown } = useSaving(Number(settings[row.key] ?? 0), defaults?.[row.key], (next) =>
    saveSetting({ [row.key]: next }),
  );
  return (
    <ShownField row={row} {...shown}>
      <select
        class="rule-input"
        aria-label={row.label}
        value={value}
        onChange={({ currentTarget }) => void change(Number(currentTarget.value))}
      >
        {row.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </ShownField>
  );
}

/** As people write digits: also full width, and with hyphens. */
const digitsOf = (text: string): string => text.normalize('NFKC').replace(/\D/g, '');

/** Saved when all digits are there, or none; what is incomplete is explained when the field is left. */
export function DigitsField({ row, settings, defaults }: HouseholdProps<DigitsRow>) {
  const { value, change, shown } = useSaving(String(settings[row.key] ?? ''), defaults?.[row.key], (next) =>
    saveSetting({ [row.key]: next }),
  );
  const [typed, setTyped] = useState<string>();
  const [isIncomplete, setIncomplete] = useState(false);
  const take = (text: string): void => {
    const digits = digitsOf(text);
    const isComplete = digits.length === row.length || text === '';
    setTyped(isComplete ? undefined : text);
    setIncomplete(false);
    if (isComplete && digits !== value) void change(digits);
  };
  return (
    <ShownField
      row={row}
      {...shown}
      {...(isIncomplete && typed !== undefined
        ? { saving: { kind: 'failed', message: TEXTS.digitsMissing(row.length), isTyped: true } }
        : {})}
    >
      <input
        class="rule-input"
        type="text"
        inputMode="numeric"
        autocomplete="off"
        aria-label={row.label}
        aria-invalid={isIncomplete && typed !== undefined}
        placeholder={row.placeholder}
        value={typed ?? value}
        onInput={({ currentTarget }) => take(currentTarget.value)}
        onBlur={() => setIncomplete(typed !== undefined)}
      />
    </ShownField>
  );
}

export function DeviceField({ row }: { row: DeviceRow }) {
  const { value, change, shown } = useSaving(row.read(), row.standard, async (next) => row.write(next));
  return (
    <ShownField row={row} {...shown}>
      <Segments
        label={row.label}
        options={row.options}
        value={value}
        onChoose={(next) => void change(next)}
      />
    </ShownField>
  );
}
