/** The seek bar of a recording: position, buffered range, chapters and gaps. */
import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { PlaybackGap } from '../../lib/wire/playback.ts';
import type { Previews } from '../../lib/wire/recordings.ts';
import { addressOf } from '../query/api.ts';
import { lengthClock } from '../words/recording.ts';
import { type Chapter, chapterAt, chapterParts, gapParts, gapWords, partOf, previewAt } from './bar-marks.ts';
import { TEXTS } from './texts.ts';
import type { WatchPlayer } from './watch-player.ts';

interface SeekBarProps {
  readonly player: WatchPlayer;
  readonly chapters: readonly Chapter[];
  readonly gaps: readonly PlaybackGap[];
  readonly previews: Previews | undefined;
  /** Where a finger, mouse or swipe points, s; undefined: nowhere. */
  readonly pointed: Signal<number | undefined>;
  readonly onSkip: (by: 1 | -1) => void;
}

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;

function SeekPreview({ previews, seconds }: { previews: Previews; seconds: number }) {
  const place = previewAt(previews, seconds);
  if (place === undefined) return null;
  const { width, height, columns } = previews;
  return (
    <span
      class="seek-picture"
      style={{
        '--shape': String(height / width),
        backgroundImage: `url("${addressOf(place.sheet).href}")`,
        backgroundSize: `${columns * 100}% auto`,
        backgroundPosition: `calc(var(--wide) * ${-place.column}) calc(var(--wide) * var(--shape) * ${-place.row})`,
      }}
    />
  );
}

interface BubbleProps extends Pick<SeekBarProps, 'chapters' | 'gaps' | 'previews'> {
  readonly seconds: number;
  readonly length: number;
}

/** Preview of a position before seeking. */
function Bubble({ seconds, length, chapters, gaps, previews }: BubbleProps) {
  const chapter = chapterAt(chapters, seconds);
  const gap = gapWords(gaps, seconds, length);
  return (
    <span
      class="seek-bubble stack items-middle gap-10 absolute no-pointer text-s text-white nowrap round-m layer-3"
      style={{ '--at': percent(partOf(seconds, length)) }}
      aria-hidden="true"
    >
      {previews === undefined ? null : <SeekPreview previews={previews} seconds={seconds} />}
      <b class="numbers">{lengthClock(seconds * 1000)}</b>
      {chapter === undefined || chapter.title === '—' ? null : <span>{chapter.title}</span>}
      {gap === undefined ? null : <span class="seek-gap-words semibold">{gap}</span>}
    </span>
  );
}

function Track({ player, chapters, gaps }: Pick<SeekBarProps, 'player' | 'chapters' | 'gaps'>) {
  const length = player.length.value;
  return (
    <span class="seek-track block-level relative clip pill">
      {player.spans.value.map(({ start, end }) => (
        <span
          key={start}
          class="seek-buffered absolute at-top at-bottom"
          style={{ left: percent(partOf(start, length)), width: percent(partOf(end - start, length)) }}
        />
      ))}
      <span
        class="seek-played inset-0 bar-part"
        style={{ '--part': partOf(player.position.value, length).toFixed(5) }}
      />
      {chapterParts(chapters, length).map(({ start, end, isCm }) => (
        <span
          key={start}
          class={
            isCm ? 'seek-chapter seek-cm absolute at-top at-bottom' : 'seek-chapter absolute at-top at-bottom'
          }
          style={{ left: percent(start), width: percent(end - start) }}
        />
      ))}
      {gapParts(gaps, length).map(({ start, end }) => (
        <span
          key={start}
          class="seek-gap absolute at-top at-bottom"
          style={{ left: percent(start), width: percent(end - start) }}
        />
      ))}
    </span>
  );
}

export function SeekBar({ player, chapters, gaps, previews, pointed, onSkip }: SeekBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const dragging = useRef(false);
  const length = player.length.value;
  const position = player.position.value;
  const placeOf = (event: PointerEvent): number => {
    const box = bar.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return 0;
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * length;
  };
  const onKey = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => onSkip(-1),
      ArrowRight: () => onSkip(1),
      Home: () => player.seek(0),
      End: () => player.seek(length),
      Enter: () => player.togglePause(),
    };
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    if (step === undefined || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    step();
  };
  const shown = pointed.value ?? position;
  return (
    <div
      class="seek stack align-center relative round-s press"
      ref={bar}
      role="slider"
      tabIndex={0}
      aria-label={TEXTS.position}
      aria-valuemin={0}
      aria-valuemax={Math.round(length)}
      aria-valuenow={Math.round(position)}
      aria-valuetext={TEXTS.positionOf(lengthClock(position * 1000), lengthClock(length * 1000))}
      data-pointed={pointed.value === undefined ? undefined : ''}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        dragging.current = true;
        bar.current?.setPointerCapture(event.pointerId);
        pointed.value = placeOf(event);
      }}
      onPointerMove={(event) => {
        if (dragging.current || event.pointerType === 'mouse') pointed.value = placeOf(event);
      }}
      onPointerUp={(event) => {
        if (!dragging.current) return;
        dragging.current = false;
        player.seek(placeOf(event));
        if (event.pointerType !== 'mouse') pointed.value = undefined;
      }}
      onPointerCancel={() => {
        dragging.current = false;
        pointed.value = undefined;
      }}
      onPointerLeave={() => {
        if (!dragging.current) pointed.value = undefined;
      }}
    >
      {pointed.value === undefined ? null : (
        <Bubble seconds={pointed.value} length={length} chapters={chapters} gaps={gaps} previews={previews} />
      )}
      <Track player={player} chapters={chapters} gaps={gaps} />
      <span class="seek-head absolute no-pointer circle" style={{ '--at': percent(partOf(shown, length)) }} />
    </div>
  );
}
