/** For addresses that lead nowhere. */
import { Panel } from '../ui/panel.tsx';

export function NotFound({ path }: { path: string }) {
  return (
    <Panel
      icon="help"
      title="この画面はありません"
      actions={
        <a class="button button-main" href="." data-nav-initial="">
          放送中の番組を見る
        </a>
      }
    >
      <p>
        <code>{path}</code>{' '}
        という画面は見つかりませんでした。アドレスを確かめるか、放送中の番組からお選びください。
      </p>
    </Panel>
  );
}
