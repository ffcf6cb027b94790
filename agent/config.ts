/** The agent's environment, parsed once. */
import { hostname } from 'node:os';
import { type Environment, EnvironmentReader } from '../host/environment.ts';
import { AllowedHosts } from '../host/host-check.ts';
import { LOG_LEVELS, type LogLevel } from '../host/log.ts';
import { Networks } from '../host/networks.ts';
import { splitWords } from './driver/command-line.ts';
import { parseFakeTuners } from './tuner-settings.ts';

export interface AgentConfig {
  readonly host: string;
  readonly port: number;
  readonly networks: Networks;
  /** Names under which requests are answered: the machine's own and `ALLOWED_HOSTS`. */
  readonly allowedHosts: AllowedHosts;
  readonly tunersFile: string;
  readonly channelsFile: string;
  readonly fakeTune: string | undefined;
  readonly fakeTuners: string;
  /** From opening a device to its first packets, in ms. */
  readonly tuneTimeoutMs: number;
  readonly logLevel: LogLevel;
}

const DEFAULT_NETWORKS = Networks.parse('127.0.0.0/8,::1/128');
const DEFAULT_FAKE_TUNERS = 'GR:4,BS+CS:4';

/** @throws ConfigError naming every bad variable. */
export function readConfig(environment: Environment): AgentConfig {
  const reader = new EnvironmentReader(environment);
  const parseHosts = (text: string): AllowedHosts => AllowedHosts.parse(text, hostname());
  const config: AgentConfig = {
    host: reader.string('AGENT_HOST', '127.0.0.1'),
    port: reader.integer('AGENT_PORT', 25252, { min: 0, max: 65535 }),
    networks: reader.parsed('AGENT_NETWORKS', DEFAULT_NETWORKS, (text) => Networks.parse(text)),
    allowedHosts: reader.parsed('ALLOWED_HOSTS', parseHosts(''), parseHosts),
    tunersFile: reader.string('TUNERS_FILE', '/config/tuners.json'),
    channelsFile: reader.string('CHANNELS_FILE', '/config/channels.json'),
    fakeTune: reader.parsed('FAKE_TUNE', undefined, checkedCommandLine),
    fakeTuners: reader.parsed('FAKE_TUNERS', DEFAULT_FAKE_TUNERS, checkedFakeTuners),
    tuneTimeoutMs: reader.integer('TUNE_TIMEOUT', 5_000, { min: 100, max: 120_000 }),
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
