/** How far the guide of each station reaches, as a bar of eight days. */
import { type BroadcastMs, DAY_MS } from '../../lib/arib/time.ts';
import type { GuideStatus, Station } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { stations } from '../query/stations.ts';
import { Logo } from '../ui/logo.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { DAYS } from '../words/day.ts';
import { agoText } from '../words/time.ts';
import { TYPE_NAMES } from '../words/tuner.ts';
import { TEXTS } from './texts.ts';

type Coverage = GuideStatus['stations'][number];

/** 0..1 of eight days from now. */
function reach(coverage: Pick<Coverage, 'filledUntil'>, at: BroadcastMs): number {
  if (coverage.filledUntil === null) return 0;
  return Math.min(1, Math.max(0, (coverage.filledUntil - at) / (DAYS * DAY_MS)));
}

function reachText(coverage: Coverage, at: BroadcastMs): string {
  if (coverage.noGuide) return TEXTS.noGuide;
  const days = Math.max(0, ((coverage.filledUntil ?? at) - at) / DAY_MS);
  if (coverage.filledUntil === null || days <= 0) return TEXTS.noGuideYet;
  if (days < 1) return TEXTS.hoursAhead(Math.max(1, Math.floor(days * 24)));
  return TEXTS.daysAhead(Math.floor(days));
}

function Row({ coverage, station, reading }: { coverage: Coverage; station: Station; reading: boolean }) {
  const part = reach(coverage, now.value);
  const words = reachText(coverage, now.value);
  return (
    <li class="cover hstack gap-75" data-thin={coverage.thin ? '' : undefined}>
      <Logo station={station} />
      <span class="stack grow min-0 gap-25">
        <span class="cluster text-s line-tight gap-40">
          <span class="text-accent extrabold text-s gap-50 hstack numbers line-tight">
            {channelLabel(station, stations.value)}
          </span>
          <b class="truncate">{narrow(station.name)}</b>
          {coverage.thin ? (
            <span class="push-end text-mini extrabold pill fill-warn pad-x">{TEXTS.thin}</span>
          ) : null}
        </span>
        <span
          class="cover-bar progress block-level"
          role="img"
          aria-label={words}
          data-reading={reading ? '' : undefined}
        >
          <span class="progress-fill" style={{ '--part': part.toFixed(3) }} />
        </span>
        <span class="numbers flex wrap justify-between gap-50 text-mini muted line-tight">
          <span>{words}</span>
          <span>
            {reading
              ? TEXTS.readingNow
              : coverage.lastReadAt === null
                ? TEXTS.neverRead
                : TEXTS.readAt(agoText(coverage.lastReadAt, now.value))}
          </span>
        </span>
      </span>
    </li>
  );
}

export function CoverageList({ status, type }: { status: GuideStatus; type: Station['type'] }) {
  const reading = new Set(status.visits.flatMap((visit) => visit.stationIds));
  const byId = new Map(stations.value.map((station) => [station.id, station]));
  return (
    <ul class="tiles above-100 gap-tools" aria-label={TEXTS.guideOf(TYPE_NAMES[type])}>
      {status.stations.map((coverage) => {
        const station = byId.get(coverage.stationId);
        if (station === undefined || station.type !== type) return null;
        return (
          <Row
            key={coverage.stationId}
            coverage={coverage}
            station={station}
            reading={reading.has(coverage.stationId)}
          />
        );
      })}
    </ul>
  );
}
