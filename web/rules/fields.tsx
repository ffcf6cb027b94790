/** Parts of the rule form: each shows its label and error, and works with a remote control. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import type { Draft } from './draft.ts';
import type { FieldName, RuleForm } from './form.ts';

type TextName = { [Name in FieldName]: RuleForm[Name] extends string ? Name : never }[FieldName];
type FlagName = { [Name in FieldName]: RuleForm[Name] extends boolean ? Name : never }[FieldName];

function Fault({ id, message }: { id: string; message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p class="alert" role="alert" id={id}>
      {message}
    </p>
  );
}

interface GroupProps {
  readonly draft: Draft;
  readonly paths: readonly FieldName[];
  readonly label: string;
  readonly help?: string | undefined;
  readonly children: ComponentChildren;
}

/** Several controls under one heading. */
export function FieldGroup({ draft, paths, label, help, children }: GroupProps) {
  const id = useId();
  const message = paths.map(draft.faultOf).find((text) => text !== undefined);
  return (
    <fieldset
      class="rule-field"
      data-path={paths.join(' ')}
      aria-describedby={message === undefined ? undefined : `${id}-fault`}
    >
      <legend>{label}</legend>
      {help === undefined ? null : <p class="note">{help}</p>}
      {children}
      <Fault id={`${id}-fault`} message={message} />
    </fieldset>
  );
}

interface InputProps {
  readonly draft: Draft;
  readonly path: TextName;
  /** Label for screen readers, where there is no heading. */
  readonly label: string;
  /** Placeholder: the value that applies when empty, or an example. */
  readonly placeholder?: string;
  readonly unit?: string;
  readonly digits?: boolean;
}

/** A short input in a line with others. */
export function InlineInput({ draft, path, label, placeholder = '', unit, digits = false }: InputProps) {
  return (
    <label class="inline-row gap-40">
      <span class="hidden-text">{label}</span>
      <input
        name={path}
        class="rule-input"
        type="text"
        autocomplete="off"
        inputMode={digits ? 'numeric' : undefined}
        placeholder={placeholder}
        value={draft.form[path]}
        aria-invalid={draft.faultOf(path) !== undefined}
        onInput={(event) => draft.change({ [path]: event.currentTarget.value })}
        onBlur={() => draft.leave(path)}
      />
      {unit === undefined ? null : <span>{unit}</span>}
    </label>
  );
}

/** Fields with a choice of one of several values. */
export type ChoiceName = {
  [Name in FieldName]: string extends RuleForm[Name]
    ? never
    : 'setting' extends RuleForm[Name]
      ? Name
      : never;
}[FieldName];

interface ChoiceProps {
  readonly draft: Draft;
  readonly path: ChoiceName;
  readonly label: string;
  readonly words: Readonly<Record<string, string>>;
}

/** A choice in a line with its label. */
export function InlineChoice({ draft, path, label, words }: ChoiceProps) {
  return (
    <label class="cluster gap-50">
      <span class="rule-line-name">{label}</span>
      <select
        name={path}
        class="rule-input"
        value={draft.form[path]}
        onChange={({ currentTarget }) => draft.change({ [path]: currentTarget.value })}
      >
        {Object.entries(words).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TextProps extends InputProps {
  readonly help?: ComponentChildren;
  readonly initial?: boolean;
}

/** A text with a line of its own. */
export function RuleTextField({ draft, path, label, help, placeholder = '', initial = false }: TextProps) {
  const id = useId();
  const message = draft.faultOf(path);
  return (
    <div class="rule-field" data-path={path}>
      <label class="rule-label" for={id}>
        {label}
      </label>
      <input
        id={id}
        name={path}
        class="rule-input rule-input-wide"
        type="text"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={placeholder}
        value={draft.form[path]}
        aria-invalid={message !== undefined}
        aria-describedby={message === undefined ? `${id}-help` : `${id}-fault ${id}-help`}
        data-nav-initial={initial ? '' : undefined}
        onInput={(event) => draft.change({ [path]: event.currentTarget.value })}
        onBlur={() => draft.leave(path)}
      />
      <Fault id={`${id}-fault`} message={message} />
      {help === undefined ? null : (
        <div class="note" id={`${id}-help`}>
          {help}
        </div>
      )}
    </div>
  );
}

interface SwitchProps {
  readonly draft: Draft;
  readonly path: FlagName;
  readonly label: string;
  readonly help: string;
  /** The switch shows the negation of the field. */
  readonly inverted?: boolean;
}

export function SwitchLine({ draft, path, label, help, inverted = false }: SwitchProps) {
  const on = draft.form[path] !== inverted;
  const id = useId();
  return (
    <div class="rule-field rule-switch-line align-center" data-path={path}>
      <div>
        <span class="rule-label" id={`${id}-label`}>
          {label}
        </span>
        <p class="note" id={`${id}-help`}>
          {help}
        </p>
      </div>
      <button
        type="button"
        role="switch"
        class="switch-button"
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-help`}
        aria-checked={on}
        onClick={() => draft.change({ [path]: !draft.form[path] })}
      >
        <span class="switch" aria-hidden="true" />
      </button>
      <Fault id={`${id}-fault`} message={draft.faultOf(path)} />
    </div>
  );
}

interface FoldProps {
  readonly draft: Draft;
  readonly title: string;
  /** Labels of its values. */
  readonly summary: string;
  readonly paths: readonly FieldName[];
  readonly children: ComponentChildren;
}

/** Rarely used fields, collapsed unless opened or invalid. */
export function Fold({ draft, title, summary, paths, children }: FoldProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const faulty = paths.some((path) => draft.faultOf(path) !== undefined);
  const shown = open || faulty;
  useEffect(() => {
    // A part opened by an error stays open after it is corrected.
    if (faulty) setOpen(true);
  }, [faulty]);
  return (
    <section class="round-m bordered" data-open={shown ? '' : undefined}>
      <button
        type="button"
        class="hstack justify-between full-width gap-100 text-left round-m hover-surface pad-3 press-height"
        aria-expanded={shown}
        aria-controls={id}
        onClick={() => setOpen(faulty || !shown)}
      >
        <span class="stack min-0">
          <b>{title}</b>
          {shown ? null : <small class="muted">{summary}</small>}
        </span>
        <Icon name={shown ? 'up' : 'down'} />
      </button>
      <div id={id} class="rule-fold-content stack gap-100">
        {shown ? children : null}
      </div>
    </section>
  );
}
