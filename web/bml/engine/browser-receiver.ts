/**
 * Functions of `browser` for memory, timers, sounds and the receiver (ARIB STD-B24 Vol. 2, 7.6). What the
 * receiver does not have reports that it failed, in the form that the function has for it.
 */
import type { Abilities } from '../bml-messages.ts';
import { type Primitive, ScriptObject, type Value } from '../script/values.ts';
import type { BrowserContext, BrowserFunctions } from './browser-context.ts';

/**
 * Answers of `getBrowserSupport` (ARIB STD-B24 Vol. 2, 7.6.8; TR-B14 Vol. 3): 1 only for what the engine does. Names
 * that are not in the tables are not supported.
 */

/** Groups of functions of `browser` and of classes. */
const API_GROUPS: ReadonlySet<string> = new Set([
  'Class.BinaryTable',
  'EPG.Basic',
  'EPG.Basic2',
  'CC.Control',
  'Persistent.Basic',
  'Ctrl.Basic',
  'Ctrl.Basic2',
  'Ctrl.Cache',
  'Ctrl.Cache2',
  'Ctrl.NPT',
  'Ctrl.Quit',
  'Ctrl.Screen',
  'Ctrl.Status',
  'Ctrl.Time',
  'Ctrl.Version',
  'Misc.Basic',
  'Misc.DRCS',
  'Misc.DRCS.unload',
  'Misc.Greg',
  'Misc.Ureg',
  'RomSound.Basic',
  'Timer.Basic',
  'Timer.DateMode',
]);

/** Those that need a connection. */
const NETWORK_GROUPS: ReadonlySet<string> = new Set([
  'Com.IP',
  'Com.IP.GetType',
  'Com.IP.Transmit',
  'Com.IP.confirmIP',
]);

const RESOLUTIONS: ReadonlySet<string> = new Set(['960x540', '720x480']);
const MEDIA: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/x-arib-png',
  'image/x-arib-mng',
  'audio/x-arib-aiff',
  'audio/x-arib-mpeg2-aac',
  'video/x-arib-mpeg2',
]);
/** A module, decompressed. */
const MAX_FILE_OCTETS = 4 << 20;
/** BML 3.0 and below. */
const MAX_BML_MAJOR = 3;

function supportsBml(version: string | undefined): boolean {
  if (version === undefined) return true;
  const [major = Number.NaN, minor = 0] = version.split('.').map(Number);
  return major >= 0 && (major < MAX_BML_MAJOR || (major === MAX_BML_MAJOR && minor === 0));
}

function supportsProtocol([layer, protocol, version]: readonly string[]): boolean {
  if (layer !== 'application') return false;
  if (protocol === 'HTTP') return version === undefined || ['1.0', '1.1'].includes(version);
  return protocol === 'TLS' && (version === undefined || ['1.0', '1.1', '1.2', '1.3'].includes(version));
}

/** Blocks behind the first 16 of a BS broadcaster, and numbers of broadcasters. ARIB TR-B15 Vol. 3 and 4. */
function supportsMemory(name: string | undefined, count: string | undefined): boolean {
  if (name === 'BSspecifiedExtension') return count === '48';
  return (name === 'NumberOfBSBroadcasters' || name === 'NumberOfCSBroadcasters') && Number(count) <= 23;
}

/** @param details the arguments after the name of the function */
function supportsArib(name: string, details: readonly string[], abilities: Abilities): boolean {
  const [first, second] = details;
  switch (name) {
    case 'BMLversion':
      return supportsBml(first);
    case 'APIGroup':
      if (first === undefined) return false;
      if (first === 'AITControlledApp.Start') return abilities.applications;
      return API_GROUPS.has(first) || (abilities.network && NETWORK_GROUPS.has(first));
    case 'TransmissionProtocol':
      return abilities.network && supportsProtocol(details);
    case 'AITControlledAppEngineFunction':
      return (
        abilities.applications && first === 'IPTV-F' && ['HTML5_ph0', 'HTML5_ph1'].includes(second ?? '')
      );
    case 'AITTransferMethod':
      return abilities.applications && first === 'XML' && second === 'HTTP';
    case 'AITTransportMethod':
      return abilities.applications && ((first === 'XML' && second === 'HTTP') || first === 'Section');
    case 'MediaDecoder':
      return first !== undefined && MEDIA.has(first.toLowerCase());
    case 'Storage':
      return first === 'cachesize' && Number(second) <= MAX_FILE_OCTETS;
    case 'AudioFile':
      return Number(first) <= MAX_FILE_OCTETS;
    case 'CharacterEncoding':
      return first === 'EUC-JP';
    case 'OSDResolution':
      return first !== undefined && RESOLUTIONS.has(first);
    case 'CASystem':
      return first === '0x0005';
    case 'KanaInput':
      return true;
    case 'nvram':
      return supportsMemory(first, second);
    default:
      return false;
  }
}

export function browserSupport(
  provider: string,
  name: string,
  details: readonly string[],
  abilities: Abilities,
): number {
  // Documents of BS and CS ask the provider `nvram`.
  if (provider === 'nvram') return supportsMemory(name, details[0]) ? 1 : 0;
  return provider === 'ARIB' && supportsArib(name, details, abilities) ? 1 : 0;
}

const MAX_ARRAY = 256;
/** A script that sleeps longer would seem to hang. */
const MAX_SLEEP_MS = 60_000;

