/** The agent's environment, parsed once. */
import { hostname } from 'node:os';
import { type Environment, EnvironmentReader } from '../lib/host/environment.ts';
import { AllowedHosts } from '../lib/host/host-check.ts';
import { LOG_LEVELS, type LogLevel } from '../lib/host/log.ts';
import { Networks } from '../lib/host/networks.ts';
import { splitWords } from './driver/command-line.ts';
import { parseFakeTuners } from './tuner-settings.ts';

export interface AgentConfig {
  readonly host: string;
  readonly port: number;
  readonly networks: Networks;
  /** Accepted host names: the machine's own and `ALLOWED_HOSTS`. */
  readonly allowedHosts: AllowedHosts;
  readonly tunersFile: string;
  readonly channelsFile: string;
  readonly fakeTune: string | undefined;
  readonly fakeTuners: string;
  /** Timeout from opening a device to its first packets, in ms. */
  readonly tuneTimeoutMs: number;
  readonly card: CardConfig;
  readonly logLevel: LogLevel;
}

interface CardConfig {
  /** CARD_URL: keys come from this agent's share port; null: from a card reader of this machine. */
  readonly url: string | null;
  /** CARD_SHARE_PORT; null: keys are not shared. */
  readonly sharePort: number | null;
  readonly shareNetworks: Networks;
  /** CARD_TTL: hop limit of key exchange, 1 to 8. */
  readonly hops: number;
  /** CARD_SHARE_MAX_RTT, ms; null: no limit. */
  readonly maxRttMs: number | null;
}

const DEFAULT_NETWORKS = Networks.parse('127.0.0.0/8,::1/128');
const DEFAULT_SHARE_NETWORKS =
  '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1/128,fc00::/7,fe80::/10';
const DEFAULT_FAKE_TUNERS = 'GR:4,BS+CS:4';

/** @throws ConfigError naming every bad variable. */
export function readAgentConfig(environment: Environment): AgentConfig {
  const reader = new EnvironmentReader(environment);
  const parseHosts = (text: string): AllowedHosts => AllowedHosts.parse(text, hostname());
  const port = reader.integer('AGENT_PORT', 25252, { min: 0, max: 65535 });
  const config: AgentConfig = {
    host: reader.string('AGENT_HOST', '127.0.0.1'),
    port,
    networks: reader.parsed('AGENT_NETWORKS', DEFAULT_NETWORKS, (text) => Networks.parse(text)),
    allowedHosts: reader.parsed('ALLOWED_HOSTS', parseHosts(''), parseHosts),
    tunersFile: reader.string('TUNERS_FILE', '/config/tuners.json'),
    channelsFile: reader.string('CHANNELS_FILE', '/config/channels.json'),
    fakeTune: reader.parsed('FAKE_TUNE', undefined, checkedCommandLine),
    fakeTuners: reader.parsed('FAKE_TUNERS', DEFAULT_FAKE_TUNERS, checkedFakeTuners),
    tuneTimeoutMs: reader.integer('TUNE_TIMEOUT', 5_000, { min: 100, max: 120_000 }),
    card: readCardConfig(reader, port),
    logLevel: reader.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
  reader.finish();
  return config;
}

function checkedCommandLine(text: string): string | undefined {
  splitWords(text);
  return text;
}

function checkedFakeTuners(text: string): string {
  parseFakeTuners(text);
  return text;
}

function readCardConfig(reader: EnvironmentReader, agentPort: number): CardConfig {
  const has = (name: string): boolean => reader.optional(name) !== undefined;
  const sharePort = reader.integer('CARD_SHARE_PORT', 0, { min: 1, max: 65535 });
  if (has('CARD_SHARE_PORT') && sharePort === agentPort) {
    reader.problem('CARD_SHARE_PORT: must differ from AGENT_PORT');
  }
  const maxRttMs = reader.integer('CARD_SHARE_MAX_RTT', 0, { min: 1, max: 10_000 });
  return {
    url: has('CARD_URL') ? reader.url('CARD_URL', '') : null,
    sharePort: has('CARD_SHARE_PORT') ? sharePort : null,
    shareNetworks: reader.parsed(
      'CARD_SHARE_NETWORKS',
      Networks.parse(DEFAULT_SHARE_NETWORKS),
      checkedShareNetworks,
    ),
    hops: reader.integer('CARD_TTL', 1, { min: 1, max: 8 }),
    maxRttMs: has('CARD_SHARE_MAX_RTT') ? maxRttMs : null,
  };
}

/** Keys must not leave the home network: the list may narrow the default, but not widen it. */
function checkedShareNetworks(text: string): Networks {
  const networks = Networks.parse(text);
  const outside = networks.notWithin(Networks.parse(DEFAULT_SHARE_NETWORKS));
  if (outside !== undefined)
    throw new Error(`"${outside}" is outside loopback, private and link-local networks`);
  return networks;
}
