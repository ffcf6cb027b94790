/** Naming, ordering and disabling tuners: all of them are sent at once, as the agent stores them. */
import { useState } from 'preact/hooks';
import type { AnyTunerDefinition, Tuner } from '../../lib/wire/agent.ts';
import { TUNER_NAME_LENGTH } from '../../lib/wire/vocabulary.ts';
import { asFailure, putTuners } from '../query/api.ts';
import { TUNERS } from '../query/queries.ts';
import { entryOf } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { showToast } from '../ui/toast.tsx';
import { Refusal } from '../words/field-failure.tsx';
import { driverName, TYPE_NAMES } from '../words/tuner.ts';
import { TEXTS } from './texts.ts';

/** In the form that the agent reads. */
export function definitionOf({ id, name, driver, device, types, disabled, lnb }: Tuner): AnyTunerDefinition {
  return { id, name, driver, device, types, disabled, lnb };
}

interface LineProps {
  readonly definition: AnyTunerDefinition;
  readonly onChange: (change: Partial<AnyTunerDefinition>) => void;
  /** Undefined at the end of the list. */
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
}

function EditLine({ definition, onChange, onUp, onDown }: LineProps) {
  const { name = '', driver, types, disabled = false, lnb = false } = definition;
  const canFeed = driver !== 'fake' && types.some((type) => type !== 'GR');
  const label = name === '' ? driverName(driver) : name;
  return (
    <li
      class="tuner tuner-edit stack align-center round-m bordered ground pad-3 gap-50"
      data-disabled={disabled ? '' : undefined}
    >
      <span class="stack">
        <button
          type="button"
          class="round"
          aria-label={TEXTS.moveOf(label, TEXTS.up)}
          aria-disabled={onUp === undefined}
          onClick={onUp}
        >
          <Icon name="up" />
        </button>
        <button
          type="button"
          class="round"
          aria-label={TEXTS.moveOf(label, TEXTS.down)}
          aria-disabled={onDown === undefined}
          onClick={onDown}
        >
          <Icon name="down" />
        </button>
      </span>
      <label class="stack gap-25 note">
        <span>
          {TEXTS.nameOf(
            TEXTS.name,
            driverName(driver),
            types.map((type) => TYPE_NAMES[type]).join(TEXTS.between),
          )}
        </span>
        <input
          class="rule-input rule-input-wide"
          maxLength={TUNER_NAME_LENGTH}
          value={name}
          onInput={(event) => onChange({ name: event.currentTarget.value })}
        />
      </label>
      <button
        type="button"
        role="switch"
        class="button switch-button"
        aria-checked={!disabled}
        aria-label={TEXTS.useTuner(label, TEXTS.use)}
        onClick={() => onChange({ disabled: !disabled })}
      >
        <span class="switch" aria-hidden="true" />
        {TEXTS.use}
      </button>
      {canFeed ? (
        <button
          type="button"
          role="switch"
          class="button switch-button self-left nowrap all-columns"
          aria-checked={lnb}
          aria-label={TEXTS.feedFrom(label, TEXTS.lnb)}
          onClick={() => onChange({ lnb: !lnb })}
        >
          <span class="switch" aria-hidden="true" />
          {TEXTS.lnb}
        </button>
      ) : null}
    </li>
  );
}

/** The list with the two at these places exchanged. */
function exchanged<T>(list: readonly T[], a: number, b: number): T[] {
  const next = [...list];
  const [first, second] = [list[a], list[b]];
  if (first !== undefined && second !== undefined) {
    next[a] = second;
    next[b] = first;
  }
  return next;
}

export function TunerEdit({ tuners, onDone }: { tuners: readonly Tuner[]; onDone: () => void }) {
  // Changes by others do not affect the list being edited.
  const [list, setList] = useState(() => tuners.map(definitionOf));
  const [refused, setRefused] = useState<string>();
  const [saving, setSaving] = useState(false);
  const save = async (): Promise<void> => {
    if (saving) return;
    setSaving(true);
    setRefused(undefined);
    try {
      entryOf(TUNERS).put(await putTuners(list));
      showToast(TEXTS.saved);
      onDone();
    } catch (error) {
      setRefused(asFailure(error).message);
    } finally {
      setSaving(false);
    }
  };
  return (
    <>
      <p class="note">{TEXTS.editNote}</p>
      {list.some(({ driver, types }) => driver !== 'fake' && types.some((type) => type !== 'GR')) ? (
        <p class="note">{TEXTS.lnbNote}</p>
      ) : null}
      <ol class="tuner-list stack above-75 gap-50">
        {list.map((definition, index) => (
          <EditLine
            key={definition.id ?? definition.device}
            definition={definition}
            onChange={(change) =>
              setList(list.map((one) => (one === definition ? { ...one, ...change } : one)))
            }
            onUp={index === 0 ? undefined : () => setList(exchanged(list, index, index - 1))}
            onDown={index === list.length - 1 ? undefined : () => setList(exchanged(list, index, index + 1))}
          />
        ))}
      </ol>
      <Refusal text={refused} />
      <div class="flex justify-end gap-75 above-75">
        <button type="button" class="button" onClick={onDone}>
          {TEXTS.cancel}
        </button>
        <button type="button" class="button button-main" aria-disabled={saving} onClick={() => void save()}>
          {TEXTS.save}
        </button>
      </div>
    </>
  );
}
