/** What deleting a rule does to its reservations and recordings, said before it is done. */
import { useState } from 'preact/hooks';
import type { RuleItem } from '../../wire/api.ts';
import { Sheet } from '../ui/sheet.tsx';
import { removeRule } from './store.ts';

interface DeleteProps {
  readonly rule: RuleItem;
  readonly byKeys: boolean;
  readonly renew: () => void;
  readonly onClose: () => void;
  /** It is gone. */
  readonly onDeleted: () => void;
}

export function DeleteSheet({ rule, byKeys, renew, onClose, onDeleted }: DeleteProps) {
  const [busy, setBusy] = useState(false);
  const { booked = 0, recorded = 0 } = rule;
  return (
    <Sheet title="ルールを削除" onClose={onClose}>
      <p class="rule-delete-name">「{rule.name}」</p>
      <ul class="hints">
        <li>
          {booked === 0
            ? 'このルールの予約はいまはありません。'
            : `このルールの予約 ${booked}件は取り消されます。ほかのルールにも合う番組と、録画中の番組は残ります。`}
        </li>
        <li>
          {recorded === 0
            ? 'このルールで録画したものはありません。'
            : `録画した ${recorded.toLocaleString('ja')}件は消えません。`}
        </li>
        <li>取り消した番組の記録も消えます。ルールを作り直すと、また予約されます。</li>
      </ul>
      <p class="sheet-note">削除したあと、すぐなら「元に戻す」で同じルールを作り直せます。</p>
      <div class="rule-delete-actions">
        <button
          type="button"
          class="button button-danger"
          aria-busy={busy}
          onClick={async () => {
            if (busy) return;
            setBusy(true);
            const gone = await removeRule({ rule, renew, byKeys });
            setBusy(false);
            if (gone) onDeleted();
          }}
        >
          削除する
        </button>
        <button type="button" class="button" onClick={onClose}>
          キャンセル
        </button>
      </div>
    </Sheet>
  );
}
