/**
 * The synthetic broadcaster: writes the transport stream of one fictitious channel to stdout, like a tuner.
 * All tunings of a channel agree, because everything is derived from scenario, seed and wall clock.
 */
import { join } from 'node:path';
import { type BroadcastMs, broadcastMs } from '../lib/arib/time.ts';
import { goOnAir } from './air.ts';
import { parseArguments, type Settings, USAGE, UsageError } from './arguments.ts';
import { channelRecipes, openChannel, PlanError } from './broadcast.ts';
import { channelFaults, openLine } from './fault/channel.ts';
import { ControlFile } from './fault/file.ts';
import { type Faults, NO_FAULTS } from './fault/model.ts';
import { MediaError } from './media/access-units.ts';
import { MediaCache, prepare } from './media/cache.ts';
import { FfmpegError, findFfmpeg } from './media/ffmpeg.ts';
import { ScenarioError } from './scenario/fields.ts';
import { BUILT_IN, findChannel, loadScenario } from './scenario/load.ts';
import type { ChannelPlan, Scenario } from './scenario/model.ts';
import { channelList, channelTruth } from './truth.ts';

const STDOUT = 1;

function selected(scenario: Scenario, settings: Settings): ChannelPlan[] {
  if (settings.channels.length === 0) return scenario.channels;
  return settings.channels.map((channel) => findChannel(scenario, settings.type, channel));
}

function onlyChannel(scenario: Scenario, settings: Settings): ChannelPlan {
  const [channel, ...more] = settings.channels;
  if (channel === undefined || more.length > 0) throw new UsageError('--channel を一つ指定してください');
  return findChannel(scenario, settings.type, channel);
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** The faults of a channel: those of its scenario and those of the control file. */
function openFaults(scenario: Scenario, channel: ChannelPlan, settings: Settings): Faults {
  const path = settings.faults ?? process.env.SYNTH_FAULTS;
  const complain = (message: string): void => void process.stderr.write(`synth: ${message}\n`);
  const file = path === undefined ? NO_FAULTS : new ControlFile(path, () => performance.now(), complain);
  return channelFaults(scenario.faults, file, channel);
}

async function run(settings: Settings, now: () => BroadcastMs): Promise<void> {
  if (settings.command === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const scenario = loadScenario(settings.scenario);
  const folder = settings.cache ?? process.env.SYNTH_CACHE ?? join(import.meta.dir, '..', '.cache', 'synth');
  const cache = new MediaCache(folder, findFfmpeg(process.env));
  switch (settings.command) {
    case 'channels':
      printJson(channelList(scenario));
      break;
    case 'truth': {
      const channel = onlyChannel(scenario, settings);
      printJson(channelTruth(scenario, channel, settings.at ?? now(), settings));
      break;
    }
    case 'prepare': {
      const recipes = selected(scenario, settings).flatMap((channel) => channelRecipes(scenario, channel));
      await prepare(cache, recipes, (line) => process.stderr.write(`${line}\n`));
      const named = [...BUILT_IN, scenario].flatMap((one) =>
        one.channels.flatMap((channel) => channelRecipes(one, channel)),
      );
      cache.prune(named, now());
      break;
    }
    case 'tune': {
      const channel = onlyChannel(scenario, settings);
      await prepare(cache, channelRecipes(scenario, channel), (line) => process.stderr.write(`${line}\n`));
      const faults = openFaults(scenario, channel, settings);
      const multiplexer = await openChannel(scenario, channel, cache, faults);
      const ended = await goOnAir(multiplexer, {
        from: settings.at ?? now(),
        speed: settings.speed,
        seconds: settings.seconds,
        maxLagSec: settings.maxLagSec,
        now: () => performance.now(),
        output: STDOUT,
        line: openLine(channel, faults),
      });
      if (ended.message !== null) process.stderr.write(`synth: ${ended.message}\n`);
      process.exitCode = ended.exitCode;
      break;
    }
  }
}

/** Errors whose message is sufficient; any other keeps its stack trace. */
const PLAIN_ERRORS = [UsageError, ScenarioError, PlanError, FfmpegError, MediaError];

try {
  await run(parseArguments(process.argv.slice(2)), () => broadcastMs(Date.now()));
} catch (error) {
  if (!PLAIN_ERRORS.some((kind) => error instanceof kind)) throw error;
  process.stderr.write(`synth: ${(error as Error).message}\n`);
  if (error instanceof UsageError) process.stderr.write(USAGE);
  process.exitCode = 1;
}
