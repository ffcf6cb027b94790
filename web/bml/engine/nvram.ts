/**
 * The receiver's persistent memory as documents use it: arrays by a structure of fields (ARIB STD-B24 Vol. 2, 7.6.3).
 * This is a copy; changes are passed to the page, which stores them.
 */
import { type Charset, type FieldValue, parseStructure, readFields, writeFields } from './binary-fields.ts';

// area_code of each prefecture, 12 bits: what `nvram://receiverinfo/regioncode` tells documents. ARIB STD-B10 Part 2,
// Annex D (emergency information descriptor); TR-B14 Vol. 3.

/** In the order of the prefectures 1 (eastern Hokkaido) to 50 (islands of Kagoshima). */
const AREA_CODES: readonly number[] = [
  ...[0x16b, 0x16b, 0x467, 0x5d4, 0x758, 0xac6, 0xe4c, 0x1ae, 0xc69, 0xe38],
  ...[0x98b, 0x64b, 0x1c7, 0xaac, 0x56c, 0x4ce, 0x539, 0x6a6, 0x92d, 0xd4a],
  ...[0x9d2, 0xa65, 0xa5a, 0x966, 0x2dc, 0xce4, 0x59a, 0xcb2, 0x674, 0xa93],
  ...[0x396, 0xd23, 0x31b, 0x2b5, 0xb31, 0xb98, 0xe62, 0x9b4, 0x19d, 0x2e3],
  ...[0x62d, 0x959, 0xa2b, 0x8a7, 0xc8d, 0xd1c, 0xd45, 0x372, 0xaac, 0xd45],
];

/** @param prefecture 1 to 50 @returns 0 if it is not set */
export function areaCodeOf(prefecture: number): number {
  return AREA_CODES[prefecture - 1] ?? 0;
}

// Areas of the receiver's persistent memory (ARIB TR-B14 Vol. 3, 5.2.7; TR-B15 Vol. 1 and 4): which of them a document
// may use, and the key under which a block is stored. The key is built from parsed numbers, never from the document's
// text.

/** Who broadcasts the document; undefined where it is not known (yet). */
export interface Broadcaster {
  /** original_network_id. */
  readonly networkId: number;
  readonly serviceId: number;
  readonly broadcasterId: number | undefined;
  /** Of a terrestrial broadcaster. */
  readonly affiliations: readonly number[] | undefined;
}

interface Block {
  readonly key: string;
  /** Octets. */
  readonly size: number;
  readonly isWritable: boolean;
}

type BroadcastKind = 'gr' | 'bs' | 'cs';

/** By original_network_id: BS is 4, advanced CS 6 and 7; terrestrial networks have large numbers. */
export function broadcastKind(networkId: number): BroadcastKind {
  if (networkId === 4) return 'bs';
  return networkId < 0x10 ? 'cs' : 'gr';
}

type Owner = 'affiliation' | 'network' | 'broadcaster' | 'all';

interface Area {
  /** Whose documents may write, and who else may read. */
  readonly kinds: readonly BroadcastKind[];
  readonly readers: readonly BroadcastKind[];
  readonly path: string;
  readonly first: number;
  readonly last: number;
  readonly owner: Owner;
  /** Also for documents received by communication. */
  readonly isShared?: boolean;
}

const BLOCK_SIZE = 64;

const AREAS: readonly Area[] = [
  { kinds: ['gr'], readers: ['bs'], path: 'group', first: 0, last: 63, owner: 'affiliation' },
  { kinds: ['gr'], readers: [], path: 'local', first: 0, last: 63, owner: 'network' },
  { kinds: ['gr'], readers: [], path: 'local_web', first: 0, last: 31, owner: 'network', isShared: true },
  { kinds: ['gr'], readers: ['bs'], path: 'tr_common', first: 0, last: 31, owner: 'all' },
  { kinds: ['bs'], readers: ['gr'], path: 'common', first: 0, last: 15, owner: 'all' },
  { kinds: ['bs', 'cs'], readers: [], path: '~', first: 0, last: 15, owner: 'broadcaster' },
  { kinds: ['bs', 'cs'], readers: [], path: '~/ext', first: 16, last: 63, owner: 'broadcaster' },
  {
    kinds: ['bs', 'cs'],
    readers: [],
    path: 'local_web',
    first: 0,
    last: 31,
    owner: 'broadcaster',
    isShared: true,
  },
  { kinds: ['cs'], readers: ['gr'], path: 'cs_common', first: 0, last: 31, owner: 'all' },
];

