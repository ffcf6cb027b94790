/** Entry of the browser UI. */
import { render } from 'preact';
import { App } from './app.tsx';
import './common.ts';
import { startClock } from './device/clock.ts';
import { followPresses } from './device/last-press.ts';
import { applyTheme } from './device/theme.ts';
import { settleBeforeKeys } from './navigation/after-paint.ts';
import { startFocusKeys } from './navigation/focus.ts';
import { startKeepingFocus } from './navigation/keep-focus.ts';
import { startRouter } from './navigation/router.ts';
import { startPrefetch } from './parts.tsx';
import { startHousehold } from './query/settings.ts';
import { startStations } from './query/stations.ts';
import { applyGenreColours } from './words/genre-colours.ts';

settleBeforeKeys();
applyTheme();
applyGenreColours();
startClock();
followPresses();
startRouter();
startFocusKeys();
startKeepingFocus();
startStations();
startHousehold();

const root = document.getElementById('app');
// The note that the page is loading.
root?.replaceChildren();
if (root !== null) render(<App />, root);
startPrefetch();
