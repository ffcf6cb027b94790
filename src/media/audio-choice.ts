/** Audio selection of a live request: a pure function of the guide's options and the station's streams. */
import type { AudioOption, AudioSide } from '../../lib/wire/api.ts';

export interface AudioChoice {
  /** Index of the audio stream. */
  stream: number;
  side: AudioSide;
}

const FIRST: AudioChoice = { stream: 0, side: 'both' };

/**
 * The requested option; else the main one, else the first. An option whose stream the station does not send
 * counts as not offered. Undefined if the station sends no audio.
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

/** Key of a choice: part of the key by which viewers share an encoder. */
export function audioKey(choice: AudioChoice | undefined): string {
  return choice === undefined ? 'none' : `${choice.stream}:${choice.side}`;
}
