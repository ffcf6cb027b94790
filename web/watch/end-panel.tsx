/** After the last picture: the next episode, which starts automatically, or other actions. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import { currentMs } from '../device/clock.ts';
import { playsNext } from '../device/preferences.ts';
import { Poster } from '../recordings/poster.tsx';
import { shortText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { TEXTS } from './texts.ts';

/** What is on air at the station of a recording in progress, at its end. */
export interface Air {
  readonly title: string;
  /** It is the programme that was recorded. */
  readonly goesOn: boolean;
  readonly open: () => void;
}

interface EndPanelProps {
  /** The recording ends before its programme. */
  readonly isCutShort: boolean;
  readonly next: Recording | undefined;
  readonly air: Air | undefined;
  readonly onNext: () => void;
  readonly onAgain: () => void;
  readonly onList: () => void;
}

const WAIT_S = 8;

/** Seconds until the next episode starts; undefined: it does not start automatically. */
function useCountdown(on: boolean, onEnd: () => void): { left: number | undefined; stop: () => void } {
  const [left, setLeft] = useState<number | undefined>(on ? WAIT_S : undefined);
  const end = useRef(onEnd);
  end.current = onEnd;
  useEffect(() => {
    if (left === undefined) return undefined;
    if (left <= 0) {
      end.current();
      return undefined;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return { left, stop: () => setLeft(undefined) };
}

function Next({ next, onNext }: { next: Recording; onNext: () => void }) {
  const { left, stop } = useCountdown(playsNext.value, onNext);
  return (
    <>
      <p class="bold" role="status">
        {left === undefined ? TEXTS.nextEpisode : TEXTS.nextIn(left)}
      </p>
      <button
        type="button"
        class="end-next hstack full-width gap-100 text-left round-m glass pad-2"
        onClick={onNext}
      >
        <span class="end-poster video-shape rigid relative clip round-s">
          <Poster recording={next} />
        </span>
        <span class="end-words stack min-0 gap-25">
          <b class="clip">
            <WholeTitle title={splitTitle(next.name).title} />
          </b>
          <span class="numbers">{shortText(next.startAt, currentMs())}</span>
        </span>
      </button>
      <div class="panel-actions">
        <button type="button" class="button button-main" onClick={onNext}>
          {TEXTS.watchNow}
        </button>
        {left === undefined ? null : (
          <button type="button" class="button" onClick={stop}>
            {TEXTS.cancel}
          </button>
        )}
      </div>
    </>
  );
}

function OnAir({ title, goesOn, open }: Air) {
  return (
    <>
      <p>{TEXTS.onAir(title)}</p>
      <div class="panel-actions">
        <button type="button" class="button button-main" onClick={open}>
          {goesOn ? TEXTS.toAir : TEXTS.nextProgram}
        </button>
      </div>
    </>
  );
}

export function EndPanel({ isCutShort, next, air, onNext, onAgain, onList }: EndPanelProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(
    () => panel.current?.querySelector<HTMLElement>('.button')?.focus({ preventScroll: true }),
    [next?.id],
  );
  return (
    <section class="stage-note stage-note-wide end-panel round-l" ref={panel} aria-label={TEXTS.over}>
      {next === undefined ? (
        <h2 class="text-xl text-white">{isCutShort ? TEXTS.watchedPart : TEXTS.watchedAll}</h2>
      ) : (
        <Next key={next.id} next={next} onNext={onNext} />
      )}
      {air === undefined || next !== undefined ? null : <OnAir {...air} />}
      <div class="panel-actions">
        <button type="button" class="button" onClick={onAgain}>
          {TEXTS.fromStart}
        </button>
        <button type="button" class="button" onClick={onList}>
          {TEXTS.toList}
        </button>
      </div>
    </section>
  );
}
