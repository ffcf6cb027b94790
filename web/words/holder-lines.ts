/** Who uses the tuners of a type, and until when, as text. Pure. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { Station } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { narrow } from './channel.ts';
import { airClockText } from './time.ts';
import { splitTitle } from './title.ts';
import { userWords } from './tuner.ts';

/** Of what is recorded. */
interface RunningRecording {
  readonly id: RecordingId;
  readonly name: string;
  readonly serviceName: string;
  readonly endAt: BroadcastMs;
}

/** A line for each tuner of the type that is in use: `地デジ 1：録画「…」（BSみなと）21:54まで`. */
export function holderLines(
  tuners: readonly Tuner[],
  type: Station['type'],
  channels: readonly Channel[],
  running: readonly RunningRecording[],
): string[] {
  const nameOf = (id: RecordingId): string | undefined => {
    const found = running.find((one) => one.id === id);
    if (found === undefined) return undefined;
    return `「${splitTitle(found.name).title}」（${narrow(found.serviceName)}）${airClockText(found.endAt)}まで`;
  };
  return tuners
    .filter((tuner) => !tuner.disabled && tuner.types.includes(type) && tuner.users.length > 0)
    .map(({ name, users }) => {
      const uses = users.flatMap(({ use }) => userWords(use, channels, nameOf));
      return `${name}：${uses.map(({ text, detail }) => `${text}${detail === undefined ? '' : ` ${detail}`}`).join('、')}`;
    });
}
