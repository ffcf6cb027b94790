/** Confirmation of a deletion: what happens to the rule's reservations and recordings. */
import { useState } from 'preact/hooks';
import type { RuleItem } from '../../lib/wire/api.ts';
import { Sheet } from '../ui/sheet.tsx';
import { removeRule } from './store.ts';
import { TEXTS } from './texts.ts';

interface DeleteProps {
  readonly rule: RuleItem;
  readonly byKeys: boolean;
  readonly renew: () => void;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeleteSheet({ rule, byKeys, renew, onClose, onDeleted }: DeleteProps) {
  const [busy, setBusy] = useState(false);
  const { booked = 0, recorded = 0 } = rule;
  return (
    <Sheet title={TEXTS.removeRule} onClose={onClose}>
      <p class="below-75 text-l bold">「{rule.name}」</p>
      <ul class="hints stack gap-40 muted text-left">
        <li>{booked === 0 ? TEXTS.removesNoBooking : TEXTS.removesBookings(booked)}</li>
        <li>{recorded === 0 ? TEXTS.neverRecorded : TEXTS.keepsRecordings(recorded.toLocaleString('ja'))}</li>
        <li>{TEXTS.forgetsCancelled}</li>
      </ul>
      <p class="muted">{TEXTS.removeNote}</p>
      <div class="rule-delete-actions flex wrap above-100 gap-50">
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
          {TEXTS.removeIt}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {TEXTS.cancel}
        </button>
      </div>
    </Sheet>
  );
}
