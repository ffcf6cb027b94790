/** Links for television software: the list, creating and revoking one, and the steps for each program. */
import { useState } from 'preact/hooks';
import type { ClientLink, CreatedClientLink } from '../../lib/wire/api.ts';
import { CLIENT_LINK_NAME_LENGTH } from '../../lib/wire/vocabulary.ts';
import { now } from '../device/clock.ts';
import { createClientLink, revokeClientLink } from '../query/api.ts';
import { CLIENT_LINKS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { qrCode } from '../ui/qr-code.ts';
import { showToast } from '../ui/toast.tsx';
import { BlockWaiting } from '../words/field-failure.tsx';
import { agoText, momentText } from '../words/time.ts';
import { AccessList, useAttempts } from './access-list.tsx';
import { TEXTS } from './texts.ts';

function Copied({ address }: { address: string }) {
  // Without https browsers offer no clipboard: the address is selected, to be copied by hand.
  const copy = async (field: HTMLInputElement | null): Promise<void> => {
    field?.select();
    try {
      await navigator.clipboard.writeText(address);
      showToast(TEXTS.linkCopied);
    } catch {
      showToast(TEXTS.linkSelected);
    }
  };
  return (
    <div class="below-75 above-75 flex wrap gap-75">
      <input
        class="rule-input rule-input-wide basis-16"
        readOnly
        value={address}
        aria-label={TEXTS.linkAddress}
        onFocus={(event) => event.currentTarget.select()}
      />
      <button
        type="button"
        class="button button-small"
        onClick={(event) => void copy(event.currentTarget.parentElement?.querySelector('input') ?? null)}
      >
        {TEXTS.linkCopy}
      </button>
    </div>
  );
}

function Steps({ address }: { address: string }) {
  return (
    <details>
      <summary class="press-height press">{TEXTS.linkSteps}</summary>
      <dl>
        {TEXTS.linkPrograms(address).map(({ program, steps }) => (
          <div key={program}>
            <dt class="above-75 bold">{program}</dt>
            <dd class="no-margin">{steps}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Quiet zone around it, modules: ISO/IEC 18004, 7.3.8. */
const QUIET = 4;

/** Black on white in every theme: cameras read nothing else for certain. */
function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = qrCode(text);
  if (rows === undefined) return null;
  const size = rows.length + 2 * QUIET;
  const path = rows
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg
      class="qr round-s block-level"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

const WORDS = { button: TEXTS.linkRevoke, title: TEXTS.linkRevoke, note: TEXTS.linkRevokeNote };

export function ClientLinksBlock() {
  const { value, failure, renew } = useQuery(CLIENT_LINKS);
  const [name, setName] = useState('');
  const [created, setCreated] = useState<CreatedClientLink>();
  const { refused, attempt } = useAttempts(renew);
  const create = () =>
    attempt(async () => {
      setCreated(await createClientLink(name.trim()));
      setName('');
    });
  const revoke = ({ id, name: revoked }: ClientLink) =>
    attempt(async () => {
      await revokeClientLink(id);
      if (created?.id === id) setCreated(undefined);
      showToast(TEXTS.linkRevoked(revoked));
    });
  if (value === undefined) return <BlockWaiting failure={failure} />;
  const address = created === undefined ? undefined : new URL(created.path, document.baseURI).href;
  return (
    <AccessList
      items={value.links}
      factsOf={({ createdAt, usedAt }) =>
        TEXTS.linkFacts(
          momentText(createdAt, now.value),
          usedAt === null ? TEXTS.neverUsed : agoText(usedAt, now.value),
        )
      }
      words={WORDS}
      refused={refused}
      onRevoke={revoke}
    >
      <form
        class="below-75 above-75 flex wrap gap-75"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') void create();
        }}
      >
        <input
          class="rule-input rule-input-wide basis-16"
          value={name}
          maxLength={CLIENT_LINK_NAME_LENGTH}
          placeholder={TEXTS.linkName}
          aria-label={TEXTS.linkName}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="button button-small" disabled={name.trim() === ''}>
          {TEXTS.linkCreate}
        </button>
      </form>
      {address === undefined ? null : (
        <div role="status">
          <p class="note">{TEXTS.linkOnce}</p>
          <Copied address={`${address}/playlist.m3u`} />
          <Copied address={`${address}/guide.xml`} />
          <Qr text={`${address}/playlist.m3u`} label={TEXTS.linkQr} />
          <Steps address={address} />
        </div>
      )}
    </AccessList>
  );
}
