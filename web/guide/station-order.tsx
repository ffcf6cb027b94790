/** The stations of a broadcast type: their order, and which are hidden; used by guide, home and zapping. */
import type { Station } from '../../lib/wire/api.ts';
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
import { TEXTS } from './texts.ts';

function Row({ station, only }: { station: Station; only: boolean }) {
  const { id } = station;
  const name = narrow(station.name);
  const pinned = isPinned(id);
  const shown = !isHidden(id);
  return (
    <li class="justify-between line-below line" data-hidden={shown ? undefined : ''}>
      <span class="hstack min-0 gap-50">
        <Logo station={station} />
        <span class="numbers">{channelLabel(station, stations.value)}</span>
        <b>{name}</b>
      </span>
      <span class="cluster gap-40">
        {pinned ? (
          <>
            <button
              type="button"
              class="button button-small button-icon"
              aria-label={TEXTS.moveUp(name)}
              onClick={() => movePinned(id, -1)}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              class="button button-small button-icon"
              aria-label={TEXTS.moveDown(name)}
              onClick={() => movePinned(id, 1)}
            >
              <Icon name="down" />
            </button>
          </>
        ) : null}
        <Toggle on={pinned} label={TEXTS.pinStation(name)} onPress={() => pin(id, !pinned)}>
          {TEXTS.pin}
        </Toggle>
        <Toggle
          on={shown}
          label={TEXTS.showStation(name)}
          onPress={() => (only && shown ? showToast(TEXTS.lastShown) : hide(id, shown))}
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
    <Sheet title={TEXTS.stationOrder} onClose={onClose} wide>
      <p class="muted">{TEXTS.stationOrderNote}</p>
      <ul class="order below-75 above-75 no-margin stack">
        {[...shown, ...hidden].map((station) => (
          <Row key={station.id} station={station} only={shown.length === 1} />
        ))}
      </ul>
      {isUsualOrder.value ? null : (
        <button type="button" class="button button-small" onClick={forgetStationOrder}>
          {TEXTS.usualOrder}
        </button>
      )}
    </Sheet>
  );
}
