/**
 * Finds the logos of wanted stations in a stream. Terrestrial logos are in the CDT, referenced by each service's logo
 * transmission descriptor. Logos of BS and CS are in a data carousel of an engineering service, whose modules
 * `LOGO-00` to `LOGO-05` and `CS_LOGO-00` to `CS_LOGO-05` contain one size each and list their services; only the
 * largest is read.
 * Memory is bounded for any input. ARIB STD-B21 12.2.2 and Annex 1; TR-B14 Vol. 4, TR-B15 Vol. 4.
 */
import { Carousel, type CompleteModule } from '../../lib/arib/carousel/carousel.ts';
import { filterDescriptors, findDescriptor } from '../../lib/arib/descriptor/index.ts';
import { broadcastTypeOf, type NetworkId, type Pid, type ServiceId } from '../../lib/arib/ids.ts';
import { CompleteTables } from '../../lib/arib/si/complete-tables.ts';
import {
  CDT_LOGO,
  CDT_PID,
  type Cdt,
  completeLogo,
  isDummyLogo,
  type Logo,
  logoSize,
  parseCdt,
  parseLogo,
  parseLogoModule,
} from '../../lib/arib/si/logo.ts';
import { NIT_PID, type Nit, parseSdt, SDT_PID, type Sdt } from '../../lib/arib/si/service-tables.ts';
import { PAT_PID } from '../../lib/arib/ts/packet.ts';
import { parsePat } from '../../lib/arib/ts/pat.ts';
import { type ProgramMap, parsePmt } from '../../lib/arib/ts/pmt.ts';
import { type Section, SectionDemux } from '../../lib/arib/ts/section.ts';
import { betterType, LARGEST_TYPE } from '../model/logo.ts';
import { inflateModule } from './inflate-module.ts';
import { defineReader } from './reader-kind.ts';
import type { FoundLogo, LogoCarrier, SurveyFindings, WantedLogo } from './survey-types.ts';

const FIXED_PIDS: readonly Pid[] = [PAT_PID, NIT_PID, SDT_PID, CDT_PID];
/** Lower PIDs are reserved for SI tables: a PAT or PMT that refers to one of them is wrong. */
const FIRST_FREE_PID = 0x0030;
/** service_type of an engineering service. */
const ENGINEERING = 0xa4;
/** Data carousels, ISO/IEC 13818-1 table 2-34. */
const DATA_CAROUSEL = 0x0d;
/** component_tags of the carousel of data for all receivers: BS, CS. */
const COMMON_DATA_TAGS: ReadonlySet<number> = new Set([0x79, 0x7a]);
/** Name of the largest size, which every such carousel has; cable networks add a prefix. */
const MODULE_NAME = /^(?:\w+_)?LOGO-05$/;

/** All logos of one size of a hundred stations take under 200 KB. */
const LIMITS = { moduleBytes: 2 ** 20, totalBytes: 8 * 2 ** 20, lists: 8 };
const MAX_MAPS = 64;
const MAX_CAROUSELS = 4;
/** Logos of a CDT that no service has referenced yet. */
const MAX_HELD = 256;
/** The largest logo is 72 x 36. */
const MAX_SIDE = 128;

interface Announced {
  logoId: number;
  /** Only in descriptors of type 1. Type 2 has only the logo id. */
  exact: { version: number; downloadDataId: number } | undefined;
}

interface HeldLogo {
  networkId: NetworkId;
  downloadDataId: number;
  logo: Logo;
}

type Key = string;
const keyOf = (networkId: NetworkId, serviceId: ServiceId): Key => `${networkId}/${serviceId}`;

/** Logos are posted as they are found; the last value has the findings. */
interface LogoValue {
  logos: FoundLogo[];
  findings?: SurveyFindings;
}

export const logoReader = defineReader<{ wanted: readonly WantedLogo[] }, never, LogoValue>({
  name: 'logo',
  start: ({ wanted }, context) => {
    const reader = new LogoReader(wanted, (pids) => context.select(pids));
    return {
      feed: (packets) => {
        reader.feed(packets);
        const logos = reader.takeLogos();
        if (logos.length > 0) context.post({ logos });
        if (reader.complete) context.finish();
      },
      close: () => context.post({ logos: reader.takeLogos(true), findings: reader.findings() }),
    };
  },
  transfer: ({ logos }) => logos.map(({ png }) => png.buffer),
});

