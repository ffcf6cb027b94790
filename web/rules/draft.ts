/** A rule while it is written: what stands in the fields, what is wrong with them, and what it would find. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RuleItem } from '../../wire/api.ts';
import { ApiFailure, createRule, networkFailure, previewRule, replaceRule } from '../query/api.ts';
import { listenFor } from '../query/events.ts';
import {
  type CompleteBody,
  type FieldFault,
  type FieldName,
  isLimited,
  type RuleForm,
  readForm,
  sameForm,
} from './form.ts';
import { PreviewRun, type PreviewState } from './preview-run.ts';

export interface Draft {
  readonly form: RuleForm;
  readonly change: (changes: Partial<RuleForm>) => void;
  /** What is wrong with a field, once it is time to say so. */
  readonly faultOf: (path: FieldName) => string | undefined;
  /** The field was left: from now on it may be told what is wrong with it. */
  readonly leave: (path: FieldName) => void;
}

/** The form's field that the service names: `genres.0.lv1` is of the genres. */
function fieldOf(path: string | undefined, form: RuleForm): FieldName | undefined {
  const first = path?.split('.')[0] ?? '';
  return Object.keys(form).find((name): name is FieldName => name === first);
}

/** Moves the focus to what is wrong, wherever in the form it stands. */
function focusField(path: FieldName): void {
  const field = document.querySelector(`[data-path~="${path}"]`);
  const control =
    field?.querySelector<HTMLElement>(`[name="${path}"]`) ??
    field?.querySelector<HTMLElement>('input, button');
  control?.focus({ preventScroll: true });
  control?.scrollIntoView({ block: 'center' });
}

interface Shown {
  readonly state: PreviewState;
  readonly retry: () => void;
}

/** Shows what the form would find, and again when the guide or what is booked has changed. */
function usePreview(body: CompleteBody, readable: boolean, ruleId: number | undefined): Shown {
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
    const stop = listenFor(['programs', 'reservations', 'recordings'], () => {
      if (latest.current.readable && isLimited(latest.current.body)) run.show(latest.current.body);
    });
    return () => {
      stop();
      run.close();
    };
  }, []);
  return { state: run.state.value, retry: () => run.show(latest.current.body, true) };
}

/** @param initial what the form begins with; another one takes its place as long as nothing was changed */
export function useDraft(initial: RuleForm, ruleId: number | undefined) {
  const [base, setBase] = useState(initial);
  const [form, setForm] = useState(initial);
  const [left, setLeft] = useState<ReadonlySet<FieldName>>(new Set());
  const [refused, setRefused] = useState<FieldFault>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [saving, setSaving] = useState(false);
  const [toFocus, setToFocus] = useState<{ readonly path: FieldName }>();
  const { body, faults } = readForm(form);
  const dirty = !sameForm(form, base);
  const preview = usePreview(body, faults.length === 0, ruleId);

  useEffect(() => {
    if (dirty || sameForm(initial, base)) return;
    setBase(initial);
    setForm(initial);
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

  /**
   * Undefined when it was refused: what is wrong is said at its field, and nothing that was written is lost.
   *
   * @param asNew when the rule that was changed is gone
   */
  const save = async (asNew = false): Promise<RuleItem | undefined> => {
    const [first] = faults;
    if (first !== undefined) {
      setLeft(new Set(Object.keys(form) as FieldName[]));
      setToFocus({ path: first.path });
      return undefined;
    }
    setSaving(true);
    setFailure(undefined);
    try {
      return await (ruleId === undefined || asNew ? createRule(body) : replaceRule(ruleId, body));
    } catch (error) {
      const found = error instanceof ApiFailure ? error : networkFailure(error);
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
  /** Somebody changed the rule meanwhile: what is saved takes the place of that. */
  const overtaken = dirty && !saving && !sameForm(initial, base);
  return { draft, faults, dirty, overtaken, preview, failure, saving, save };
}
