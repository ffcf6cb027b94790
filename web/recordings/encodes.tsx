/** The conversion of recordings: a line above them while there is something to tell, the queue in a sheet. */
import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { EncodeItem, Encodes } from '../../wire/encode.ts';
import type { RecordingId } from '../../wire/ids.ts';
import { ApiFailure, networkFailure } from '../query/api.ts';
import {
  cancelEncode,
  changeQueue,
  ENCODES,
  encodeLogQuery,
  encodeMany,
  encodeRecording,
} from '../query/encodes.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { showToast } from '../ui/toast.tsx';
import { placeText, waitText, wishText } from '../words/encode.ts';
import { quoted } from '../words/recording.ts';

const POLL_MS = 3_000;

/** Read again every few seconds while something is converted. */
function useEncodes(): Encodes | undefined {
  const [some, setSome] = useState(false);
  const { value } = useQuery(some ? { ...ENCODES, poll: POLL_MS } : ENCODES);
  const running = (value?.queue.length ?? 0) > 0;
  useEffect(() => setSome(running), [running]);
  return value;
}

async function attempt(what: string, call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : networkFailure(error);
    showToast(`${what}${failure.message}`);
  }
  await entryOf(ENCODES).renew();
}

/** @param by places that it goes; the first one that waits is 0 */
function move(waiting: readonly EncodeItem[], index: number, by: -1 | 1): Promise<void> {
  const order = waiting.map(({ recordingId }) => recordingId);
  const [moved] = order.splice(index, 1);
  if (moved !== undefined) order.splice(index + by, 0, moved);
  return attempt('順番を変えられませんでした。', () => changeQueue({ order }));
}

function Log({ id }: { id: RecordingId }) {
  const { value, failure } = useQuery(encodeLogQuery(id));
  if (value === undefined) {
    return failure === undefined ? null : <p class="field-failed">{failure.message}</p>;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long log is scrolled by keys
    <pre class="encode-log" tabIndex={0}>
      {value.log === '' ? '記録はありません。' : value.log}
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
    <li class="encode-row">
      <p class="encode-name">
        <b>{item.title}</b>
        <span class="encode-place numbers" data-tone={item.state === 'failed' ? 'bad' : undefined}>
          {placeText(item)}
        </span>
      </p>
      <p class="encode-wish">{wishText(item)}</p>
      {item.message === null ? null : <p class="encode-message">{item.message}</p>}
      {item.state === 'running' && item.percent !== null ? (
        <div
          class="progress"
          role="progressbar"
          aria-label="変換の進み具合"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(item.percent * 100)}
        >
          <div class="progress-fill" style={{ '--part': item.percent.toFixed(4) }} />
        </div>
      ) : null}
      <div class="encode-actions">
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
            記録
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
      aria-label={`${quoted(item.title)}の変換を取り消す`}
      onClick={() =>
        void attempt('取り消せませんでした。', () => cancelEncode(item.recordingId)).then(() =>
          showToast(`${quoted(item.title)}の変換を取り消しました`),
        )
      }
    >
      取り消す
    </button>
  );
}

function Queue({ encodes }: { encodes: Encodes }) {
  const waiting = encodes.queue.filter(({ state }) => state === 'waiting');
  if (encodes.queue.length === 0) return <p class="sheet-note">変換を待っている録画はありません。</p>;
  return (
    <ol class="encode-list">
      {encodes.queue.map((item) => {
        const index = waiting.indexOf(item);
        return (
          <Row key={item.recordingId} item={item}>
            {index > 0 ? (
              <button
                type="button"
                class="button button-small"
                aria-label={`${quoted(item.title)}を先にする`}
                onClick={() => void move(waiting, index, -1)}
              >
                先にする
              </button>
            ) : null}
            {index >= 0 && index < waiting.length - 1 ? (
              <button
                type="button"
                class="button button-small"
                aria-label={`${quoted(item.title)}を後にする`}
                onClick={() => void move(waiting, index, 1)}
              >
                後にする
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
    <Sheet title="録画の変換" onClose={onClose}>
      <div class="encode-head">
        <p class="sheet-note">{waitText(encodes)}</p>
        <button
          type="button"
          class="button"
          data-nav-initial=""
          onClick={() => void attempt('変更できませんでした。', () => changeQueue({ paused: !paused }))}
        >
          <Icon name={paused ? 'play' : 'pause'} />
          {paused ? '再開する' : '一時停止する'}
        </button>
      </div>
      <Queue encodes={encodes} />
      {recent.length === 0 ? null : (
        <>
          <h3 class="encode-title">最近の変換</h3>
          <ul class="encode-list">
            {recent.map((item) => (
              <Row key={`${item.recordingId} ${item.endedAt}`} item={item}>
                {item.state === 'failed' || item.state === 'cancelled' ? (
                  <button
                    type="button"
                    class="button button-small"
                    aria-label={`${quoted(item.title)}をもう一度変換する`}
                    onClick={() =>
                      void attempt('変換を始められませんでした。', () => encodeRecording(item.recordingId))
                    }
                  >
                    もう一度変換する
                  </button>
                ) : null}
              </Row>
            ))}
          </ul>
        </>
      )}
      <p class="sheet-note">
        <a href="settings">形式や画質、時間帯は「設定」の「変換」で変えられます</a>
      </p>
    </Sheet>
  );
}

/** What a line has room for; undefined: nothing is to be told. */
function lineOf(encodes: Encodes): { readonly text: string; readonly isBad: boolean } | undefined {
  const { queue, recent } = encodes;
  const running = queue.find(({ state }) => state === 'running');
  const waiting = queue.filter(({ state }) => state === 'waiting').length;
  const left = waiting === 0 ? '' : `、待ち${waiting}件`;
  if (running !== undefined) {
    return { text: `変換中：${quoted(running.title)} ${placeText(running)}${left}`, isBad: false };
  }
  if (waiting > 0) return { text: `変換待ち${waiting}件　${waitText(encodes)}`, isBad: false };
  const [last] = recent;
  if (last?.state === 'failed') return { text: `${quoted(last.title)}を変換できませんでした`, isBad: true };
  return undefined;
}

/** All of a series that is not converted yet. */
export function EncodeSeries({ series, name }: { series: string; name: string }) {
  const start = async (): Promise<void> => {
    const { queued } = await encodeMany({ series });
    const told =
      queued === 0 ? 'はすべて変換済みか、変換を待っています' : `の${queued}件を変換の待ちに加えました`;
    showToast(`${quoted(name)}${told}`);
  };
  return (
    <button
      type="button"
      class="button button-small"
      onClick={() => void attempt('変換を始められませんでした。', start)}
    >
      まとめて変換
    </button>
  );
}

export function EncodeLine() {
  const encodes = useEncodes();
  const open = useSignal(false);
  if (encodes === undefined) return null;
  const line = lineOf(encodes);
  return (
    <>
      {line === undefined ? null : (
        <button
          type="button"
          class="encode-line"
          aria-haspopup="dialog"
          data-bad={line.isBad ? '' : undefined}
          onClick={() => {
            open.value = true;
          }}
        >
          <Icon name={line.isBad ? 'alert' : 'recordings'} />
          <span class="numbers">{line.text}</span>
          <Icon name="next" class="row-go" />
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
