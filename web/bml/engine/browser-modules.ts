/** Functions of `browser` for modules, documents and the screen (ARIB STD-B24 Vol. 2, 7.6.8; TR-B14 Vol. 3, 5.12.6). */
import { ABANDON } from '../script/functions.ts';
import type { Value } from '../script/values.ts';
import { activeDocument, formatDocument, hasModule } from './address.ts';
import type { BrowserContext, BrowserFunctions } from './browser-context.ts';
import type { LockKind } from './module-store.ts';

/** lockModuleOnMemoryEx is operated for these components only. */
const EXTENDED_COMPONENTS = [0x40, 0x50, 0x60];
/** ModuleLocked: locked; a new data event began meanwhile; the module is not broadcast. */
const LOCK_STATUS = { locked: 0, eventChanged: -1, absent: -2 } as const;

function lock(context: BrowserContext, given: Value, kind: LockKind): number {
  const reference = String(given);
  const address = given === undefined ? undefined : context.resolve(reference);
  if (!hasModule(address)) return Number.NaN;
  const { component, module } = address;
  const isExtended = kind === 'extended';
  if (isExtended && !EXTENDED_COMPONENTS.includes(component)) return Number.NaN;
  const { store } = context;
  const held = store.lockKind(component, module);
  if (held !== undefined && held !== kind) return Number.NaN;
  if (store.components?.has(component) === false) return isExtended ? -3 : -1;
  if (store.isBroadcast(component, module) === false) {
    if (!isExtended) return -1;
    context.moduleLocked(component, module, reference, LOCK_STATUS.absent);
    return 1;
  }
  const dataEvent = store.list(component)?.dataEventId;
  store.lock(address, reference, kind, (isPresent) => {
    const now = store.list(component)?.dataEventId;
    const isOther = dataEvent !== undefined && now !== undefined && now !== dataEvent;
    if (isExtended && isOther) {
      store.unlock(component, module, kind);
      context.moduleLocked(component, module, reference, LOCK_STATUS.eventChanged);
    } else if (isPresent || isExtended)
      context.moduleLocked(component, module, reference, isPresent ? LOCK_STATUS.locked : LOCK_STATUS.absent);
  });
  return 1;
}

function unlock(context: BrowserContext, reference: string, kind: LockKind): number {
  const address = context.resolve(reference);
  return hasModule(address) && context.store.unlock(address.component, address.module, kind) ? 1 : Number.NaN;
}

const FREE_MEMORY = 4 << 20;

export const MODULE_FUNCTIONS: BrowserFunctions = {
  lockModuleOnMemory: {
    params: ['string'],
    call: (context, [reference]) => lock(context, reference, 'plain'),
  },
  lockModuleOnMemoryEx: {
    params: ['string'],
    call: (context, [reference]) => lock(context, reference, 'extended'),
  },
  unlockModuleOnMemory: {
    params: ['string'],
    call: (context, [reference]) => unlock(context, String(reference), 'plain'),
  },
  unlockModuleOnMemoryEx: {
    params: ['string'],
    call: (context, [reference]) => unlock(context, String(reference), 'extended'),
  },
  unlockAllModulesOnMemory: {
    call: ({ store }) => {
      store.unlockAll();
      return 1;
    },
  },
  getLockedModuleInfo: {
    call: ({ machine, store }) => machine.array(store.locked.map((entry) => machine.array(entry))),
  },
  setCachePriority: {
    params: ['string', 'number'],
    call: (context, [reference]) => (hasModule(context.resolve(String(reference))) ? 1 : Number.NaN),
  },
  getFreeContentsMemory: { call: () => FREE_MEMORY },
  detectComponent: {
    params: ['string'],
    call: (context, [reference]) => {
      const address = context.resolve(String(reference));
      if (address === undefined) return Number.NaN;
      return context.store.components?.has(address.component) === true ? 1 : 0;
    },
  },
  launchDocument: {
    params: ['string'],
    call: (context, [reference]) => {
      if (context.isUnloading) return Number.NaN;
      context.launch(String(reference));
      return ABANDON;
    },
  },
  reloadActiveDocument: {
    call: (context) => {
      if (context.isUnloading) return Number.NaN;
      context.launch(formatDocument(context.address));
      return ABANDON;
    },
  },
  quitDocument: {
    call: (context) => {
      if (context.isUnloading) return Number.NaN;
      context.quit();
      return ABANDON;
    },
  },
  getActiveDocument: { call: ({ address }) => activeDocument(address) },
  lockScreen: {
    call: (context) => {
      context.lockScreen(true);
      return 1;
    },
  },
  unlockScreen: {
    call: (context) => {
      context.lockScreen(false);
      return 1;
    },
  },
  loadDRCS: {
    params: ['string'],
    call: (context, [reference]) =>
      context.tasks.suspend(
        context
          .fetchSoon(String(reference))
          .then((file) => (file !== undefined && context.loadGlyphs(file) ? 1 : Number.NaN)),
      ),
  },
  unloadDRCS: {
    call: (context) => {
      context.unloadGlyphs();
      return 1;
    },
  },
};
