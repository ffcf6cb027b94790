/** Every cut of a station in a stretch of time, for `--truth`. */
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { momentOf, ticksAt, wrapTicks } from '../clock.ts';
import { AUDIO_FRAME_TICKS, beepPitches, FRAME_TICKS, PARTIAL_FRAME_TICKS } from '../media/recipes.ts';
import type { AudioPlace, StationPlace } from '../scenario/layout.ts';
import { isPartialReception, type StationPlan } from '../scenario/model.ts';
import { GROUP_TICKS, hasLogo, hasMarks, type Part, soundPieces } from './part.ts';
import type { Rundown } from './rundown.ts';
import { soundOf } from './station-media.ts';

const BEFORE_MS = 5 * 60_000;
const AFTER_MS = 30 * 60_000;

/** @param windowSec from the moment on; undefined: from five minutes before it to half an hour after it */
export function truthWindow(
  at: BroadcastMs,
  windowSec: number | undefined,
): { from: BroadcastMs; to: BroadcastMs } {
  if (windowSec !== undefined) return { from: at, to: broadcastMs(at + windowSec * 1000) };
  return { from: broadcastMs(at - BEFORE_MS), to: broadcastMs(at + AFTER_MS) };
}

/** The start of a part: ticks since the clock's zero, the time stamp sent for it, epoch ms. */
function place(ticks: number) {
  return { ticks, pts: wrapTicks(ticks), at: momentOf(ticks) };
}

/** One-segment pictures are progressive and shown for two frames; sometimes a part ends within one. */
function partTruth(part: Part, partial: boolean) {
  const { kind, from, to, number, cadence, programme } = part;
  return {
    kind,
    ...place(from * GROUP_TICKS),
    frames: Math.round(((to - from) * GROUP_TICKS) / (partial ? PARTIAL_FRAME_TICKS : FRAME_TICKS)),
    logo: hasLogo(part),
    marks: hasMarks(part),
    cadence: partial ? '15p' : cadence === 'film' ? '3:2' : '60i',
    number: kind === 'commercial' ? number + 1 : null,
    eventId: programme?.eventId ?? null,
  };
}

/** Sounds of one stream, adjacent equal ones joined; `frames` have 1024 samples. */
function soundTruth(station: StationPlan, audio: AudioPlace, index: number, parts: readonly Part[]) {
  const sounds: {
    kind: string;
    mode: string;
    elements: string;
    beepHz: readonly number[] | null;
    from: number;
    to: number;
  }[] = [];
  for (const part of parts) {
    for (const piece of soundPieces(part)) {
      const recipe = soundOf(station, audio.plan, index, part, piece);
      const kind = recipe === undefined ? 'absent' : recipe.sound;
      const mode = recipe?.mode ?? 'stereo';
      const last = sounds.at(-1);
      if (last?.kind === kind && last.mode === mode && last.to === piece.from && kind !== 'tune') {
        last.to = piece.to;
        continue;
      }
      const beepHz = recipe?.sound === 'marks' ? beepPitches(audio.plan, mode) : null;
      sounds.push({
        kind,
        mode,
        elements: recipe?.elements ?? 'pair',
        beepHz,
        from: piece.from,
        to: piece.to,
      });
    }
  }
  return sounds.map(({ from, to, ...sound }) => ({
    ...sound,
    ...place(from * AUDIO_FRAME_TICKS),
    frames: to - from,
  }));
}

/** A value for JSON: the complete parts of a window, and the sounds of each audio stream in them. */
export function rundownTruth(station: StationPlace, rundown: Rundown, from: BroadcastMs, to: BroadcastMs) {
  const group = (at: BroadcastMs): number => Math.floor(ticksAt(at) / GROUP_TICKS);
  const parts = rundown.parts(group(from), group(to) + 1);
  const partial = isPartialReception(station.plan);
  return {
    parts: parts.map((part) => partTruth(part, partial)),
    sounds: station.audios.map((audio, index) => ({
      pid: audio.pid,
      pieces: soundTruth(station.plan, audio, index, parts),
    })),
  };
}
