/** Composition of live viewing: sessions, live socket, tuners lost to a recording, and routes. */
import type { AddRoutes } from '../route/add-routes.ts';
import { addLiveCaptionRoutes, addLiveRoutes, type LiveRouteNeeds } from './live-routes.ts';
import { type LiveOptions, LiveService } from './live-service.ts';
import { addLiveSocketRoute } from './live-socket-route.ts';
import { LiveSockets, type LiveSocketsNeeds } from './live-sockets.ts';
import { TunerYields, type TunerYieldsOptions } from './tuner-yields.ts';

interface LiveNeeds
  extends Omit<LiveOptions, 'onLost' | 'stations' | 'tuners'>,
    Pick<TunerYieldsOptions, 'findRecording' | 'hub' | 'tuners'> {
  stations: LiveOptions['stations'] & LiveRouteNeeds['stations'] & Pick<LiveSocketsNeeds, 'isSuspended'>;
  chase: LiveSocketsNeeds['chase'];
  redeem: LiveSocketsNeeds['redeem'];
  clock: LiveSocketsNeeds['clock'];
}

export function createLive(needs: LiveNeeds) {
  const log = needs.log.component('live');
  const yields = new TunerYields({ ...needs, log });
  const live = new LiveService({
    ...needs,
    log,
    onLost: (station, tunerId) => yields.lost(station, tunerId),
  });
  const sockets = new LiveSockets({
    ...needs,
    live,
    log,
    isSuspended: (id) => needs.stations.isSuspended(id),
  });
  const routes: AddRoutes = (app) => {
    const parts = { stations: needs.stations, live };
    addLiveRoutes(app, parts);
    addLiveCaptionRoutes(app, parts);
    addLiveSocketRoute(app);
  };
  return { live, sockets, routes };
}
