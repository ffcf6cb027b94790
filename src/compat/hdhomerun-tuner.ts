/**
 * The variables of one tuner of HDHomeRun's control protocol, as `hdhomerun_config` and players with libhdhomerun use
 * them. Such a tuner is only a name: a real one is taken while packets are sent to a target. What a scan finds is the
 * station list, nothing is tuned for it.
 */
import type { StationRecord } from '../model/station.ts';

export interface HdhrStation
  extends Pick<StationRecord, 'id' | 'type' | 'channel' | 'serviceId' | 'transportStreamId' | 'name'> {
  /** As in the lineup. */
  readonly number: string;
}

/** What is sent: one station, or a whole channel. */
export type HdhrSelection =
  | { readonly kind: 'station'; readonly station: HdhrStation }
  | { readonly kind: 'channel'; readonly of: HdhrStation };

/** Packets that are being sent. */
export interface HdhrSending {
  /** Of the last second. */
  readonly bitsPerSecond: number;
  /** Resolves when it ended, by itself or by `stop`. Never rejects. */
  readonly ended: Promise<void>;
  stop(): void;
}

export interface HdhrTarget {
  readonly protocol: 'udp' | 'rtp';
  readonly address: string;
  readonly port: number;
}

interface TunerOptions {
  readonly stations: () => readonly HdhrStation[];
  readonly send: (selection: HdhrSelection, target: HdhrTarget) => HdhrSending;
  readonly monotonic: () => number;
}

interface HdhrAsked {
  /** Below `/tuner<n>/`. */
  readonly name: string;
  /** Undefined: it is read. */
  readonly value: string | undefined;
  /** 0: none. */
  readonly key: number;
  /** IPv4 address of the client. */
  readonly peer: string;
}

/** Shown to the user of the client. */
export class HdhrError extends Error {}

/** A client that was killed does not release its lock. */
const LOCK_MS = 60_000;
const MAP = 'jp-bcast';
/** Centre frequencies of channels 13 to 62 are 6 MHz apart, from 473 1/7 MHz on: ARIB STD-B31. */
const FIRST_CHANNEL = 13;
const FIRST_HZ = 473_142_857;
const STEP_HZ = 6_000_000;
const PACKET_BITS = 188 * 8;
const TARGET = /^(udp|rtp):\/\/(\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})$/;

export class HdhrTuner {
  /** As the client wrote it. */
  #channel = 'none';
  #program = 0;
  #station: HdhrStation | undefined;
  #target = 'none';
  #sending: HdhrSending | undefined;
  #lock: { readonly key: number; readonly owner: string; usedAt: number } | undefined;

  constructor(private readonly options: TunerOptions) {}

  /** @throws HdhrError */
  answer({ name, value, key, peer }: HdhrAsked): string {
    if (value === undefined) return this.#get(name);
    const lock = this.#currentLock();
    if (name === 'lockkey') return this.#setLock(value, key, peer);
    if (lock !== undefined && lock.key !== key) throw new HdhrError(`resource locked by ${lock.owner}`);
    if (lock !== undefined) lock.usedAt = this.options.monotonic();
    return this.#set(name, value.trim(), peer);
  }

  stop(): void {
    this.#sending?.stop();
    this.#sending = undefined;
    this.#target = 'none';
  }

  #get(name: string): string {
    switch (name) {
      case 'channel':
        return this.#channel;
      case 'channelmap':
        return MAP;
      case 'vchannel':
        return this.#station?.number ?? 'none';
      case 'filter':
        return '0x0000-0x1fff';
      case 'program':
        return String(this.#program);
      case 'target':
        return this.#target;
      case 'lockkey':
        return this.#currentLock()?.owner ?? 'none';
      case 'status':
        return this.#status();
      case 'vstatus':
        return `vch=${this.#station?.number ?? 'none'} name=${this.#station?.name ?? 'none'} auth=unspecified cci=none`;
      case 'streaminfo':
        return this.#streamInfo();
      default:
        throw new HdhrError('unknown getset variable');
    }
  }

  #set(name: string, value: string, peer: string): string {
    switch (name) {
      case 'channel':
        this.stop();
        this.#station = undefined;
        this.#program = 0;
        this.#channel = value === '' ? 'none' : value.slice(0, 32);
        return this.#channel;
      case 'vchannel':
        return this.#setStation(value);
      case 'program':
        return this.#setProgram(value);
      case 'target':
        return this.#setTarget(value, peer);
      case 'channelmap':
      case 'filter':
        // Only what is the case already.
        if (value !== this.#get(name)) throw new HdhrError(`invalid ${name}`);
        return value;
      default:
        throw new HdhrError('unknown getset variable');
    }
  }

