/** Access: how this browser was authorised, and who is logged in. */
import { useEffect, useState } from 'preact/hooks';
import type { Access } from '../../lib/wire/access.ts';
import { now } from '../device/clock.ts';
import { addressOf, asFailure, logout, logoutOthers } from '../query/api.ts';
import { ACCESS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { showToast } from '../ui/toast.tsx';
import { agentName } from '../words/agent-name.ts';
import { BlockWaiting, Refusal } from '../words/field-failure.tsx';
import { momentText } from '../words/time.ts';
import { TEXTS } from './texts.ts';

/** Time to press again before the button forgets that it was pressed. */
const ARMED_MS = 5_000;

/** Why this browser may use the service. */
function reasonText({ by, address, network, name }: Access['you']): string {
  switch (by) {
    case 'network':
      return TEXTS.byNetwork(address, network ?? '');
    case 'session':
      return TEXTS.bySession(address, name ?? '');
    case 'token':
      return TEXTS.byToken(address);
  }
}

function You({ access, onFailed }: { access: Access; onFailed: (error: unknown) => void }) {
  const leave = async (): Promise<void> => {
    try {
      await logout();
      location.assign(addressOf('logout'));
    } catch (error) {
      onFailed(error);
    }
  };
  return (
    <div class="access-you cluster below-75 round-m ground-deep pad-3">
      <Icon name="lock" class="text-good" />
      <p>{reasonText(access.you)}</p>
      {access.you.by === 'session' ? (
        <button
          type="button"
          class="button button-small"
          title={TEXTS.logoutNote}
          onClick={() => void leave()}
        >
          {TEXTS.logout}
        </button>
      ) : null}
    </div>
  );
}

type Session = Access['sessions'][number];

function SessionRow({ session }: { session: Session }) {
  const { name, address, agent, createdAt, current } = session;
  return (
    <li class="access-row line-above line">
      <b>{name}</b>
      {current ? (
        <span class="state" data-tone="good">
          {TEXTS.thisDevice}
        </span>
      ) : null}
      <span class="basis-16 note">
        {TEXTS.session(agentName(agent), address, momentText(createdAt, now.value))}
      </span>
    </li>
  );
}

/** Pressed twice: it ends the sessions of other people too. */
function LogoutOthers({ onFailed, onDone }: { onFailed: (error: unknown) => void; onDone: () => void }) {
  const [armed, setArmed] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!armed) return undefined;
    const timer = setTimeout(() => setArmed(false), ARMED_MS);
    return () => clearTimeout(timer);
  }, [armed]);
  const press = async (): Promise<void> => {
    if (busy) return;
    if (!armed) {
      setArmed(true);
      return;
    }
    setArmed(false);
    setBusy(true);
    try {
      const { count } = await logoutOthers();
      showToast(count === 0 ? TEXTS.noOthers : TEXTS.loggedOut(count));
      onDone();
    } catch (error) {
      onFailed(error);
    }
    setBusy(false);
  };
  return (
    <button
      type="button"
      class={armed ? 'button button-small button-danger' : 'button button-small'}
      title={TEXTS.logoutOthersNote}
      aria-busy={busy}
      onClick={() => void press()}
    >
      {armed ? TEXTS.logoutOthersSure : TEXTS.logoutOthers}
    </button>
  );
}

export function AccessBlock() {
  const { value, failure, renew } = useQuery(ACCESS);
  const [refused, setRefused] = useState<string>();
  const onFailed = (error: unknown): void => {
    setRefused(asFailure(error).message);
  };
  if (value === undefined) {
    return <BlockWaiting failure={failure} />;
  }
  const { sessions } = value;
  const others = sessions.some(({ current }) => !current);
  return (
    <>
      <You access={value} onFailed={onFailed} />
      {value.login.configured || sessions.length > 0 ? (
        <div class="above-100">
          <h4>{TEXTS.sessions}</h4>
          {sessions.length === 0 ? <p class="note">{TEXTS.noSessions}</p> : null}
          <ul class="below-75 above-75 stack">
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
          {others ? (
            <LogoutOthers
              onFailed={onFailed}
              onDone={() => {
                setRefused(undefined);
                void renew();
              }}
            />
          ) : null}
        </div>
      ) : null}
      <Refusal text={refused} />
    </>
  );
}
