/** Tuner devices of the server: used, unused, and unusable with the reason. */
import { useState } from 'preact/hooks';
import type { DetectedDevice, Tuner } from '../../lib/wire/agent.ts';
import { asFailure, putTuners } from '../query/api.ts';
import { DEVICES, TUNERS } from '../query/queries.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { showToast } from '../ui/toast.tsx';
import { useInOrder } from '../ui/use-in-order.ts';
import { Refusal } from '../words/field-failure.tsx';
import { TYPE_NAMES } from '../words/tuner.ts';
import { definitionOf } from './edit.tsx';
import { TEXTS } from './texts.ts';

interface LineProps {
  readonly device: DetectedDevice;
  readonly isUsed: boolean;
  readonly onAdd: () => void;
}

function DeviceLine({ device, isUsed, onAdd }: LineProps) {
  const { model, types, problem } = device;
  const canAdd = !isUsed && types.length > 0;
  return (
    <li class="device stack align-center round-m bordered pad-3">
      <span class="stack min-0 line-tight">
        <b>{model === '' ? device.device : model}</b>
        <small class="cluster muted gap-40">
          {model === '' ? null : device.device}
          {types.map((type) => (
            <span key={type} class="fill-quiet badge">
              {TYPE_NAMES[type]}
            </span>
          ))}
        </small>
      </span>
      {canAdd ? (
        <button
          type="button"
          class="button button-small"
          aria-label={TEXTS.useOf(device.device)}
          onClick={onAdd}
        >
          {TEXTS.use}
        </button>
      ) : isUsed && problem === null ? (
        <span class="state" data-tone="good">
          {TEXTS.inUse}
        </span>
      ) : null}
      {problem === null ? null : (
        <p
          class="all-columns flex gap-50 text-s text-danger tone-text"
          data-tone={problem.code === 'no_system' ? 'quiet' : 'bad'}
        >
          <Icon name="alert" />
          {problem.message}
        </p>
      )}
    </li>
  );
}

export function Devices({ tuners }: { tuners: readonly Tuner[] }) {
  const { value } = useQuery(DEVICES);
  const [refused, setRefused] = useState<string>();
  const devices = value?.devices ?? [];
  if (devices.length === 0) return null;
  const inOrder = useInOrder();
  const add = async ({ driver, device, types }: DetectedDevice): Promise<void> => {
    setRefused(undefined);
    const defined = entryOf(TUNERS).answer.peek().value ?? tuners;
    try {
      entryOf(TUNERS).put(await putTuners([...defined.map(definitionOf), { driver, device, types }]));
      showToast(TEXTS.added);
    } catch (error) {
      setRefused(asFailure(error).message);
    }
  };
  const unused = devices.filter(({ device }) => !tuners.some((tuner) => tuner.device === device));
  return (
    <details class="above-100" open={unused.length > 0 || devices.some(({ problem }) => problem !== null)}>
      <summary class="press note semibold">
        {TEXTS.devices} <span class="numbers">{devices.length}</span>
      </summary>
      <ul class="stack gap-50 above-75">
        {devices.map((device) => (
          <DeviceLine
            key={device.device}
            device={device}
            isUsed={!unused.includes(device)}
            // The list is sent as a whole: the next device waits for the answer to the one before.
            onAdd={() => inOrder(() => add(device))}
          />
        ))}
      </ul>
      <Refusal text={refused} />
    </details>
  );
}
