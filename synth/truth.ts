/** The actual contents of a channel, for tests and inspection. */
import { type BroadcastMs, broadcastMs, jstDayStart } from '../lib/arib/time.ts';
import { eventStations, rundownOf } from './broadcast.ts';
import { partialCaptionTruth } from './caption/partial.ts';
import { captionTruth } from './caption/truth.ts';
import { MARK_PERIOD, STC_ZERO, ticksAt, wrapTicks } from './clock.ts';
import { DAY_MS, type Guide, type Programme } from './guide/programme.ts';
import { BEEP_MS, FLASH_FRAMES, FRAME_TICKS, LOOP_FRAMES } from './media/recipes.ts';
import { rundownTruth, truthWindow } from './rundown/truth.ts';
import { type ChannelPlan, isPartialReception, type Scenario } from './scenario/model.ts';
import type { EventStation } from './si/eit.ts';
import { servicesOf } from './si/network.ts';
import { dataServicesTruth, serviceTruth } from './si/truth.ts';
import { StationStates } from './station-state.ts';

/** As announced; values that are still unknown are null. */
function programmeTruth(programme: Programme | undefined) {
  if (programme === undefined) return null;
  const { startAt, durationMs, openStart, openEnd, ...rest } = programme;
  return { ...rest, startAt: openStart ? null : startAt, durationMs: openEnd ? null : durationMs };
}

/** The schedule as announced at a moment, and everything actually on air in the same days. */
function scheduleTruth(guide: Guide, at: BroadcastMs) {
  const from = jstDayStart(at);
  const to = broadcastMs(from + guide.days * DAY_MS);
  return {
    schedule: guide.starting(from, to, at).map(programmeTruth),
    onAir: guide.airing(from, to).map(({ eventId, title, startAt, durationMs, pause }) => {
      return { eventId, title, startAt, durationMs, pause };
    }),
  };
}

function streamTruth(station: EventStation, at: BroadcastMs) {
  const state = new StationStates(station).at(at);
  const { video, audios, pcrPid } = state.streams;
  const { pid, streamType, componentTag } = video;
  return {
    pcrPid,
    /** Whether the streams are those of the channel's main station. */
    shared: state.streams !== station.place,
    video: { pid, streamType, componentTag, ...state.video },
    audios: audios.map(({ pid, streamType, componentTag, plan }) => ({
      pid,
      streamType,
      componentTag,
      ...plan,
    })),
  };
}

function stationTruth(station: EventStation, at: BroadcastMs, schedule: boolean) {
  const { place, guide, channel } = station;
  const { serviceId, name, serviceType } = place.plan;
  return {
    serviceId,
    name,
    serviceType,
    remoteControlKey: channel.remoteControlKey,
    partialReception: isPartialReception(place.plan),
    pmtPid: place.pmtPid,
    ...streamTruth(station, at),
    present: programmeTruth(guide.present(at)),
    following: programmeTruth(guide.following(at)),
    ...(schedule ? scheduleTruth(guide, at) : {}),
  };
}

/** Default duration for which captions are listed. */
const DEFAULT_SECONDS = 60;

/** Selects the contents of the report. */
interface Asked {
  /** All days, not only present and following. */
  schedule: boolean;
  /** Duration of the part on air that is listed in detail. */
  seconds: number | null;
  /** Seconds of parts; undefined: the last minutes and the next half hour. */
  windowSec: number | undefined;
}

/** A value for JSON. */
export function channelTruth(scenario: Scenario, channel: ChannelPlan, at: BroadcastMs, asked: Asked) {
  const window = truthWindow(at, asked.windowSec);
  const stations = eventStations(scenario, channel);
  const seconds = asked.seconds ?? asked.windowSec ?? DEFAULT_SECONDS;
  return {
    scenario: scenario.name,
    type: channel.type,
    channel: channel.channel,
    networkId: channel.networkId,
    transportStreamId: channel.transportStreamId,
    networkName: channel.networkName,
    at,
    clock: {
      /** Wall-clock ms at which PTS and PCR were zero; they are (now - zeroAt) * 90 mod 2^33. */
      zeroAt: STC_ZERO,
      pts: Math.floor(wrapTicks(ticksAt(at))),
    },
    /**
     * In parts with marks a flash and a beep begin whenever (now - zeroAt) * 90 is a multiple of periodTicks.
     */
    marks: {
      periodTicks: MARK_PERIOD,
      flashTicks: FLASH_FRAMES * FRAME_TICKS,
      beepMs: BEEP_MS,
      frameTicks: FRAME_TICKS,
      loopFrames: LOOP_FRAMES,
    },
    stations: stations.map((station) => ({
      ...stationTruth(station, at, asked.schedule),
      rundown: rundownTruth(station.place, rundownOf(scenario, station), window.from, window.to),
      ...serviceTruth(scenario, channel, station.place),
      ...captionTruth(scenario.seed, station, at, seconds),
      ...(station.place.partialCaptions === null
        ? {}
        : partialCaptionTruth(scenario.seed, stations, at, seconds)),
    })),
    dataServices: dataServicesTruth(channel),
  };
}

/** service_type of services for receivers, which no list of stations contains. */
const ENGINEERING = 0xa4;

/** Elements of channels.json as the tuner agent reads them: the result of a scan. */
export function channelList(scenario: Scenario) {
  return scenario.channels.map((plan) => ({
    type: plan.type,
    channel: plan.channel,
    tsid: plan.transportStreamId,
    networkId: plan.networkId,
    stations: servicesOf(plan)
      .filter(({ serviceType }) => serviceType !== ENGINEERING)
      .map(({ serviceId, name, serviceType }) => ({
        serviceId,
        name,
        serviceType,
        remoteControlKey: plan.remoteControlKey,
      })),
  }));
}
