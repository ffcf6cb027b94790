/** The global object `browser` (ARIB STD-B24 Vol. 2, 7.6). */
import type { ApplicationStart } from '../bml-messages.ts';
import type { HostClass } from '../script/host.ts';
import type { Machine } from '../script/machine.ts';
import type { Value } from '../script/values.ts';
import { percentEncode } from './address.ts';
import type { BrowserContext, BrowserFunctions, Registers } from './browser-context.ts';
import { MODULE_FUNCTIONS } from './browser-modules.ts';
import { askPage, PROGRAMME_FUNCTIONS } from './browser-programme.ts';
import { RECEIVER_FUNCTIONS } from './browser-receiver.ts';

// Arguments of `startAITControlledApp` (ARIB STD-B24 Vol. 2). Documents give them in different orders, so each is known
// by its form: whole numbers are organisation_id and application_id, in this order; a text with a scheme is the address
// of an AIT. Without an address, the application is one of the AIT in the station's stream.

const MAX_ORGANISATION = 0xffff_ffff;
const MAX_APPLICATION = 0xffff;
const MAX_URL = 2048;

/** Numbers of scripts have a sign, an organisation_id has 32 bits without one. */
function idOf(value: Value): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value >>> 0 : undefined;
  return typeof value === 'string' && /^(?:0x[0-9a-f]{1,8}|\d{1,10})$/i.test(value)
    ? Number(value)
    : undefined;
}

function httpUrl(value: Value): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URL || !/^https?:\/\//i.test(value)) return undefined;
  return URL.canParse(value) ? value : undefined;
}

/** Undefined: a form that is not known. Missing and empty arguments are left out. */
export function readApplicationStart(args: readonly Value[]): ApplicationStart | undefined {
  const ids: number[] = [];
  const urls: string[] = [];
  for (const value of args) {
    if (value === undefined || value === null || value === '') continue;
    const [id, url] = [idOf(value), httpUrl(value)];
    if (id !== undefined) ids.push(id);
    else if (url !== undefined) urls.push(url);
    else return undefined;
  }
  const [organisation, application] = ids;
  const [aitUrl] = urls;
  // An id alone would be the application's or its organisation's.
  if (ids.length === 1 || ids.length > 2 || urls.length > 1) return undefined;
  if ((organisation ?? 0) > MAX_ORGANISATION || (application ?? 0) > MAX_APPLICATION) return undefined;
  return { organisation, application, aitUrl };
}

/** Ethernet, address by DHCP. */
const CONNECTION_TYPE = 403;
/** confirmIPNetwork: by a connection, by ICMP. Both are answered by a connection. */
const CONFIRM_TYPES = [0, 1];
const CONFIRM_MS = 4000;
const MAX_CONFIRM_MS = 10_000;
const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i;
/** Octets of `Denbun`, before they are percent-encoded. */
const MAX_DENBUN = 4096;

async function transmit(context: BrowserContext, uri: string, text: string, charset: string): Promise<Value> {
  const { machine, network, signal } = context;
  const failed = (): Value => machine.array([Number.NaN, '', '']);
  const address = context.resolveRemote(uri);
  if (address === undefined || charset.toUpperCase() !== 'EUC-JP') return failed();
  const octets = context.charset.encode(text);
  if (octets.length > MAX_DENBUN) return failed();
  const answer = await network.post(address.url, `Denbun=${percentEncode(octets)}`, signal);
  if (typeof answer === 'string') {
    context.log(`transmitTextDataOverIP: ${answer}`);
    return failed();
  }
  return machine.array([1, String(answer.status), context.charset.decode(answer.bytes)]);
}

async function confirm(context: BrowserContext, host: string, timeout: number): Promise<Value> {
  const { machine, network, signal } = context;
  const timeoutMs = timeout >= 1 ? Math.min(timeout, MAX_CONFIRM_MS) : CONFIRM_MS;
  const answer = HOST.test(host) ? await network.confirm(host, timeoutMs, signal) : undefined;
  return machine.array(
    answer === undefined ? [false, null, null] : [answer.isReachable, answer.address, answer.ms],
  );
}

/**
 * Functions of `browser` for communication (ARIB STD-B24 Vol. 2, 7.6.10; TR-B14 Vol. 3, 5.14). They end with their
 * document. Without a connection they fail as they do where a server does not answer.
 */
const NETWORK_FUNCTIONS: BrowserFunctions = {
  isIPConnected: { call: ({ network }) => (network.abilities.network ? 1 : 0) },
  getConnectionType: {
    call: ({ network }) => (network.abilities.network ? CONNECTION_TYPE : Number.NaN),
  },
  confirmIPNetwork: {
    params: ['string', 'number', 'number'],
    call: (context, [host, type = 0, timeout = CONFIRM_MS]) => {
      if (!context.network.abilities.network || context.isUnloading) return null;
      if (!CONFIRM_TYPES.includes(Number(type))) return null;
      return context.tasks.suspend(confirm(context, String(host), Number(timeout)));
    },
  },
  transmitTextDataOverIP: {
    params: ['string', 'string', 'string'],
    call: (context, [uri, text, charset]) =>
      context.isUnloading
        ? context.machine.array([Number.NaN, '', ''])
        : context.tasks.suspend(transmit(context, String(uri), String(text), String(charset))),
  },
  startAITControlledApp: {
    call: (context, args) => {
      const { applications } = context.network.abilities;
      const start = readApplicationStart(args);
      if (start === undefined) context.log(`startAITControlledApp: unknown arguments: ${args.join(', ')}`);
      if (start === undefined || !applications || context.isUnloading) return Number.NaN;
      return askPage(context, { type: 'startApplication', start });
    },
  },
};

const REGISTERS: HostClass<Registers> = {
  name: 'Registers',
  properties: { length: { get: () => 64 } },
  index: {
    type: 'string',
    get: (registers, index) => registers.get(index),
    set: (registers, index, value) => registers.set(index, String(value)),
  },
};

export function defineBrowser(machine: Machine, context: BrowserContext): void {
  const browser: HostClass<BrowserContext> = {
    name: 'Browser',
    properties: {
      Ureg: { get: ({ serviceRegisters }) => machine.wrap(REGISTERS, serviceRegisters) },
      Greg: { get: ({ globalRegisters }) => machine.wrap(REGISTERS, globalRegisters) },
    },
    methods: { ...MODULE_FUNCTIONS, ...PROGRAMME_FUNCTIONS, ...RECEIVER_FUNCTIONS, ...NETWORK_FUNCTIONS },
  };
  machine.defineValue('browser', machine.wrap(browser, context));
}
