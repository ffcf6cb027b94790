/** What is to be recorded. */
import type { ReservationItem } from '../../wire/api.ts';
import { getReservations } from '../api.ts';
import { BookingTabs } from '../reservations/tabs.tsx';
import { useResource } from '../resource.ts';
import { narrow } from '../text/channel.ts';
import { shortText } from '../text/time.ts';
import { splitTitle } from '../text/title.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { FailurePanel } from './failure-panel.tsx';

function ReservationLine({ item }: { item: ReservationItem }) {
  return (
    <li class="row">
      <Icon name="reserve" />
      <span class="row-text">
        <span class="row-title">{splitTitle(item.name).title}</span>
        <span class="row-name">
          {shortText(item.startAt)} {narrow(item.serviceName)}
        </span>
      </span>
    </li>
  );
}

export function Reservations() {
  const { value, failure, renew } = useResource((signal) => getReservations(false, signal), {
    events: ['reservations', 'recordings'],
    poll: 0,
  });
  return (
    <>
      <header class="screen-head">
        <h1 class="screen-title">予約</h1>
        <BookingTabs shown="list" />
      </header>
      {value === undefined ? (
        failure === undefined ? (
          <span class="skeleton block-skeleton" role="status" aria-label="読み込んでいます" />
        ) : (
          <FailurePanel failure={failure} onRetry={renew} />
        )
      ) : value.length === 0 ? (
        <Panel
          icon="reserve"
          title="予約はまだありません"
          actions={
            <a class="button button-main" href="guide" data-nav-initial="">
              番組表を開く
            </a>
          }
        >
          <p>番組表や検索で番組を選ぶと予約できます。</p>
        </Panel>
      ) : (
        <ul class="rows block">
          {value.map((item) => (
            <ReservationLine key={item.id} item={item} />
          ))}
        </ul>
      )}
    </>
  );
}
