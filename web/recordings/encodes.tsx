/** The conversion of recordings: a status line above the list, the queue in a sheet. */
import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { EncodeItem, Encodes } from '../../lib/wire/encode.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { asFailure } from '../query/api.ts';
import {
  cancelEncode,
  changeQueue,
  ENCODES,
  encodeLogQuery,
  encodeMany,
  encodeRecording,
} from '../query/encodes.ts';
import { entryOf, type Shown, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { showToast } from '../ui/toast.tsx';
import { placeText, waitText, wishText } from '../words/encode.ts';
import { quoted } from '../words/recording.ts';
import { tidyTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

const POLL_MS = 3_000;

const quotedTitle = ({ title }: EncodeItem): string => quoted(tidyTitle(title));

/** Read again every few seconds while something is converted. @param isShown false: not read */
export function useEncodes(isShown: boolean): Shown<Encodes> {
  const [some, setSome] = useState(false);
  const query = some ? { ...ENCODES, poll: POLL_MS } : ENCODES;
  const shown = useQuery(isShown ? query : undefined);
  const running = (shown.value?.queue.length ?? 0) > 0;
  useEffect(() => setSome(running), [running]);
  return shown;
}

/** @param done what is said of it */
async function attempt(what: string, call: () => Promise<unknown>, done?: string): Promise<void> {
  try {
    await call();
    if (done !== undefined) showToast(done);
  } catch (error) {
    showToast(`${what}${asFailure(error).message}`);
  }
  await entryOf(ENCODES).renew();
}

/**
 * Shows the new order at once, so that a second press before the answer moves on from there.
 * @param by places to move in the queue; index 0 is the first one waiting
 */
function move(encodes: Encodes, index: number, by: -1 | 1): Promise<void> {
  const waiting = encodes.queue.filter(({ state }) => state === 'waiting');
  const [moved] = waiting.splice(index, 1);
  if (moved !== undefined) waiting.splice(index + by, 0, moved);
  const others = encodes.queue.filter(({ state }) => state !== 'waiting');
  entryOf(ENCODES).put({ ...encodes, queue: [...others, ...waiting] });
  const order = waiting.map(({ recordingId }) => recordingId);
  return attempt(TEXTS.orderNotChanged, () => changeQueue({ order }));
}

function Log({ id }: { id: RecordingId }) {
  const { value, failure } = useQuery(encodeLogQuery(id));
  if (value === undefined) {
    return failure === undefined ? null : <p class="alert">{failure.message}</p>;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long log is scrolled by keys
    <pre class="encode-log no-margin text-xs round-m ground pad-3" tabIndex={0}>
      {value.log === '' ? TEXTS.noLog : value.log}
    </pre>
  );
}

interface RowProps {
  readonly item: EncodeItem;
  readonly children?: preact.ComponentChildren;
}

function Row({ item, children }: RowProps) {
  const log = useSignal(false);
  return (
    <li class="encode-row stack round-m bordered pad-3 gap-40">
      <p class="flex wrap justify-between no-margin gap-text">
        <b>{tidyTitle(item.title)}</b>
        <span class="numbers tone-text" data-tone={item.state === 'failed' ? 'bad' : undefined}>
          {placeText(item)}
        </span>
      </p>
      <p class="no-margin note">{wishText(item)}</p>
      {item.message === null ? null : <p class="no-margin">{item.message}</p>}
      {item.state === 'running' && item.percent !== null ? (
        <div
          class="progress"
          role="progressbar"
          aria-label={TEXTS.encodeProgress}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(item.percent * 100)}
        >
          <div class="progress-fill" style={{ '--part': item.percent.toFixed(4) }} />
        </div>
      ) : null}
      <div class="flex wrap gap-50">
        {children}
        {item.state === 'failed' ? (
          <button
            type="button"
            class="button button-small"
            aria-expanded={log.value}
            onClick={() => {
              log.value = !log.value;
            }}
          >
            {TEXTS.log}
          </button>
        ) : null}
      </div>
      {log.value ? <Log id={item.recordingId} /> : null}
    </li>
  );
}

function Cancel({ item }: { item: EncodeItem }) {
  return (
    <button
      type="button"
      class="button button-small"
      aria-label={TEXTS.cancelEncodeOf(quotedTitle(item))}
      onClick={() =>
        void attempt(
          TEXTS.encodeNotCancelledStop,
          () => cancelEncode(item.recordingId),
          TEXTS.encodeCancelledOf(quotedTitle(item)),
        )
      }
    >
      {TEXTS.cancel}
    </button>
  );
}

function Queue({ encodes }: { encodes: Encodes }) {
  const waiting = encodes.queue.filter(({ state }) => state === 'waiting');
  if (encodes.queue.length === 0) return <p class="muted">{TEXTS.noEncodes}</p>;
  return (
    <ol class="stack no-padding gap-75 unlisted above-75">
      {encodes.queue.map((item) => {
        const index = waiting.indexOf(item);
        return (
          <Row key={item.recordingId} item={item}>
            {index > 0 ? (
              <button
                type="button"
                class="button button-small"
                aria-label={TEXTS.soonerOf(quotedTitle(item))}
                onClick={() => void move(encodes, index, -1)}
              >
                {TEXTS.sooner}
              </button>
            ) : null}
            {index >= 0 && index < waiting.length - 1 ? (
              <button
                type="button"
                class="button button-small"
                aria-label={TEXTS.laterOf(quotedTitle(item))}
                onClick={() => void move(encodes, index, 1)}
              >
                {TEXTS.later}
              </button>
            ) : null}
            <Cancel item={item} />
          </Row>
        );
      })}
    </ol>
  );
}

function EncodesSheet({ encodes, onClose }: { encodes: Encodes; onClose: () => void }) {
  const { paused, recent } = encodes;
  return (
    <Sheet title={TEXTS.encodes} onClose={onClose}>
      <div class="cluster justify-between gap-75">
        <p class="muted">{waitText(encodes)}</p>
        <button
          type="button"
          class="button"
          data-nav-initial=""
          onClick={() => void attempt(TEXTS.notChangedStop, () => changeQueue({ paused: !paused }))}
        >
          <Icon name={paused ? 'play' : 'pause'} />
          {paused ? TEXTS.goOn : TEXTS.pause}
        </button>
      </div>
      <Queue encodes={encodes} />
      {recent.length === 0 ? null : (
        <>
          <h3 class="above-100 below-75">{TEXTS.recentEncodes}</h3>
          <ul class="stack no-padding gap-75 unlisted above-75">
            {recent.map((item) => (
              <Row key={`${item.recordingId} ${item.endedAt}`} item={item}>
                {item.state === 'failed' || item.state === 'cancelled' ? (
                  <button
                    type="button"
                    class="button button-small"
                    aria-label={TEXTS.encodeAgainOf(quotedTitle(item))}
                    onClick={() =>
                      void attempt(TEXTS.encodeNotBegunStop, () => encodeRecording(item.recordingId))
                    }
                  >
                    {TEXTS.encodeAgain}
                  </button>
                ) : null}
              </Row>
            ))}
          </ul>
        </>
      )}
      <p class="muted">
        <a href="settings">{TEXTS.encodeSettings}</a>
      </p>
    </Sheet>
  );
}

/** Text of the status line; undefined: there is nothing to show. */
function lineOf(encodes: Encodes): { readonly text: string; readonly isBad: boolean } | undefined {
  const { queue, recent } = encodes;
  const running = queue.find(({ state }) => state === 'running');
  const waiting = queue.filter(({ state }) => state === 'waiting');
  const left = waiting.length === 0 ? '' : TEXTS.andWaiting(waiting.length);
  if (running !== undefined) {
    return { text: TEXTS.encoding(quotedTitle(running), placeText(running), left), isBad: false };
  }
  const [next] = waiting;
  if (next !== undefined) {
    const own = next.waitsFor === null ? '' : placeText(next);
    return { text: TEXTS.encodesWaiting(waiting.length, waitText(encodes) || own), isBad: false };
  }
  const [last] = recent;
  if (last?.state === 'failed') return { text: TEXTS.encodeFailed(quotedTitle(last)), isBad: true };
  return undefined;
}

/** All of a series that is not converted yet. */
export function EncodeSeries({ series, name }: { series: string; name: string }) {
  const start = async (): Promise<void> => {
    const { queued } = await encodeMany({ series });
    const what = quoted(name);
    showToast(queued === 0 ? TEXTS.seriesEncoded(what) : TEXTS.seriesQueued(what, queued));
  };
  return (
    <button
      type="button"
      class="button button-small"
      onClick={() => void attempt(TEXTS.encodeNotBegunStop, start)}
    >
      {TEXTS.encodeSeries}
    </button>
  );
}

export function EncodeLine({ encodes }: { encodes: Encodes | undefined }) {
  const open = useSignal(false);
  if (encodes === undefined) return null;
  const line = lineOf(encodes);
  return (
    <>
      {line === undefined ? null : (
        <button
          type="button"
          class="encode-line hstack full-width press-height below-100 ink round-l bordered surface gap-75 text-left pad-2"
          aria-haspopup="dialog"
          data-bad={line.isBad ? '' : undefined}
          onClick={() => {
            open.value = true;
          }}
        >
          <Icon name={line.isBad ? 'alert' : 'recordings'} />
          <span class="numbers grow min-0">{line.text}</span>
          <Icon name="next" class="faint" />
        </button>
      )}
      {open.value ? (
        <EncodesSheet
          encodes={encodes}
          onClose={() => {
            open.value = false;
          }}
        />
      ) : null}
    </>
  );
}
