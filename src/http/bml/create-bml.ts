/** Composition of the proxies for bidirectional content of data broadcasts. */
import { networkInterfaces } from 'node:os';
import type { MonotonicClock } from '../../../lib/host/clock.ts';
import { type DnsServer, resolveBy } from '../../../lib/host/dns-client.ts';
import type { AllowedHosts } from '../../../lib/host/host-check.ts';
import type { Log } from '../../../lib/host/log.ts';
import { resolveBySystem } from '../../../lib/host/public-fetch.ts';
import type { Random } from '../../../lib/host/random.ts';
import type { Requester } from '../../model/requester.ts';
import type { AddRoutes } from '../route/server-interfaces.ts';
import { addBmlRoutes, PeerSlots } from './bml-routes.ts';
import { PeerClient, RefusalLog } from './peer-client.ts';
import { type PinnedHosts, TargetRules } from './target-rules.ts';

/** From the environment. */
export interface BmlConfig {
  /** Name servers; empty: the system's resolver. */
  dns: readonly DnsServer[];
  hosts: PinnedHosts;
}

export interface BmlNeeds {
  config: BmlConfig;
  ownNames: AllowedHosts;
  isOn: () => boolean;
  hasOnlyRecordings: (requester: Requester) => boolean;
  random: Random;
  clock: MonotonicClock;
  log: Log;
}

export function createBml({ config, ownNames, random, clock, ...needs }: BmlNeeds): AddRoutes {
  const log = needs.log.component('bml');
  const { dns, hosts } = config;
  const resolve = dns.length === 0 ? resolveBySystem : resolveBy(dns, random);
  if (hosts.size > 0)
    log.warn('BML_HOSTS: data broadcasts reach these hosts at any address', {
      hosts: [...hosts.keys()].join(','),
    });
  const pinned = (host: string) => hosts.get(host.replace(/\.$/, ''));
  const rules = new TargetRules({ ...{ ownNames, pinned, resolve, clock }, interfaces: ownNetworks });
  const peers = new PeerClient({
    targets: {
      resolve,
      allowsPrivate: false,
      pinned,
      refuses: (url) => rules.refuses(url),
      refusesAddress: (address) => rules.refusesAddress(address),
    },
    refusals: new RefusalLog(log, clock),
    clock,
  });
  return (app) => addBmlRoutes(app, { ...needs, peers, slots: new PeerSlots() });
}

function ownNetworks(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ cidr }) => cidr).filter((cidr) => cidr !== null),
  );
}
