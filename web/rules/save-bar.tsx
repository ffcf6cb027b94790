/** The bar under the rule form: save and leave, the reason of a failed save, and on phones a link to the preview. */
import type { RefObject } from 'preact';
import { goBackOr } from '../navigation/router.ts';
import type { ApiFailure } from '../query/api.ts';
import { Icon } from '../ui/icon.tsx';
import { adviceFor } from '../words/advice.ts';
import { type PreviewState, previewOf } from './preview-run.ts';
import { TEXTS } from './texts.ts';

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
      <p class="field-failed" role="alert">
        {failure.message} {adviceFor(failure).next} {kept}
      </p>
    );
  }
  return (
    <div class="field-failed" role="alert">
      {TEXTS.goneMeanwhile(kept)}
      <button type="button" class="button button-small" onClick={() => onSave(true)}>
        {TEXTS.saveAsNew}
      </button>
    </div>
  );
}

export function SaveBar({ button, preview, failure, saving, onSave }: BarProps) {
  const count = previewCount(preview);
  return (
    <div class="rule-bar sticky at-bottom">
      {failure === undefined ? null : <Failed failure={failure} onSave={onSave} />}
      <div class="rule-bar-line hstack justify-end gap-60">
        <button
          type="button"
          class="button rule-bar-count"
          onClick={() => document.getElementById('rule-preview')?.scrollIntoView({ block: 'start' })}
        >
          <span class={count === '' ? undefined : 'wide-only'}>{TEXTS.matches}</span>
          <b class="numbers">{count}</b>
          <Icon name="down" />
        </button>
        <button type="button" class="button" onClick={() => goBackOr('rules')}>
          {TEXTS.cancel}
        </button>
        <button
          ref={button}
          type="button"
          class="button button-main"
          aria-busy={saving}
          onClick={() => onSave(false)}
        >
          {saving ? TEXTS.saving : TEXTS.save}
        </button>
      </div>
    </div>
  );
}
