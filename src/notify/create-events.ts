/** Creates the public event stream and its route. */
import type { Hub } from '../hub/hub.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import { addEventRoutes } from './event-routes.ts';
import { EVENT_STREAM_DEFAULTS, EventStreams } from './event-stream.ts';

export function createEvents({ hub }: { hub: Hub }) {
  const events = new EventStreams({ hub, ...EVENT_STREAM_DEFAULTS });
  const routes: AddRoutes = (app) => addEventRoutes(app, { events });
  return { events, routes };
}
