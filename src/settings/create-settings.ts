/** Composition of the settings: stored values, validation, and routes. */
import type { Database } from 'bun:sqlite';
import type { WallClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { SystemFacts } from '../../wire/settings.ts';
import type { Hub } from '../hub/hub.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import { SettingStore } from '../store/setting-store.ts';
import { Settings, type SettingsOptions } from './settings.ts';
import { addSettingsRoutes } from './settings-routes.ts';

interface SettingsNeeds {
  database: Database;
  /** Whether the machine has a usable hardware encoder, which defaults depend on; may become known later. */
  hasGpu: () => boolean;
  refusedFolder: SettingsOptions['refusedFolder'];
  hub: Hub;
  log: Log;
  now: WallClock;
}

export function createSettings({ database, hasGpu, log, ...needs }: SettingsNeeds) {
  const settings = new Settings({
    ...needs,
    store: new SettingStore(database),
    facts: () => ({ gpu: hasGpu() }),
    log: log.component('settings'),
  });
  /** @param system facts of the machine for the settings screen */
  const routes = (system: () => Promise<SystemFacts>): AddRoutes => {
    return (app) => addSettingsRoutes(app, { settings, system });
  };
  return { settings, routes };
}
