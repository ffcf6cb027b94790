/** Paired televisions: the list, and revoking access. */
import { now } from '../device/clock.ts';
import { revokeDevice } from '../query/api.ts';
import { DEVICE_TOKENS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { BlockWaiting } from '../words/field-failure.tsx';
import { agoText, momentText } from '../words/time.ts';
import { AccessList, useAttempts } from './access-list.tsx';
import { TEXTS } from './texts.ts';

const WORDS = { button: TEXTS.revoke, title: TEXTS.revoke, note: TEXTS.revokeNote };

export function DevicesBlock() {
  const { value, failure, renew } = useQuery(DEVICE_TOKENS);
  const { refused, attempt } = useAttempts(renew);
  if (value === undefined) return <BlockWaiting failure={failure} />;
  return (
    <>
      {value.length === 0 ? <p class="note">{TEXTS.noDevices}</p> : null}
      <AccessList
        items={value}
        factsOf={({ pairedAt, usedAt, approver }) =>
          TEXTS.paired(
            momentText(pairedAt, now.value),
            TEXTS.approverName(approver),
            usedAt === null ? TEXTS.neverUsed : agoText(usedAt, now.value),
          )
        }
        words={WORDS}
        refused={refused}
        onRevoke={({ id, name }) =>
          attempt(async () => {
            await revokeDevice(id);
            showToast(TEXTS.revoked(name));
          })
        }
      >
        <p class="note">{TEXTS.pairing}</p>
      </AccessList>
    </>
  );
}