const texts = (args: readonly Value[]): string[] =>
  args.filter((value) => value !== undefined && value !== null).map(String);

/** An object of the script is written as nothing. */
const stored = (value: Value): Primitive => (value instanceof ScriptObject ? undefined : value);

function write(context: BrowserContext, [address, structure, values]: readonly Value[]): Value {
  const elements = context.machine.elementsOf(values, MAX_ARRAY);
  if (elements === undefined) return Number.NaN;
  return context.nvram.write(
    String(address),
    String(structure),
    elements.map(stored),
    context.programme.broadcaster,
    context.isRemote,
  );
}

/** A function that the receiver does not have: it fails with `value`. */
const failing = (value: Value): BrowserFunctions[string] => ({ call: () => value });
const failingArray = (...values: Primitive[]): BrowserFunctions[string] => ({
  call: ({ machine }) => machine.array(values),
});

export const RECEIVER_FUNCTIONS: BrowserFunctions = {
  readPersistentArray: {
    params: ['string', 'string'],
    call: ({ machine, nvram, programme, isRemote }, [address, structure]) => {
      const values = nvram.read(String(address), String(structure), programme.broadcaster, isRemote);
      return values === null
        ? null
        : machine.array(values.map((value) => (typeof value === 'object' ? null : value)));
    },
  },
  writePersistentArray: { params: ['string', 'string'], call: write },
  checkAccessInfoOfPersistentArray: {
    params: ['string'],
    call: ({ nvram, programme, isRemote }, [address]) =>
      nvram.access(String(address), programme.broadcaster, isRemote),
  },

  setInterval: {
    params: ['string', 'number', 'number'],
    call: ({ isUnloading, timers }, [code, interval, count]) =>
      isUnloading ? Number.NaN : timers.start(String(code), Number(interval), Number(count ?? 0)),
  },
  clearTimer: { params: ['number'], call: ({ timers }, [id]) => (timers.clear(Number(id)) ? 1 : Number.NaN) },
  pauseTimer: { params: ['number'], call: ({ timers }, [id]) => (timers.pause(Number(id)) ? 1 : Number.NaN) },
  resumeTimer: {
    params: ['number'],
    call: ({ timers }, [id]) => (timers.resume(Number(id)) ? 1 : Number.NaN),
  },
  sleep: {
    params: ['number'],
    call: (context, [ms]) => {
      const wait = Number(ms);
      if (!(wait >= 0) || context.isUnloading) return Number.NaN;
      return context.tasks.suspend(context.wait(Math.min(wait, MAX_SLEEP_MS)).then(() => 1));
    },
  },

  playRomSound: {
    params: ['string'],
    call: (context, [sound]) => {
      const [, number] = /^romsound:\/\/(\d{1,2})$/i.exec(String(sound)) ?? [];
      return number !== undefined && context.playRomSound(Number(number)) ? 1 : Number.NaN;
    },
  },

  getBrowserVersion: failingArray('svc', 'svc', '001', '000'),
  getBrowserSupport: {
    call: ({ network }, [provider, name, ...details]) =>
      browserSupport(String(provider), String(name), texts(details), network.abilities),
  },
  getBrowserStatus: {
    params: ['string', 'string', 'string'],
    call: ({ isRemote }, [provider, name, state]) => {
      if (provider !== 'TerrP' || name !== 'IRDState') return Number.NaN;
      if (state === 'UnLink') return 0;
      if (state === 'Broadcast') return isRemote ? 0 : 1;
      return state === 'Link' ? 1 : Number.NaN;
    },
  },
  getIRDID: failing(null),
  getResidentAppVersion: failing(null),

  setCacheResourceOverIP: failing(Number.NaN),
  sendTextMail: failingArray(Number.NaN, 0),
  sendMIMEMail: failingArray(Number.NaN, 0),
  connect: failing(Number.NaN),
  disconnect: failing(Number.NaN),
  sendTextData: failing(Number.NaN),
  receiveTextData: failing(Number.NaN),
  setISPParams: failing(Number.NaN),
  getISPParams: failing(null),
  connectPPP: failing(Number.NaN),
  connectPPPWithISPParams: failing(Number.NaN),
  disconnectPPP: failing(Number.NaN),
  getPrefixNumber: failingArray(Number.NaN, '', '', '', ''),
  vote: failing(Number.NaN),
  startCASEncryption: failing(Number.NaN),
  transmitWithCASEncryption: failingArray(Number.NaN, 0, ''),
  endCASEncryption: failing(Number.NaN),
  isRootCertificateExisting: failing(Number.NaN),
  getRootCertificateInfo: failing(null),
  launchExApp: failing(Number.NaN),
  startResidentApp: failing(Number.NaN),
  startExtraBrowser: failing(Number.NaN),
  writeBookmarkArray: failing(Number.NaN),
  readBookmarkArray: failing(null),
  deleteBookmark: failing(Number.NaN),
  lockBookmark: failing(Number.NaN),
  unlockBookmark: failing(Number.NaN),
  getBookmarkInfo: failingArray(0, 0, ''),
  getBookmarkInfo2: failingArray(0, 0, ''),
  readPersistentArrayWithAccessCheck: failing(null),
  writePersistentArrayWithAccessCheck: failing(Number.NaN),
  X_CSP_setAccessInfoToProviderArea: failing(Number.NaN),
};
