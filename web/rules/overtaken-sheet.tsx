/** The rule was saved elsewhere meanwhile: the differences, and which version to keep. */
import type { StationId } from '../../arib/ids.ts';
import { stationById } from '../query/stations.ts';
import { Sheet } from '../ui/sheet.tsx';
import type { Overtaken } from './draft.ts';
import type { RuleForm } from './form.ts';
import { fieldInWords } from './merge.ts';

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
    <Sheet title="ほかの画面で変更されています" onClose={onStay}>
      <p class="sheet-note">
        編集しているあいだに、このルールがほかの画面で保存されました。次の項目の内容が異なります。
      </p>
      <dl class="rule-differences">
        {overtaken.fields.map((name) => {
          const { label, value } = fieldInWords(name, form, nameOf);
          return (
            <div key={name} class="rule-difference">
              <dt>{label}</dt>
              <dd>
                <span class="rule-difference-of">ほかの画面</span>
                {fieldInWords(name, overtaken.there, nameOf).value}
              </dd>
              <dd>
                <span class="rule-difference-of">この画面</span>
                {value}
              </dd>
            </div>
          );
        })}
      </dl>
      <div class="rule-leave">
        <button type="button" class="button button-main" onClick={onOver}>
          この画面の内容で保存
        </button>
        <button type="button" class="button" onClick={onTheirs}>
          ほかの画面の内容を使う
        </button>
        <button type="button" class="button" onClick={onStay}>
          編集を続ける
        </button>
      </div>
    </Sheet>
  );
}
