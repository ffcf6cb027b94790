/** Composition of the settings: stored values, validation, and routes. */
import type { Database } from 'bun:sqlite';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { SystemFacts } from '../../lib/wire/settings.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import type { Hub } from '../notify/hub.ts';
import { SettingStore } from '../store/setting-store.ts';
import { type FolderRules, folderList, refusedFolder } from './recording-folder-rules.ts';
import { SettingsService } from './settings.ts';
import { addSettingsRoutes } from './settings-routes.ts';

interface SettingsNeeds {
  database: Database;
  /** Whether the machine has a usable hardware encoder, which defaults depend on; may become known later. */
  hasGpu: () => boolean;
  folders: FolderRules;
  hub: Hub;
  log: Log;
  now: WallClock;
}

export function createSettings({ database, hasGpu, folders, log, ...needs }: SettingsNeeds) {
  const settings = new SettingsService({
    ...needs,
    store: new SettingStore(database),
    facts: () => ({ gpu: hasGpu() }),
    refusedFolder: (path) => refusedFolder(path, folders),
    log: log.component('settings'),
  });
  /** @param system facts of the machine for the settings screen */
  const routes = (system: () => Promise<SystemFacts>): AddRoutes => {
    return (app) =>
      addSettingsRoutes(app, { settings, system, folderList: (path) => folderList(path, folders) });
  };
  return { settings, routes };
}