const ADDRESS = /^nvram:\/\/(?:([0-9a-f]{2});)?(?:(?:0x)?([0-9a-f]{4});)?([a-z_~/]+)\/(\d{1,3})$/i;

const hex = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number.parseInt(text, 16);

/** The part of the key that separates owners; undefined: the area belongs to others. */
function ownerKey(
  owner: Owner,
  broadcaster: Broadcaster,
  affiliation: number | undefined,
  network: number | undefined,
): string | undefined {
  const { networkId, serviceId, broadcasterId, affiliations } = broadcaster;
  switch (owner) {
    case 'all':
      return affiliation === undefined && network === undefined ? 'all' : undefined;
    case 'network':
      return network === undefined || network === networkId ? `network-${networkId}` : undefined;
    case 'affiliation':
      if (affiliation === undefined) return undefined;
      // Until the BIT tells the affiliation, a station has an area of its own under that number.
      if (affiliations === undefined) return `network-${networkId}-affiliation-${affiliation}`;
      return affiliations.includes(affiliation) ? `affiliation-${affiliation}` : undefined;
    case 'broadcaster':
      return broadcasterId === undefined
        ? `network-${networkId}-service-${serviceId}`
        : `network-${networkId}-broadcaster-${broadcasterId}`;
  }
}

/** @param isRemote whether the document was received by communication. Undefined: no such block, or not for it */
function findBlock(address: string, broadcaster: Broadcaster, isRemote: boolean): Block | undefined {
  const match = ADDRESS.exec(address);
  if (match === null) return undefined;
  const path = (match[3] ?? '').toLowerCase();
  const number = Number(match[4]);
  const kind = broadcastKind(broadcaster.networkId);
  const area = AREAS.find(
    (one) =>
      one.path === path &&
      number >= one.first &&
      number <= one.last &&
      (one.kinds.includes(kind) || one.readers.includes(kind)),
  );
  if (area === undefined || (isRemote && area.isShared !== true)) return undefined;
  const owner = ownerKey(area.owner, broadcaster, hex(match[1]), hex(match[2]));
  if (owner === undefined) return undefined;
  return {
    key: `${area.kinds[0]}/${owner}/${area.path.replaceAll('/', '-')}/${number}`,
    size: BLOCK_SIZE,
    isWritable: area.kinds.includes(kind),
  };
}

/** What the viewer has set. */
export interface ReceiverSettings {
  /** 7 digits; empty if it is not set. */
  readonly postalCode: string;
  /** ARIB STD-B10: 1 to 50; 255 if it is not set. */
  readonly prefecture: number;
}

/** Stored blocks by their key, base64. */
export type NvramSnapshot = Readonly<Record<string, string>>;

interface NvramHost {
  /** A block changed. */
  store(key: string, base64: string): void;
  setPostalCode(postalCode: string): void;
}

/** Of all stations: 4000 blocks. Browsers give 5 MB to everything that is stored. */
const MAX_TOTAL_OCTETS = 4000 * 64;
const POSTAL_CODE_DIGITS = 7;

type StoredValue = boolean | number | string | null | undefined;

const ascii = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0) & 0x7f);

export class Nvram {
  readonly #blocks = new Map<string, Uint8Array>();
  #receiver: ReceiverSettings;
  #octets = 0;
  readonly #charset: Charset;
  readonly #host: NvramHost;

