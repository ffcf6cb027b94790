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

const SIZE_NAMES = ['最小', '小', '標準', '大', '最大'] as const;
const SIZES: readonly Option[] = CAPTION_SIZES.map((size, index) => ({
  value: String(size),
  label: SIZE_NAMES[index] ?? String(size),
}));
const OPACITIES: readonly Option[] = [1, 0.8, 0.6, 0.4].map((part) => ({
  value: String(part),
  label: `${part * 100}％`,
}));
const BACKGROUNDS: readonly Option[] = [
  { value: 'null', label: '放送のまま' },
  { value: '0', label: 'なし' },
  { value: '0.5', label: '半透明' },
  { value: '1', label: '黒' },
];
const POSITIONS: readonly Option[] = [
  { value: 'broadcast', label: '放送のまま' },
  { value: 'bottom', label: '下' },
  { value: 'top', label: '上' },
];
const FONTS: readonly Option[] = [
  { value: 'rounded', label: '丸ゴシック' },
  { value: 'system', label: '端末の書体' },
];
const SWITCH: readonly Option[] = [
  { value: 'on', label: '表示する' },
  { value: 'off', label: '表示しない' },
];

/** The option nearest to a value that may come from elsewhere. */
function nearest(options: readonly Option[], value: number): string {
  const off = (option: Option): number => Math.abs(Number(option.value) - value);
  return [...options].sort((a, b) => off(a) - off(b))[0]?.value ?? '';
}

interface FieldProps {
  readonly label: string;
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

function Field({ label, options, value, onChoose }: FieldProps) {
  return (
    <section class="sheet-section">
      <h3>{label}</h3>
      <Segments label={label} options={options} value={value} onChoose={onChoose} />
    </section>
  );
}

interface LanguageFieldProps {
  readonly languages: readonly { readonly index: number; readonly label: string }[];
  readonly onChoose: (language: number) => void;
}

/** Nothing if there is only one choice. */
export function LanguageField({ languages, onChoose }: LanguageFieldProps) {
  if (languages.length < 2) return null;
  const known = languages.some(({ index }) => index === captionLanguage.value);
  return (
    <Field
      label="言語"
      options={languages.map(({ index, label }) => ({ value: String(index), label }))}
      value={String(known ? captionLanguage.value : (languages[0]?.index ?? 1))}
      onChoose={(value) => onChoose(Number(value))}
    />
  );
}

async function share(): Promise<void> {
  try {
    await makeHouseholdDefault();
    showToast('すべての端末の既定にしました');
  } catch (error) {
    showToast(error instanceof ApiFailure ? error.message : '保存できませんでした');
  }
}

/** @param children notes on the captions of the current programme, and their languages */
export function CaptionFields({ children }: { readonly children?: ComponentChildren }) {
  const settings = captionSettings.value;
  const change = (next: Partial<CaptionSettings>): void => changeCaptions(next);
  return (
    <div class="caption-fields">
      {children}
      <Field
        label="字幕"
        options={SWITCH}
        value={settings.visible ? 'on' : 'off'}
        onChoose={(value) => change({ visible: value === 'on' })}
      />
      <Field
        label="文字の大きさ"
        options={SIZES}
        value={nearest(SIZES, settings.size)}
        onChoose={(value) => change({ size: Number(value) })}
      />
      <Field
        label="濃さ"
        options={OPACITIES}
        value={nearest(OPACITIES, settings.opacity)}
        onChoose={(value) => change({ opacity: Number(value) })}
      />
      <Field
        label="背景"
        options={BACKGROUNDS}
        value={settings.background === null ? 'null' : nearest(BACKGROUNDS.slice(1), settings.background)}
        onChoose={(value) => change({ background: value === 'null' ? null : Number(value) })}
      />
      <Field
        label="ふりがな"
        options={SWITCH}
        value={settings.ruby ? 'on' : 'off'}
        onChoose={(value) => change({ ruby: value === 'on' })}
      />
      <Field
        label="書体"
        options={FONTS}
        value={settings.font}
        onChoose={(value) => change({ font: value === 'system' ? 'system' : 'rounded' })}
      />
      <Field
        label="位置"
        options={POSITIONS}
        value={settings.position}
        onChoose={(value) =>
          change({ position: value === 'bottom' || value === 'top' ? value : 'broadcast' })
        }
      />
      <div class="panel-actions caption-share">
        <button type="button" class="button button-small" onClick={() => void share()}>
          すべての端末の既定にする
        </button>
        {isOwnChoice.value ? (
          <button type="button" class="button button-small" onClick={followHousehold}>
            既定に戻す
          </button>
        ) : null}
      </div>
      <p class="sheet-note">この端末だけの設定として覚えます。</p>
    </div>
  );
}
