/** The rule editor: form, preview beside it, and a bar to save or leave. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import type { RuleItem } from '../../lib/wire/api.ts';
import type { RuleId } from '../../lib/wire/ids.ts';
import { goBackOr, keepScreen, navigate, query } from '../navigation/router.ts';
import { rulePage } from '../navigation/rule-address.ts';
import { type ApiFailure, getRule, type KnownSettings } from '../query/api.ts';
import { household } from '../query/settings.ts';
import { stationById } from '../query/stations.ts';
import { callQuery, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { showToast } from '../ui/toast.tsx';
import { adviceFor } from '../words/advice.ts';
import { FailurePanel } from '../words/failure-panel.tsx';
import { ActionFields } from './action-fields.tsx';
import { DisabledNote, stationName } from './card.tsx';
import { ConditionFields } from './condition-fields.tsx';
import { type EditConflict, type SaveOptions, useDraft } from './draft.ts';
import { formOf, formOfQuery, isLimited, type RuleForm, readForm } from './form.ts';
import { fieldInWords } from './merge.ts';
import { Preview } from './preview.tsx';
import { type PreviewState, previewOf } from './preview-run.ts';
import { wantedRule } from './store.ts';
import { TEXTS } from './texts.ts';
import { markedWords, ruleSentence } from './words.ts';

const READ_LIMIT_MS = 10_000;

/** Asks for confirmation before unsaved input is left; the browser does so before the page is closed. */
function useKeeping(dirty: boolean) {
  const [wanted, setWanted] = useState<{ readonly go: () => void }>();
  const free = useRef(false);
  useEffect(() => {
    if (!dirty) return undefined;
    const forget = keepScreen((go) => {
      if (free.current) return false;
      setWanted({ go });
      return true;
    });
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', onUnload);
    return () => {
      forget();
      removeEventListener('beforeunload', onUnload);
    };
  }, [dirty]);
  return {
    /** The requested navigation. */
    wanted,
    stay: () => setWanted(undefined),
    /** Switches the confirmation off. */
    letGo: () => {
      free.current = true;
      setWanted(undefined);
    },
  };
}

interface LeaveProps {
  readonly onSave: () => void;
  readonly onLeave: () => void;
  readonly onStay: () => void;
}

function LeaveSheet({ onSave, onLeave, onStay }: LeaveProps) {
  return (
    <Sheet title={TEXTS.unsaved} onClose={onStay}>
      <p class="muted">{TEXTS.unsavedNote}</p>
      <div class="flex wrap above-100 gap-50">
        <button type="button" class="button button-main" onClick={onSave}>
          {TEXTS.save}
        </button>
        <button type="button" class="button" onClick={onStay}>
          {TEXTS.goOn}
        </button>
        <button type="button" class="button button-danger" onClick={onLeave}>
          {TEXTS.leave}
        </button>
      </div>
    </Sheet>
  );
}

/** Arrow down from the last control moves to the bar, not to a row of the preview beside it. */
function leadToBar(event: KeyboardEvent, form: HTMLElement, save: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' || event.isComposing || event.shiftKey || event.ctrlKey || event.altKey)
    return;
  if (!(event.target instanceof HTMLElement)) return;
  const { bottom } = event.target.getBoundingClientRect();
  const controls = [...form.querySelectorAll('button, input')];
  if (controls.some((control) => control.getBoundingClientRect().top >= bottom - 2)) return;
  event.preventDefault();
  save?.focus();
}

interface EditorProps {
  readonly title: string;
  readonly initial: RuleForm;
  /** The rule under edit; undefined for a new one. */
  readonly rule: RuleItem | undefined;
}

interface EditConflictProps {
  readonly editConflict: EditConflict;
  readonly form: RuleForm;
  readonly onOver: () => void;
  readonly onTheirs: () => void;
  readonly onStay: () => void;
}

