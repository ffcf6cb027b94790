/** Paired televisions: the list, and revoking access. */
import { useState } from 'preact/hooks';
import type { DeviceToken } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { ApiFailure, networkFailure, revokeDevice } from '../query/api.ts';
import { DEVICE_TOKENS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Confirm } from '../ui/confirm.tsx';
import { showToast } from '../ui/toast.tsx';
import { BlockWaiting, Refusal } from '../words/field-failure.tsx';
import { agoText, momentText } from '../words/time.ts';
import { TEXTS } from './texts.ts';

function Row({ device, onRevoke }: { device: DeviceToken; onRevoke: () => void }) {
  const { name, pairedAt, usedAt, approver } = device;
  return (
    <li class="access-row line-above line">
      <b>
        <bdi>{name}</bdi>
      </b>
      <span class="basis-16 note">
        {TEXTS.paired(
          momentText(pairedAt, now.value),
          TEXTS.approverName(approver),
          usedAt === null ? TEXTS.neverUsed : agoText(usedAt, now.value),
        )}
      </span>
      <button type="button" class="button button-small" onClick={onRevoke}>
        <span class="hidden-text">{TEXTS.of(name)}</span>
        {TEXTS.revoke}
      </button>
    </li>
  );
}

export function DevicesBlock() {
  const { value, failure, renew } = useQuery(DEVICE_TOKENS);
  const [asked, setAsked] = useState<DeviceToken>();
  const [refused, setRefused] = useState<string>();
  const revoke = async ({ id, name }: DeviceToken): Promise<void> => {
    setRefused(undefined);
    try {
      await revokeDevice(id);
      showToast(TEXTS.revoked(name));
      await renew();
    } catch (error) {
      setRefused((error instanceof ApiFailure ? error : networkFailure(error)).message);
    }
  };
  if (value === undefined) {
    return <BlockWaiting failure={failure} />;
  }
  return (
    <>
      {value.length === 0 ? <p class="note">{TEXTS.noDevices}</p> : null}
      <ul class="below-75 above-75 stack">
        {value.map((device) => (
          <Row key={device.id} device={device} onRevoke={() => setAsked(device)} />
        ))}
      </ul>
      <p class="note">{TEXTS.pairing}</p>
      <Refusal text={refused} />
      {asked === undefined ? null : (
        <Confirm
          title={TEXTS.revoke}
          action={TEXTS.revokeNow}
          onConfirm={() => void revoke(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p class="bold text-l">
            「<bdi>{asked.name}</bdi>」
          </p>
          <p>{TEXTS.revokeNote}</p>
        </Confirm>
      )}
    </>
  );
}
