/** Which audio a live request gets: pure choice out of what the guide offers and the station sends. */
import type { AudioOption, AudioSide } from '../../wire/api.ts';

export interface AudioChoice {
  /** Index of the audio stream. */
  stream: number;
  side: AudioSide;
}

const FIRST: AudioChoice = { stream: 0, side: 'both' };

/**
 * The option asked for; else the main one, else the first. An option whose stream the station does not send
 * counts as not offered. Undefined when the station sends no audio.
 */
export function chooseAudio(
  options: readonly AudioOption[],
  asked: string | undefined,
  streams: number,
): AudioChoice | undefined {
  if (streams === 0) return undefined;
  const offered = options.filter((option) => option.stream < streams);
  const chosen =
    offered.find((option) => option.id === asked) ?? offered.find((option) => option.main) ?? offered[0];
  return chosen === undefined ? FIRST : { stream: chosen.stream, side: chosen.side };
}

/** The same for equal choices: part of what viewers share an encoder by. */
export function audioKey(choice: AudioChoice | undefined): string {
  return choice === undefined ? 'none' : `${choice.stream}:${choice.side}`;
}
