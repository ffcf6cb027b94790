/** The rule was saved elsewhere meanwhile: the differences, and which version to keep. */
import type { StationId } from '../../arib/ids.ts';
import { stationById } from '../query/stations.ts';
import { Sheet } from '../ui/sheet.tsx';
import type { Overtaken } from './draft.ts';
import type { RuleForm } from './form.ts';
import { fieldInWords } from './merge.ts';
import { TEXTS } from './texts.ts';

interface OvertakenProps {
  readonly overtaken: Overtaken;
  readonly form: RuleForm;
  readonly onOver: () => void;
  readonly onTheirs: () => void;
  readonly onStay: () => void;
}

export function OvertakenSheet({ overtaken, form, onOver, onTheirs, onStay }: OvertakenProps) {
  const nameOf = (id: StationId): string | undefined => stationById(id)?.name;
  return (
    <Sheet title={TEXTS.overtaken} onClose={onStay}>
      <p class="sheet-note">{TEXTS.overtakenNote}</p>
      <dl class="rule-differences">
        {overtaken.fields.map((name) => {
          const { label, value } = fieldInWords(name, form, nameOf);
          return (
            <div key={name} class="rule-difference">
              <dt>{label}</dt>
              <dd>
                <span class="rule-difference-of">{TEXTS.otherScreen}</span>
                {fieldInWords(name, overtaken.there, nameOf).value}
              </dd>
              <dd>
                <span class="rule-difference-of">{TEXTS.thisScreen}</span>
                {value}
              </dd>
            </div>
          );
        })}
      </dl>
      <div class="rule-leave">
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
