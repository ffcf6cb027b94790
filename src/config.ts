/** The service's environment, parsed once into one typed value. Every problem is reported together. */
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/arib/time.ts';
import { parseDnsServers } from '../lib/host/dns-client.ts';
import { type Environment, EnvironmentReader } from '../lib/host/environment.ts';
import { AllowedHosts } from '../lib/host/host-check.ts';
import { LOG_LEVELS, type LogLevel } from '../lib/host/log.ts';
import { Networks } from '../lib/host/networks.ts';
import type { OidcConfig } from './access/openid.ts';
import type { CompatConfig } from './compat/create-compat.ts';
import type { BmlConfig } from './http/bml/create-bml.ts';
import { type PinnedHosts, parsePinnedHosts } from './http/bml/target-rules.ts';

export interface Config {
  /** Address to listen on; null = every address, IPv6 and IPv4. */
  host: string | null;
  port: number;
  /** Paths of PEM files; null = plain http. */
  tls: { certPath: string; keyPath: string } | null;
  /** Without a trailing slash. */
  agentUrl: string;
  dataDir: string;
  recordingsDir: string;
  /** Paths; null: searched on PATH. */
  ffmpegPath: string | null;
  ffprobePath: string | null;
  trustedNetworks: Networks;
  trustedProxies: Networks;
  /** null: no identity provider is configured. */
  oidc: OidcConfig | null;
  /** Names under which requests are answered: the machine's own and `ALLOWED_HOSTS`. */
  allowedHosts: AllowedHosts;
  /** Interfaces for other programs; off: null. */
  compat: CompatConfig;
  /** Bidirectional content of data broadcasts. */
  bml: BmlConfig;
  logLevel: LogLevel;
  channelSyncIntervalMs: number;
  /** A station missing from imports for this long is deleted. */
  serviceForgetAfterMs: number;
  /** A booking this close to its start stays even if its rule no longer matches. */
  ruleRetractGraceMs: number;
  /** Program of the machine's owner that is run for notices; null: none. */
  notifyCommand: string | null;
  /** Whether notices may be sent to addresses of the home. */
  notifyPrivate: boolean;
  /** Interval of the retention check. */
  reconcileIntervalMs: number;
  /** Guide collection: intervals and limits in ms. */
  epg: {
    collectIntervalMs: number;
    channelIntervalMs: number;
    channelRetryMs: number;
    minCoverageMs: number;
    sweepSettleMs: number;
    channelTimeoutMs: number;
  };
}

/** @throws ConfigError naming every bad variable. */
export function readConfig(environment: Environment): Config {
  const reader = new EnvironmentReader(environment);
  const dataDir = reader.string('DATA_DIR', '/var/lib/svc');
  const parseHosts = (text: string): AllowedHosts => AllowedHosts.parse(text, hostname());
  const certPath = reader.optional('TLS_CERT');
  const keyPath = reader.optional('TLS_KEY');
  if ((certPath === undefined) !== (keyPath === undefined)) {
    reader.problem('TLS_CERT and TLS_KEY: set both or neither');
  }
  const config: Config = {
    host: reader.optional('HOST') ?? null,
    port: reader.integer('PORT', 25_250, { min: 0, max: 65_535 }),
    tls: certPath !== undefined && keyPath !== undefined ? { certPath, keyPath } : null,
    agentUrl: reader.url('TUNER_AGENT_URL', 'http://127.0.0.1:25252'),
    dataDir,
    // Absolute, because the database stores paths below it and the working directory may change.
    recordingsDir: resolve(reader.string('RECORDINGS_DIR', join(dataDir, 'recordings'))),
    ffmpegPath: reader.optional('FFMPEG_PATH') ?? null,
    ffprobePath: reader.optional('FFPROBE_PATH') ?? null,
    trustedNetworks: reader.parsed('TRUSTED_NETWORKS', Networks.none, Networks.parse),
    trustedProxies: reader.parsed('TRUSTED_PROXIES', Networks.none, Networks.parse),
    oidc: readOidc(reader),
    allowedHosts: reader.parsed('ALLOWED_HOSTS', parseHosts(''), parseHosts),
    compat: readCompat(reader),
    bml: {
      dns: reader.parsed('BML_DNS', [], parseDnsServers),
      hosts: reader.parsed<PinnedHosts>('BML_HOSTS', new Map(), parsePinnedHosts),
    },
    logLevel: reader.oneOf<LogLevel>('LOG_LEVEL', LOG_LEVELS, 'info'),
    channelSyncIntervalMs: reader.integer('CHANNEL_SYNC_INTERVAL', MINUTE_MS, { min: 100, max: DAY_MS }),
    serviceForgetAfterMs: reader.integer('SERVICE_FORGET_AFTER', 30 * MINUTE_MS, {
      min: 0,
      max: 365 * DAY_MS,
    }),
    ruleRetractGraceMs: reader.integer('RULE_RETRACT_GRACE', HOUR_MS, { min: 0, max: 30 * DAY_MS }),
    reconcileIntervalMs: reader.integer('RECONCILE_INTERVAL', MINUTE_MS, { min: 100, max: DAY_MS }),
    notifyCommand: reader.optional('NOTIFY_COMMAND') ?? null,
    notifyPrivate: reader.oneOf('NOTIFY_PRIVATE', ['0', '1'], '0') === '1',
    epg: readCollecting(reader),
  };
  reader.finish();
  return config;
}

