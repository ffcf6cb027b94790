/**
 * The household's settings: read at the start and on every change, saved one at a time. Settings that a device needs
 * before the first response (the theme) are also stored on it.
 */
import { computed, effect } from '@preact/signals';
import { houseCodec, houseTheme } from '../device/preferences.ts';
import { type ApiFailure, type KnownSettings, putSettings } from './api.ts';
import { entryOf, keepFresh, pathQuery } from './use-query.ts';

type Household =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly settings: KnownSettings }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

const SETTINGS = pathQuery<KnownSettings>('api/settings', ['settings']);

export const household = computed<Household>(() => {
  const { value, failure } = entryOf(SETTINGS).answer.value;
  if (value !== undefined) return { kind: 'ready', settings: value };
  return failure === undefined ? { kind: 'loading' } : { kind: 'failed', failure };
});

export function readHousehold(): Promise<void> {
  return entryOf(SETTINGS).renew();
}

/** @throws ApiFailure with the service's reason; the settings are then unchanged */
export async function saveSetting(change: KnownSettings): Promise<void> {
  entryOf(SETTINGS).put(await putSettings(change));
}

export function startHousehold(): void {
  const { answer } = keepFresh(SETTINGS);
  effect(() => {
    const settings = answer.value.value;
    if (settings?.theme !== undefined) houseTheme.value = settings.theme;
    // Browsers do not play the broadcast as it is.
    if (settings?.liveCodec !== undefined) houseCodec.value = settings.liveCodec === 'av1' ? 'av1' : 'h264';
  });
}
