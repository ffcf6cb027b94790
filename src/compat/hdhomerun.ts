/** The documents and discovery packets of an HDHomeRun tuner, and the answers to its discovery. */
import { createSocket, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import type { Log } from '../../lib/host/log.ts';
import { Networks, parseAddress } from '../../lib/host/networks.ts';
import { hdhrPacket, numberOf, readHdhrPacket, textValue, u32Value } from './hdhomerun-packet.ts';

/** Table of libhdhomerun's check of device ids. */
const CHECK = [0xa, 0x5, 0xf, 0x6, 0x7, 0xc, 0x1, 0xb, 0x9, 0x2, 0x8, 0xd, 0x4, 0x3, 0xe, 0x0];

const nibble = (value: number, index: number): number => (value >>> (index * 4)) & 0xf;
const checked = (value: number, index: number): number => CHECK[nibble(value, index)] ?? 0;

/** A valid device id: the last digit makes the check sum zero. @param seed of this service, constant */
export function deviceIdOf(seed: number): string {
  // Ids of network tuners begin with 1.
  const base = ((0x1000_0000 | ((seed & 0xff_ffff) << 4)) & 0xffff_fff0) >>> 0;
  const last =
    checked(base, 7) ^
    nibble(base, 6) ^
    checked(base, 5) ^
    nibble(base, 4) ^
    checked(base, 3) ^
    nibble(base, 2) ^
    checked(base, 1);
  return (base | last).toString(16).toUpperCase().padStart(8, '0');
}

export interface HdhrDevice {
  readonly id: string;
  readonly tuners: number;
  readonly version: string;
  /** Absolute, without a final slash. */
  readonly base: string;
}

const NAME = 'svc';
export const MODEL = 'HDHR4-2IS';

export function discoverDocument({ id, tuners, version, base }: HdhrDevice): object {
  return {
    ...{ FriendlyName: NAME, Manufacturer: 'Silicondust', ModelNumber: MODEL, FirmwareName: 'svc_isdbt' },
    ...{ FirmwareVersion: version, DeviceID: id, DeviceAuth: NAME, TunerCount: tuners },
    ...{ BaseURL: base, LineupURL: `${base}/lineup.json` },
  };
}

export function statusDocument(): object {
  return { ScanInProgress: 0, ScanPossible: 0, Source: 'Antenna', SourceList: ['Antenna'] };
}

interface HdhrStation {
  readonly id: number;
  readonly number: string;
  readonly name: string;
}

/** @param isEncoded the streams are H.264 */
export function lineupDocument(stations: readonly HdhrStation[], base: string, isEncoded: boolean): object[] {
  return stations.map(({ id, number, name }) => ({
    ...{ GuideNumber: number, GuideName: name, URL: `${base}/stream/${id}.ts`, HD: 1 },
    ...{ VideoCodec: isEncoded ? 'H264' : 'MPEG2', AudioCodec: 'AAC' },
  }));
}

export function deviceXml({ id, base }: HdhrDevice): string {
  const device = [
    '<deviceType>urn:schemas-upnp-org:device:MediaServer:1</deviceType>',
    `<friendlyName>${NAME}</friendlyName><manufacturer>Silicondust</manufacturer>`,
    `<modelName>${MODEL}</modelName><modelNumber>${MODEL}</modelNumber><serialNumber>${id}</serialNumber>`,
    `<UDN>uuid:73766300-0000-4000-8000-0000${id.toLowerCase()}</UDN>`,
  ].join('');
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<root xmlns="urn:schemas-upnp-org:device-1-0">' +
    `<specVersion><major>1</major><minor>0</minor></specVersion><URLBase>${base}</URLBase>` +
    `<device>${device}</device></root>\n`
  );
}

const DISCOVER_REQUEST = 2;
const DISCOVER_REPLY = 3;
const TAG = {
  ...{ deviceType: 0x01, deviceId: 0x02, tunerCount: 0x10, lineupUrl: 0x27, baseUrl: 0x2a, auth: 0x2b },
} as const;
const TUNER = 1;
const ANY = 0xffff_ffff;

export function asksForDevice(bytes: Uint8Array, id: string): boolean {
  const packet = readHdhrPacket(bytes);
  if (packet?.type !== DISCOVER_REQUEST) return false;
  let [type, wanted] = [ANY, ANY];
  for (const { tag, value } of packet.values) {
    if (tag === TAG.deviceType) type = numberOf(value) ?? type;
    if (tag === TAG.deviceId) wanted = numberOf(value) ?? wanted;
  }
  return (type === ANY || type === TUNER) && (wanted === ANY || wanted === Number.parseInt(id, 16));
}

function discoverReply({ id, tuners, base }: Pick<HdhrDevice, 'id' | 'tuners' | 'base'>): Uint8Array {
  return hdhrPacket({
    type: DISCOVER_REPLY,
    values: [
      u32Value(TAG.deviceType, TUNER),
      u32Value(TAG.deviceId, Number.parseInt(id, 16)),
      { tag: TAG.tunerCount, value: Uint8Array.of(Math.min(tuners, 255)) },
      textValue(TAG.auth, NAME),
      textValue(TAG.baseUrl, base),
      textValue(TAG.lineupUrl, `${base}/lineup.json`),
    ],
  });
}

interface DiscoveryOptions {
  /** UDP; 0: one that is free. */
  readonly port: number;
  readonly id: string;
  /** Where the documents are served. */
  readonly httpPort: number;
  readonly tuners: () => number;
  readonly isTrusted: (peer: string) => boolean;
  readonly log: Log;
}

/** The address of this machine in a client's network; undefined: none is. */
function ownAddress(peer: string): string | undefined {
  const parsed = parseAddress(peer);
  if (parsed === undefined) return undefined;
  const own = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const near = own.find(({ cidr, family }) => {
    if (cidr === null || (family === 'IPv4') !== (parsed.kind() === 'ipv4')) return false;
    return Networks.parse(cidr).contains(peer);
  });
  return (near ?? own.find(({ family, internal }) => family === 'IPv4' && !internal))?.address;
}

/** Answers HDHomeRun discovery (UDP 65001), so that Plex, Jellyfin and `hdhomerun_config` find this machine. */
export class HdhrDiscovery {
  readonly #socket: Socket;
  readonly #bound: Promise<void>;

  constructor(private readonly options: DiscoveryOptions) {
    const { log, port } = options;
    this.#socket = createSocket({ type: 'udp4', reuseAddr: false });
    this.#socket.on('message', (packet, { address, port: from }) => this.#take(packet, address, from));
    const bound = Promise.withResolvers<void>();
    this.#bound = bound.promise;
    // Another program of this machine, an HDHomeRun tool for example, may have the port.
    this.#socket.on('error', (error) => {
      log.warn('HDHomeRun discovery is not available', { error: String(error) });
      bound.resolve();
    });
    this.#socket.bind(port, () => bound.resolve());
  }

  /** Its UDP port, once it listens. */
  async port(): Promise<number> {
    await this.#bound;
    return this.#socket.address().port;
  }

  async close(): Promise<void> {
    await this.#bound;
    await new Promise<void>((done) => {
      try {
        this.#socket.close(() => done());
      } catch {
        // It never listened.
        done();
      }
    });
  }

  #take(packet: Uint8Array, peer: string, port: number): void {
    const { id, tuners, httpPort, isTrusted } = this.options;
    if (!isTrusted(peer) || !asksForDevice(packet, id)) return;
    const address = ownAddress(peer);
    if (address === undefined) return;
    const base = `http://${address}:${httpPort}`;
    this.#socket.send(discoverReply({ id, tuners: tuners(), base }), port, peer);
  }
}