/** The rule was saved elsewhere meanwhile: the differences, and which version to keep. */
function EditConflictSheet({ editConflict, form, onOver, onTheirs, onStay }: EditConflictProps) {
  const nameOf = (id: StationId): string | undefined => stationById(id)?.name;
  return (
    <Sheet title={TEXTS.editConflict} onClose={onStay}>
      <p class="muted">{TEXTS.editConflictNote}</p>
      <dl class="stack no-margin gap-75">
        {editConflict.fields.map((name) => {
          const { label, value } = fieldInWords(name, form, nameOf);
          return (
            <div key={name} class="rule-difference stack gap-25 round-m bordered pad-3">
              <dt class="semibold">{label}</dt>
              <dd class="stack no-margin">
                <span class="muted">{TEXTS.otherScreen}</span>
                {fieldInWords(name, editConflict.there, nameOf).value}
              </dd>
              <dd class="stack no-margin">
                <span class="muted">{TEXTS.thisScreen}</span>
                {value}
              </dd>
            </div>
          );
        })}
      </dl>
      <div class="flex wrap above-100 gap-50">
        <button type="button" class="button button-main" onClick={onOver}>
          {TEXTS.saveThis}
        </button>
        <button type="button" class="button" onClick={onTheirs}>
          {TEXTS.takeOther}
        </button>
        <button type="button" class="button" onClick={onStay}>
          {TEXTS.goOn}
        </button>
      </div>
    </Sheet>
  );
}

/** Number of matches; on phones the list is below the form. */
function previewCount(state: PreviewState): string {
  const preview = previewOf(state);
  if (preview === undefined || preview.fault != null) return '';
  return TEXTS.count(preview.total.toLocaleString('ja'));
}

interface BarProps {
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly preview: PreviewState;
  /** Reason of the last failed save, where it concerns no field. */
  readonly failure: ApiFailure | undefined;
  readonly saving: boolean;
  readonly onSave: (asNew: boolean) => void;
}

function Failed({ failure, onSave }: { failure: ApiFailure; onSave: BarProps['onSave'] }) {
  const kept = TEXTS.keptInput;
  if (failure.code !== 'not_found') {
    return (
      <p class="alert" role="alert">
        {failure.message} {adviceFor(failure).next} {kept}
      </p>
    );
  }
  return (
    <div class="alert" role="alert">
      {TEXTS.goneMeanwhile(kept)}
      <button type="button" class="button button-small" onClick={() => onSave(true)}>
        {TEXTS.saveAsNew}
      </button>
    </div>
  );
}

/** Save and leave, the reason of a failed save, and on phones a link to the preview. */
function SaveBar({ button, preview, failure, saving, onSave }: BarProps) {
  const count = previewCount(preview);
  return (
    <div class="rule-bar sticky at-bottom">
      {failure === undefined ? null : <Failed failure={failure} onSave={onSave} />}
      <div class="rule-bar-line hstack justify-end gap-50">
        <button
          type="button"
          class="button rule-bar-count nowrap"
          onClick={() => document.getElementById('rule-preview')?.scrollIntoView({ block: 'start' })}
        >
          <span class={count === '' ? undefined : 'wide-only'}>{TEXTS.matches}</span>
          <b class="numbers">{count}</b>
          <Icon name="down" />
        </button>
        <button type="button" class="button nowrap" onClick={() => goBackOr('rules')}>
          {TEXTS.cancel}
        </button>
        <button
          ref={button}
          type="button"
          class="button button-main nowrap"
          aria-busy={saving}
          onClick={() => onSave(false)}
        >
          {saving ? TEXTS.saving : TEXTS.save}
        </button>
      </div>
    </div>
  );
}

