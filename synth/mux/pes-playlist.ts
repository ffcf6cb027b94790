/** Several frames of sound in one PES packet, so that the sound may change in the middle of a packet. */
import { type Loop, PACKET_SIZE } from '../media/loop.ts';
import { audioLoop, pesPayload } from '../media/packetise.ts';
import { AUDIO_FRAME_TICKS } from '../media/recipes.ts';
import { groupIn, type Playlist, type Stretch } from './playlist.ts';

/** A source needs a group and its neighbours. */
const MAX_KNOWN = 4;

/** The frame of a loop at a frame of time. */
function frameOf({ loop, phase }: Stretch, frame: number): Uint8Array | undefined {
  if (loop === undefined) return undefined;
  const index = groupIn(loop, phase, frame);
  const from = (loop.groupPacket[index] as number) * PACKET_SIZE;
  const to = (loop.groupPacket[index + 1] as number) * PACKET_SIZE;
  return pesPayload(loop.packets.subarray(from, to));
}

function joined(frames: readonly Uint8Array[]): Loop {
  const bytes = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    bytes.set(frame, at);
    at += frame.length;
  }
  return audioLoop([bytes], frames.length * AUDIO_FRAME_TICKS);
}

/**
 * @param frames playlist of single frames @param count frames in a PES packet, which is a group of the result
 */
export function pesPlaylist(frames: Playlist, count: number): Playlist {
  const known = new Map<number, Stretch>();
  return (group) => {
    const found = known.get(group);
    if (found !== undefined) return found;
    const first = group * count;
    const parts = Array.from({ length: count }, (_, index) => frameOf(frames(first + index), first + index));
    const whole = parts.filter((frame) => frame !== undefined);
    // A stream that begins or ends within the packet does so with the next one.
    const loop = whole.length < count ? undefined : joined(whole);
    const stretch = { loop, from: group, to: group + 1, phase: group };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(group, stretch);
    return stretch;
  };
}
