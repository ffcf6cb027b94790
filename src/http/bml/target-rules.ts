/**
 * Which servers bidirectional content may reach, beyond the rule for addresses (`lib/host/public-fetch.ts`): none of this home
 * that has a public address, and no port but those of the web.
 */
import type { MonotonicClock } from '../../../lib/host/clock.ts';
import { within } from '../../../lib/host/deadline.ts';
import { type AllowedHosts, isHomeName } from '../../../lib/host/host-check.ts';
import { Networks, parseAddress } from '../../../lib/host/networks.ts';
import type { Place, ResolveName } from '../../../lib/host/public-fetch.ts';

/**
 * `BML_HOSTS`: hosts of bidirectional content at fixed places, for a demonstration or a test without the broadcaster's
 * servers. They are exempt from the rules for addresses, so only the machine's owner can set them, by the environment.
 */
export type PinnedHosts = ReadonlyMap<string, Place>;

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** @param text `name=address:port,…` @throws Error naming the invalid entry */
export function parsePinnedHosts(text: string): PinnedHosts {
  const hosts = new Map<string, Place>();
  for (const entry of text.split(',').map((one) => one.trim())) {
    if (entry === '') continue;
    const [, name = '', host = '', port = ''] = /^([^=]+)=(.+):(\d{1,5})$/.exec(entry) ?? [];
    const address = parseAddress(host);
    const isName = NAME.test(name.toLowerCase()) && parseAddress(name) === undefined;
    if (!isName || address === undefined || Number(port) < 1 || Number(port) > 65_535)
      throw new Error(`"${entry}" is not name=address:port`);
    hosts.set(name.toLowerCase(), { address: address.toString(), port: Number(port) });
  }
  return hosts;
}

/** A home has an IPv6 prefix of 56 to 64 bits, so that its other machines have public addresses too. RFC 6177. */
const HOME_PREFIX_BITS = 56;
/** Ports below are of mail, shells and the like; browsers refuse most of them too. Fetch, 2.9. */
const FIRST_FREE_PORT = 1024;
const WEB_PORTS: ReadonlySet<string> = new Set(['', '80', '443']);
/** How long the addresses of this service's own names are kept. */
const OWN_ADDRESSES_MS = 300_000;
const OWN_LOOKUP_MS = 2_000;

interface TargetRulesNeeds {
  ownNames: AllowedHosts;
  /** The place of a host that is exempt from the rules for places. */
  pinned: (host: string) => Place | undefined;
  /** Networks of this machine's interfaces, as CIDR. */
  interfaces: () => readonly string[];
  resolve: ResolveName;
  clock: MonotonicClock;
}

export class TargetRules {
  /** Addresses of the own names: behind a router these are the only trace of the home's public address. */
  #own: { addresses: ReadonlySet<string>; until: number } | undefined;

  constructor(private readonly needs: TargetRulesNeeds) {}

  /** @returns why a target is refused before its name is resolved */
  refuses(url: URL): string | undefined {
    const { hostname, port, username, password } = url;
    if (username !== '' || password !== '') return 'credentials in the address';
    if (this.needs.pinned(hostname) !== undefined) return undefined;
    if (!WEB_PORTS.has(port) && Number(port) < FIRST_FREE_PORT) return 'not a port of the web';
    if (parseAddress(hostname) !== undefined) return undefined;
    if (isHomeName(hostname) || this.needs.ownNames.hasName(hostname)) return 'a name of this home';
    return undefined;
  }

  /** @param address public */
  async refusesAddress(address: string): Promise<boolean> {
    const networks = Networks.parse(this.needs.interfaces().map(homeNetwork).join(','));
    return networks.contains(address) || (await this.#ownAddresses()).has(address);
  }

  async #ownAddresses(): Promise<ReadonlySet<string>> {
    const { ownNames, resolve, clock } = this.needs;
    if (this.#own !== undefined && clock() < this.#own.until) return this.#own.addresses;
    const names = [...ownNames.names].filter((name) => !isHomeName(name));
    const none = (): readonly string[] => [];
    const found = await Promise.all(
      names.map((name) => within(OWN_LOOKUP_MS, resolve(name).catch(none), none)),
    );
    const addresses = new Set(found.flat().map((one) => parseAddress(one)?.toString() ?? one));
    this.#own = { addresses, until: clock() + OWN_ADDRESSES_MS };
    return addresses;
  }
}

function homeNetwork(cidr: string): string {
  const [base = '', bits = ''] = cidr.split('/');
  return base.includes(':') ? `${base}/${Math.min(Number(bits), HOME_PREFIX_BITS)}` : cidr;
}
