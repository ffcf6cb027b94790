/** The MQTT broker for Home Assistant: its state, and the form that sets it. */
import { useState } from 'preact/hooks';
import type { MqttState } from '../../lib/wire/mqtt.ts';
import { now } from '../device/clock.ts';
import { type ApiFailure, asFailure, putMqtt } from '../query/api.ts';
import { MQTT } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Sheet } from '../ui/sheet.tsx';
import { Switch, TextField } from '../ui/sheet-fields.tsx';
import { showToast } from '../ui/toast.tsx';
import { BlockWaiting, Refusal } from '../words/field-failure.tsx';
import { agoText } from '../words/time.ts';
import { TEXTS } from './texts.ts';

/** While a connection is being made. */
const POLL_MS = 5_000;
const PORTS = { plain: 1883, secured: 8883 } as const;

function stateText({ enabled, last }: MqttState): string {
  if (!enabled) return TEXTS.mqttOff;
  return last === null ? TEXTS.mqttWaiting : TEXTS.mqttLast(last.message, agoText(last.at, now.value));
}

const isNamed = (path: string | undefined): path is keyof typeof TEXTS.mqttWrong =>
  path !== undefined && Object.hasOwn(TEXTS.mqttWrong, path);

/** The service calls the fields by their names in its API. */
function refusalText({ path, message }: ApiFailure): string {
  return isNamed(path) ? TEXTS.mqttWrong[path] : message;
}

function BrokerForm({ state, onClose }: { state: MqttState; onClose: () => void }) {
  const [host, setHost] = useState(state.host);
  const [port, setPort] = useState(String(state.port));
  const [tls, setTls] = useState(state.tls);
  const [user, setUser] = useState(state.user);
  const [password, setPassword] = useState('');
  const [prefix, setPrefix] = useState(state.prefix);
  const [failure, setFailure] = useState<ApiFailure>();
  const [busy, setBusy] = useState(false);
  const changeTls = (): void => {
    const [from, to] = tls ? [PORTS.secured, PORTS.plain] : [PORTS.plain, PORTS.secured];
    if (port === String(from)) setPort(String(to));
    setTls(!tls);
  };
  const save = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await putMqtt({
        ...{ enabled: true, host: host.trim(), port: Number(port), tls, user: user.trim(), prefix },
        ...(password === '' ? {} : { password }),
      });
      showToast(TEXTS.saved);
      onClose();
    } catch (error) {
      setFailure(asFailure(error));
      setBusy(false);
    }
  };
  const of = (path: string): boolean => failure?.path === path;
  return (
    <Sheet title={TEXTS.mqtt} onClose={onClose}>
      <form
        class="target-form stack gap-100"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label={TEXTS.mqttHost}
          value={host}
          kind="url"
          placeholder="homeassistant.local"
          failed={of('host')}
          onInput={setHost}
        />
        <TextField label={TEXTS.mqttPort} value={port} kind="numeric" failed={of('port')} onInput={setPort} />
        <Switch label={TEXTS.mqttTls} on={tls} onPress={changeTls} />
        <TextField label={TEXTS.mqttUser} value={user} failed={of('user')} onInput={setUser} />
        <TextField
          label={state.hasPassword ? TEXTS.mqttKeepPassword : TEXTS.mqttPassword}
          value={password}
          kind="password"
          failed={of('password')}
          onInput={setPassword}
        />
        <TextField label={TEXTS.mqttPrefix} value={prefix} failed={of('prefix')} onInput={setPrefix} />
        <Refusal text={failure === undefined ? undefined : refusalText(failure)} />
        <button type="submit" class="button button-main" disabled={busy}>
          {TEXTS.mqttSave}
        </button>
      </form>
    </Sheet>
  );
}

export function MqttBlock() {
  const { value, failure, renew } = useQuery({ ...MQTT, poll: POLL_MS });
  const [isOpen, setOpen] = useState(false);
  const [refused, setRefused] = useState<string>();
  if (value === undefined) return <BlockWaiting failure={failure} />;
  const end = async (): Promise<void> => {
    const { hasPassword: _, isConnected: _connected, last: _last, ...broker } = value;
    setRefused(undefined);
    try {
      await putMqtt({ ...broker, enabled: false });
      await renew();
    } catch (error) {
      setRefused(asFailure(error).message);
    }
  };
  const isBad = value.enabled && value.last?.ok === false;
  return (
    <>
      <ul class="below-75 above-75 stack">
        <li class="access-row line-above wrap line">
          {value.enabled ? (
            <b>
              <bdi>{`${value.host}:${value.port}`}</bdi>
            </b>
          ) : null}
          <span class="basis-16 note tone-text" role="status" data-tone={isBad ? 'bad' : undefined}>
            {stateText(value)}
          </span>
          <span class="flex wrap gap-50">
            <button type="button" class="button button-small" onClick={() => setOpen(true)}>
              {value.enabled ? TEXTS.mqttChange : TEXTS.mqttBegin}
            </button>
            {value.enabled ? (
              <button type="button" class="button button-small" onClick={() => void end()}>
                {TEXTS.mqttEnd}
              </button>
            ) : null}
          </span>
        </li>
      </ul>
      <Refusal text={refused} />
      {isOpen ? (
        <BrokerForm
          state={value}
          onClose={() => {
            setOpen(false);
            void renew();
          }}
        />
      ) : null}
    </>
  );
}
