/** The channel scan: choice of types, progress, results so far, outcome. */
import { useState } from 'preact/hooks';
import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { ScanStatus, Station } from '../../lib/wire/api.ts';
import { type ApiFailure, abortScan, asFailure, startScan } from '../query/api.ts';
import { SCAN } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { ProgressBar } from '../ui/progress.tsx';
import { narrow } from '../words/channel.ts';
import { TYPE_NAMES } from '../words/tuner.ts';
import { TunerLines } from '../words/tuner-holders.tsx';
import { TEXTS } from './texts.ts';

type BroadcastType = Station['type'];
const POLL_MS = 2_000;

const HINT = TEXTS.retryLater;

function stationNames(status: ScanStatus): number {
  return status.found.reduce((sum, { stations }) => sum + stations.length, 0);
}

function Found({ status }: { status: ScanStatus }) {
  if (status.found.length === 0 && status.failed.length === 0) return null;
  return (
    <>
      <ul class="scan-found">
        {status.found.map((found) => (
          <li class="stack" key={`${found.type} ${found.channel}`}>
            <span class="numbers extrabold muted">{found.channel}</span>
            <span>{found.stations.map((station) => narrow(station.name)).join('、') || TEXTS.nameless}</span>
          </li>
        ))}
      </ul>
      {status.failed.length === 0 ? null : (
        <details class="scan-failed">
          <summary class="press note semibold">
            {TEXTS.emptyChannels} {status.failed.length}
          </summary>
          <ul>
            {status.failed.map((failed) => (
              <li class="stack" key={`${failed.type} ${failed.channel}`}>
                <span class="numbers extrabold muted">{failed.channel}</span>
                {failed.message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function RunningScan({ status, onAbort }: { status: ScanStatus; onAbort: () => void }) {
  const current = status.current.map(({ channel }) => channel).join('、');
  return (
    <>
      <ProgressBar
        part={status.total === 0 ? 0 : status.done / status.total}
        label={TEXTS.scanProgress(status.total, status.done, stationNames(status))}
      />
      <p class="semibold gap-50 note hstack" role="status">
        <Icon name="antenna" />
        {current === '' ? TEXTS.waitsForTuner : TEXTS.scanning(current)}
      </p>
      {current === '' ? <TunerLines types={status.types} /> : null}
      <button type="button" class="button" onClick={onAbort}>
        {TEXTS.stop}
      </button>
    </>
  );
}

function Ended({ status }: { status: ScanStatus }) {
  switch (status.state) {
    case 'finished':
      return (
        <p class="bold gap-50 hstack text-good" role="status">
          <Icon name="check" />
          {TEXTS.scanFound(status.found.length, stationNames(status))}
        </p>
      );
    case 'aborted':
      return (
        <p class="bold gap-50 hstack" role="status">
          {TEXTS.scanStopped}
        </p>
      );
    case 'failed':
      return (
        <div class="alert" role="alert">
          <Icon name="alert" />
          <p>
            <b class="block-level">{status.message ?? TEXTS.scanFailed}</b>
            {TEXTS.scanFailedNext}
          </p>
        </div>
      );
    default:
      return null;
  }
}

function Chooser({
  able,
  busy,
  onStart,
}: {
  able: readonly BroadcastType[];
  busy: boolean;
  onStart: (types: BroadcastType[]) => void;
}) {
  const [left, setLeft] = useState<readonly BroadcastType[]>([]);
  const chosen = able.filter((type) => !left.includes(type));
  const toggle = (type: BroadcastType): void => {
    setLeft(left.includes(type) ? left.filter((other) => other !== type) : [...left, type]);
  };
  return (
    <>
      <fieldset
        class="flex wrap no-margin no-padding gap-50 borderless"
        aria-label={TEXTS.scanTypes}
        data-nav-group="scan-types"
      >
        {able.map((type) => (
          // biome-ignore lint/a11y/useSemanticElements: a button like all others, for fingers and remote controls
          <button
            key={type}
            type="button"
            role="checkbox"
            class="chip button button-small"
            aria-checked={chosen.includes(type)}
            onClick={() => toggle(type)}
          >
            <Icon name={chosen.includes(type) ? 'check' : 'plus'} />
            {TYPE_NAMES[type]}
          </button>
        ))}
      </fieldset>
      <button
        type="button"
        class="button button-main"
        disabled={chosen.length === 0 || busy}
        onClick={() => onStart(chosen)}
      >
        {TEXTS.scanStart}
      </button>
    </>
  );
}

export function Scan({ tuners }: { tuners: readonly Tuner[] }) {
  const [poll, setPoll] = useState(0);
  const { value: status, failure, renew } = useQuery(poll === 0 ? SCAN : { ...SCAN, poll });
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ApiFailure>();
  const running = status?.state === 'running';
  if (running !== poll > 0) setPoll(running ? POLL_MS : 0);
  const able = BROADCAST_TYPES.filter((type) =>
    tuners.some((tuner) => !tuner.disabled && tuner.types.includes(type)),
  );

  const run = async (action: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setRefused(undefined);
    try {
      await action();
    } catch (error) {
      setRefused(asFailure(error));
    } finally {
      setBusy(false);
      void renew();
    }
  };
  return (
    <section class="block" aria-labelledby="scan-title">
      <header class="block-head">
        <h2 id="scan-title">{TEXTS.scan}</h2>
      </header>
      <p class="note">{TEXTS.scanNote}</p>
      <div class="scan items-left stack gap-75 above-75">
        {status === undefined && failure !== undefined ? (
          <p class="alert" role="alert">
            {failure.message} {HINT}
          </p>
        ) : null}
        {running && status !== undefined ? (
          <RunningScan status={status} onAbort={() => void run(abortScan)} />
        ) : able.length === 0 ? (
          <p class="note">{TEXTS.scanNeedsTuner}</p>
        ) : (
          <Chooser able={able} busy={busy} onStart={(types) => void run(() => startScan({ types }))} />
        )}
        {refused === undefined ? null : (
          <div class="alert" role="alert">
            {refused.message} {HINT}
            {refused.code === 'no_tuner' ? <TunerLines types={able} /> : null}
          </div>
        )}
        {status === undefined ? null : (
          <>
            <Ended status={status} />
            <Found status={status} />
          </>
        )}
      </div>
    </section>
  );
}
