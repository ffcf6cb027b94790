/** Composition root of the agent, from its options only: no environment, no process globals. */
import { existsSync } from 'node:fs';
import { systemMonotonicClock, systemWallClock } from '../lib/host/clock.ts';
import { AllowedHosts } from '../lib/host/host-check.ts';
import type { Log } from '../lib/host/log.ts';
import type { Networks } from '../lib/host/networks.ts';
import { WorkerLink } from '../lib/host/worker-link.ts';
import type { DetectedDevice } from '../lib/wire/agent.ts';
import { CardAccess, type CardAccessOptions } from './card/card-access.ts';
import { PassThroughDescrambler } from './descramble/descrambler.ts';
import { StreamDescrambler } from './descramble/stream-descrambler.ts';
import { toTunerDefinitions, tunerPaths } from './detect/detect-equipment.ts';
import { EquipmentMonitor } from './detect/equipment-monitor.ts';
import type { DeviceContract } from './driver/device-messages.ts';
import type { Driver } from './driver/driver.ts';
import { FakeDriver } from './driver/fake.ts';
import { HardwareDriver, LnbSupply } from './driver/hardware-driver.ts';
import { Equipment } from './equipment.ts';
import { ChangeEvents } from './events.ts';
import { AgentHttp } from './http.ts';
import { type PoolTiming, TunerPool } from './pool.ts';
import { parseFakeTuners } from './tuner-settings.ts';

/** A frontend answers in milliseconds; a broken USB device may block for seconds. */
const DETECT_LIMIT_MS = 10_000;
const IDLE_MS = 5_000;

/** The real tuners of this machine: their drivers and detection. */
class Hardware {
  readonly drivers: Readonly<Record<'dvb' | 'px4', Driver>>;
  readonly monitor: EquipmentMonitor;
  readonly #detector: WorkerLink<DeviceContract>;
  readonly #listeners: ((devices: readonly DetectedDevice[]) => void)[] = [];

  constructor(startWorker: () => Worker, { syncMs: lockMs, detectMs }: AgentTiming, log: Log) {
    const common = { startWorker, lnb: new LnbSupply(), lockMs, log };
    this.drivers = {
      dvb: new HardwareDriver({ ...common, driver: 'dvb' }),
      px4: new HardwareDriver({ ...common, driver: 'px4' }),
    };
    this.#detector = new WorkerLink<DeviceContract>({
      name: 'tuner detection worker',
      startWorker,
      log,
      watchWhen: 'working',
      watchdog: { limitMs: 2 * DETECT_LIMIT_MS },
      idleMs: IDLE_MS,
    });
    this.monitor = new EquipmentMonitor({
      detect: async () =>
        tunerPaths().length === 0
          ? []
          : await this.#detector.request('detect', null, { timeoutMs: DETECT_LIMIT_MS }),
      paths: () => tunerPaths(),
      onChange: () => {
        for (const listener of this.#listeners) listener(this.monitor.devices);
      },
      intervalMs: detectMs,
      log,
    });
  }

  onChange(listener: (devices: readonly DetectedDevice[]) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.monitor.close();
    void this.#detector.close(0);
  }
}

export interface AgentTiming extends PoolTiming {
  /** Delay from SIGTERM to SIGKILL of a tuning command, in ms. */
  readonly killGraceMs: number;
  /** Interval of comments on an event stream, in ms. */
  readonly keepAliveMs: number;
  /** Idle timeout of connections, in whole seconds up to 255. */
  readonly idleSeconds: number;
  /** Debounce of change events, in ms. */
  readonly coalesceMs: number;
  /** Interval of device detection, in ms. */
  readonly detectMs: number;
}

const DEFAULT_TIMING: AgentTiming = {
  syncMs: 5_000,
  stallMs: 5_000,
  lingerMs: 5_000,
  drainMs: 2_000,
  // Enough for a reader that keeps up, also on a busy machine.
  flushMs: 100,
  probeMs: [2_000, 5_000, 15_000, 60_000, 300_000],
  killGraceMs: 2_000,
  keepAliveMs: 30_000,
  idleSeconds: 10,
  coalesceMs: 50,
  detectMs: 2_000,
};

/**
 * Half a minute of the fastest broadcast (17 Mbit/s). Slow consumers of one tuning wait for the same chunks, so the
 * limit applies to a tuning, not to a consumer: eight of them cost 512 MB at worst.
 */
const LAG_LIMIT_BYTES = 64 * 1024 * 1024;

