/** When recordings are converted, and the expected size and time on this machine. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DAY_MS, plusMs } from '../../lib/arib/time.ts';
import { currentMs } from '../device/clock.ts';
import { asFailure } from '../query/api.ts';
import { ENCODES, encodeMany } from '../query/encodes.ts';
import { household, saveSetting } from '../query/settings.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { measuredText } from '../words/encode.ts';
import { FieldFailure } from '../words/field-failure.tsx';
import { TEXTS } from './texts.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

async function save(change: { encodeFrom?: number; encodeTo?: number }): Promise<void> {
  try {
    await saveSetting(change);
  } catch (error) {
    showToast(TEXTS.notSaved(asFailure(error).message));
  }
}

interface HourProps {
  readonly label: string;
  readonly minute: number;
  readonly onChoose: (minute: number) => void;
}

/** A time that was set by other means stays among the choices. */
function Hour({ label, minute, onChoose }: HourProps) {
  const minutes = HOURS.map((hour) => hour * 60);
  const all = minutes.includes(minute) ? minutes : [...minutes, minute].sort((a, b) => a - b);
  return (
    <label class="encode-hour max-full min-0 block-level">
      <span class="hidden-text">{label}</span>
      <select
        class="surface round-m ink press-height rule-input"
        value={minute}
        onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}
      >
        {all.map((one) => (
          <option key={one} value={one}>
            {Math.floor(one / 60)}:{String(one % 60).padStart(2, '0')}
          </option>
        ))}
      </select>
    </label>
  );
}

export function EncodeHours() {
  const held = household.value;
  if (held.kind === 'failed') return null;
  const isWaiting = held.kind === 'loading';
  const { encodeFrom = 0, encodeTo = 0 } = isWaiting ? {} : held.settings;
  return (
    <div class="encode-hours cluster gap-50" inert={isWaiting} data-nav-whole="">
      <Hour
        label={TEXTS.encodeFrom}
        minute={encodeFrom}
        onChoose={(minute) => void save({ encodeFrom: minute })}
      />
      <span>{TEXTS.from}</span>
      <Hour label={TEXTS.encodeTo} minute={encodeTo} onChoose={(minute) => void save({ encodeTo: minute })} />
      <span>{TEXTS.to}</span>
      <span class="note">{encodeFrom === encodeTo && !isWaiting ? TEXTS.allDay : ''}</span>
    </div>
  );
}

export function EncodeMeasured() {
  const { value, failure, renew } = useQuery(ENCODES);
  useEffect(() => void renew(), []);
  if (value === undefined) {
    return failure === undefined ? (
      <p class="note" aria-busy="true">
        &nbsp;
      </p>
    ) : (
      <FieldFailure failure={failure} />
    );
  }
  if (value.measured.length === 0) return <p class="note">{TEXTS.notMeasured}</p>;
  return (
    <ul class="no-margin hints">
      {value.measured.map((one) => (
        <li key={`${one.codec} ${one.quality}`} class="numbers">
          {measuredText(one)}
        </li>
      ))}
    </ul>
  );
}

const AGES = [
  { days: 0, label: TEXTS.olderAll },
  { days: 30, label: TEXTS.olderMonth },
  { days: 180, label: TEXTS.olderHalfYear },
] as const;

/** Recordings made before this was set, or before there was a conversion. */
export function EncodeOlder() {
  const days = useSignal(0);
  const busy = useSignal(false);
  const start = async (): Promise<void> => {
    if (busy.value) return;
    busy.value = true;
    try {
      const { queued } = await encodeMany({ before: plusMs(currentMs(), -days.value * DAY_MS) });
      showToast(queued === 0 ? TEXTS.noOlder : TEXTS.olderQueued(queued));
      await entryOf(ENCODES).renew();
    } catch (error) {
      showToast(TEXTS.olderFailed(asFailure(error).message));
    } finally {
      busy.value = false;
    }
  };
  return (
    <div class="encode-hours cluster gap-50" data-nav-whole="">
      <label class="encode-hour max-full min-0 block-level">
        <span class="hidden-text">{TEXTS.older}</span>
        <select
          class="surface round-m ink press-height rule-input"
          value={days.value}
          onChange={({ currentTarget }) => {
            days.value = Number(currentTarget.value);
          }}
        >
          {AGES.map((age) => (
            <option key={age.days} value={age.days}>
              {age.label}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="button" aria-busy={busy.value} onClick={() => void start()}>
        {TEXTS.queueOlder}
      </button>
    </div>
  );
}
