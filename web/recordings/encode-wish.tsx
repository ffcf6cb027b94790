/** Options of one recording that waits for conversion; they override its rule and the settings. */
import { useRef, useState } from 'preact/hooks';
import type { EncodeItem } from '../../lib/wire/encode.ts';
import { ApiFailure, networkFailure } from '../query/api.ts';
import { ENCODES, encodeRecording } from '../query/encodes.ts';
import { entryOf } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { useInOrder } from '../ui/use-in-order.ts';
import { WISH_CHOICES } from '../words/encode.ts';
import { TEXTS } from './texts.ts';

type Wish = Pick<EncodeItem, 'codecs' | 'quality' | 'commercials' | 'keepTs'>;

async function send(recordingId: EncodeItem['recordingId'], wish: Wish): Promise<void> {
  try {
    await encodeRecording(recordingId, wish);
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : networkFailure(error);
    showToast(`${TEXTS.notChangedStop}${failure.message}`);
  }
  await entryOf(ENCODES).renew();
}

/**
 * The options are sent together, one request after the other. Changes that the service has not confirmed yet are shown,
 * and are part of the next request.
 */
function useWish(item: EncodeItem): { wish: Wish; choose: (change: Partial<Wish>) => void } {
  const { recordingId, codecs, quality, commercials, keepTs } = item;
  const [chosen, setChosen] = useState<Wish | undefined>(undefined);
  const wish = chosen ?? { codecs, quality, commercials, keepTs };
  const latest = useRef(wish);
  latest.current = wish;
  const unanswered = useRef(0);
  const inOrder = useInOrder();
  const choose = (change: Partial<Wish>): void => {
    const next = { ...latest.current, ...change };
    latest.current = next;
    setChosen(next);
    unanswered.current += 1;
    inOrder(async () => {
      await send(recordingId, next);
      unanswered.current -= 1;
      if (unanswered.current === 0) setChosen(undefined);
    });
  };
  return { wish, choose };
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
      <select
        class="select"
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value as T)}
      >
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
  const { wish, choose } = useWish(item);
  const { codecs, quality, commercials, keepTs } = wish;
  const keep = keepTs ? 'yes' : 'no';
  return (
    <section class="program-section note" aria-labelledby="encode-wish">
      <h4 class="note" id="encode-wish">
        {TEXTS.encodeWish}
      </h4>
      <p class="block-note">{TEXTS.encodeWishNote}</p>
      <div class="encode-hours">
        <Choice {...WISH_CHOICES.codecs} value={codecs} onChoose={(one) => choose({ codecs: one })} />
        <Choice {...WISH_CHOICES.quality} value={quality} onChoose={(one) => choose({ quality: one })} />
        <Choice
          {...WISH_CHOICES.commercials}
          value={commercials}
          onChoose={(one) => choose({ commercials: one })}
        />
        <Choice {...WISH_CHOICES.keepTs} value={keep} onChoose={(one) => choose({ keepTs: one === 'yes' })} />
      </div>
    </section>
  );
}