export interface AgentOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly networks: Networks;
  /** Default: IP literals and `localhost`. */
  readonly allowedHosts?: AllowedHosts;
  readonly tunersFile: string;
  readonly channelsFile: string;
  /** FAKE_TUNE; undefined: the driver `fake` is not available. */
  readonly fakeTune: string | undefined;
  /** The equipment if there is no tuners file and `fakeTune` is set, such as `GR:4,BS+CS:4`. */
  readonly fakeTuners: string;
  /** Environment of tuning commands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly timing?: Partial<AgentTiming>;
  readonly lagLimitBytes?: number;
  /** Starts `device.worker.ts`; undefined: the drivers `dvb` and `px4` are not available. */
  readonly startDeviceWorker?: (() => Worker) | undefined;
  /** Source and sharing of keys; undefined: scrambled programmes stay scrambled. */
  readonly card?: Omit<CardAccessOptions, 'clock' | 'wallClock' | 'log' | 'onChange'> | undefined;
}

export interface RunningAgent {
  readonly port: number;
  readonly url: string;
  /** Stops accepting requests, aborts every stream, ends every child process. Idempotent. */
  close(): Promise<void>;
}

/** @throws Error if it cannot listen on the address, or if FAKE_TUNE is not a valid command line */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const { log } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const events = new ChangeEvents(timing.coalesceMs);
  const { startDeviceWorker, fakeTune } = options;
  const hardware =
    startDeviceWorker === undefined
      ? undefined
      : new Hardware(startDeviceWorker, timing, log.component('tuner'));
  const fake =
    fakeTune === undefined
      ? undefined
      : new FakeDriver({ ...options, commandLine: fakeTune, killGraceMs: timing.killGraceMs });
  const detected = hardware?.monitor.start();
  const equipment = await Equipment.load({
    ...options,
    detect: async () => {
      if (fakeTune !== undefined) return parseFakeTuners(options.fakeTuners);
      await detected;
      return toTunerDefinitions(hardware?.monitor.devices ?? []);
    },
    fakeAllowed: fakeTune !== undefined,
    log: log.component('config'),
  });
  const card =
    options.card === undefined
      ? undefined
      : new CardAccess({
          ...options.card,
          clock: systemMonotonicClock,
          wallClock: systemWallClock,
          log: log.component('card'),
          onChange: () => events.announce('tuners'),
        });
  const pool = new TunerPool({
    drivers: { ...hardware?.drivers, ...(fake === undefined ? {} : { fake }) },
    isPresent: ({ driver, device }) => driver === 'fake' || hardware === undefined || existsSync(device),
    createDescrambler: (output, onChange) =>
      card === undefined
        ? new PassThroughDescrambler(output)
        : new StreamDescrambler({ source: card.source, clock: systemMonotonicClock, output, onChange }),
    tsidOf: (type, channel) => equipment.tsidOf(type, channel),
    timing,
    lagLimitBytes: options.lagLimitBytes ?? LAG_LIMIT_BYTES,
    log: log.component('pool'),
    onChange: () => events.announce('tuners'),
  });
  pool.define(equipment.tunersOrNone);
  hardware?.onChange((devices) => {
    if (fakeTune === undefined) equipment.adapt(toTunerDefinitions(devices));
    pool.define(equipment.tunersOrNone);
  });
  const http = new AgentHttp({
    pool,
    equipment,
    events,
    card,
    devices: () => hardware?.monitor.devices ?? [],
    networks: options.networks,
    allowedHosts: options.allowedHosts ?? AllowedHosts.literals,
    keepAliveMs: timing.keepAliveMs,
    log: log.component('http'),
  });
  const server = listen(options, timing, http, () => hardware?.close());
  const port = server.port ?? options.port;
  let closing: Promise<void> | undefined;
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    close: () => {
      closing ??= (async () => {
        void server.stop();
        hardware?.close();
        await pool.close();
        await card?.close();
        events.close();
        await server.stop(true);
      })();
      return closing;
    },
  };
}

/** @param onFailure releases resources that keep the process alive @throws Error if it cannot listen on the address */
function listen(
  options: AgentOptions,
  timing: AgentTiming,
  http: AgentHttp,
  onFailure: () => void,
): ReturnType<typeof Bun.serve> {
  try {
    return Bun.serve({
      hostname: options.host,
      port: options.port,
      // Otherwise the runtime prints every intentionally aborted stream as an unhandled error.
      development: false,
      // Enabled by `development: false`, but a second agent on the same port must fail.
      reusePort: false,
      idleTimeout: timing.idleSeconds,
      // Every route has its own limit, and a stream to decode has none.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, bun) =>
        http.handle(request, {
          address: bun.requestIP(request)?.address,
          keepOpen: () => bun.timeout(request, 0),
          limitIdle: () => bun.timeout(request, timing.idleSeconds),
        }),
      error: (error) => {
        options.log.error('request failed', { reason: String(error) });
        return Response.json({ message: 'エージェントの内部エラーです' }, { status: 500 });
      },
    });
  } catch (error) {
    onFailure();
    throw error;
  }
}
