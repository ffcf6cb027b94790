/** One setting: changed with one press, saved at once, with the result shown beside it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, type KnownSettings, networkFailure } from '../query/api.ts';
import { saveSetting } from '../query/settings.ts';
import { Icon } from '../ui/icon.tsx';
import { Segments } from '../ui/segments.tsx';
import type { ChoiceRow, DeviceRow, NumberRow, Row, SwitchRow } from './table.ts';
import { TEXTS } from './texts.ts';

type Saving =
  | { readonly kind: 'rest' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'saved' }
  | { readonly kind: 'failed'; readonly message: string };

const AT_REST: Saving = { kind: 'rest' };
const SAVED_MS = 2_500;

/** While it is on its way the new value is shown; a refusal brings the old one back. */
function useSaving<T>(held: T, save: (value: T) => Promise<void>) {
  const [wish, setWish] = useState<{ readonly value: T }>();
  const [saving, setSaving] = useState<Saving>(AT_REST);
  const turn = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = async (value: T): Promise<void> => {
    turn.current += 1;
    const mine = turn.current;
    clearTimeout(timer.current);
    setWish({ value });
    setSaving({ kind: 'saving' });
    let outcome: Saving = { kind: 'saved' };
    try {
      await save(value);
    } catch (error) {
      const failure = error instanceof ApiFailure ? error : networkFailure(error);
      outcome = { kind: 'failed', message: failure.message };
    }
    if (mine !== turn.current) return;
    setWish(undefined);
    setSaving(outcome);
    if (outcome.kind === 'saved') timer.current = setTimeout(() => setSaving(AT_REST), SAVED_MS);
  };
  return { value: wish === undefined ? held : wish.value, saving, change };
}

function SavingWords({ saving }: { saving: Saving }) {
  if (saving.kind === 'failed') {
    return (
      <p class="field-failed" role="alert">
        {saving.message} {TEXTS.takenBack}
      </p>
    );
  }
  return (
    <span class="field-saving" role="status" data-kind={saving.kind}>
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
  readonly row: Row;
  readonly saving: Saving;
  /** The value is not known yet. */
  readonly isWaiting?: boolean;
  readonly onReset: (() => void) | undefined;
  readonly children: preact.ComponentChildren;
}

function Shown({ row, saving, isWaiting = false, onReset, children }: ShownProps) {
  return (
    <div class="field" data-setting={row.key} data-nav-whole="">
      <div class="field-words">
        <h3>{row.label}</h3>
        <p>{row.help}</p>
      </div>
      <div class="field-control" inert={isWaiting}>
        {children}
        {onReset === undefined ? null : (
          <button
            type="button"
            class="round"
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
export function WaitingField({ row }: { row: Row }) {
  return (
    <Shown row={row} saving={AT_REST} isWaiting onReset={undefined}>
      {row.kind === 'switch' ? (
        <span class="switch-button">
          <span class="switch" />
        </span>
      ) : (
        <Segments
          label={row.label}
          options={row.options.map(({ value, label }) => ({ value: String(value), label }))}
          value=""
          onChoose={() => undefined}
        />
      )}
    </Shown>
  );
}

interface HouseholdProps<R> {
  readonly row: R;
  readonly settings: KnownSettings;
  readonly defaults: KnownSettings | undefined;
}

export function SwitchField({ row, settings, defaults }: HouseholdProps<SwitchRow>) {
  const { value, saving, change } = useSaving(settings[row.key] === true, (next) =>
    saveSetting({ [row.key]: next }),
  );
  const standard = defaults?.[row.key];
  return (
    <Shown
      row={row}
      saving={saving}
      onReset={standard === undefined || standard === value ? undefined : () => void change(standard)}
    >
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
    </Shown>
  );
}

export function ChoiceField({ row, settings, defaults }: HouseholdProps<ChoiceRow>) {
  const { value, saving, change } = useSaving(String(settings[row.key] ?? ''), (next) =>
    saveSetting({ [row.key]: next }),
  );
  const standard = defaults?.[row.key];
  return (
    <Shown
      row={row}
      saving={saving}
      onReset={standard === undefined || standard === value ? undefined : () => void change(standard)}
    >
      <Segments
        label={row.label}
        options={row.options}
        value={value}
        onChoose={(next) => void change(next)}
      />
    </Shown>
  );
}

const secondsText = (ms: number): string => TEXTS.seconds(ms / 1000);

/** One of a few numbers; a value in force that is none of them stands among them. */
export function NumberField({ row, settings, defaults }: HouseholdProps<NumberRow>) {
  const { value, saving, change } = useSaving(settings[row.key] ?? 0, (next) =>
    saveSetting({ [row.key]: next }),
  );
  const standard = defaults?.[row.key];
  const known = row.options.some((option) => option.value === value);
  const options = known ? row.options : [...row.options, { value, label: secondsText(value) }];
  return (
    <Shown
      row={row}
      saving={saving}
      onReset={standard === undefined || standard === value ? undefined : () => void change(standard)}
    >
      <Segments
        label={row.label}
        options={options.map((option) => ({ value: String(option.value), label: option.label }))}
        value={String(value)}
        onChoose={(next) => void change(Number(next))}
      />
    </Shown>
  );
}

export function DeviceField({ row }: { row: DeviceRow }) {
  const { value, saving, change } = useSaving(row.read(), async (next) => row.write(next));
  return (
    <Shown
      row={row}
      saving={saving}
      onReset={value === row.standard ? undefined : () => void change(row.standard)}
    >
      <Segments
        label={row.label}
        options={row.options}
        value={value}
        onChoose={(next) => void change(next)}
      />
    </Shown>
  );
}