  #setStation(number: string): string {
    this.stop();
    const station = this.options.stations().find((one) => one.number === number);
    if (number !== 'none' && station === undefined) throw new HdhrError('invalid virtual channel');
    this.#station = station;
    this.#program = station?.serviceId ?? 0;
    this.#channel = station?.channel ?? 'none';
    return number;
  }

  #setProgram(text: string): string {
    const program = text === 'none' ? 0 : Number(text);
    const station = this.#listed().find(({ serviceId }) => serviceId === program);
    if (program !== 0 && station === undefined) throw new HdhrError('invalid program number');
    this.#program = program;
    this.#station = station;
    this.#restart();
    return String(program);
  }

  #setTarget(text: string, peer: string): string {
    if (text === this.#target && this.#sending !== undefined) return text;
    this.stop();
    if (text === 'none') return text;
    // Packets go only to the client itself: not to any address that it names.
    if (TARGET.exec(text)?.[2] !== peer) throw new HdhrError('invalid target');
    this.#target = text;
    try {
      this.#restart();
    } catch (error) {
      this.#target = 'none';
      throw error;
    }
    return text;
  }

  #restart(): void {
    this.#sending?.stop();
    this.#sending = undefined;
    const [, protocol, address = '', port] = TARGET.exec(this.#target) ?? [];
    if (protocol === undefined) return;
    if (Number(port) < 1 || Number(port) > 65_535) throw new HdhrError('invalid target');
    const [of] = this.#listed();
    if (of === undefined) throw new HdhrError('no channel is set');
    const selection: HdhrSelection =
      this.#station === undefined ? { kind: 'channel', of } : { kind: 'station', station: this.#station };
    const target = { protocol: protocol === 'rtp' ? 'rtp' : 'udp', address, port: Number(port) } as const;
    const sending = this.options.send(selection, target);
    this.#sending = sending;
    void sending.ended.then(() => {
      if (this.#sending === sending) this.stop();
    });
  }

  /** Stations of the current channel. */
  #listed(): HdhrStation[] {
    const name = channelOf(this.#channel);
    return name === undefined
      ? []
      : this.options
          .stations()
          .filter(({ channel, type }) => channel === name || (type === 'GR' && channel === `T${name}`));
  }

  #status(): string {
    const isKnown = this.#listed().length > 0;
    const bits = this.#sending?.bitsPerSecond ?? 0;
    const quality = isKnown ? 100 : 0;
    const signal = `lock=${isKnown ? 'isdb' : 'none'} ss=${quality} snq=${quality} seq=${quality}`;
    return `ch=${this.#channel} ${signal} bps=${Math.round(bits)} pps=${Math.round(bits / PACKET_BITS)}`;
  }

  #streamInfo(): string {
    const stations = this.#listed();
    const stream = stations.find(({ transportStreamId }) => transportStreamId !== null)?.transportStreamId;
    const lines = stations.map(({ serviceId, number, name }) => `${serviceId}: ${number} ${name}`);
    if (stream !== undefined && stream !== null)
      lines.push(`tsid=0x${stream.toString(16).toUpperCase().padStart(4, '0')}`);
    return lines.length === 0 ? 'none\n' : `${lines.join('\n')}\n`;
  }

  #currentLock() {
    const lock = this.#lock;
    if (lock === undefined) return undefined;
    const isStale = this.#sending === undefined && this.options.monotonic() - lock.usedAt > LOCK_MS;
    if (isStale) this.#lock = undefined;
    return this.#lock;
  }

  #setLock(value: string, key: number, peer: string): string {
    const lock = this.#currentLock();
    if (value === 'force') {
      this.stop();
      this.#lock = undefined;
      return 'none';
    }
    if (lock !== undefined && lock.key !== key) throw new HdhrError(`resource locked by ${lock.owner}`);
    if (value === 'none') {
      this.#lock = undefined;
      return value;
    }
    const wanted = /^\d{1,10}$/.test(value) ? Number(value) : 0;
    if (wanted < 1 || wanted > 0xffff_ffff) throw new HdhrError('invalid lockkey');
    this.#lock = { key: wanted, owner: peer, usedAt: this.options.monotonic() };
    return value;
  }
}

/** The channel that a client means: a name, a number, or a frequency in Hz, after a modulation or not. */
function channelOf(text: string): string | undefined {
  const value = text.replace(/^\w+:/, '');
  if (value === 'none' || value === '') return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1_000) return value;
  return String(FIRST_CHANNEL + Math.round((number - FIRST_HZ) / STEP_HZ));
}
