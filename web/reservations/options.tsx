/** How one reservation is recorded, where that differs from the household's settings: saved with each press. */
import { useSignal } from '@preact/signals';
import type { ReservationItem, ReservationRequest } from '../../lib/wire/api.ts';
import { RECORDING_OPTIONS } from '../../lib/wire/rule-fields.ts';
import { household } from '../query/settings.ts';
import { Icon } from '../ui/icon.tsx';
import { Segments } from '../ui/segments.tsx';
import { marginText, titleOf } from '../words/reservation.ts';
import { afterText, choose } from './actions.ts';
import { TEXTS } from './texts.ts';

type ChosenOptions = Omit<ReservationRequest, 'programId'>;

interface LabelledOption {
  readonly label: string;
  readonly change: ChosenOptions;
  readonly chosen: boolean;
}

interface OptionChoice {
  readonly label: string;
  readonly options: readonly LabelledOption[];
}

const MARGINS_MS = [0, 10_000, 30_000, 60_000, 300_000];

/** `設定（10秒）` */
function settingText(value: string | undefined): string {
  return value === undefined ? TEXTS.asSet : TEXTS.setTo(value);
}

function marginChoice(item: ReservationItem, name: 'marginBefore' | 'marginAfter'): OptionChoice {
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

/** A choice between values with words; the first leaves it to the setting. */
function wordChoice<V>(
  label: string,
  values: readonly (readonly [V, string])[],
  {
    current,
    setting,
    change,
  }: { current: V | null; setting: V | undefined; change: (value: V | null) => ChosenOptions },
): OptionChoice {
  return {
    label,
    options: [
      {
        label: settingText(values.find(([value]) => value === setting)?.[1]),
        change: change(null),
        chosen: current === null,
      },
      ...values.map(([value, words]) => ({
        label: words,
        change: change(value),
        chosen: current === value,
      })),
    ],
  };
}

const CODECS = (['none', 'av1', 'h264', 'both'] as const).map(
  (codec) => [codec, RECORDING_OPTIONS.encode.type.of.words[codec]] as const,
);
const ORIGINALS = [
  [true, TEXTS.keepOriginal],
  [false, TEXTS.dropOriginal],
] as const;

/** The times of a running recording are settled. */
function optionChoices(item: ReservationItem): OptionChoice[] {
  const settings = household.value.kind === 'ready' ? household.value.settings : {};
  const { encode = null, keepTs = null } = item;
  const margins =
    item.state === 'recording' ? [] : [marginChoice(item, 'marginBefore'), marginChoice(item, 'marginAfter')];
  return [
    wordChoice(RECORDING_OPTIONS.encode.label, CODECS, {
      current: encode,
      setting: settings.encode,
      change: (value) => ({ encode: value }),
    }),
    wordChoice(RECORDING_OPTIONS.keepTs.label, ORIGINALS, {
      current: keepTs,
      setting: settings.keepTs,
      change: (value) => ({ keepTs: value }),
    }),
    ...margins,
  ];
}

/** What differs from the household's margins, for the closed list: `開始前のマージン 1分`. */
function differences(item: ReservationItem): string[] {
  return (['marginBefore', 'marginAfter'] as const).flatMap((name) => {
    const ms = item[name] ?? null;
    return ms === null ? [] : [`${RECORDING_OPTIONS[name].label} ${marginText(ms)}`];
  });
}

export function BookingOptions({ item }: { item: ReservationItem }) {
  const open = useSignal(false);
  return (
    <section class="stack gap-100 below-100">
      <button
        type="button"
        class="row bold bordered full-width text-left"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name="tune" />
        <span class="row-text">
          <span>{TEXTS.changeOptions}</span>
          <span class="flex gap-40 note bold">
            {[afterText(item), ...differences(item)].filter((words) => words !== '').join(TEXTS.comma)}
          </span>
        </span>
        <Icon name={open.value ? 'up' : 'down'} class="faint" />
      </button>
      {open.value && item.state === 'recording' ? <p class="note">{TEXTS.decidedAtEnd}</p> : null}
      {open.value
        ? optionChoices(item).map(({ label, options }) => (
            <div key={label}>
              <h4 class="note">{label}</h4>
              <Segments
                label={label}
                options={options.map((option) => ({ value: option.label, label: option.label }))}
                value={options.find(({ chosen }) => chosen)?.label ?? ''}
                onChoose={(value) => {
                  const option = options.find((one) => one.label === value);
                  if (option?.chosen === false) void choose(item, titleOf(item), option.change);
                }}
              />
            </div>
          ))
        : null}
    </section>
  );
}
