/** Push notices to this browser: the service worker, the permission, and the subscription. */
import { getPushKey } from '../query/notices.ts';
import { TEXTS } from './texts.ts';

/** Why this browser cannot get notices; undefined: it can. */
export function pushObstacle(): string | undefined {
  if (!isSecureContext) return TEXTS.insecure;
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return /\b(iPhone|iPad)\b/.test(navigator.userAgent) ? TEXTS.iosInstall : TEXTS.notSupported;
  if (Notification.permission === 'denied') return TEXTS.denied;
  return undefined;
}

/** Asks the person, and the browser's push service. @throws Error with a sentence for people */
export async function subscribe(): Promise<PushSubscription> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error(TEXTS.denied);
  const { publicKey } = await getPushKey();
  await navigator.serviceWorker.register('sw.js');
  const registration = await navigator.serviceWorker.ready;
  try {
    const known = await registration.pushManager.getSubscription();
    // One for another key, such as of a service that was set up anew, cannot be used.
    if (known !== null && keyOf(known) !== publicKey) await known.unsubscribe();
    return await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: publicKey,
    });
  } catch (error) {
    throw new Error(TEXTS.pushFailed, { cause: error });
  }
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
