/** A broadcast on the air: the channels of a scenario, each multiplexed once for all of its tunings. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { channelRecipes, openChannel } from '../broadcast.ts';
import { momentOf, ticksAt } from '../clock.ts';
import { channelFaults, openLine } from '../fault/channel.ts';
import { ControlFile } from '../fault/file.ts';
import { type Fault, type Faults, NO_FAULTS } from '../fault/model.ts';
import { type MediaCache, prepare } from '../media/cache.ts';
import { PACKET_SIZE } from '../media/loop.ts';
import type { Multiplexer } from '../mux/multiplexer.ts';
import { findChannel, loadScenario, parseText } from '../scenario/load.ts';
import type { ChannelPlan, Scenario } from '../scenario/model.ts';
import { channelList, channelTruth } from '../truth.ts';
import type { ChannelName, Programming } from './messages.ts';
import { type Ending, Tuning, type TuningOutput } from './tuning.ts';

const TICKS_PER_MS = 90;

/** A channel on the air: one stream, made once for all of its tunings, at the pace of its clock references. */
export class ChannelAir {
  readonly #tunings = new Set<Tuning>();
  /** Monotonic ms and broadcast time at which the current tunings began. */
  #began = { now: 0, ticks: 0 };

  constructor(
    private readonly stream: Multiplexer,
    /** By how many seconds it may be late before it omits the time in between. */
    private readonly maxLagSec: number,
    /** Relative to real time. */
    private readonly speed = 1,
  ) {}

  get isIdle(): boolean {
    return this.#tunings.size === 0;
  }

