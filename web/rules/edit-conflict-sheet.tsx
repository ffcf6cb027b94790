/** The rule was saved elsewhere meanwhile: the differences, and which version to keep. */
import type { StationId } from '../../lib/arib/ids.ts';
import { stationById } from '../query/stations.ts';
import { Sheet } from '../ui/sheet.tsx';
import type { EditConflict } from './draft.ts';
import type { RuleForm } from './form.ts';
import { fieldInWords } from './merge.ts';
import { TEXTS } from './texts.ts';

interface EditConflictProps {
  readonly editConflict: EditConflict;
  readonly form: RuleForm;
  readonly onOver: () => void;
  readonly onTheirs: () => void;
  readonly onStay: () => void;
}

export function EditConflictSheet({ editConflict, form, onOver, onTheirs, onStay }: EditConflictProps) {
  const nameOf = (id: StationId): string | undefined => stationById(id)?.name;
  return (
    <Sheet title={TEXTS.editConflict} onClose={onStay}>
      <p class="sheet-note">{TEXTS.editConflictNote}</p>
      <dl class="stack no-margin gap-75">
        {editConflict.fields.map((name) => {
          const { label, value } = fieldInWords(name, form, nameOf);
          return (
            <div key={name} class="rule-difference stack gap-25 round-m bordered">
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
      <div class="flex wrap gap-60 above-100">
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
