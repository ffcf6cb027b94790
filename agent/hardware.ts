/** The real tuners of this machine: their drivers and detection. */
import type { Log } from '../host/log.ts';
import { WorkerLink } from '../host/worker-link.ts';
import type { DetectedDevice } from '../wire/agent.ts';
import { tunerPaths } from './detect/detect-equipment.ts';
import { EquipmentMonitor } from './detect/equipment-monitor.ts';
import type { DeviceContract } from './driver/device-messages.ts';
import type { Driver } from './driver/driver.ts';
import { HardwareDriver } from './driver/hardware-driver.ts';
import { LnbSupply } from './driver/lnb-supply.ts';

interface HardwareOptions {
  readonly startWorker: () => Worker;
  /** Timeout from tuning to the lock, ms. */
  readonly lockMs: number;
  /** Interval of detecting devices, ms. */
  readonly detectMs: number;
  readonly log: Log;
}

/** A frontend answers in milliseconds; a broken USB device may block for seconds. */
const DETECT_LIMIT_MS = 10_000;
const IDLE_MS = 5_000;

export class Hardware {
  readonly drivers: Readonly<Record<'dvb' | 'px4', Driver>>;
  readonly monitor: EquipmentMonitor;
  readonly #detector: WorkerLink<DeviceContract>;
  readonly #listeners: ((devices: readonly DetectedDevice[]) => void)[] = [];

  constructor(options: HardwareOptions) {
    const { startWorker, lockMs, log } = options;
    const lnb = new LnbSupply();
    this.drivers = {
      dvb: new HardwareDriver({ driver: 'dvb', startWorker, lnb, lockMs, log }),
      px4: new HardwareDriver({ driver: 'px4', startWorker, lnb, lockMs, log }),
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
      intervalMs: options.detectMs,
      log,
    });
  }

  /** Devices were added, removed or changed. */
  onChange(listener: (devices: readonly DetectedDevice[]) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.monitor.close();
    void this.#detector.close(0);
  }
}