function Editor({ title, initial, rule }: EditorProps) {
  const id = rule?.id;
  const edited =
    id === undefined
      ? undefined
      : { id, read: async () => editOf(await getRule(id, AbortSignal.timeout(READ_LIMIT_MS))) };
  const { draft, dirty, faults, editConflict, choice, preview, failure, saving, save } = useDraft(
    initial,
    edited,
  );
  const { body } = readForm(draft.form);
  const keeping = useKeeping(dirty);
  const saveButton = useRef<HTMLButtonElement>(null);
  /** @param go the requested navigation; undefined: to the saved rule */
  const saveAndGo = async (go: (() => void) | undefined, options: SaveOptions = {}): Promise<void> => {
    if (saving) return;
    keeping.stay();
    const saved = await save(options);
    if (saved === undefined) return;
    keeping.letGo();
    wantedRule.value = saved.id;
    showToast(TEXTS.saved(saved.name));
    if (go !== undefined) go();
    else if (rule === undefined || options.asNew === true) navigate(rulePage(saved.id), true);
    else goBackOr(rulePage(saved.id));
  };
  return (
    <div class="rule-editor">
      <header class="screen-head">
        <button type="button" class="round" aria-label={TEXTS.back} onClick={() => goBackOr('rules')}>
          <Icon name="back" />
        </button>
        <h1 class="screen-title">{title}</h1>
      </header>
      <p class="below-75 no-margin max-60 bold">
        {isLimited(body) ? ruleSentence(body, stationName) : TEXTS.noSentence}
      </p>
      <div class="rule-columns align-start stack">
        <form
          class="rule-form stack min-0 gap-blocks"
          aria-label={title}
          onSubmit={(event) => event.preventDefault()}
          data-nav-group="rule-form"
          onKeyDown={(event) => leadToBar(event, event.currentTarget, saveButton.current)}
        >
          {rule === undefined ? null : <DisabledNote rule={rule} />}
          <ConditionFields draft={draft} />
          <ActionFields draft={draft} />
        </form>
        <Preview
          state={preview.state}
          stale={faults.length > 0}
          words={markedWords(draft.form.keyword, draft.form.regex)}
          onRetry={preview.retry}
        />
      </div>
      <SaveBar
        button={saveButton}
        preview={preview.state}
        failure={failure}
        saving={saving}
        onSave={(asNew) => void saveAndGo(undefined, { asNew })}
      />
      {choice.asking && editConflict !== undefined ? (
        <EditConflictSheet
          editConflict={editConflict}
          form={draft.form}
          onOver={() => void saveAndGo(undefined, { over: true })}
          onTheirs={choice.takeTheirs}
          onStay={choice.stay}
        />
      ) : null}
      {keeping.wanted === undefined ? null : (
        <LeaveSheet
          onStay={keeping.stay}
          onSave={() => void saveAndGo(keeping.wanted?.go)}
          onLeave={() => {
            const go = keeping.wanted?.go;
            keeping.letGo();
            go?.();
          }}
        />
      )}
    </div>
  );
}

export function NewRule() {
  const held = household.value;
  if (held.kind === 'loading') return null;
  return <NewRuleEditor kept={held.kind === 'ready' ? held.settings : {}} />;
}

/** @param kept settings at the time of opening: later changes do not affect the input */
function NewRuleEditor({ kept }: { kept: KnownSettings }) {
  const initial = useMemo(() => formOfQuery(query.peek(), kept), []);
  useEffect(() => {
    // Focuses the first field where there is a keyboard; on a phone the screen keyboard would cover the form.
    if (initial.keyword !== '' || !matchMedia('(hover: hover)').matches) return;
    document.querySelector<HTMLElement>('[name="keyword"]')?.focus({ preventScroll: true });
  }, []);
  return <Editor title={TEXTS.newRule} initial={initial} rule={undefined} />;
}

/** Initial contents of a copy. */
function copyOf(rule: RuleItem): RuleForm {
  return formOf({ ...rule, name: TEXTS.copyOf(rule.name) });
}

/**
 * Saving re-enables a rule that the service disabled. One that is called as its keyword follows it:
 * it was not chosen by a person.
 */
function editOf(rule: RuleItem): RuleForm {
  const { disabledReason, enabled, keyword, name } = rule;
  return formOf({ ...rule, name: name === keyword ? '' : name, enabled: enabled || disabledReason !== null });
}

export function RuleGone() {
  return (
    <Panel
      icon="filter"
      title={TEXTS.gone}
      actions={
        <a class="button button-main" href="rules" data-replace="">
          {TEXTS.toList}
        </a>
      }
    >
      <p>{TEXTS.goneNote}</p>
    </Panel>
  );
}

let openings = 0;

/** @param copy makes a new rule with the same contents */
export function KnownRule({ id, copy }: { id: RuleId; copy: boolean }) {
  // Not from the cache: a stale rule would fill the form first, and its update would look like a concurrent change.
  const [opening] = useState(() => {
    openings += 1;
    return openings;
  });
  const read = (signal: AbortSignal) => getRule(id, signal);
  const { value, failure, renew } = useQuery(callQuery(`rule ${id} edited ${opening}`, ['rules'], read));
  const initial = useMemo(
    () => (value === undefined ? undefined : copy ? copyOf(value) : editOf(value)),
    [value],
  );
  if (value === undefined || initial === undefined) {
    if (failure === undefined)
      return <span class="skeleton block-skeleton" role="status" aria-label={TEXTS.loading} />;
    if (failure.code === 'not_found') return <RuleGone />;
    return <FailurePanel failure={failure} onRetry={() => void renew()} />;
  }
  return copy ? (
    <Editor title={TEXTS.copyRule} initial={initial} rule={undefined} />
  ) : (
    <Editor title={TEXTS.editRule} initial={initial} rule={value} />
  );
}
