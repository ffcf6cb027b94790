/** Confirmation before a recording is erased or stopped. */
import type { Recording } from '../../lib/wire/api.ts';
import { Confirm } from '../ui/confirm.tsx';
import { quoted } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

interface EraseProps {
  readonly list: readonly Recording[];
  readonly onClose: () => void;
  readonly onErase: () => void;
}

export function EraseSheet({ list, onClose, onErase }: EraseProps) {
  const only = list.length === 1 ? list[0] : undefined;
  return (
    <Confirm title={TEXTS.eraseShort} action={TEXTS.erase} onConfirm={onErase} onClose={onClose}>
      <p>
        {only === undefined
          ? TEXTS.erasesMany(list.length.toLocaleString('ja-JP'))
          : TEXTS.erases(quoted(splitTitle(only.name).title))}
      </p>
      <p>
        <b>{TEXTS.noUndo}</b>
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
    <Confirm title={TEXTS.stop} action={TEXTS.stop} onConfirm={onStop} onClose={onClose}>
      <p>{TEXTS.stops(quoted(splitTitle(recording.name).title))}</p>
    </Confirm>
  );
}
