/** The agent's two stored tables, tuners and channels: loaded once, replaced by PUT, each in its own file. */
import type { BroadcastType } from '../lib/arib/ids.ts';
import { SATELLITE_STREAMS } from '../lib/arib/satellite-streams.ts';
import type { Log } from '../lib/host/log.ts';
import { plainName } from '../lib/host/plain-name.ts';
import { systemErrorStep } from '../lib/host/system-error.ts';
import {
  type Channel,
  ChannelsSchema,
  type TunerDefinition,
  TunerDefinitionsSchema,
} from '../lib/wire/agent.ts';
import { channelNameForm, parseChannelName } from './channel-name.ts';
import { BrokenFile, causeOf, JsonFile } from './config/json-file.ts';
import { BadValue, parseAs } from './config/validate.ts';
import { isFrontendPath } from './driver/dvb/frontend.ts';
import { characterDevice, FAMILIES } from './driver/px4/device-names.ts';
import { settleTuners, type TunerSettings } from './tuner-settings.ts';

/**
 * Standard satellite channels: the transport stream ids of BS and 110° CS. Used as the channel table until one is
 * stored, and for ids that the stored table lacks.
 * The channel table before any scan; its stations are unknown to the agent.
 */
export const STANDARD_CHANNELS: readonly Channel[] = SATELLITE_STREAMS.map(
  ({ type, channel, transportStreamId, networkId }) => ({
    type,
    channel,
    tsid: transportStreamId,
    networkId,
    stations: [],
  }),
);

/** The id of a channel that is not in the stored table; null when unknown. */
export function standardTsid(type: BroadcastType, channel: string): number | null {
  const found = STANDARD_CHANNELS.find((entry) => entry.type === type && entry.channel === channel);
  return found?.tsid ?? null;
}

interface EquipmentOptions {
  readonly tunersFile: string;
  readonly channelsFile: string;
  /** The equipment if there is no file. */
  readonly detect: () => Promise<readonly TunerDefinition[]>;
  /** Whether the driver `fake` has a command; without one it cannot be defined. */
  readonly fakeAllowed: boolean;
  readonly log: Log;
}

/** A stored table, or why its file is unusable. */
type Table<T> =
  | { readonly ok: true; readonly value: readonly T[] }
  | { readonly ok: false; error: BrokenFile };

export class Equipment {
  readonly #tunersFile: JsonFile<TunerDefinition[]>;
  readonly #channelsFile: JsonFile<Channel[]>;
  #tuners: Table<TunerSettings> = { ok: true, value: [] };
  /** There is no file: the detected devices are the equipment. */
  #isDetected = false;
  #channels: Table<Channel> = { ok: true, value: [] };

  private constructor(private readonly options: EquipmentOptions) {
    this.#tunersFile = new JsonFile(options.tunersFile, parseTuners);
    this.#channelsFile = new JsonFile(options.channelsFile, parseChannels);
  }

