/** The conversion of one recording in the queue, as a line that opens: its options, which override its rule and the settings. */
import { useSignal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import type { EncodeItem } from '../../lib/wire/encode.ts';
import { asFailure } from '../query/api.ts';
import { ENCODES, encodeRecording } from '../query/encodes.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { showToast } from '../ui/toast.tsx';
import { useInOrder } from '../ui/use-in-order.ts';
import { placeText, WISH_CHOICES, wishText } from '../words/encode.ts';
import { encode } from './actions.ts';
import { TEXTS } from './texts.ts';

type Wish = Pick<EncodeItem, 'codecs' | 'quality' | 'commercials' | 'keepTs'>;

async function send(recordingId: EncodeItem['recordingId'], wish: Wish): Promise<void> {
  try {
    await encodeRecording(recordingId, wish);
  } catch (error) {
    showToast(`${TEXTS.notChangedStop}${asFailure(error).message}`);
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

function WishChoice<T extends string>({ label, value, options, onChoose }: ChoiceProps<T>) {
  return (
    <label class="encode-hour max-full min-0 block-level">
      <span class="hidden-text">{label}</span>
      <select
        class="surface round-m ink press-height rule-input"
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

/** While it waits, its options can still be changed. */
function Options({ item }: { item: EncodeItem }) {
  const { wish, choose } = useWish(item);
  const { codecs, quality, commercials, keepTs } = wish;
  const keep = keepTs ? 'yes' : 'no';
  return (
    <>
      <p class="note">{TEXTS.encodeWishNote}</p>
      <div class="encode-hours cluster gap-50">
        <WishChoice {...WISH_CHOICES.codecs} value={codecs} onChoose={(one) => choose({ codecs: one })} />
        <WishChoice {...WISH_CHOICES.quality} value={quality} onChoose={(one) => choose({ quality: one })} />
        <WishChoice
          {...WISH_CHOICES.commercials}
          value={commercials}
          onChoose={(one) => choose({ commercials: one })}
        />
        <WishChoice
          {...WISH_CHOICES.keepTs}
          value={keep}
          onChoose={(one) => choose({ keepTs: one === 'yes' })}
        />
      </div>
    </>
  );
}

/** Nothing unless it is in the queue. */
export function EncodeWish({ recording }: { recording: Recording }) {
  const open = useSignal(false);
  const item = useQuery(ENCODES).value?.queue.find(({ recordingId }) => recordingId === recording.id);
  if (item === undefined) return null;
  return (
    <section class="stack gap-75 below-150">
      <button
        type="button"
        class="row bold bordered full-width text-left"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name="transfer" />
        <span class="row-text">
          <span class="numbers">{TEXTS.encodeWish(placeText(item))}</span>
          <span class="flex gap-40 note bold">{wishText(item)}</span>
        </span>
        <Icon name={open.value ? 'up' : 'down'} class="faint" />
      </button>
      {open.value ? (
        <>
          {item.state === 'waiting' ? <Options item={item} /> : null}
          <div>
            <button type="button" class="button button-small" onClick={() => void encode([recording], false)}>
              <Icon name="close" />
              {TEXTS.cancelEncode}
            </button>
          </div>
        </>
      ) : null}
    </section>
  );
}
