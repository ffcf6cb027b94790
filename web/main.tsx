/** Entry of the browser UI. */
import { render } from 'preact';
import { App } from './app.tsx';
import { startClock } from './clock.ts';
import { startFocusKeys } from './navigation/focus.ts';
import { startKeepingFocus } from './navigation/keep-focus.ts';
import { startRouter } from './navigation/router.ts';
import { startHousehold } from './settings/household.ts';
import { startStations } from './stations.ts';
import { applyTheme } from './theme.ts';

applyTheme();
startClock();
startRouter();
startFocusKeys();
startKeepingFocus();
startStations();
startHousehold();

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
