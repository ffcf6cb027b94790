/** Adds or changes a target of notices. */
import { useState } from 'preact/hooks';
import type { Target } from '../../lib/wire/notifications.ts';
import {
  DEFAULT_EVENTS,
  NOTICE_EVENTS,
  type NoticeEvent,
  URGENT_EVENTS,
  type WebhookFormat,
} from '../../lib/wire/vocabulary.ts';
import { type ApiFailure, asFailure } from '../query/api.ts';
import { addTarget, changeTarget } from '../query/notices.ts';
import { Sheet } from '../ui/sheet.tsx';
import { Switch, TextField } from '../ui/sheet-fields.tsx';
import { Toggle, toggled } from '../ui/toggle.tsx';
import { EVENT_LABELS, FORMAT_FIELDS, FORMAT_LABELS, TEXTS } from './texts.ts';

const FORMATS = Object.keys(FORMAT_LABELS) as WebhookFormat[];
/** 22:00 to 7:00, minutes of the day. */
const NIGHT = { from: 22 * 60, to: 7 * 60 };
const OTHER_EVENTS = NOTICE_EVENTS.filter((event) => !URGENT_EVENTS.includes(event));

interface EventsProps {
  readonly title: string;
  readonly events: readonly NoticeEvent[];
  readonly chosen: readonly NoticeEvent[];
  readonly onChange: (events: NoticeEvent[]) => void;
}

function Events({ title, events, chosen, onChange }: EventsProps) {
  return (
    <fieldset class="borderless no-padding no-margin">
      <legend class="bold">{title}</legend>
      <div class="flex wrap gap-50">
        {events.map((event) => (
          <Toggle key={event} on={chosen.includes(event)} onPress={() => onChange(toggled(chosen, event))}>
            {EVENT_LABELS[event]}
          </Toggle>
        ))}
      </div>
    </fieldset>
  );
}

/** @param target undefined: a new webhook */
export function TargetForm({
  target,
  onSaved,
  onClose,
}: {
  target: Target | undefined;
  onSaved: (target: Target) => void;
  onClose: () => void;
}) {
  const [format, setFormat] = useState<WebhookFormat | null>(
    target === undefined ? 'discord' : target.format,
  );
  const [name, setName] = useState(target?.name ?? '');
  // The address of a secret webhook is not shown again: empty means unchanged.
  const isHidden = target !== undefined && (target.format === 'discord' || target.format === 'slack');
  const [url, setUrl] = useState(isHidden ? '' : (target?.url ?? ''));
  const [secret, setSecret] = useState('');
  const [to, setTo] = useState(target?.to ?? '');
  const [events, setEvents] = useState<readonly NoticeEvent[]>(target?.events ?? DEFAULT_EVENTS);
  const [digest, setDigest] = useState(target?.digest ?? true);
  const [quiet, setQuiet] = useState(target?.quiet ?? null);
  const [enabled, setEnabled] = useState(target?.enabled ?? true);
  const [failure, setFailure] = useState<ApiFailure>();
  const [busy, setBusy] = useState(false);
  const fields = format === null ? undefined : FORMAT_FIELDS[format];
  const asked = fields !== undefined && 'label' in fields.url ? fields.url : undefined;

  const save = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    const choice = { events: [...events], digest, quiet, enabled };
    try {
      if (target !== undefined) {
        const change = {
          ...choice,
          name,
          ...(asked === undefined || url === '' ? {} : { url }),
          ...(secret === '' ? {} : { secret }),
          ...(to === '' ? {} : { to }),
        };
        onSaved(await changeTarget(target.id, change));
      } else if (format !== null && fields !== undefined) {
        const webhook = {
          ...choice,
          ...{ kind: 'webhook' as const, format, url: 'fixed' in fields.url ? fields.url.fixed : url },
          name: name === '' ? FORMAT_LABELS[format] : name,
          ...(secret === '' ? {} : { secret }),
          ...(to === '' ? {} : { to }),
        };
        onSaved(await addTarget(webhook));
      }
    } catch (error) {
      setFailure(asFailure(error));
      setBusy(false);
    }
  };

  return (
    <Sheet title={target === undefined ? TEXTS.add : TEXTS.change} onClose={onClose}>
      <form
        class="target-form stack gap-100"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {target === undefined ? (
          <fieldset class="borderless no-padding no-margin">
            <legend class="bold">{TEXTS.service}</legend>
            <div class="flex wrap gap-50">
              {FORMATS.map((one) => (
                <Toggle key={one} on={one === format} onPress={() => setFormat(one)}>
                  {FORMAT_LABELS[one]}
                </Toggle>
              ))}
            </div>
          </fieldset>
        ) : null}
        {fields === undefined ? null : <p class="note">{fields.help}</p>}
        <TextField
          label={TEXTS.name}
          value={name}
          placeholder={format === null ? TEXTS.device : FORMAT_LABELS[format]}
          failed={failure?.path === 'name'}
          onInput={setName}
        />
        {asked === undefined ? null : (
          <TextField
            label={isHidden ? `${asked.label}${TEXTS.keepSecret}` : asked.label}
            kind="url"
            value={url}
            placeholder={asked.example}
            failed={failure?.path === 'url'}
            onInput={setUrl}
          />
        )}
        {fields?.secret === undefined ? null : (
          <TextField
            label={target?.hasSecret === true ? `${fields.secret}${TEXTS.keepSecret}` : fields.secret}
            value={secret}
            failed={failure?.path === 'secret'}
            onInput={setSecret}
          />
        )}
        {fields?.to === undefined ? null : (
          <TextField label={fields.to} value={to} failed={failure?.path === 'to'} onInput={setTo} />
        )}
        <Events title={TEXTS.needsMe} events={URGENT_EVENTS} chosen={events} onChange={setEvents} />
        <Events title={TEXTS.others} events={OTHER_EVENTS} chosen={events} onChange={setEvents} />
        <Switch label={TEXTS.collect} on={digest} onPress={() => setDigest(!digest)} />
        <Switch
          label={TEXTS.quiet}
          on={quiet !== null}
          onPress={() => setQuiet(quiet === null ? NIGHT : null)}
        />
        {events.includes('reminder') ? <p class="note">{TEXTS.promptNote}</p> : null}
        {target === undefined ? null : (
          <Switch label={TEXTS.enabled} on={enabled} onPress={() => setEnabled(!enabled)} />
        )}
        {failure === undefined ? null : (
          <p class="alert" role="alert">
            {failure.message}
          </p>
        )}
        <div class="flex wrap gap-75">
          <button type="button" class="button" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" class="button button-main" disabled={busy}>
            {busy ? TEXTS.saving : TEXTS.save}
          </button>
        </div>
      </form>
    </Sheet>
  );
}
