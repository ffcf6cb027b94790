/** How captions are shown on this device, as fields of a sheet; the picture behind the sheet shows each change. */
import type { ComponentChildren } from 'preact';
import { ApiFailure } from '../query/api.ts';
import { type Option, Segments } from '../ui/segments.tsx';
import { showToast } from '../ui/toast.tsx';
import {
  captionLanguage,
  captionSettings,
  changeCaptions,
  followHousehold,
  isOwnChoice,
  makeHouseholdDefault,
} from './caption-choice.ts';
import { CAPTION_SIZES, type CaptionSettings } from './caption-settings.ts';
import type { CaptionLanguageChoice } from './caption-timeline.ts';
import { TEXTS } from './texts.ts';

const SIZES: readonly Option[] = CAPTION_SIZES.map((size, index) => ({
  value: String(size),
  label: TEXTS.sizes[index] ?? String(size),
}));
const OPACITIES: readonly Option[] = [1, 0.8, 0.6, 0.4].map((part) => ({
  value: String(part),
  label: TEXTS.percent(part * 100),
}));
const BACKGROUNDS: readonly Option[] = [
  { value: 'null', label: TEXTS.asBroadcast },
  { value: '0', label: TEXTS.none },
  { value: '0.5', label: TEXTS.translucent },
  { value: '1', label: TEXTS.black },
];
const POSITIONS: readonly Option[] = [
  { value: 'broadcast', label: TEXTS.asBroadcast },
  { value: 'bottom', label: TEXTS.bottom },
  { value: 'top', label: TEXTS.top },
];
const FONTS: readonly Option[] = [
  { value: 'rounded', label: TEXTS.rounded },
  { value: 'system', label: TEXTS.ofDevice },
];
const SWITCH: readonly Option[] = [
  { value: 'on', label: TEXTS.show },
  { value: 'off', label: TEXTS.hide },
];

/** The option nearest to a value that may come from elsewhere. */
function nearestOption(options: readonly Option[], value: number): string {
  const off = (option: Option): number => Math.abs(Number(option.value) - value);
  return [...options].sort((a, b) => off(a) - off(b))[0]?.value ?? '';
}

interface FieldProps {
  readonly label: string;
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

function CaptionField({ label, options, value, onChoose }: FieldProps) {
  return (
    <section class="sheet-section">
      <h3>{label}</h3>
      <Segments label={label} options={options} value={value} onChoose={onChoose} />
    </section>
  );
}

interface LanguageFieldProps {
  readonly languages: readonly CaptionLanguageChoice[];
  readonly onChoose: (language: number) => void;
}

/** Nothing if there is only one choice. */
export function LanguageField({ languages, onChoose }: LanguageFieldProps) {
  if (languages.length < 2) return null;
  const known = languages.some(({ index }) => index === captionLanguage.value);
  return (
    <CaptionField
      label={TEXTS.language}
      options={languages.map(({ index, label }) => ({ value: String(index), label }))}
      value={String(known ? captionLanguage.value : (languages[0]?.index ?? 1))}
      onChoose={(value) => onChoose(Number(value))}
    />
  );
}

async function share(): Promise<void> {
  try {
    await makeHouseholdDefault();
    showToast(TEXTS.nowForAll);
  } catch (error) {
    showToast(error instanceof ApiFailure ? error.message : TEXTS.notSaved);
  }
}

/** @param children notes on the captions of the current programme, and their languages */
export function CaptionFields({ children }: { readonly children?: ComponentChildren }) {
  const settings = captionSettings.value;
  const change = (next: Partial<CaptionSettings>): void => changeCaptions(next);
  return (
    <div class="caption-fields">
      {children}
      <CaptionField
        label={TEXTS.captions}
        options={SWITCH}
        value={settings.visible ? 'on' : 'off'}
        onChoose={(value) => change({ visible: value === 'on' })}
      />
      <CaptionField
        label={TEXTS.size}
        options={SIZES}
        value={nearestOption(SIZES, settings.size)}
        onChoose={(value) => change({ size: Number(value) })}
      />
      <CaptionField
        label={TEXTS.opacity}
        options={OPACITIES}
        value={nearestOption(OPACITIES, settings.opacity)}
        onChoose={(value) => change({ opacity: Number(value) })}
      />
      <CaptionField
        label={TEXTS.background}
        options={BACKGROUNDS}
        value={
          settings.background === null ? 'null' : nearestOption(BACKGROUNDS.slice(1), settings.background)
        }
        onChoose={(value) => change({ background: value === 'null' ? null : Number(value) })}
      />
      <CaptionField
        label={TEXTS.ruby}
        options={SWITCH}
        value={settings.ruby ? 'on' : 'off'}
        onChoose={(value) => change({ ruby: value === 'on' })}
      />
      <CaptionField
        label={TEXTS.font}
        options={FONTS}
        value={settings.font}
        onChoose={(value) => change({ font: value === 'system' ? 'system' : 'rounded' })}
      />
      <CaptionField
        label={TEXTS.position}
        options={POSITIONS}
        value={settings.position}
        onChoose={(value) =>
          change({ position: value === 'bottom' || value === 'top' ? value : 'broadcast' })
        }
      />
      <div class="panel-actions above-150">
        <button type="button" class="button button-small" onClick={() => void share()}>
          {TEXTS.forAll}
        </button>
        {isOwnChoice.value ? (
          <button type="button" class="button button-small" onClick={followHousehold}>
            {TEXTS.asUsual}
          </button>
        ) : null}
      </div>
      <p class="muted">{TEXTS.thisDevice}</p>
    </div>
  );
}
