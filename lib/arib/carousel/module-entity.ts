/**
 * Divides a module of a data broadcast into its resources. A module without a Type descriptor, or of type
 * multipart/mixed, is an entity with a header, as in HTTP; any other module is one resource. ARIB STD-B24 Vol. 2
 * Part 2, 9.1 and Vol. 3, 6.4; RFC 2046, 5.1; operation: TR-B14 Vol. 3.
 */
import { latin1 } from '../reader.ts';

export interface ModuleResource {
  /** Content-Location as sent; null if the module is one resource without a name. */
  readonly location: string | null;
  /** Media type with parameters, as sent; null if there is none. */
  readonly type: string | null;
  /** A view of the module. */
  readonly data: Uint8Array;
}

/** Maximum of RFC 2046, 5.1.1. */
const LONGEST_BOUNDARY = 70;
/** Real modules have at most a few dozen; each part takes at least the octets of its delimiter. */
const MOST_PARTS = 1024;
/** A header of a few fields; longer ones are damaged. */
const LONGEST_HEADER = 4096;
const LONGEST_VALUE = 512;
const LF = 0x0a;
const CR = 0x0d;
const HYPHEN = 0x2d;

/**
 * @param type of the module's Type descriptor
 * @returns undefined if an entity has no header; parts without Content-Location are left out
 */
export function moduleResources(module: Uint8Array, type: string | undefined): ModuleResource[] | undefined {
  if (type !== undefined && !isMultipart(type)) return [{ location: null, type, data: module }];
  const entity = readEntity(module);
  const own = entity?.fields.get('content-type');
  const mixed = own ?? type;
  const body = entity?.body ?? module;
  if (mixed === undefined) return undefined;
  if (!isMultipart(mixed)) return [{ location: locationOf(entity), type: mixed, data: body }];
  const boundary = boundaryOf(mixed) ?? (type === undefined ? undefined : boundaryOf(type));
  return boundary === undefined || boundary.length > LONGEST_BOUNDARY ? undefined : partsOf(body, boundary);
}

function partsOf(body: Uint8Array, boundary: string): ModuleResource[] {
  const delimiter = Uint8Array.from(`--${boundary}`, (character) => character.charCodeAt(0));
  const resources: ModuleResource[] = [];
  let at = nextDelimiter(body, delimiter, 0);
  for (let parts = 0; at !== undefined && !at.isLast && parts < MOST_PARTS; parts++) {
    const next = nextDelimiter(body, delimiter, at.to);
    const entity = readEntity(body.subarray(at.to, next?.from ?? body.length));
    const location = locationOf(entity);
    if (entity !== undefined && location !== null) {
      resources.push({ location, type: entity.fields.get('content-type') ?? null, data: entity.body });
    }
    at = next;
  }
  return resources;
}

interface Delimiter {
  /** The line break before it belongs to it. */
  readonly from: number;
  /** After its line. */
  readonly to: number;
  readonly isLast: boolean;
}

/** The next line that is the delimiter, at the start of a line at `from` or later. */
function nextDelimiter(body: Uint8Array, delimiter: Uint8Array, from: number): Delimiter | undefined {
  for (let at = from; at >= 0 && at < body.length; ) {
    const after = at + delimiter.length;
    if (startsWith(body, at, delimiter)) {
      const isLast = body[after] === HYPHEN && body[after + 1] === HYPHEN;
      const line = body.indexOf(LF, after);
      const to = line < 0 ? body.length : line + 1;
      const rest = body.subarray(after, to);
      if (isLast || rest.every((octet) => octet === CR || octet === LF || octet === 0x20 || octet === 0x09)) {
        const feed = at > from && body[at - 1] === LF ? 1 : 0;
        return { from: at - feed - (feed === 1 && body[at - 2] === CR ? 1 : 0), to, isLast };
      }
    }
    const line = body.indexOf(LF, at);
    at = line < 0 ? -1 : line + 1;
  }
  return undefined;
}

function startsWith(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  return at + wanted.length <= bytes.length && wanted.every((octet, index) => bytes[at + index] === octet);
}

interface Entity {
  /** By lower-case name; the first of equal ones. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** Undefined without an empty line after the header. */
function readEntity(bytes: Uint8Array): Entity | undefined {
  const fields = new Map<string, string>();
  let last = '';
  for (let at = 0; at < bytes.length && at < LONGEST_HEADER; ) {
    const feed = bytes.indexOf(LF, at);
    if (feed < 0 || feed - at > LONGEST_HEADER) return undefined;
    const line = latin1(bytes.subarray(at, feed)).replace(/\r$/, '');
    at = feed + 1;
    if (line === '') return { fields, body: bytes.subarray(at) };
    const known = fields.get(last);
    if (/^[ \t]/.test(line) && known !== undefined) {
      fields.set(last, `${known} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 0) return undefined;
    last = line.slice(0, colon).trim().toLowerCase();
    if (!fields.has(last)) fields.set(last, line.slice(colon + 1).trim());
  }
  return undefined;
}

function locationOf(entity: Entity | undefined): string | null {
  const value = entity?.fields.get('content-location');
  if (value === undefined || value.length > LONGEST_VALUE) return null;
  return value.replace(/^"(.*)"$/, '$1');
}

function isMultipart(type: string): boolean {
  return /^\s*multipart\/mixed\s*(;|$)/i.test(type);
}

/** The parameter of a media type, quoted or not. */
function boundaryOf(type: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(type) ?? [];
  const value = quoted ?? plain;
  return value === undefined || value === '' ? undefined : value;
}
