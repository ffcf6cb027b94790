/** Lists of IP networks, as in TRUSTED_NETWORKS: comma-separated ranges or single addresses, IPv4 and IPv6. */
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * An address in its own family: IPv4-mapped IPv6 becomes IPv4, a zone (`%eth0`) and brackets are dropped.
 * Undefined for anything that is not written as a full address (no octal, no `127.1`).
 */
export function parseAddress(text: string): Address | undefined {
  const bare = text
    .trim()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '');
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  if (!isIPv6(bare)) return undefined;
  // The library cannot parse every spelling that ends in dotted decimals.
  const plain = bare.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  if (!ipaddr.IPv6.isValid(plain)) return undefined;
  const address = ipaddr.IPv6.parse(plain);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** The canonical spelling for comparison, logs and the inner application. */
export function canonicalAddress(text: string): string | undefined {
  return parseAddress(text)?.toString();
}

/** Whom an address stands for in quotas: a household has one IPv6 /64 and can use any address of it. RFC 4291, 2.5.4. */
export function ownerOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined || parsed.kind() === 'ipv4') return address;
  return parsed.toNormalizedString().split(':').slice(0, 4).join(':');
}

export class Networks {
  private constructor(
    private readonly ranges: readonly [Address, number][],
    readonly text: string,
  ) {}

  static readonly none = new Networks([], '');

  /** @throws Error naming the entry that is neither an address nor a range. */
  static parse(text: string): Networks {
    const entries = text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    return new Networks(entries.map(parseRange), entries.join(','));
  }

  get isEmpty(): boolean {
    return this.ranges.length === 0;
  }

  /** The first range that is not completely contained in a range of `allowed`; undefined: all are contained. */
  notWithin(allowed: Networks): string | undefined {
    const outside = this.ranges.find(
      ([base, bits]) =>
        !allowed.ranges.some(
          ([network, width]) => width <= bits && network.kind() === base.kind() && base.match(network, width),
        ),
    );
    return outside === undefined ? undefined : `${outside[0].toString()}/${outside[1]}`;
  }

  /** False for text that is not an address. */
  contains(text: string): boolean {
    return this.find(text) !== undefined;
  }

  /** The first entry that contains the address, as written; undefined if none does, or if it is not an address. */
  find(text: string): string | undefined {
    const address = parseAddress(text);
    if (address === undefined) return undefined;
    const index = this.ranges.findIndex(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
    return this.entries[index];
  }

  get entries(): readonly string[] {
    return this.isEmpty ? [] : this.text.split(',');
  }
}

function parseRange(entry: string): [Address, number] {
  const [base = '', prefix, ...rest] = entry.split('/');
  const address = parseAddress(base);
  const problem = new Error(`"${entry}" is not an IP address or network`);
  if (address === undefined || rest.length > 0) throw problem;
  const mapped = address.kind() === 'ipv4' && base.includes(':');
  const width = address.kind() === 'ipv4' ? 32 : 128;
  if (prefix === undefined) return [address, width];
  if (!/^\d{1,3}$/.test(prefix)) throw problem;
  const bits = Number(prefix) - (mapped ? 96 : 0);
  if (bits < 0 || bits > width) throw problem;
  return [address, bits];
}
