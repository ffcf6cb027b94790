/** Confirmation before a recording is erased or stopped. */
import type { Recording } from '../../wire/api.ts';
import { Confirm } from '../ui/confirm.tsx';
import { quoted } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';

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
