/** Targets of notices, in the settings. */
import { useState } from 'preact/hooks';
import type { Target } from '../../lib/wire/notifications.ts';
import { now } from '../device/clock.ts';
import { asFailure } from '../query/api.ts';
import { addTarget, getPushKey, removeTarget, TARGETS, testTarget } from '../query/notices.ts';
import { useQuery } from '../query/use-query.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icon.tsx';
import { showToast } from '../ui/toast.tsx';
import { agentName } from '../words/agent-name.ts';
import { BlockWaiting, Refusal } from '../words/field-failure.tsx';
import { agoText } from '../words/time.ts';
import { TargetForm } from './target-form.tsx';
import { FORMAT_LABELS, TEXTS } from './texts.ts';

/** Why this browser is not registered: a sentence for people. */
class PushRefusal extends Error {}

function messageOf(error: unknown): string {
  // Whatever else a browser throws is about the connection.
  return error instanceof PushRefusal ? error.message : asFailure(error).message;
}

function stateText({ last, waiting }: Target): string {
  const result =
    last === null ? TEXTS.notYet : last.ok ? TEXTS.delivered(agoText(last.at, now.value)) : last.message;
  return waiting === 0 ? result : `${result} ${TEXTS.waiting(waiting)}`;
}

interface RowProps {
  readonly target: Target;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function Row({ target, onEdit, onRemove }: RowProps) {
  const [busy, setBusy] = useState(false);
  const { id, name, format, last } = target;
  const kind = format === null ? TEXTS.push : FORMAT_LABELS[format];
  const test = async (): Promise<void> => {
    setBusy(true);
    try {
      showToast((await testTarget(id)).message);
    } catch (error) {
      showToast(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <li class="access-row line-above wrap line">
      <b>
        <bdi>{name}</bdi>
      </b>
      {kind === name ? null : <span class="note">{kind}</span>}
      <span class="basis-16 note tone-text" data-tone={last?.ok === false ? 'bad' : undefined}>
        {stateText(target)}
      </span>
      <span class="flex wrap gap-50">
        <button type="button" class="button button-small" disabled={busy} onClick={() => void test()}>
          <span class="hidden-text">{name}</span>
          {busy ? TEXTS.testing : TEXTS.test}
        </button>
        <button type="button" class="button button-small" onClick={onEdit}>
          <span class="hidden-text">{TEXTS.of(name)}</span>
          {TEXTS.edit}
        </button>
        <button type="button" class="button button-small" onClick={onRemove}>
          <span class="hidden-text">{TEXTS.of(name)}</span>
          {TEXTS.remove}
        </button>
      </span>
    </li>
  );
}

type Task = { readonly kind: 'add' } | { readonly kind: 'edit' | 'remove'; readonly target: Target };
/** Why this browser cannot get notices; undefined: it can. */
function pushObstacle(): string | undefined {
  if (!isSecureContext) return TEXTS.insecure;
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return /\b(iPhone|iPad)\b/.test(navigator.userAgent) ? TEXTS.iosInstall : TEXTS.notSupported;
  if (Notification.permission === 'denied') return TEXTS.denied;
  return undefined;
}

/** Asks the person, and the browser's push service. @throws PushRefusal, ApiFailure */
async function subscribe(): Promise<PushSubscription> {
  if ((await Notification.requestPermission()) !== 'granted') throw new PushRefusal(TEXTS.denied);
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
    throw new PushRefusal(TEXTS.pushFailed, { cause: error });
  }
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

export function NotificationTargets() {
  const { value, failure, renew } = useQuery(TARGETS);
  const [task, setTask] = useState<Task>();
  const [refused, setRefused] = useState<string>();
  const [busy, setBusy] = useState(false);
  const obstacle = pushObstacle();
  const close = (): void => setTask(undefined);
  const run = async (act: () => Promise<void>): Promise<void> => {
    setRefused(undefined);
    setBusy(true);
    try {
      await act();
      await renew();
    } catch (error) {
      setRefused(messageOf(error));
    }
    setBusy(false);
  };
  const addDevice = async (): Promise<void> => {
    const { endpoint, keys } = (await subscribe()).toJSON();
    const subscription = {
      endpoint: endpoint ?? '',
      keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
    };
    const { name } = await addTarget({ kind: 'push', name: agentName(navigator.userAgent), subscription });
    showToast(TEXTS.added(name));
  };
  if (value === undefined) {
    return <BlockWaiting failure={failure} />;
  }
  return (
    <>
      {value.length === 0 ? <p class="note">{TEXTS.noTargets}</p> : null}
      <ul class="below-75 above-75 stack">
        {value.map((target) => (
          <Row
            key={target.id}
            target={target}
            onEdit={() => setTask({ kind: 'edit', target })}
            onRemove={() => setTask({ kind: 'remove', target })}
          />
        ))}
      </ul>
      <div class="below-75 above-100 no-margin flex wrap gap-50">
        <button
          type="button"
          class="button"
          disabled={busy || obstacle !== undefined}
          onClick={() => void run(addDevice)}
        >
          <Icon name="bell" />
          {TEXTS.thisDevice}
        </button>
        <button type="button" class="button" onClick={() => setTask({ kind: 'add' })}>
          <Icon name="plus" />
          {TEXTS.addWebhook}
        </button>
      </div>
      {obstacle === undefined ? null : <p class="note">{obstacle}</p>}
      <Refusal text={refused} />
      {task === undefined || task.kind === 'remove' ? null : (
        <TargetForm
          target={task.kind === 'edit' ? task.target : undefined}
          onClose={close}
          onSaved={({ name }) => {
            close();
            showToast(task.kind === 'edit' ? TEXTS.saved : TEXTS.added(name));
            void renew();
          }}
        />
      )}
      {task?.kind !== 'remove' ? null : (
        <Confirm
          title={TEXTS.remove}
          action={TEXTS.removeNow}
          onClose={close}
          onConfirm={() =>
            void run(async () => {
              await removeTarget(task.target.id);
              showToast(TEXTS.removed(task.target.name));
            })
          }
        >
          <p class="bold text-l">
            「<bdi>{task.target.name}</bdi>」
          </p>
          <p>{TEXTS.removeNote}</p>
        </Confirm>
      )}
    </>
  );
}
