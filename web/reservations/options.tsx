/** How one reservation is recorded, where that differs from the household's settings: saved with each press. */
import { useSignal } from '@preact/signals';
import type { ReservationItem, ReservationRequest } from '../../lib/wire/api.ts';
import { RECORDING_OPTIONS } from '../../lib/wire/rule-fields.ts';
import { household } from '../query/settings.ts';
import { Icon } from '../ui/icon.tsx';
import { marginText, titleOf } from '../words/reservation.ts';
import { choose } from './actions.ts';
import { TEXTS } from './texts.ts';

type Choices = Omit<ReservationRequest, 'programId'>;

interface Option {
  readonly label: string;
  readonly change: Choices;
  readonly chosen: boolean;
}

interface Choice {
  readonly label: string;
  readonly options: readonly Option[];
}

const MARGINS_MS = [0, 10_000, 30_000, 60_000, 300_000];

/** `設定（10秒）` */
function settingText(value: string | undefined): string {
  return value === undefined ? TEXTS.asSet : TEXTS.setTo(value);
}

function marginChoice(item: ReservationItem, name: 'marginBefore' | 'marginAfter'): Choice {
  const { [name]: setting } = household.value.kind === 'ready' ? household.value.settings : {};
  const { [name]: current = null } = item;
  const own =
    current === null || MARGINS_MS.includes(current)
      ? MARGINS_MS
      : [...MARGINS_MS, current].sort((a, b) => a - b);
  return {
    label: RECORDING_OPTIONS[name].label,
    options: [
      {
        label: settingText(setting === undefined ? undefined : marginText(setting)),
        change: { [name]: null },
        chosen: current === null,
      },
      ...own.map((ms) => ({ label: marginText(ms), change: { [name]: ms }, chosen: current === ms })),
    ],
  };
}

function choicesOf(item: ReservationItem): Choice[] {
  return [marginChoice(item, 'marginBefore'), marginChoice(item, 'marginAfter')];
}

/** What differs, for the closed list: `録画マージン 前 1分・後 5分`. */
function differences(item: ReservationItem): string {
  const words = choicesOf(item).flatMap(({ label, options }) => {
    const chosen = options.find((option) => option.chosen);
    return chosen === undefined || chosen === options[0] ? [] : [`${label} ${chosen.label}`];
  });
  return words.length === 0 ? TEXTS.asCommon : words.join('、');
}

export function BookingOptions({ item }: { item: ReservationItem }) {
  const open = useSignal(false);
  return (
    <section class="stack gap-100 below-100">
      <button
        type="button"
        class="row row-button bold bordered"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name="tune" />
        <span class="row-text">
          <span>{TEXTS.changeOptions}</span>
          <span class="row-name">{differences(item)}</span>
        </span>
        <Icon name={open.value ? 'up' : 'down'} class="row-go" />
      </button>
      {open.value
        ? choicesOf(item).map(({ label, options }) => (
            <div key={label} class="booking-option">
              <h4 class="note">{label}</h4>
              <div class="tabs" role="radiogroup" aria-label={label}>
                {options.map((option) => (
                  // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
                  <button
                    key={option.label}
                    type="button"
                    role="radio"
                    class="tab"
                    aria-checked={option.chosen}
                    onClick={() => {
                      if (!option.chosen) void choose(item, titleOf(item), option.change);
                    }}
                  >
                    {option.label}
                  </button>
                ))}
              </div>
            </div>
          ))
        : null}
    </section>
  );
}
