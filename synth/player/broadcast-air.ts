/** A broadcast on the air: the channels of a scenario, each multiplexed once for all of its tunings. */
import type { BroadcastMs } from '../../arib/time.ts';
import { channelRecipes, openChannel } from '../broadcast.ts';
import { momentOf, ticksAt } from '../clock.ts';
import { channelFaults, openLine } from '../fault/channel.ts';
import { ControlFile } from '../fault/control-file.ts';
import { type Fault, type Faults, NO_FAULTS } from '../fault/model.ts';
import type { MediaCache } from '../media/cache.ts';
import { PACKET_SIZE } from '../media/loop.ts';
import { prepare } from '../media/prepare.ts';
import { findChannel, loadScenario, parseText } from '../scenario/load.ts';
import type { ChannelPlan, Scenario } from '../scenario/model.ts';
import { channelList, channelTruth } from '../truth.ts';
import { ChannelAir } from './channel-air.ts';
import type { ChannelName, Programming } from './messages.ts';
import { type Ending, Tuning, type TuningOutput } from './tuning.ts';

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
