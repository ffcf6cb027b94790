/** Options of one recording that waits for conversion; they override its rule and the settings. */
import type { EncodeItem, EncodeRequest } from '../../wire/encode.ts';
import { ApiFailure, networkFailure } from '../query/api.ts';
import { ENCODES, encodeRecording } from '../query/encodes.ts';
import { entryOf } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { WISH_CHOICES } from '../words/encode.ts';
import { TEXTS } from './texts.ts';

async function choose(
  { recordingId, codecs, quality, commercials, keepTs }: EncodeItem,
  change: EncodeRequest,
): Promise<void> {
  try {
    await encodeRecording(recordingId, { codecs, quality, commercials, keepTs, ...change });
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : networkFailure(error);
    showToast(`${TEXTS.notChangedStop}${failure.message}`);
  }
  await entryOf(ENCODES).renew();
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: Readonly<Record<T, string>>;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ label, value, options, onChoose }: ChoiceProps<T>) {
  return (
    <label class="encode-hour">
      <span class="hidden-text">{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value as T)}>
        {(Object.entries(options) as [T, string][]).map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function EncodeWish({ item }: { item: EncodeItem }) {
  const { codecs, quality, commercials, keepTs } = item;
  const keep = keepTs ? 'yes' : 'no';
  return (
    <section class="program-section encode-wish" aria-labelledby="encode-wish">
      <h4 id="encode-wish">{TEXTS.encodeWish}</h4>
      <p class="block-note">{TEXTS.encodeWishNote}</p>
      <div class="encode-hours">
        <Choice
          {...WISH_CHOICES.codecs}
          value={codecs}
          onChoose={(one) => void choose(item, { codecs: one })}
        />
        <Choice
          {...WISH_CHOICES.quality}
          value={quality}
          onChoose={(one) => void choose(item, { quality: one })}
        />
        <Choice
          {...WISH_CHOICES.commercials}
          value={commercials}
          onChoose={(one) => void choose(item, { commercials: one })}
        />
        <Choice
          {...WISH_CHOICES.keepTs}
          value={keep}
          onChoose={(one) => void choose(item, { keepTs: one === 'yes' })}
        />
      </div>
    </section>
  );
}
