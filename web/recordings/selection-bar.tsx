/** Actions for the selected recordings, at the bottom of the screen while there is a selection. */
import type { ComponentChildren } from 'preact';
import type { Recording } from '../../lib/wire/api.ts';
import { pressSaveMany } from '../offline/saving.ts';
import { TEXTS as OFFLINE_TEXTS } from '../offline/texts.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { encode, moveToBin, setProtected, setWatched, takeFromBin, work } from './actions.ts';
import { focusCellList } from './cell-list.tsx';
import type { Selection } from './selection.ts';
import { TEXTS } from './texts.ts';

interface BarProps {
  readonly selection: Selection;
  readonly inBin: boolean;
  readonly onAll: () => void;
  readonly onErase: (list: readonly Recording[]) => void;
}

interface ActionProps {
  readonly icon: IconName;
  readonly disabled: boolean;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

function Action({ icon, disabled, onPress, children }: ActionProps) {
  return (
    <button
      type="button"
      class="select-action stack items-middle text-xs bold nowrap round-m gap-10"
      disabled={disabled}
      onClick={onPress}
    >
      <Icon name={icon} />
      <span>{children}</span>
    </button>
  );
}

/** Shown also when the choice is over. */
export function Working() {
  const now = work.value;
  if (now === undefined) return null;
  return (
    <p
      class="select-work numbers stack gap-40 at-middle text-s bold round-m bordered surface-high shadow-2"
      role="status"
    >
      {now.label}（{now.done}／{now.total}）
      <span class="block-level progress">
        <span class="progress-fill" style={{ '--part': (now.done / now.total).toFixed(3) }} />
      </span>
    </p>
  );
}

export function SelectionBar({ selection, inBin, onAll, onErase }: BarProps) {
  const list = [...selection.items.value.values()];
  const none = list.length === 0;
  // The button pressed by key disappears with the bar: the toast with undo takes the focus.
  const withKeys = (): boolean => document.activeElement?.matches(':focus-visible') === true;
  const run = (act: (chosen: readonly Recording[], focusUndo: boolean) => void) => () => {
    const focusUndo = withKeys();
    selection.clear();
    act(list, focusUndo);
  };
  const protectedAll = !none && list.every((one) => one.protected);
  const untouched = list.every(({ watchedAt, resumeMs }) => watchedAt === null && resumeMs === null);
  const watchedAll = !none && list.every(({ watchedAt }) => watchedAt !== null);
  return (
    <section
      class="select-bar hstack round-l bordered surface-high shadow-2"
      aria-label={TEXTS.selection}
      data-nav-group="select-bar"
    >
      <div class="select-head hstack gap-50">
        <button
          type="button"
          class="round"
          aria-label={TEXTS.unselect}
          onClick={(event) => {
            selection.clear();
            if (event.detail === 0) focusCellList();
          }}
        >
          <Icon name="close" />
        </button>
        <b class="numbers" aria-live="polite">
          {none ? TEXTS.pleaseChoose : TEXTS.chosen(list.length.toLocaleString('ja-JP'))}
        </b>
        <button type="button" class="button button-small" onClick={onAll}>
          {TEXTS.chooseAll}
        </button>
      </div>
      <div class="select-actions flex gap-25">
        {inBin ? (
          <>
            <Action icon="undo" disabled={none} onPress={run((chosen) => void takeFromBin(chosen))}>
              {TEXTS.undo}
            </Action>
            <Action icon="bin" disabled={none} onPress={() => onErase(list)}>
              {TEXTS.eraseShort}
            </Action>
          </>
        ) : (
          <>
            <Action
              icon="bin"
              disabled={none}
              onPress={run((chosen, focusUndo) => void moveToBin(chosen, focusUndo))}
            >
              {TEXTS.toBin}
            </Action>
            <Action
              icon="eye"
              disabled={none || watchedAll}
              onPress={run((chosen, focusUndo) => void setWatched(chosen, true, { focusUndo }))}
            >
              {TEXTS.markWatched}
            </Action>
            <Action
              icon="unseen"
              disabled={none || untouched}
              onPress={run((chosen, focusUndo) => void setWatched(chosen, false, { focusUndo }))}
            >
              {TEXTS.markUnwatched}
            </Action>
            <Action
              icon="lock"
              disabled={none}
              onPress={run((chosen, focusUndo) => void setProtected(chosen, !protectedAll, { focusUndo }))}
            >
              {protectedAll ? TEXTS.unprotect : TEXTS.protectShort}
            </Action>
            <Action
              icon="recordings"
              disabled={none}
              onPress={run((chosen, focusUndo) => void encode(chosen, true, focusUndo))}
            >
              {TEXTS.encodeShort}
            </Action>
            <Action icon="save" disabled={none} onPress={run((chosen) => void pressSaveMany(chosen))}>
              {OFFLINE_TEXTS.saveShort}
            </Action>
          </>
        )}
      </div>
    </section>
  );
}
