/** Stations as rows beside or below the picture, to change the channel with a look at what is on. */
import { useState } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Station } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { shownStationsWith } from '../query/station-order.ts';
import { stationById, stationList, stations, withoutCopies } from '../query/stations.ts';
import { Logo } from '../ui/logo.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { remainingText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

const BANDS = [
  { type: 'GR', label: TEXTS.terrestrial },
  { type: 'BS', label: 'BS' },
  { type: 'CS', label: 'CS' },
] as const;

interface RowProps {
  readonly station: Station;
  readonly current: boolean;
  /** A row was pressed; its link is followed besides. */
  readonly onPick?: (() => void) | undefined;
  /** In place of its link. */
  readonly onChoose?: ((stationId: StationId) => void) | undefined;
}

function Row({ station, current, onPick, onChoose }: RowProps) {
  const program = station.now;
  return (
    <a
      class="row"
      href={`live/${station.id}`}
      data-replace=""
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        onPick?.();
        if (onChoose === undefined) return;
        event.preventDefault();
        onChoose(station.id);
      }}
    >
      <Logo station={station} />
      <span class="row-text">
        <span class="flex gap-40 note bold">
          <span class="numbers">{channelLabel(station, stations.value)}</span> {narrow(station.name)}
          {program === null ? null : (
            <span class="numbers push-end nowrap">{remainingText(program.endAt, now.value)}</span>
          )}
        </span>
        <span class="bold truncate">
          {program === null ? TEXTS.noProgramYet : splitTitle(program.name).title}
        </span>
        {program === null ? null : <ProgramProgress startAt={program.startAt} endAt={program.endAt} />}
      </span>
    </a>
  );
}

/** Before the first scan there is nothing to choose from. */
function NoChannels() {
  return (
    <Panel
      icon="antenna"
      title={TEXTS.noChannels}
      actions={
        <a class="button button-main" href="setup" data-nav-initial="">
          {TEXTS.setup}
        </a>
      }
    >
      <p>{TEXTS.noChannelsNote}</p>
    </Panel>
  );
}

interface ChannelListProps extends Pick<RowProps, 'onPick' | 'onChoose'> {
  readonly stationId: StationId;
}

export function ChannelList({ stationId, onPick, onChoose }: ChannelListProps) {
  const [chosen, setChosen] = useState<Station['type']>();
  const list = shownStationsWith(stationId);
  const present = BANDS.filter((band) => list.some((station) => station.type === band.type));
  const type = chosen ?? stationById(stationId)?.type ?? present[0]?.type;

  if (stationList.value.kind === 'ready' && list.length === 0) return <NoChannels />;
  return (
    <div class="stack gap-75">
      {present.length < 2 ? null : (
        <div class="tabs" role="tablist" aria-label={TEXTS.bands} data-nav-group="bands">
          {present.map((band) => (
            <button
              key={band.type}
              type="button"
              role="tab"
              class="tab"
              aria-selected={band.type === type}
              onClick={() => setChosen(band.type)}
            >
              {band.label}
            </button>
          ))}
        </div>
      )}
      <ul class="rows" data-nav-group="channels">
        {withoutCopies(list, stationId)
          .filter((station) => station.type === type)
          .map((station) => (
            <li key={station.id}>
              <Row station={station} current={station.id === stationId} onPick={onPick} onChoose={onChoose} />
            </li>
          ))}
      </ul>
    </div>
  );
}
