/** Asks before something that cannot be taken back. The careful answer has the focus. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Recording } from '../../wire/api.ts';
import { Sheet } from '../ui/sheet.tsx';
import { quoted } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';

interface ConfirmProps {
  readonly title: string;
  /** What the dangerous button does. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

function Confirm({ title, action, onConfirm, onClose, children }: ConfirmProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus({ preventScroll: true }), []);
  return (
    <Sheet title={title} onClose={onClose}>
      <div class="confirm">
        {children}
        <div class="confirm-actions">
          <button ref={keep} type="button" class="button" data-nav-initial="" onClick={onClose}>
            キャンセル
          </button>
          <button
            type="button"
            class="button button-danger"
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {action}
          </button>
        </div>
      </div>
    </Sheet>
  );
}

interface EraseProps {
  readonly list: readonly Recording[];
  readonly onClose: () => void;
  readonly onErase: () => void;
}

export function EraseSheet({ list, onClose, onErase }: EraseProps) {
  const only = list.length === 1 ? list[0] : undefined;
  return (
    <Confirm title="完全に削除" action="完全に削除する" onConfirm={onErase} onClose={onClose}>
      <p>
        {only === undefined
          ? `${list.length.toLocaleString('ja-JP')}件の録画とそのファイルを削除します。`
          : `${quoted(splitTitle(only.name).title)}の録画とそのファイルを削除します。`}
      </p>
      <p>
        <b>元に戻すことはできません。</b>
      </p>
    </Confirm>
  );
}

interface StopProps {
  readonly recording: Recording;
  readonly onClose: () => void;
  readonly onStop: () => void;
}

export function StopSheet({ recording, onClose, onStop }: StopProps) {
  return (
    <Confirm title="録画を止める" action="録画を止める" onConfirm={onStop} onClose={onClose}>
      <p>{quoted(splitTitle(recording.name).title)}の録画を止めます。ここまでに録画した分は残ります。</p>
    </Confirm>
  );
}
