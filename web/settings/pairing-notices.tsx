/**
 * Announces televisions that were registered, on every screen of the household, with a button that revokes their access:
 * a person may have been led to approve one. Those registered while no screen was open are announced by the next one.
 */
import { useEffect, useState } from 'preact/hooks';
import type { DeviceToken } from '../../lib/wire/api.ts';
import { announcedDevice } from '../device/preferences.ts';
import { asFailure, revokeDevice } from '../query/api.ts';
import { DEVICE_TOKENS, PAIRED_DEVICES } from '../query/queries.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { TEXTS } from './texts.ts';

const noticeOf = (id: number): string => `paired device ${id}`;

async function revoke({ id, name }: DeviceToken): Promise<void> {
  try {
    await revokeDevice(id);
    showToast(TEXTS.revoked(name), undefined, noticeOf(id));
    await entryOf(DEVICE_TOKENS).renew();
  } catch (error) {
    showToast(asFailure(error).message, undefined, noticeOf(id));
  }
}

/** Seen by nobody while the page is in the background. */
function useVisible(): boolean {
  const [visible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const onChange = (): void => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
  return visible;
}

export function PairingNotices() {
  const { value } = useQuery(PAIRED_DEVICES);
  const visible = useVisible();
  useEffect(() => {
    if (value === undefined || !visible) return;
    const before = announcedDevice.peek();
    announcedDevice.value = Math.max(before, 0, ...value.map(({ id }) => id));
    // A browser that opens the service for the first time announces what comes from now on.
    if (before < 0) return;
    for (const device of value.filter(({ id }) => id > before).reverse()) {
      const action = { label: TEXTS.revokePaired, run: () => void revoke(device) };
      showToast(
        TEXTS.pairedNow(device.name, TEXTS.approverName(device.approver)),
        action,
        noticeOf(device.id),
      );
    }
  }, [value, visible]);
  return null;
}
