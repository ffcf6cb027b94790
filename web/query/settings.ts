/**
 * The household's settings as the service holds them: read at the start and on every change, saved one at a time.
 * What devices need before they can ask (the theme) is kept on them.
 */
import { signal } from '@preact/signals';
import { houseCodec, houseTheme } from '../device/preferences.ts';
import { ApiFailure, getSettings, type KnownSettings, networkFailure, putSettings } from './api.ts';
import { listenFor } from './events.ts';

export type Household =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly settings: KnownSettings }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

export const household = signal<Household>({ kind: 'loading' });

function take(settings: KnownSettings): void {
  household.value = { kind: 'ready', settings };
  if (settings.theme !== undefined) houseTheme.value = settings.theme;
  // Browsers do not play the broadcast as it is.
  if (settings.liveCodec !== undefined) houseCodec.value = settings.liveCodec === 'av1' ? 'av1' : 'h264';
}

export async function readHousehold(): Promise<void> {
  try {
    take(await getSettings());
  } catch (error) {
    if (household.peek().kind === 'ready') return;
    household.value = {
      kind: 'failed',
      failure: error instanceof ApiFailure ? error : networkFailure(error),
    };
  }
}

/** @throws ApiFailure with the service's reason; nothing is changed then */
export async function saveSetting(change: KnownSettings): Promise<void> {
  take(await putSettings(change));
}

export function startHousehold(): void {
  void readHousehold();
  listenFor(['settings'], () => void readHousehold());
}