export class LogoReader {
  readonly #wanted = new Map<Key, WantedLogo>();
  readonly #demux = new SectionDemux(FIXED_PIDS);
  readonly #tables = new CompleteTables();
  /** Logo announced by a service; null: none, or only text. */
  readonly #announced = new Map<Key, Announced | null>();
  readonly #held = new Map<string, HeldLogo>();
  /** Received sections of a CDT, and their total number. */
  readonly #seen = new Map<string, { numbers: Set<number>; count: number }>();
  readonly #carriers = new Map<string, LogoCarrier>();
  readonly #carousels = new Map<number, Carousel>();
  /** Programs whose PMT was not received yet, by PID; undefined before the PAT. */
  #maps: Map<number, Set<ServiceId>> | undefined;
  #network: Nit | undefined;
  readonly #given = new Map<Key, number>();
  #found: FoundLogo[] = [];

  readonly #pids = new Set<number>(FIXED_PIDS);

  /** @param select called with the needed PIDs, immediately and after each change */
  constructor(
    wanted: readonly WantedLogo[],
    private readonly select: (pids: Iterable<number>) => void = () => {},
  ) {
    for (const one of wanted) this.#wanted.set(keyOf(one.networkId, one.serviceId), one);
    select(this.#pids);
  }

  feed(packets: Uint8Array): void {
    for (const section of this.#demux.feed(packets)) this.#take(section);
  }

  /** Whether everything available has been received. */
  get complete(): boolean {
    for (const [key, { networkId }] of this.#wanted) {
      if (this.#given.get(key) === LARGEST_TYPE) continue;
      const settled =
        broadcastTypeOf(networkId) === 'GR' ? this.#settled(key, networkId) : this.#noMoreModules;
      if (!settled) return false;
    }
    return true;
  }

  findings(): SurveyFindings {
    return this.#network === undefined ? {} : { carriers: [...this.#carriers.values()] };
  }

  /** Logos found since the last call. @param last the final call: includes logos of a version other than announced */
  takeLogos(last = false): FoundLogo[] {
    if (last) for (const held of this.#held.values()) this.#match(held, false);
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #take(section: Section): void {
    const carousel = this.#carousels.get(section.pid ?? -1);
    if (carousel !== undefined) {
      for (const module of carousel.feed(section)) this.#module(module);
      return;
    }
    const sdt = parseSdt(section);
    if (sdt !== undefined) this.#services(sdt);
    const cdt = parseCdt(section);
    if (cdt !== undefined) this.#common(cdt);
    this.#programs(section);
    const table = this.#tables.add(section);
    if (table?.kind === 'nit') this.#carriersOf(table.table);
  }

  /** Finds carousels of data for all receivers, in any program. */
  #programs(section: Section): void {
    const pat = parsePat(section);
    if (pat !== undefined && section.pid === PAT_PID && this.#maps === undefined) {
      this.#maps = new Map();
      for (const { pid, programNumber } of pat.programs.slice(0, MAX_MAPS)) {
        if (pid < FIRST_FREE_PID) continue;
        this.#maps.set(pid, (this.#maps.get(pid) ?? new Set()).add(programNumber));
        this.#want(pid, true);
      }
    }
    const pid = section.pid as Pid;
    const waiting = this.#maps?.get(pid);
    const map = waiting === undefined ? undefined : parsePmt(section);
    if (map === undefined || waiting === undefined) return;
    this.#findCarousels(map);
    waiting.delete(map.programNumber);
    if (waiting.size > 0) return;
    this.#maps?.delete(pid);
    if (!this.#carousels.has(pid)) this.#want(pid, false);
  }

  #want(pid: Pid, isWanted: boolean): void {
    if (isWanted) {
      this.#demux.add(pid);
      this.#pids.add(pid);
    } else {
      this.#demux.remove(pid);
      this.#pids.delete(pid);
    }
    this.select(this.#pids);
  }

  #findCarousels(map: ProgramMap): void {
    for (const { streamType, componentTag, pid } of map.streams) {
      if (streamType !== DATA_CAROUSEL || !COMMON_DATA_TAGS.has(componentTag ?? -1)) continue;
      if (this.#carousels.size >= MAX_CAROUSELS || this.#carousels.has(pid)) continue;
      if (pid < FIRST_FREE_PID) continue;
      const wants = ({ info }: { info: { name?: string } }) => MODULE_NAME.test(info.name ?? '');
      this.#carousels.set(pid, new Carousel({ limits: LIMITS, wants }));
      this.#want(pid, true);
    }
  }

  #carriersOf(nit: Nit): void {
    if (nit.actual) this.#network = nit;
    for (const { transportStreamId, originalNetworkId: networkId, descriptors } of nit.transportStreams) {
      const services = filterDescriptors(descriptors, 'service_list').flatMap((list) => list.services);
      if (!services.some(({ serviceType }) => serviceType === ENGINEERING)) continue;
      this.#carriers.set(`${networkId}/${transportStreamId}`, { networkId, transportStreamId });
    }
  }

  #services({ originalNetworkId, services }: Sdt): void {
    for (const { serviceId, descriptors } of services) {
      const key = keyOf(originalNetworkId, serviceId);
      if (!this.#wanted.has(key)) continue;
      this.#announced.set(key, announcedBy(findDescriptor(descriptors, 'logo_transmission')));
    }
    for (const held of this.#held.values()) this.#match(held, true);
  }

  #common(cdt: Cdt): void {
    if (cdt.dataType !== CDT_LOGO) return;
    const logo = parseLogo(cdt.data);
    if (logo === undefined) return;
    const { downloadDataId, originalNetworkId: networkId } = cdt;
    const table = `${networkId}/${downloadDataId}`;
    const seen = this.#seen.get(table) ?? { numbers: new Set(), count: 0 };
    if (this.#seen.size < MAX_HELD) this.#seen.set(table, seen);
    seen.numbers.add(cdt.sectionNumber);
    seen.count = cdt.lastSectionNumber + 1;
    const held = { networkId, downloadDataId, logo };
    const place = `${table}/${logo.logoId}/${logo.type}`;
    if (this.#held.size < MAX_HELD || this.#held.has(place)) this.#held.set(place, held);
    this.#match(held, true);
  }

  /** Assigns a logo of the CDT to the services that announce it. */
  #match({ networkId, downloadDataId, logo }: HeldLogo, exactly: boolean): void {
    for (const [key, station] of this.#wanted) {
      const announced = this.#announced.get(key);
      if (station.networkId !== networkId || announced?.logoId !== logo.logoId) continue;
      const { exact } = announced;
      if (exact !== undefined && exact.downloadDataId !== downloadDataId) continue;
      if (exactly && exact !== undefined && exact.version !== logo.logoVersion) continue;
      this.#give(key, station, logo.type, logo.logoVersion, logo.picture);
    }
  }

  #module({ module, data }: CompleteModule): void {
    const plain = inflateModule(module.info, data, LIMITS.moduleBytes);
    const read = plain === undefined ? undefined : parseLogoModule(plain);
    for (const { services, picture } of read?.logos ?? []) {
      for (const { originalNetworkId, serviceId } of services) {
        const key = keyOf(originalNetworkId, serviceId);
        const station = this.#wanted.get(key);
        if (station === undefined) continue;
        const version = this.#announced.get(key)?.exact?.version ?? null;
        this.#give(key, station, read?.type ?? 0, version, picture);
      }
    }
  }

  #give(key: Key, station: WantedLogo, type: number, version: number | null, picture: Uint8Array): void {
    const before = this.#given.get(key);
    if (before !== undefined && !betterType(type, before)) return;
    const png = usablePicture(picture);
    if (png === undefined) return;
    this.#given.set(key, type);
    this.#found.push({ networkId: station.networkId, serviceId: station.serviceId, type, version, png });
  }

  /** Whether a terrestrial station has no logo, or all tables of its logo were received. */
  #settled(key: Key, networkId: NetworkId): boolean {
    const announced = this.#announced.get(key);
    if (announced === undefined) return false;
    if (announced === null) return true;
    const ids = announced.exact === undefined ? this.#sharersOf(announced.logoId) : [announced.exact];
    return ids.some(({ downloadDataId }) => {
      const seen = this.#seen.get(`${networkId}/${downloadDataId}`);
      return seen !== undefined && seen.numbers.size >= seen.count;
    });
  }

  /** The tables that contain a logo which services share. */
  #sharersOf(logoId: number): { downloadDataId: number }[] {
    return [...this.#held.values()].filter((held) => held.logo.logoId === logoId);
  }

  /** This stream has no logo carousel, or it was read completely. */
  get #noMoreModules(): boolean {
    if (this.#network === undefined || this.#maps === undefined || this.#maps.size > 0) return false;
    return [...this.#carousels.values()].every((carousel) => carousel.complete);
  }
}

type LogoTransmission = ReturnType<typeof findDescriptor<'logo_transmission'>>;

function announcedBy(descriptor: LogoTransmission): Announced | null {
  if (descriptor?.type === 1) {
    const { logoId, logoVersion, downloadDataId } = descriptor;
    return { logoId, exact: { version: logoVersion, downloadDataId } };
  }
  return descriptor?.type === 2 ? { logoId: descriptor.logoId, exact: undefined } : null;
}

/** The picture with its palette; undefined if it is empty or does not have the size of a logo. */
function usablePicture(picture: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (isDummyLogo(picture)) return undefined;
  const png = completeLogo(picture);
  const [width, height] = (png === undefined ? undefined : logoSize(png)) ?? [0, 0];
  if (png === undefined || width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) return undefined;
  return Uint8Array.from(png);
}
