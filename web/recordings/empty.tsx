/** Nothing to list: why, and what leads to recordings. */
import { setQuery } from '../navigation/router.ts';
import { Panel } from '../ui/panel.tsx';
import { isFiltered, NO_FILTERS, narrowings, type RecordingQuery } from './query.ts';

export function Empty({ shown }: { shown: RecordingQuery }) {
  const narrowed = shown.q.trim() !== '' || narrowings(shown) > 0;
  if (narrowed) {
    return (
      <Panel
        icon="search"
        title={
          shown.q.trim() === ''
            ? '条件に合う録画はありません'
            : `「${shown.q.trim()}」の録画は見つかりませんでした`
        }
        actions={
          <button type="button" class="button button-main" onClick={() => setQuery(NO_FILTERS, true)}>
            条件を消す
          </button>
        }
      >
        <p>言葉を短くするか、絞り込みを減らしてみてください。</p>
      </Panel>
    );
  }
  if (shown.show === 'bin') {
    return (
      <Panel icon="bin" title="ごみ箱は空です">
        <p>ごみ箱へ移した録画は2日間ここに残り、元に戻せます。</p>
      </Panel>
    );
  }
  if (shown.show === 'failed') {
    return (
      <Panel icon="check" title="失敗した録画はありません">
        <p>チューナーが足りないときや受信できなかったときの録画がここに並びます。</p>
      </Panel>
    );
  }
  if (shown.show === 'protected') {
    return (
      <Panel icon="lock" title="保護した録画はありません">
        <p>保護した録画は、ルールで自動的に消されません。録画を開いて「保護する」を押してください。</p>
      </Panel>
    );
  }
  if (isFiltered(shown) || shown.series !== undefined) {
    return (
      <Panel
        icon="check"
        title={shown.unwatched ? '未視聴の録画はありません' : 'このシリーズの録画はありません'}
        actions={
          <a class="button button-main" href="recordings">
            すべての録画を見る
          </a>
        }
      />
    );
  }
  return (
    <Panel
      icon="recordings"
      title="録画はまだありません"
      actions={
        <>
          <a class="button button-main" href="guide" data-nav-initial="">
            番組表から予約する
          </a>
          <a class="button" href="rules">
            録画ルールを作る
          </a>
        </>
      }
    >
      <p>
        番組表で番組を選んで予約するか、キーワードなどのルールを作って自動で予約すると、録画されたものがここに並びます。
      </p>
    </Panel>
  );
}
