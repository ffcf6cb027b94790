/** How captions are shown on this device: its own choice, else the household's default. */
import { computed } from '@preact/signals';
import type { CaptionStyle } from '../../lib/wire/settings.ts';
import { remembered } from '../device/preferences.ts';
import { household, saveSetting } from '../query/settings.ts';
import { showToast } from '../ui/toast.tsx';
import { type CaptionSettings, DEFAULT_CAPTION_SETTINGS, readCaptionSettings } from './caption-settings.ts';
import { TEXTS } from './texts.ts';

/** Null: the household's default. */
const own = remembered<object | null>('captions', null, (value) =>
  typeof value === 'object' ? value : undefined,
);
/** Language of the broadcast, 1 to 8. */
export const captionLanguage = remembered('caption-language', 1, (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 8 ? value : undefined,
);

const BACKGROUNDS: Readonly<Record<CaptionStyle['background'], number | null>> = {
  broadcast: null,
  none: 0,
  solid: 1,
};

/** The settings that the household's default means. */
export function settingsOf(style: Partial<CaptionStyle> | undefined): CaptionSettings {
  if (style === undefined) return DEFAULT_CAPTION_SETTINGS;
  const background = style.background === undefined ? undefined : BACKGROUNDS[style.background];
  return readCaptionSettings({ ...style, size: style.scale, background });
}

/** The household's default that comes closest to the settings. */
export function styleOf(settings: CaptionSettings, before: CaptionStyle): CaptionStyle {
  const { size, background, visible, opacity, ruby, font, position } = settings;
  const word = background === null ? 'broadcast' : background < 0.5 ? 'none' : 'solid';
  return { ...before, scale: size, background: word, visible, opacity, ruby, font, position };
}

const houseStyle = computed(() =>
  household.value.kind === 'ready' ? household.value.settings.captionStyle : undefined,
);

export const captionSettings = computed<CaptionSettings>(() =>
  readCaptionSettings(own.value, settingsOf(houseStyle.value)),
);

export const isOwnChoice = computed(() => own.value !== null);

export function changeCaptions(change: Partial<CaptionSettings>): void {
  own.value = { ...captionSettings.peek(), ...change };
}

export function followHousehold(): void {
  own.value = null;
}

/** Saves this device's settings as the household's default. @throws ApiFailure */
export async function makeHouseholdDefault(): Promise<void> {
  const before = houseStyle.peek() ?? { scale: 1, font: 'rounded', background: 'broadcast', ruby: true };
  await saveSetting({ captionStyle: styleOf(captionSettings.peek(), before as CaptionStyle) });
  followHousehold();
}

/** Says what it did. */
export function toggleCaptions(): void {
  const visible = !captionSettings.peek().visible;
  changeCaptions({ visible });
  showToast(visible ? TEXTS.shown : TEXTS.hidden, undefined, 'captions');
}
