/** The picture as a control: taps, drags and clicks. */
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { monotonicMs } from '../../lib/wire/times.ts';
import { skipBack, skipForward } from '../device/preferences.ts';
import { Gestures, type Touch } from './gestures.ts';
import type { Watching } from './use-watch.ts';
import type { WatchActions } from './watch-actions.ts';

interface PictureTouchProps {
  readonly watching: Watching;
  /** Where a stroke points, s. */
  readonly pointed: Signal<number | undefined>;
  readonly actions: Pick<WatchActions, 'fullscreen' | 'togglePause' | 'sleep' | 'skipBy'>;
}

/** A drag over the whole width seeks by at most this, s, or by this share of a short recording. */
const STROKE_S = 300;
const STROKE_PART = 0.5;

function touchOf(event: PointerEvent): Touch {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const at = monotonicMs(event.timeStamp);
  return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width, at };
}

export function PictureTouch({ watching, pointed, actions }: PictureTouchProps) {
  const { player, visibility } = watching;
  const gestures = useRef<Gestures | undefined>(undefined);
  const touched = useRef(false);
  useEffect(() => {
    const placeAt = (part: number): number => {
      const length = player.length.peek();
      const reach = Math.min(STROKE_S, length * STROKE_PART);
      return Math.min(length, Math.max(0, player.position.peek() + part * reach));
    };
    const made = new Gestures({
      onTap: () => {
        if (!actions.sleep()) visibility.wake();
      },
      onSkip: (by) => actions.skipBy(by === 1 ? skipForward.peek() : -skipBack.peek()),
      onStroke: (part) => {
        pointed.value = placeAt(part);
      },
      onStrokeEnd: (part) => {
        pointed.value = undefined;
        player.seek(placeAt(part));
      },
      onStrokeCancel: () => {
        pointed.value = undefined;
      },
    });
    gestures.current = made;
    return () => made.close();
  }, [watching]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the picture's own controls do the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      class="stage-touch inset-0"
      onPointerDown={(event) => {
        touched.current = event.pointerType === 'touch';
        if (touched.current) gestures.current?.down(touchOf(event));
      }}
      onPointerMove={(event) => {
        if (event.pointerType === 'touch') gestures.current?.move(touchOf(event));
      }}
      onPointerUp={(event) => {
        if (event.pointerType === 'touch') gestures.current?.up(touchOf(event));
      }}
      onPointerCancel={() => gestures.current?.cancel()}
      onClick={() => {
        if (!touched.current) actions.togglePause();
      }}
      onDblClick={() => {
        if (!touched.current) actions.fullscreen();
      }}
    />
  );
}
