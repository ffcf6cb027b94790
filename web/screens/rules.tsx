/** The rules that book by themselves. */
import type { RuleItem } from '../../wire/api.ts';
import { getRules } from '../api.ts';
import { BookingTabs } from '../reservations/tabs.tsx';
import { useResource } from '../resource.ts';
import { narrow } from '../text/channel.ts';
import { shortText } from '../text/time.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { FailurePanel } from './failure-panel.tsx';

function RuleLine({ rule }: { rule: RuleItem }) {
  const next = rule.next ?? null;
  return (
    <li class="row">
      <Icon name="filter" />
      <span class="row-text">
        <span class="row-title">{rule.name}</span>
        <span class="row-name">
          {next === null
            ? (rule.disabledReason ?? '予約する番組はまだありません')
            : `次回 ${shortText(next.startAt)} ${narrow(next.serviceName)}`}
        </span>
      </span>
      <span class="row-left">{rule.enabled ? '有効' : '停止中'}</span>
    </li>
  );
}

export function Rules() {
  const { value, failure, renew } = useResource(getRules, { events: ['rules', 'reservations'], poll: 0 });
  return (
    <>
      <header class="screen-head">
        <h1 class="screen-title">録画ルール</h1>
        <BookingTabs shown="rules" />
      </header>
      {value === undefined ? (
        failure === undefined ? (
          <span class="skeleton block-skeleton" role="status" aria-label="読み込んでいます" />
        ) : (
          <FailurePanel failure={failure} onRetry={renew} />
        )
      ) : value.length === 0 ? (
        <Panel icon="filter" title="録画ルールはまだありません">
          <p>ルールを作ると、条件に合う番組を見つけて自動で予約します。</p>
        </Panel>
      ) : (
        <ul class="rows block">
          {value.map((rule) => (
            <RuleLine key={rule.id} rule={rule} />
          ))}
        </ul>
      )}
    </>
  );
}