  /** Never fails for an unusable file: it is logged, not changed, and reported by every request for its table. */
  static async load(options: EquipmentOptions): Promise<Equipment> {
    const equipment = new Equipment(options);
    equipment.#tuners = await equipment.#table(async () => {
      const stored = await equipment.#tunersFile.load();
      equipment.#isDetected = stored === undefined;
      return settleTuners(stored ?? (await options.detect()), []);
    });
    equipment.#channels = await equipment.#table(
      async () => (await equipment.#channelsFile.load()) ?? STANDARD_CHANNELS,
    );
    return equipment;
  }

  /** @throws BrokenFile */
  get tuners(): readonly TunerSettings[] {
    if (!this.#tuners.ok) throw this.#tuners.error;
    return this.#tuners.value;
  }

  /** Tuners for the pool: none while the file is broken. */
  get tunersOrNone(): readonly TunerSettings[] {
    return this.#tuners.ok ? this.#tuners.value : [];
  }

  /** Without a file the standard table of BS and CS, which is not written. @throws BrokenFile */
  get channels(): readonly Channel[] {
    if (!this.#channels.ok) throw this.#channels.error;
    return this.#channels.value;
  }

  /** The stored table takes precedence over the standard one; null for unknown channels. */
  tsidOf(type: BroadcastType, channel: string): number | null {
    const stored = this.#channels.ok ? this.#channels.value : [];
    const known = stored.find((entry) => entry.type === type && entry.channel === channel);
    return known?.tsid ?? standardTsid(type, channel);
  }

  /** Stores new definitions. @throws BadValue, SaveFailed; nothing is changed then. */
  async replaceTuners(value: unknown): Promise<readonly TunerSettings[]> {
    const settled = settleTuners(parseTuners(value), this.tunersOrNone);
    const fake = settled.findIndex((tuner) => tuner.driver === 'fake');
    if (fake >= 0 && !this.options.fakeAllowed) {
      throw new BadValue(`[${fake}].driver`, 'fake は FAKE_TUNE が設定されているときだけ使えます');
    }
    await this.#tunersFile.save(settled.map((tuner) => ({ ...tuner, types: [...tuner.types] })));
    this.#tuners = { ok: true, value: settled };
    this.#isDetected = false;
    return settled;
  }

  /**
   * Adopts the detected devices if there is no file. A removed device stays in the list with its id and name, since it
   * may return.
   */
  adapt(detected: readonly TunerDefinition[]): void {
    if (!this.#isDetected || !this.#tuners.ok) return;
    const known = this.#tuners.value;
    const added = detected.filter(
      ({ driver, device }) => !known.some((tuner) => tuner.driver === driver && tuner.device === device),
    );
    const kept = known.map((tuner) => {
      const found = detected.find(({ driver, device }) => tuner.driver === driver && tuner.device === device);
      return { ...tuner, types: [...(found?.types ?? tuner.types)] };
    });
    this.#tuners = { ok: true, value: settleTuners([...kept, ...added], known) };
  }

  /** Stores a scan's result. @throws BadValue, SaveFailed; nothing is changed then. */
  async replaceChannels(value: unknown): Promise<readonly Channel[]> {
    const channels = parseChannels(value);
    await this.#channelsFile.save(channels);
    this.#channels = { ok: true, value: channels };
    return channels;
  }

  async #table<T>(load: () => Promise<readonly T[]>): Promise<Table<T>> {
    try {
      return { ok: true, value: await load() };
    } catch (error) {
      const broken =
        error instanceof BrokenFile
          ? error
          : new BrokenFile(`設定ファイルを読めません。${systemErrorStep(error)}`, { cause: error });
      this.options.log.error('configuration file not usable', { reason: broken.message, ...causeOf(broken) });
      return { ok: false, error: broken };
    }
  }
}

/** @throws BadValue */
export function parseTuners(value: unknown): TunerDefinition[] {
  const definitions = parseAs(TunerDefinitionsSchema, value);
  for (const [index, { driver, device }] of definitions.entries()) {
    const problem = deviceNameProblem(driver, device);
    if (problem !== undefined) throw new BadValue(`[${index}].device`, problem);
  }
  settleTuners(definitions, []);
  return definitions;
}

/** Only the driver's own device files may be opened, whatever a request contains. */
function deviceNameProblem(driver: TunerDefinition['driver'], device: string): string | undefined {
  if (driver === 'dvb' && !isFrontendPath(device)) {
    return '/dev/dvb/adapter0/frontend0 の形にしてください';
  }
  if (driver === 'px4' && characterDevice(device) === undefined) {
    return `/dev/px4video0 の形にしてください (${Object.keys(FAMILIES).join('、')} に番号を付けたもの)`;
  }
  return undefined;
}

/** @throws BadValue */
export function parseChannels(value: unknown): Channel[] {
  const channels = parseAs(ChannelsSchema, value);
  const seen = new Set<string>();
  return channels.map((entry, index) => {
    const channel = parseChannelName(entry.type, entry.channel);
    if (channel === undefined) {
      throw new BadValue(`[${index}].channel`, `${channelNameForm(entry.type)} の形にしてください`);
    }
    const key = `${entry.type}/${channel}`;
    if (seen.has(key)) throw new BadValue(`[${index}].channel`, `${key} が重複しています`);
    seen.add(key);
    const stations = entry.stations.map((station) => ({ ...station, name: plainName(station.name) }));
    return { ...entry, channel, stations };
  });
}
