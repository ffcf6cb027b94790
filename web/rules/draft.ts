/** State of the rule editor: field contents, errors, and the preview. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RuleItem } from '../../lib/wire/api.ts';
import type { RuleId } from '../../lib/wire/ids.ts';
import { type ApiFailure, asFailure, createRule, previewRule, replaceRule } from '../query/api.ts';
import { listenFor, SEARCH_CHANGES } from '../query/events.ts';
import {
  type CompleteBody,
  type FieldFault,
  type FieldName,
  isLimited,
  type RuleForm,
  readForm,
  sameForm,
} from './form.ts';
import { mergeForms } from './merge.ts';
import { PreviewRun, type PreviewState } from './preview-run.ts';

export interface Draft {
  readonly form: RuleForm;
  readonly change: (changes: Partial<RuleForm>) => void;
  /** The error of a field, if it is to be shown yet. */
  readonly faultOf: (path: FieldName) => string | undefined;
  /** The field lost the focus: from now on its error is shown. */
  readonly leave: (path: FieldName) => void;
}

/** Maps a path of the service to a field: `genres.0.lv1` belongs to the genres. */
function fieldOf(path: string | undefined, form: RuleForm): FieldName | undefined {
  const first = path?.split('.')[0] ?? '';
  return Object.keys(form).find((name): name is FieldName => name === first);
}

/** Moves the focus to the first invalid field. */
function focusField(path: FieldName): void {
  const field = document.querySelector(`[data-path~="${path}"]`);
  const control =
    field?.querySelector<HTMLElement>(`[name="${path}"]`) ??
    field?.querySelector<HTMLElement>('input, button');
  control?.focus({ preventScroll: true });
  control?.scrollIntoView({ block: 'center' });
}

interface ShownPreview {
  readonly state: PreviewState;
  readonly retry: () => void;
}

/** Requests the preview, and again when the guide or the reservations have changed. */
function usePreview(body: CompleteBody, readable: boolean, ruleId: RuleId | undefined): ShownPreview {
  const [run] = useState(() => new PreviewRun(previewRule, ruleId));
  const key = JSON.stringify(body);
  const latest = useRef({ body, readable });
  latest.current = { body, readable };
  const first = useRef(true);
  useEffect(() => {
    if (!readable) return;
    if (isLimited(body)) run.show(body, first.current);
    else run.clear();
    first.current = false;
  }, [key, readable]);
  useEffect(() => {
    const stop = listenFor(SEARCH_CHANGES, () => {
      if (latest.current.readable && isLimited(latest.current.body)) run.show(latest.current.body);
    });
    return () => {
      stop();
      run.close();
    };
  }, []);
  return { state: run.state.value, retry: () => run.show(latest.current.body, true) };
}

/** The rule under edit. */
interface Edited {
  readonly id: RuleId;
  /** As it is stored now. */
  readonly read: () => Promise<RuleForm>;
}

/** Fields that differ between form and stored rule, where both changed them. */
export interface EditConflict {
  readonly there: RuleForm;
  readonly fields: readonly FieldName[];
}

export interface SaveOptions {
  /** The rule under edit was deleted. */
  readonly asNew?: boolean;
  /** The viewer has acknowledged the concurrent change. */
  readonly over?: boolean;
}

/** @param initial initial contents of the form; called again whenever the rule was changed elsewhere */
export function useDraft(initial: RuleForm, edited: Edited | undefined) {
  const ruleId = edited?.id;
  const [base, setBase] = useState(initial);
  const [form, setForm] = useState(initial);
  const [editConflict, setEditConflict] = useState<EditConflict>();
  /** Must be shown before anything is saved. */
  const [asking, setAsking] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<FieldName>>(new Set());
  const [refused, setRefused] = useState<FieldFault>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [saving, setSaving] = useState(false);
  const [toFocus, setToFocus] = useState<{ readonly path: FieldName }>();
  const { body, faults } = readForm(form);
  const dirty = !sameForm(form, base);
  const preview = usePreview(body, faults.length === 0, ruleId);

  /** Merges the stored rule into the form, except for fields that both changed. */
  const mergeStored = (there: RuleForm): { form: RuleForm; isClear: boolean } => {
    if (sameForm(there, base)) return { form, isClear: editConflict === undefined };
    const merged = mergeForms(base, form, there);
    const earlier = editConflict?.fields.filter((name) => !merged.conflicts.includes(name)) ?? [];
    const fields = [...merged.conflicts, ...earlier];
    setBase(there);
    setForm(merged.form);
    setEditConflict(fields.length === 0 ? undefined : { there, fields });
    return { form: merged.form, isClear: fields.length === 0 };
  };
  useEffect(() => {
    // A save made here also arrives as a change event.
    if (!saving) mergeStored(initial);
  }, [initial]);
  useEffect(() => {
    if (toFocus !== undefined) focusField(toFocus.path);
  }, [toFocus]);

  const previewFault = (path: FieldName): string | undefined => {
    if (preview.state.kind !== 'failed' || fieldOf(preview.state.failure.path, form) !== path)
      return undefined;
    return preview.state.failure.message;
  };
  const draft: Draft = {
    form,
    change: (changes) => {
      setForm((before) => ({ ...before, ...changes }));
      if (refused !== undefined && refused.path in changes) setRefused(undefined);
      setFailure(undefined);
    },
    faultOf: (path) =>
      (left.has(path) ? faults.find((fault) => fault.path === path)?.message : undefined) ??
      (refused?.path === path ? refused.message : undefined) ??
      previewFault(path),
    leave: (path) => setLeft((before) => (before.has(path) ? before : new Set([...before, path]))),
  };

  /** Undefined when it was refused: errors are shown at their fields, and the input is kept. */
  const save = async ({ asNew = false, over = false }: SaveOptions = {}): Promise<RuleItem | undefined> => {
    const [first] = faults;
    if (first !== undefined) {
      setLeft(new Set(Object.keys(form) as FieldName[]));
      setToFocus({ path: first.path });
      return undefined;
    }
    setSaving(true);
    setFailure(undefined);
    setAsking(false);
    try {
      // A change event may be under way.
      const stored = asNew || over ? undefined : await edited?.read();
      const taken = stored === undefined ? { form, isClear: true } : mergeStored(stored);
      if (!taken.isClear) {
        setAsking(true);
        return undefined;
      }
      const wanted = readForm(taken.form).body;
      return await (ruleId === undefined || asNew ? createRule(wanted) : replaceRule(ruleId, wanted));
    } catch (error) {
      const found = asFailure(error);
      const path = fieldOf(found.path, form);
      if (path === undefined) setFailure(found);
      else {
        setRefused({ path, message: found.message });
        setToFocus({ path });
      }
      return undefined;
    } finally {
      setSaving(false);
    }
  };
  const choice = {
    asking,
    stay: () => setAsking(false),
    /** The stored values of the fields that both changed. */
    takeTheirs: () => {
      if (editConflict === undefined) return;
      const theirs = Object.fromEntries(editConflict.fields.map((name) => [name, editConflict.there[name]]));
      setForm((before) => ({ ...before, ...theirs }));
      setEditConflict(undefined);
      setAsking(false);
    },
  };
  return { draft, faults, dirty, editConflict, choice, preview, failure, saving, save };
}
