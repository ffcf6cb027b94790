/** The stations of a broadcast type: which come first, which are not shown. For guide, home and zapping alike. */
import type { Station } from '../../wire/api.ts';
import {
  forgetStationOrder,
  hide,
  isHidden,
  isPinned,
  isUsualOrder,
  movePinned,
  pin,
  shownStations,
} from '../query/station-order.ts';
import { stations } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { showToast } from '../ui/toast.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { channelLabel, narrow } from '../words/channel.ts';

const TEXTS = {
  title: 'チャンネルの並びと表示',
  note: '「先頭に固定」した局を左から並べます。「表示」を外した局は、番組表・ホーム・選局に出しません。予約と録画には影響しません。',
  pin: '先頭に固定',
  show: '表示',
  last: '少なくとも1局は表示してください',
  up: '前へ',
  down: '後へ',
  usual: '並びと表示を標準に戻す',
} as const;

function Row({ station, only }: { station: Station; only: boolean }) {
  const { id } = station;
  const name = narrow(station.name);
  const pinned = isPinned(id);
  const shown = !isHidden(id);
  return (
    <li class="order-row" data-hidden={shown ? undefined : ''}>
      <span class="order-name">
        <Logo station={station} />
        <span class="numbers">{channelLabel(station, stations.value)}</span>
        <b>{name}</b>
      </span>
      <span class="order-tools">
        {pinned ? (
          <>
            <button
              type="button"
              class="button button-small button-icon"
              aria-label={`${name}を${TEXTS.up}`}
              onClick={() => movePinned(id, -1)}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              class="button button-small button-icon"
              aria-label={`${name}を${TEXTS.down}`}
              onClick={() => movePinned(id, 1)}
            >
              <Icon name="down" />
            </button>
          </>
        ) : null}
        <Toggle on={pinned} label={`${name}を${TEXTS.pin}`} onPress={() => pin(id, !pinned)}>
          {TEXTS.pin}
        </Toggle>
        <Toggle
          on={shown}
          label={`${name}を${TEXTS.show}`}
          onPress={() => (only && shown ? showToast(TEXTS.last) : hide(id, shown))}
        >
          {TEXTS.show}
        </Toggle>
      </span>
    </li>
  );
}

export function StationSheet({ type, onClose }: { type: Station['type']; onClose: () => void }) {
  const shown = shownStations.value.filter((station) => station.type === type);
  const hidden = stations.value.filter((station) => station.type === type && isHidden(station.id));
  return (
    <Sheet title={TEXTS.title} onClose={onClose} wide>
      <p class="sheet-note">{TEXTS.note}</p>
      <ul class="order">
        {[...shown, ...hidden].map((station) => (
          <Row key={station.id} station={station} only={shown.length === 1} />
        ))}
      </ul>
      {isUsualOrder.value ? null : (
        <button type="button" class="button button-small" onClick={forgetStationOrder}>
          {TEXTS.usual}
        </button>
      )}
    </Sheet>
  );
}