  /** @param now monotonic ms @param at the moment of the broadcast clock */
  add(tuning: Tuning, now: number, at: BroadcastMs): void {
    if (this.isIdle) {
      this.#began = { now, ticks: ticksAt(at) };
      this.stream.seek(this.#began.ticks);
    } else this.step(now);
    this.#tunings.add(tuning);
  }

  remove(tuning: Tuning): void {
    this.#tunings.delete(tuning);
  }

  /** Sends what is due. @param now monotonic ms */
  step(now: number): void {
    if (this.isIdle) return;
    const { stream } = this;
    const ticksPerMs = TICKS_PER_MS * this.speed;
    const target = this.#began.ticks + (now - this.#began.now) * ticksPerMs;
    if (target - stream.ticks > this.maxLagSec * 1000 * ticksPerMs) stream.seek(target);
    const first = stream.packet;
    const count = stream.packetsUntil(target);
    const block = new Uint8Array(count * PACKET_SIZE);
    stream.fill(block, count);
    for (const tuning of this.#tunings)
      tuning.take(block, first, (packet) => momentOf(stream.ticksOf(packet)));
  }

  end(ending: Ending): void {
    for (const tuning of this.#tunings) tuning.end(ending);
    this.#tunings.clear();
  }
}

/** Packets made at once for `sent`; in between, what is on the air has its turn. */
const SENT_PACKETS = 1000;

/** The faults of a control file, which change between steps only: all tunings of a step see the same ones. */
class HeldFaults implements Faults {
  current: readonly Fault[];

  constructor(private readonly source: Faults) {
    this.current = source.current;
  }

  refresh(): void {
    this.current = this.source.current;
  }
}

interface PlayedChannel {
  plan: ChannelPlan;
  faults: Faults;
  air: ChannelAir;
}

export class BroadcastAir {
  readonly #scenario: Scenario;
  readonly #faults: HeldFaults;
  /** By type and channel; promises, so that simultaneous tunings share one. */
  readonly #channels = new Map<string, Promise<PlayedChannel>>();
  /** The last request of `sent`: one at a time. */
  #sending: Promise<unknown> = Promise.resolve();
  readonly #playing = new Set<ChannelAir>();
  #ended = false;

  /** @param now monotonic ms @throws ScenarioError */
  constructor(
    private readonly programming: Programming,
    private readonly cache: MediaCache,
    private readonly now: () => number,
  ) {
    const { scenario, faults } = programming;
    this.#scenario = scenario.startsWith('{') ? parseText('scenario', scenario) : loadScenario(scenario);
    const complain = (message: string): void => void process.stderr.write(`synth: ${message}\n`);
    this.#faults = new HeldFaults(faults === null ? NO_FAULTS : new ControlFile(faults, now, complain));
  }

  get channels(): ReturnType<typeof channelList> {
    return channelList(this.#scenario);
  }

  /** Makes the missing films. @throws like MediaCache.get */
  async prepare(): Promise<void> {
    const recipes = this.#scenario.channels.flatMap((channel) => channelRecipes(this.#scenario, channel));
    await prepare(this.cache, recipes, (line) => process.stderr.write(`${line}\n`));
  }

  /**
   * @param at the present moment of the broadcast clock @param ended is called at its end
   * @throws the error of the scenario or its media
   */
  async tune(
    name: ChannelName,
    output: TuningOutput,
    at: () => BroadcastMs,
    ended: (ending: Ending) => void,
  ): Promise<{ tuning: Tuning; leave: () => void }> {
    const { plan, faults, air } = await this.#play(findChannel(this.#scenario, name.type, name.channel));
    const { maxLagSec, speed } = this.programming;
    const maxQueued = (maxLagSec * speed * plan.bitrate) / 8;
    const leave = (): void => air.remove(tuning);
    const tuning = new Tuning(output, openLine(plan, faults), maxQueued, (ending) => {
      leave();
      ended(ending);
    });
    if (this.#ended) tuning.end({ exitCode: 0, message: null });
    else air.add(tuning, this.now(), at());
    return { tuning, leave };
  }

  /** Sends what is due on all channels. */
  step(): void {
    this.#faults.refresh();
    for (const air of this.#playing) {
      try {
        air.step(this.now());
      } catch (error) {
        air.end({ exitCode: 1, message: String(error) });
      }
    }
  }

  end(): void {
    this.#ended = true;
    for (const air of this.#playing) air.end({ exitCode: 0, message: null });
  }

  get isIdle(): boolean {
    return [...this.#playing].every((air) => air.isIdle);
  }

  /** The packets from a moment on, without the faults of the control file. */
  sent(name: ChannelName, from: BroadcastMs, seconds: number): Promise<Uint8Array<ArrayBuffer>> {
    const made = this.#sending.then(() => this.#send(name, from, seconds));
    this.#sending = made.catch(() => {});
    return made;
  }

  truth(name: ChannelName, at: BroadcastMs, schedule: boolean): unknown {
    const channel = findChannel(this.#scenario, name.type, name.channel);
    return channelTruth(this.#scenario, channel, at, { schedule, seconds: null, windowSec: undefined });
  }

  async #send(name: ChannelName, from: BroadcastMs, seconds: number): Promise<Uint8Array<ArrayBuffer>> {
    const plan = findChannel(this.#scenario, name.type, name.channel);
    const faults = channelFaults(this.#scenario.faults, NO_FAULTS, plan);
    const multiplexer = await openChannel(this.#scenario, plan, this.cache, faults);
    const begin = ticksAt(from);
    multiplexer.seek(begin);
    const first = multiplexer.packet;
    const count = multiplexer.packetsUntil(begin + seconds * 90_000);
    const bytes = new Uint8Array(count * PACKET_SIZE);
    for (let made = 0; made < count; made += SENT_PACKETS) {
      const size = Math.min(SENT_PACKETS, count - made);
      multiplexer.fill(bytes.subarray(made * PACKET_SIZE), size);
      await new Promise(setImmediate);
    }
    const { length } = openLine(plan, faults).pass(bytes, first, (packet) =>
      momentOf(multiplexer.ticksOf(packet)),
    );
    return bytes.slice(0, length);
  }

  #play(plan: ChannelPlan): Promise<PlayedChannel> {
    const key = `${plan.type} ${plan.channel}`;
    const known = this.#channels.get(key);
    if (known !== undefined) return known;
    const opened = this.#open(plan);
    this.#channels.set(key, opened);
    // The next tuning tries again.
    opened.catch(() => this.#channels.delete(key));
    return opened;
  }

  async #open(plan: ChannelPlan): Promise<PlayedChannel> {
    const faults = channelFaults(this.#scenario.faults, this.#faults, plan);
    const { maxLagSec, speed } = this.programming;
    const multiplexer = await openChannel(this.#scenario, plan, this.cache, faults);
    const air = new ChannelAir(multiplexer, maxLagSec, speed);
    this.#playing.add(air);
    return { plan, faults, air };
  }
}
