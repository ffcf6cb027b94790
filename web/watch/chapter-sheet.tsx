/** Correcting where the commercials of a recording are: the picture follows the boundary that is moved. */
import { type Signal, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { RecordingId } from '../../wire/ids.ts';
import type { Chapters } from '../../wire/playback.ts';
import { networkFailure } from '../query/api.ts';
import { changesQuery, chaptersQuery, detectionQuery } from '../query/queries.ts';
import { deleteChapters, putChapters } from '../query/recordings.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { showToast } from '../ui/toast.tsx';
import { preciseClock } from '../words/recording.ts';
import type { Chapter } from './bar-marks.ts';
import {
  type Boundary,
  type ChapterDraft,
  changeBeside,
  sameBreaks,
  withBoundary,
  withBreak,
} from './chapter-draft.ts';
import { type Break, breaksOf } from './skip-rules.ts';
import { FRAME_S, type WatchPlayer } from './watch-player.ts';

interface ChapterSheetProps {
  readonly player: WatchPlayer;
  readonly recordingId: RecordingId;
  readonly chapters: readonly Chapter[];
  /** Outlives the sheet: what was not saved is there when it is opened again. */
  readonly draft: Signal<ChapterDraft | undefined>;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

const EDGES: Readonly<Record<Boundary['edge'], string>> = { start: '始まり', end: '終わり' };

const STEPS: readonly (readonly [string, number])[] = [
  ['−1秒', -1],
  ['−1コマ', -FRAME_S],
  ['＋1コマ', FRAME_S],
  ['＋1秒', 1],
];

const commercialsOf = (breaks: readonly Break[]): Chapters['chapters'] =>
  breaks.map(({ start, end }) => ({ start, end, title: 'CM' }));

interface ToolsProps {
  readonly id: RecordingId;
  readonly name: string;
  readonly at: number;
  /** Where the recording stood when the sheet was opened. */
  readonly opened: number;
  readonly onMove: (to: number) => void;
}

/** Actions on the chosen boundary. */
function Tools({ id, name, at, opened, onMove }: ToolsProps) {
  const changes = useQuery(changesQuery(id)).value?.changes ?? [];
  const toChange = (by: 1 | -1): void => {
    const to = changeBeside(changes, at, by);
    if (to === undefined)
      showToast(by === 1 ? 'この先に場面の変わり目はありません' : 'この前に場面の変わり目はありません');
    else onMove(to);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a frame and a legend
    <div class="break-tools" role="group" aria-label={`${name}を動かす`}>
      {STEPS.map(([label, by]) => (
        <button key={label} type="button" class="button button-small" onClick={() => onMove(at + by)}>
          {label}
        </button>
      ))}
      {changes.length === 0 ? null : (
        <>
          <button type="button" class="button button-small" onClick={() => toChange(-1)}>
            前の変わり目
          </button>
          <button type="button" class="button button-small" onClick={() => toChange(1)}>
            次の変わり目
          </button>
        </>
      )}
      <button type="button" class="button button-small numbers" onClick={() => onMove(opened)}>
        再生していた位置（{preciseClock(opened)}）へ
      </button>
    </div>
  );
}

interface RowProps {
  readonly number: number;
  readonly found: Break;
  readonly chosen: Boundary['edge'] | undefined;
  readonly onChoose: (edge: Boundary['edge']) => void;
  readonly onRemove: () => void;
  readonly children: preact.ComponentChildren;
}

function BreakRow({ number, found, chosen, onChoose, onRemove, children }: RowProps) {
  return (
    <li class="break-row">
      <div class="break-edges">
        <b>CM {number}</b>
        {(['start', 'end'] as const).map((edge) => (
          <button
            key={edge}
            type="button"
            class="button button-small numbers"
            aria-pressed={chosen === edge}
            data-nav-initial={edge === 'start' ? '' : undefined}
            aria-label={`CM ${number}の${EDGES[edge]} ${preciseClock(found[edge])}`}
            onClick={() => onChoose(edge)}
          >
            {EDGES[edge]} {preciseClock(found[edge])}
          </button>
        ))}
        <button type="button" class="round" aria-label={`CM ${number}を取り除く`} onClick={onRemove}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </li>
  );
}

/** Saving and taking back, one at a time. */
function useChapterCalls({ recordingId, draft, onClose }: ChapterSheetProps) {
  const failed = useSignal<string | undefined>(undefined);
  const busy = useSignal(false);
  const call = async (what: string, done: string, send: () => Promise<Chapters>): Promise<void> => {
    if (busy.peek()) return;
    busy.value = true;
    failed.value = undefined;
    try {
      entryOf(chaptersQuery(recordingId)).put(await send());
      void entryOf(detectionQuery(recordingId)).renew();
      draft.value = undefined;
      showToast(done, undefined, 'chapters');
      onClose();
    } catch (error) {
      failed.value = `${what}${networkFailure(error).message}`;
    } finally {
      busy.value = false;
    }
  };
  return {
    failed: failed.value,
    busy: busy.value,
    save: (breaks: readonly Break[]) =>
      call('保存できませんでした。', 'CMの位置を保存しました', () =>
        putChapters(recordingId, commercialsOf(breaks)),
      ),
    reset: () =>
      call('元に戻せませんでした。', '自動で検出した位置に戻しました', () => deleteChapters(recordingId)),
  };
}

function useDraft({ player, recordingId, chapters, draft }: ChapterSheetProps) {
  const known = breaksOf(chapters);
  const mine = draft.value?.recordingId === recordingId ? draft.value.breaks : known;
  const chosen = useSignal<Boundary | undefined>(undefined);
  const put = (breaks: readonly Break[]): void => {
    draft.value = { recordingId, breaks };
  };
  const show = (at: number | undefined): void => {
    if (at === undefined) return;
    player.setPaused(true);
    player.seek(at);
  };
  return {
    breaks: mine,
    isChanged: !sameBreaks(mine, known),
    chosen: chosen.value,
    choose: (boundary: Boundary) => {
      chosen.value = boundary;
      show(mine[boundary.index]?.[boundary.edge]);
    },
    move: (boundary: Boundary, to: number) => {
      const moved = withBoundary(mine, boundary, to, player.length.peek());
      put(moved);
      show(moved[boundary.index]?.[boundary.edge]);
    },
    remove: (index: number) => {
      chosen.value = undefined;
      put(mine.filter((_, at) => at !== index));
    },
    add: (at: number) => {
      const added = withBreak(mine, at, player.length.peek());
      if (added === undefined) {
        showToast('この位置にはCMを加えられません');
        return;
      }
      put(added);
      chosen.value = {
        index: added.findIndex(({ start, end }) => at < end && at >= start - 0.001),
        edge: 'end',
      };
    },
  };
}

export function ChapterSheet(props: ChapterSheetProps) {
  const { player, recordingId, chapters, draft, onOpen, onClose } = props;
  const [opened] = useState(() => player.position.peek());
  const { breaks, isChanged, chosen, choose, move, remove, add } = useDraft(props);
  const { failed, busy, save, reset } = useChapterCalls(props);
  const isCorrected = useQuery(detectionQuery(recordingId)).value?.corrected === true;
  const close = (): void => {
    onClose();
    // Asked of the draft itself: the way back by key calls what the first rendering gave.
    const left = draft.peek();
    if (left?.recordingId !== recordingId || sameBreaks(left.breaks, breaksOf(chapters))) return;
    showToast('CMの位置はまだ保存していません', { label: '続ける', run: onOpen }, 'chapters');
  };
  return (
    <Sheet title="CMの位置を直す" onClose={close}>
      <p class="sheet-note">
        位置を選ぶと、その画面が出ます。始まりはCMの最初の画面、終わりは本編に戻った最初の画面に合わせます。
      </p>
      {breaks.length === 0 ? <p class="sheet-note">この録画にCMの印はありません。</p> : null}
      <ol class="break-list">
        {breaks.map((found, index) => {
          const edge = chosen?.index === index ? chosen.edge : undefined;
          return (
            <BreakRow
              key={index}
              number={index + 1}
              found={found}
              chosen={edge}
              onChoose={(wanted) => choose({ index, edge: wanted })}
              onRemove={() => remove(index)}
            >
              {edge === undefined ? null : (
                <Tools
                  id={recordingId}
                  name={`CM ${index + 1}の${EDGES[edge]}`}
                  at={found[edge]}
                  opened={opened}
                  onMove={(to) => move({ index, edge }, to)}
                />
              )}
            </BreakRow>
          );
        })}
      </ol>
      <button
        type="button"
        class="button button-small numbers"
        data-nav-initial=""
        onClick={() => add(opened)}
      >
        <Icon name="plus" />
        再生していた位置（{preciseClock(opened)}）にCMを加える
      </button>
      {failed === undefined ? null : (
        <p class="field-failed" role="alert">
          {failed}
        </p>
      )}
      <div class="break-actions">
        {isCorrected ? (
          <button type="button" class="button" disabled={busy} onClick={() => void reset()}>
            自動検出に戻す
          </button>
        ) : null}
        <button
          type="button"
          class="button button-main"
          disabled={busy || !isChanged}
          onClick={() => void save(breaks)}
        >
          保存
        </button>
      </div>
    </Sheet>
  );
}
