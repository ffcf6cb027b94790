/** Live viewing put together: sessions, the report of a tuner lost to a recording, and the route. */
import type { AddRoutes } from '../route/add-routes.ts';
import { addLiveCaptionRoutes, addLiveRoutes, type LiveRouteNeeds } from './live-routes.ts';
import { type LiveOptions, LiveService } from './live-service.ts';
import { TunerYields, type TunerYieldsOptions } from './tuner-yields.ts';

interface LiveNeeds
  extends Omit<LiveOptions, 'onLost' | 'stations'>,
    Pick<TunerYieldsOptions, 'findRecording' | 'hub' | 'tuners'> {
  stations: LiveOptions['stations'] & LiveRouteNeeds['stations'];
}

export function createLive(needs: LiveNeeds) {
  const log = needs.log.component('live');
  const yields = new TunerYields({ ...needs, log });
  const live = new LiveService({
    ...needs,
    log,
    onLost: (station, tunerId) => void yields.lost(station, tunerId),
  });
  const routes: AddRoutes = (app) => {
    const parts = { stations: needs.stations, live };
    addLiveRoutes(app, parts);
    addLiveCaptionRoutes(app, parts);
  };
  return { live, routes };
}