/** The numbers that clients of these interfaces expect, for the value `default`. */
const MIRAKURUN_PORT = 40_772;
const HDHR_PORT = 5_004;
const DISCOVERY_PORT = 65_001;

function readCompat(reader: EnvironmentReader): CompatConfig {
  const port = (name: string, standard: number): number | null => {
    const value = reader.optional(name);
    if (value === undefined || value === 'off') return null;
    return value === 'default' ? standard : reader.integer(name, standard, { min: 0, max: 65_535 });
  };
  return {
    mirakurunPort: port('MIRAKURUN_PORT', MIRAKURUN_PORT),
    mirakurunHost: reader.optional('MIRAKURUN_HOST') ?? reader.optional('HOST') ?? null,
    hdhomerunPort: port('HDHR_PORT', HDHR_PORT),
    discoveryPort: reader.integer('HDHOMERUN_DISCOVERY_PORT', DISCOVERY_PORT, { min: 0, max: 65_535 }),
    mirakurunSocket: reader.optional('MIRAKURUN_SOCKET') ?? null,
  };
}

const OIDC_VARIABLES = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/** Plain http is acceptable to a provider on the same machine. */
function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** Active when all three variables are set; a partial set is an error. */
function readOidc(reader: EnvironmentReader): OidcConfig | null {
  const [issuer, clientId, clientSecret] = OIDC_VARIABLES.map((name) => reader.optional(name));
  const group = reader.optional('OIDC_GROUP') ?? null;
  const ttl = { min: 1_000, max: 400 * DAY_MS };
  const sessionTtlMs = reader.integer('OIDC_SESSION_TTL', 30 * DAY_MS, ttl);
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    const missing = OIDC_VARIABLES.filter((name) => reader.optional(name) === undefined);
    if (missing.length < OIDC_VARIABLES.length)
      reader.problem(
        `${missing.join(', ')}: to log in with OpenID Connect, all of ${OIDC_VARIABLES.join(', ')} are needed`,
      );
    return null;
  }
  if (reader.url('OIDC_ISSUER', issuer).startsWith('http:') && !isLoopback(issuer))
    reader.problem('OIDC_ISSUER: an https address is needed');
  // An issuer is compared exactly, including a trailing slash.
  return { issuer, clientId, clientSecret, group, sessionTtlMs };
}

function readCollecting(reader: EnvironmentReader): Config['epg'] {
  const span = (name: string, standard: number, min: number, max = 30 * DAY_MS): number =>
    reader.integer(name, standard, { min, max });
  return {
    collectIntervalMs: span('EPG_COLLECT_INTERVAL', 30 * MINUTE_MS, 1000),
    channelIntervalMs: span('EPG_CHANNEL_INTERVAL', 6 * HOUR_MS, 1000),
    channelRetryMs: span('EPG_CHANNEL_RETRY', 2 * HOUR_MS, 0),
    minCoverageMs: span('EPG_MIN_COVERAGE', 3 * DAY_MS, 0),
    sweepSettleMs: span('EPG_SWEEP_SETTLE', MINUTE_MS, 0, HOUR_MS),
    channelTimeoutMs: span('EPG_CHANNEL_TIMEOUT', 10 * MINUTE_MS, 1000, HOUR_MS),
  };
}
