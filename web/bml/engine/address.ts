/**
 * Addresses in a data broadcast (ARIB STD-B24 Vol. 2, 9.2; TR-B14 Vol. 3): components, modules and files of the tuned
 * service. Everything that names something else is no address here.
 */

const UNRESERVED = /[A-Za-z0-9\-_.!~*'()]/;

/** Every octet but those of letters, digits and `-_.!~*'()` as %XX. */
export function percentEncode(octets: Uint8Array): string {
  let text = '';
  for (const octet of octets) {
    const character = String.fromCharCode(octet);
    text += UNRESERVED.test(character) ? character : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

/** `/CC/MMMM/file`, of which the end may be missing. */
export interface Address {
  readonly component: number;
  readonly module: number | undefined;
  /** Decoded and in lower case; undefined: the module itself. */
  readonly file: string | undefined;
  /** After `#`; empty if there is none. */
  readonly fragment: string;
}

export interface ModuleAddress extends Address {
  readonly module: number;
}

/** What the address of the tuned service may name. */
export interface ServiceIds {
  readonly networkId: number;
  readonly transportStreamId: number;
  readonly serviceId: number;
}

const ID = '([0-9a-f]+|-1)';
/** `arib-dc://` and `arib://`: network, stream, service, content, event; each −1 for the tuned one. */
const SERVICE_PREFIX = new RegExp(
  `^arib(?:-dc)?://${ID}\\.${ID}\\.${ID}(?:;(?:[0-9a-f]+|-1))?(?:\\.${ID})?(?=$|/)`,
  'i',
);
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const MAX_LENGTH = 1024;

/** A file's key: names are compared without case, whether they are percent-encoded or not. */
export function fileKey(name: string): string {
  let decoded = name;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    // Octets that are not UTF-8: the name is compared as it is written.
  }
  return decoded.toLowerCase();
}

function hex(text: string | undefined, maximum: number): number | undefined {
  if (text === undefined || !/^[0-9a-f]{1,8}$/i.test(text)) return undefined;
  const value = Number.parseInt(text, 16);
  return value <= maximum ? value : undefined;
}

/** The path without the prefix of the tuned service; undefined: another service or another scheme. */
function localPath(text: string, service: ServiceIds | undefined): string | undefined {
  const match = SERVICE_PREFIX.exec(text);
  if (match === null) return SCHEME.test(text) || text.startsWith('//') ? undefined : text;
  const tuned = [service?.networkId, service?.transportStreamId, service?.serviceId];
  const isTuned = tuned.every((id, index) => {
    const given = match[index + 1] ?? '-1';
    return given === '-1' || Number.parseInt(given, 16) === id;
  });
  return isTuned ? `/${text.slice(match[0].length).replace(/^\//, '')}` : undefined;
}

const hexDigits = (value: number, length: number): string => value.toString(16).padStart(length, '0');

/** `/40/0000/startup.bml`. */
export function formatAddress(address: Address): string {
  const module = address.module === undefined ? '' : `/${hexDigits(address.module, 4)}`;
  const file = address.file === undefined ? '' : `/${address.file}`;
  return `/${hexDigits(address.component, 2)}${module}${file}`;
}

/** @param base the document in which `text` is written; relative names need one */
export function parseAddress(
  text: string,
  base: Address | undefined,
  service: ServiceIds | undefined,
): Address | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [before = '', ...after] = text.trim().split('#');
  const fragment = after.join('#');
  if (before === '') return base === undefined ? undefined : { ...base, fragment };
  let path = localPath(before, service);
  if (path === undefined) return undefined;
  if (path === '~' || path.startsWith('~/')) {
    if (base === undefined) return undefined;
    path = `/${hexDigits(base.component, 2)}${path.slice(1)}`;
  }
  const segments: string[] = [];
  if (!path.startsWith('/')) {
    if (base === undefined) return undefined;
    segments.push(...formatAddress(base).split('/').slice(1, -1));
  }
  for (const segment of path.replace(/^\//, '').replace(/\?.*$/s, '').split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  const [componentText = '', moduleText, file, ...more] = segments;
  // A component of sound may name a channel: `/10;2`.
  const component = hex(componentText.split(';')[0], 0xff);
  const module = hex(moduleText, 0xffff);
  if (component === undefined || more.length > 0) return undefined;
  if (moduleText !== undefined && moduleText !== '' && module === undefined) return undefined;
  return {
    component,
    module,
    file: module === undefined || file === undefined || file === '' ? undefined : fileKey(file),
    fragment,
  };
}

export function hasModule(address: Address | undefined): address is ModuleAddress {
  return address?.module !== undefined;
}

// Addresses of documents: of a module of the tuned service, or of a server. The documents of a server that may be opened
// are those below the directory of the first one, the base URI directory (ARIB TR-B14 Vol. 3, 5.14.7).

/** A document received by communication. */
export interface RemoteAddress {
  /** Absolute, http or https, without a fragment. */
  readonly url: string;
  /** After `#`; empty if there is none. */
  readonly fragment: string;
}

export type DocumentAddress = ModuleAddress | RemoteAddress;

const MAX_URL = 2048;

export function isRemote(address: DocumentAddress): address is RemoteAddress {
  return 'url' in address;
}

/**
 * @param base the document in which `text` is written; of a broadcast document, only absolute addresses are parsed
 * @param encode its character set: other characters than ASCII are sent in it
 * @returns undefined: another scheme, or no address
 */
export function parseRemote(
  text: string,
  base: DocumentAddress,
  encode: (text: string) => Uint8Array,
): RemoteAddress | undefined {
  const isAbsolute = /^https?:\/\//i.test(text.trim());
  if (text.length > MAX_URL || (!isAbsolute && !isRemote(base))) return undefined;
  const ascii = text.trim().replace(/[^\0-\x7f]+/g, (part) => percentEncode(encode(part)));
  const from = isRemote(base) ? base.url : undefined;
  if (!URL.canParse(ascii, from)) return undefined;
  const url = new URL(ascii, from);
  // Names and passwords in an address are no way to log in here, but one to disguise a host.
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  const fragment = url.hash.slice(1);
  url.hash = '';
  return url.href.length > MAX_URL ? undefined : { url: url.href, fragment };
}

/** As `launchDocument` takes it. */
export function formatDocument(address: DocumentAddress): string {
  if (!isRemote(address)) return formatAddress(address);
  return address.fragment === '' ? address.url : `${address.url}#${address.fragment}`;
}

/** getActiveDocument: of a server's document without the server. */
export function activeDocument(address: DocumentAddress): string {
  if (!isRemote(address)) return formatAddress(address);
  const { pathname, search } = new URL(address.url);
  return pathname + search + (address.fragment === '' ? '' : `#${address.fragment}`);
}

/** Host and path up to the last slash. Characters of ASCII are the same whether they are percent-encoded or not. */
export function directoryOf({ url }: RemoteAddress): string {
  const { hostname, pathname } = new URL(url);
  const path = pathname.replace(/%([2-7][0-9a-f])/gi, (encoded, digits) => {
    const code = Number.parseInt(digits, 16);
    return code === 0x2f || code === 0x7f ? encoded : String.fromCharCode(code);
  });
  return hostname + path.slice(0, path.lastIndexOf('/') + 1);
}
