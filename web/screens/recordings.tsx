/** What was recorded. */
import type { Recording } from '../../wire/api.ts';
import { getRecordings } from '../api.ts';
import { useResource } from '../resource.ts';
import { narrow } from '../text/channel.ts';
import { shortText } from '../text/time.ts';
import { splitTitle } from '../text/title.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { FailurePanel } from './failure-panel.tsx';

function RecordingLine({ recording }: { recording: Recording }) {
  return (
    <li class="row">
      <Icon name="recordings" />
      <span class="row-text">
        <span class="row-title">{splitTitle(recording.name).title}</span>
        <span class="row-name">
          {shortText(recording.startAt)} {narrow(recording.serviceName)}
        </span>
      </span>
      {recording.recording ? <span class="row-left">録画中</span> : null}
    </li>
  );
}

export function Recordings() {
  const { value, failure, renew } = useResource((signal) => getRecordings(signal), {
    events: ['recordings'],
    poll: 0,
  });
  return (
    <>
      <header class="screen-head">
        <h1 class="screen-title">録画</h1>
      </header>
      {value === undefined ? (
        failure === undefined ? (
          <span class="skeleton block-skeleton" role="status" aria-label="読み込んでいます" />
        ) : (
          <FailurePanel failure={failure} onRetry={renew} />
        )
      ) : value.length === 0 ? (
        <Panel
          icon="recordings"
          title="録画はまだありません"
          actions={
            <a class="button button-main" href="guide" data-nav-initial="">
              番組表を開く
            </a>
          }
        >
          <p>番組表で番組を選んで予約すると、録画されたものがここに並びます。</p>
        </Panel>
      ) : (
        <ul class="rows block">
          {value.map((recording) => (
            <RecordingLine key={recording.id} recording={recording} />
          ))}
        </ul>
      )}
    </>
  );
}
