/** Correcting where the commercials of a recording are: the picture follows the boundary that is moved. */
import { type Signal, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Chapters } from '../../lib/wire/playback.ts';
import { asFailure } from '../query/api.ts';
import { changesQuery, chaptersQuery, detectionQuery } from '../query/queries.ts';
import { deleteChapters, putChapters } from '../query/recordings.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { showToast } from '../ui/toast.tsx';
import { Refusal } from '../words/field-failure.tsx';
import { preciseClock } from '../words/recording.ts';
import type { Chapter } from './bar-marks.ts';
import {
  type ChapterBoundary,
  type ChapterDraft,
  changeBeside,
  sameBreaks,
  withBoundary,
  withBreak,
} from './chapter-draft.ts';
import { TEXTS } from './sheet-words.ts';
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

const EDGES: Readonly<Record<ChapterBoundary['edge'], string>> = { start: TEXTS.begin, end: TEXTS.end };

const STEPS: readonly (readonly [string, number])[] = [
  [TEXTS.secondBack, -1],
  [TEXTS.frameBack, -FRAME_S],
  [TEXTS.frameForward, FRAME_S],
  [TEXTS.secondForward, 1],
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
    if (to === undefined) showToast(by === 1 ? TEXTS.noSceneAfter : TEXTS.noSceneBefore);
    else onMove(to);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a frame and a legend
    <div class="cluster gap-50 above-75" role="group" aria-label={TEXTS.move(name)}>
      {STEPS.map(([label, by]) => (
        <button key={label} type="button" class="button button-small" onClick={() => onMove(at + by)}>
          {label}
        </button>
      ))}
      {changes.length === 0 ? null : (
        <>
          <button type="button" class="button button-small" onClick={() => toChange(-1)}>
            {TEXTS.sceneBefore}
          </button>
          <button type="button" class="button button-small" onClick={() => toChange(1)}>
            {TEXTS.sceneAfter}
          </button>
        </>
      )}
      <button type="button" class="button button-small numbers" onClick={() => onMove(opened)}>
        {TEXTS.toOpened(preciseClock(opened))}
      </button>
    </div>
  );
}

interface RowProps {
  readonly number: number;
  readonly found: Break;
  readonly chosen: ChapterBoundary['edge'] | undefined;
  readonly onChoose: (edge: ChapterBoundary['edge']) => void;
  readonly onRemove: () => void;
  readonly children: preact.ComponentChildren;
}

function BreakRow({ number, found, chosen, onChoose, onRemove, children }: RowProps) {
  return (
    <li class="round-m bordered pad-2">
      <div class="cluster gap-50">
        <b>CM {number}</b>
        {(['start', 'end'] as const).map((edge) => (
          <button
            key={edge}
            type="button"
            class="button button-small numbers"
            aria-pressed={chosen === edge}
            data-nav-initial={edge === 'start' ? '' : undefined}
            aria-label={TEXTS.edgeAt(number, EDGES[edge], preciseClock(found[edge]))}
            onClick={() => onChoose(edge)}
          >
            {EDGES[edge]} {preciseClock(found[edge])}
          </button>
        ))}
        <button type="button" class="round push-end" aria-label={TEXTS.remove(number)} onClick={onRemove}>
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
      failed.value = `${what}${asFailure(error).message}`;
    } finally {
      busy.value = false;
    }
  };
  return {
    failed: failed.value,
    busy: busy.value,
    save: (breaks: readonly Break[]) =>
      call(TEXTS.notSaved, TEXTS.saved, () => putChapters(recordingId, commercialsOf(breaks))),
    reset: () => call(TEXTS.notRestored, TEXTS.restored, () => deleteChapters(recordingId)),
  };
}

function useChapterDraft({ player, recordingId, chapters, draft }: ChapterSheetProps) {
  const known = breaksOf(chapters);
  const mine = draft.value?.recordingId === recordingId ? draft.value.breaks : known;
  const chosen = useSignal<ChapterBoundary | undefined>(undefined);
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
    choose: (boundary: ChapterBoundary) => {
      chosen.value = boundary;
      show(mine[boundary.index]?.[boundary.edge]);
    },
    move: (boundary: ChapterBoundary, to: number) => {
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
        showToast(TEXTS.noRoom);
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
  const { breaks, isChanged, chosen, choose, move, remove, add } = useChapterDraft(props);
  const { failed, busy, save, reset } = useChapterCalls(props);
  const isCorrected = useQuery(detectionQuery(recordingId)).value?.corrected === true;
  const close = (): void => {
    onClose();
    // Asked of the draft itself: the way back by key calls what the first rendering gave.
    const left = draft.peek();
    if (left?.recordingId !== recordingId || sameBreaks(left.breaks, breaksOf(chapters))) return;
    showToast(TEXTS.unsaved, { label: TEXTS.goOn, run: onOpen }, 'chapters');
  };
  return (
    <Sheet title={TEXTS.correct} onClose={close}>
      <p class="muted">{TEXTS.correctNote}</p>
      {breaks.length === 0 ? <p class="muted">{TEXTS.noCommercials}</p> : null}
      <ol class="break-list stack no-padding gap-75 unlisted">
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
                  name={TEXTS.edge(index + 1, EDGES[edge])}
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
        {TEXTS.addAtOpened(preciseClock(opened))}
      </button>
      <Refusal text={failed} />
      <div class="cluster justify-end gap-50 above-150">
        {isCorrected ? (
          <button type="button" class="button" disabled={busy} onClick={() => void reset()}>
            {TEXTS.toDetected}
          </button>
        ) : null}
        <button
          type="button"
          class="button button-main"
          disabled={busy || !isChanged}
          onClick={() => void save(breaks)}
        >
          {TEXTS.save}
        </button>
      </div>
    </Sheet>
  );
}
