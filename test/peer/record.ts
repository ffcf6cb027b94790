/** Tables and descriptors as returned by the independent reader `@chinachu/aribts`. */
import { createRequire } from 'node:module';

/** A field is a number, bytes or a list of such records. */
export type Field = number | Buffer | readonly PeerRecord[] | null;
export interface PeerRecord {
  readonly [field: string]: Field | undefined;
}
interface PeerTable {
  decode(): PeerRecord | null;
}
const { TsChar, tsTable } = createRequire(import.meta.url)('@chinachu/aribts') as {
  TsChar: new (bytes: Buffer) => { decode(): string };
  tsTable: Record<string, (new (bytes: Buffer) => PeerTable) & { decode?(bytes: Buffer): PeerRecord | null }>;
};

/** A descriptor of the peer in normalised form; its texts are decoded separately. */
export interface Written {
  readonly [field: string]: unknown;
}

/** JIS X 0208 1-61, which the peer decodes as a full-width hyphen; JIS X 0213 defines a minus sign. */
const MINUS = { peers: /－/g, ours: '−' };

export function peerText(bytes: Field | undefined): string {
  if (!(bytes instanceof Buffer)) return '';
  return new TsChar(bytes).decode().replace(/\r\n?/g, '\n').replace(MINUS.peers, MINUS.ours);
}

export function peerOctets(bytes: Field | undefined): string {
  return bytes instanceof Buffer ? bytes.toString('hex') : '';
}

export function records(field: Field | undefined): readonly PeerRecord[] {
  return Array.isArray(field) ? (field as readonly PeerRecord[]) : [];
}

export function peerValue(name: string, field: Field | undefined): unknown {
  if (name.endsWith('_char')) return peerText(field);
  return field instanceof Buffer ? peerOctets(field) : field;
}

export function fields(record: PeerRecord, names: readonly string[]): unknown[] {
  return names.map((name) => peerValue(name, record[name]));
}

export function decodeByPeer(table: string, bytes: Uint8Array): PeerRecord | null {
  const reader = tsTable[table];
  if (reader === undefined) throw new Error(`the peer has no ${table}`);
  const buffer = Buffer.from(bytes);
  return reader.decode === undefined ? new reader(buffer).decode() : reader.decode(buffer);
}