  constructor(snapshot: NvramSnapshot, receiver: ReceiverSettings, charset: Charset, host: NvramHost) {
    this.#receiver = receiver;
    this.#charset = charset;
    this.#host = host;
    for (const [key, base64] of Object.entries(snapshot)) {
      try {
        this.#keep(
          key,
          Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
        );
      } catch {
        // Another program of this origin wrote the entry.
      }
    }
  }

  #keep(key: string, bytes: Uint8Array): boolean {
    const octets = this.#octets + bytes.length - (this.#blocks.get(key)?.length ?? 0);
    if (octets > MAX_TOTAL_OCTETS) return false;
    this.#octets = octets;
    this.#blocks.set(key, bytes);
    return true;
  }

  #receiverInfo(name: string): Uint8Array | undefined {
    if (name === 'zipcode') return ascii(this.#receiver.postalCode.padEnd(POSTAL_CODE_DIGITS, '\0'));
    const { prefecture } = this.#receiver;
    if (name === 'prefecture') return Uint8Array.of(prefecture);
    const area = areaCodeOf(prefecture);
    return name === 'regioncode' ? Uint8Array.of(area >> 8, area & 0xff) : undefined;
  }

  #bytesOf(address: string, broadcaster: Broadcaster, isRemote: boolean): Uint8Array | undefined {
    const [, name] = /^nvram:\/\/receiverinfo\/(\w+)$/i.exec(address) ?? [];
    if (name !== undefined) return this.#receiverInfo(name.toLowerCase());
    const block = findBlock(address, broadcaster, isRemote);
    if (block === undefined) return undefined;
    const bytes = new Uint8Array(block.size);
    bytes.set((this.#blocks.get(block.key) ?? new Uint8Array(0)).subarray(0, block.size));
    return bytes;
  }

  /** readPersistentArray. Null: no such block, or a wrong structure. */
  read(address: string, structure: string, broadcaster: Broadcaster, isRemote: boolean): FieldValue[] | null {
    const fields = parseStructure(structure);
    if (fields === undefined || fields.some(({ type }) => type === 'Z')) return null;
    const bytes = this.#bytesOf(address, broadcaster, isRemote);
    return bytes === undefined ? null : readFields(bytes, fields, this.#charset).values;
  }

  /** writePersistentArray. @returns octets; NaN if nothing was written */
  write(
    address: string,
    structure: string,
    values: readonly StoredValue[],
    broadcaster: Broadcaster,
    isRemote: boolean,
  ): number {
    const fields = parseStructure(structure);
    const bytes = fields === undefined ? undefined : writeFields(values, fields, this.#charset);
    if (bytes === undefined) return Number.NaN;
    if (/^nvram:\/\/receiverinfo\/zipcode$/i.test(address)) return this.#writePostalCode(bytes, isRemote);
    const block = findBlock(address, broadcaster, isRemote);
    if (block?.isWritable !== true || bytes.length > block.size || !this.#keep(block.key, bytes))
      return Number.NaN;
    this.#host.store(block.key, btoa(String.fromCharCode(...bytes)));
    return bytes.length;
  }

  #writePostalCode(bytes: Uint8Array, isRemote: boolean): number {
    const text = String.fromCharCode(...bytes);
    if (isRemote || !/^\d{7}$/.test(text)) return Number.NaN;
    this.#receiver = { ...this.#receiver, postalCode: text };
    this.#host.setPostalCode(text);
    return bytes.length;
  }

  /** checkAccessInfoOfPersistentArray: 0 none, 1 read, 2 read and write; NaN if there is no such block. */
  access(address: string, broadcaster: Broadcaster, isRemote: boolean): number {
    if (/^nvram:\/\/receiverinfo\/zipcode$/i.test(address)) return isRemote ? 1 : 2;
    if (this.#bytesOf(address, broadcaster, isRemote) === undefined) return Number.NaN;
    return findBlock(address, broadcaster, isRemote)?.isWritable === true ? 2 : 1;
  }
}
