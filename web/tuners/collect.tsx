/**
 * 'Collect the guide now': a lease, renewed while the switch is on. The service holds it for a minute; closing the
 * screen releases it.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Channel } from '../../lib/wire/agent.ts';
import type { GuideStatus } from '../../lib/wire/api.ts';
import type { WallMs } from '../../lib/wire/times.ts';
import { wallNow } from '../device/clock.ts';
import { type ApiFailure, asFailure, pressCollect, releaseCollect } from '../query/api.ts';
import { Icon } from '../ui/icon.tsx';
import { ProgressBar } from '../ui/progress.tsx';
import { showToast } from '../ui/toast.tsx';
import { firstStation } from '../words/tuner.ts';
import { TEXTS } from './texts.ts';

/** A third of the lease: two may get lost. */
const RENEW_MS = 20_000;

interface Pressed {
  readonly since: WallMs;
}

/** Stations read since the switch was put on, of those that have a guide. */
function readingProgress(
  status: GuideStatus,
  since: WallMs,
): { readonly done: number; readonly total: number } {
  const able = status.stations.filter((station) => !station.noGuide);
  return {
    done: able.filter((station) => station.lastReadAt !== null && station.lastReadAt >= since).length,
    total: able.length,
  };
}

/** One stream of a satellite may be read for its whole network: it is named by its own first station. */
function visitNames(status: GuideStatus, channels: readonly Channel[]): string {
  return status.visits
    .map(({ type, channel }) => firstStation(channels, type, channel) ?? channel)
    .join('、');
}

interface CollectProps {
  readonly status: GuideStatus | undefined;
  readonly channels: readonly Channel[];
  readonly renew: () => void;
}

export function Collect({ status, channels, renew }: CollectProps) {
  const [pressed, setPressed] = useState<Pressed>();
  const [failure, setFailure] = useState<ApiFailure>();
  const on = pressed !== undefined;
  const renewed = useRef(renew);
  renewed.current = renew;

  useEffect(() => {
    if (!on) return undefined;
    const abort = new AbortController();
    const press = async (): Promise<void> => {
      try {
        await pressCollect(abort.signal);
        setFailure(undefined);
        renewed.current();
      } catch (error) {
        if (abort.signal.aborted) return;
        setFailure(asFailure(error));
        setPressed(undefined);
      }
    };
    void press();
    const timer = setInterval(() => void press(), RENEW_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
      // The service releases it a minute later anyway, should this request get lost.
      void releaseCollect().catch(() => undefined);
    };
  }, [on]);

  const done =
    pressed === undefined || status === undefined ? undefined : readingProgress(status, pressed.since);
  const finished = done !== undefined && done.total > 0 && done.done === done.total;
  useEffect(() => {
    if (!finished) return;
    setPressed(undefined);
    showToast(TEXTS.collectedAll);
  }, [finished]);

  const names = status === undefined ? '' : visitNames(status, channels);
  return (
    <div class="collect items-left stack align-center gap-75 below-100">
      <button
        type="button"
        role="switch"
        class="button switch-button"
        aria-checked={on}
        onClick={() => setPressed(on ? undefined : { since: wallNow() })}
      >
        <span class="switch" aria-hidden="true" />
        {TEXTS.collectNow}
      </button>
      <p class="collect-note note">{on ? TEXTS.collectingNote : TEXTS.collectNote}</p>
      {done === undefined ? null : (
        <ProgressBar
          part={done.total === 0 ? 0 : done.done / done.total}
          label={TEXTS.collectProgress(done.total, done.done)}
        />
      )}
      {names === '' ? null : (
        <p class="semibold gap-50 note hstack" role="status">
          <Icon name="antenna" />
          {TEXTS.reading(names)}
        </p>
      )}
      {!on && status?.pressed === true ? (
        <p class="semibold gap-50 note hstack">{TEXTS.otherScreen}</p>
      ) : null}
      {failure === undefined ? null : (
        <p class="alert" role="alert">
          {failure.message} {TEXTS.retryLater}
        </p>
      )}
    </div>
  );
}
