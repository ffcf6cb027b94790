/** Reception test of one channel, for adjusting the antenna: seconds instead of a scan of minutes. */
import { useState } from 'preact/hooks';
import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { ReceptionTest, ReceptionTestRequest } from '../../lib/wire/api.ts';
import { KEY_FAILURE_WORDS } from '../../lib/wire/key-failure.ts';
import { type ApiFailure, asFailure, testReception } from '../query/api.ts';
import { Icon } from '../ui/icon.tsx';
import { firstStation, TYPE_NAMES } from '../words/tuner.ts';
import { TunerLines } from '../words/tuner-holders.tsx';
import { SignalBar } from './signal-bar.tsx';
import { TEXTS } from './texts.ts';

type BroadcastType = Channel['type'];

/** Before any scan: every channel of terrestrial broadcasting, and of each satellite two that everybody receives. */
const WITHOUT_SCAN: Readonly<Record<BroadcastType, readonly string[]>> = {
  GR: Array.from({ length: 50 }, (_, index) => `T${index + 13}`),
  BS: ['BS15_0', 'BS01_0'],
  CS: ['CS08', 'CS16'],
};

/** The channels to choose from, by kind of broadcast. */
function testableChannels(
  channels: readonly Channel[],
  tuners: readonly Tuner[],
): { type: BroadcastType; channels: readonly string[] }[] {
  return BROADCAST_TYPES.filter((type) =>
    tuners.some((tuner) => !tuner.disabled && tuner.types.includes(type)),
  ).map((type) => {
    const known = channels.filter((channel) => channel.type === type).map(({ channel }) => channel);
    return { type, channels: known.length > 0 ? known : WITHOUT_SCAN[type] };
  });
}

function Result({ result, name }: { result: ReceptionTest; name: string }) {
  const { received, message, tuner, stats, keyFailure } = result;
  const errors = stats === null ? 0 : stats.continuityErrors + stats.transportErrors + stats.syncErrors;
  const key = keyFailure === null ? undefined : KEY_FAILURE_WORDS[keyFailure];
  return (
    <div class="test-result stack gap-50 above-75" role="status">
      <p class={received ? 'bold gap-50 hstack text-good' : 'bold gap-50 hstack text-danger'}>
        <Icon name={received ? 'check' : 'alert'} />
        {received ? TEXTS.received(name) : TEXTS.notReceived(name, message ?? '')}
      </p>
      <SignalBar of={{ signal: result.signal, tuned: { type: result.type, channel: result.channel } }} />
      {tuner === null ? null : (
        <p class="note">
          {TEXTS.testedWith(tuner.name)}
          {received && errors > 0 ? TEXTS.damaged(errors.toLocaleString('ja-JP')) : ''}
          {received ? '' : TEXTS.checkAerial}
        </p>
      )}
      {received && key !== undefined ? (
        <p class="note text-danger">{TEXTS.notDescrambled(key.what, key.next)}</p>
      ) : null}
    </div>
  );
}

interface ReceptionTestsProps {
  readonly tuners: readonly Tuner[];
  readonly channels: readonly Channel[];
}

export function ReceptionTests({ tuners, channels }: ReceptionTestsProps) {
  const groups = testableChannels(channels, tuners);
  const [chosen, setChosen] = useState('');
  const [running, setRunning] = useState(false);
  const [result, setResult] = useState<ReceptionTest>();
  const [refused, setRefused] = useState<ApiFailure>();
  const all = groups.flatMap(({ type, channels: names }) => names.map((name) => `${type}/${name}`));
  const value = all.includes(chosen) ? chosen : (all[0] ?? '');
  const nameOf = ({ type, channel }: ReceptionTestRequest): string => {
    const station = firstStation(channels, type, channel);
    return station === undefined ? channel : TEXTS.channelOf(station, channel);
  };
  const run = async (): Promise<void> => {
    if (running) return;
    const [type = 'GR', channel = ''] = value.split('/') as [BroadcastType, string];
    setRunning(true);
    setResult(undefined);
    setRefused(undefined);
    try {
      setResult(await testReception({ type, channel }));
    } catch (error) {
      setRefused(asFailure(error));
    } finally {
      setRunning(false);
    }
  };
  if (groups.length === 0) return null;
  return (
    <section class="block" aria-labelledby="test-title">
      <header class="block-head">
        <h2 id="test-title">{TEXTS.test}</h2>
      </header>
      <p class="note">{TEXTS.testNote}</p>
      <div class="flex wrap gap-75 above-75">
        <select
          class="rule-input press-height basis-16"
          aria-label={TEXTS.testChannel}
          value={value}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          {groups.map(({ type, channels: names }) => (
            <optgroup key={type} label={TYPE_NAMES[type]}>
              {names.map((channel) => (
                <option key={channel} value={`${type}/${channel}`}>
                  {nameOf({ type, channel })}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <button type="button" class="button button-main" aria-disabled={running} onClick={() => void run()}>
          {running ? TEXTS.testing : TEXTS.testStart}
        </button>
      </div>
      {result === undefined ? null : <Result result={result} name={nameOf(result)} />}
      {refused === undefined ? null : (
        <div class="alert" role="alert">
          {refused.message}
          {refused.code === 'no_tuner' ? <TunerLines types={[value.split('/')[0] as BroadcastType]} /> : null}
        </div>
      )}
    </section>
  );
}
