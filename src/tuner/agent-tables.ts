/**
 * Reads the agent's lists element by element: an agent of another version may have drivers, states and types that this
 * service does not know, or leave out what the specification does not require. Each tuner and channel is judged alone,
 * so that one of them never hides the others. Pure.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { BROADCAST_TYPES, type BroadcastType } from '../../lib/arib/ids.ts';
import {
  type Card,
  CardSchema,
  type Channel,
  ChannelSchema,
  ChannelsSchema,
  type DetectedDevices,
  DetectedDevicesSchema,
  type Tuner,
  TunerSchema,
} from '../../lib/wire/agent.ts';
import { japanese } from './agent-sentence.ts';

/** service_type of digital television. */
const TELEVISION = 0x01;

/** Said of a tuner or device where its agent has no sentence for users. */
const UNUSABLE = 'チューナーを使えません。接続と、svc-agent のログを確認してください。';

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it has the form of the schema, else the replacement. */
function valueOr<S extends TSchema, R>(schema: S, value: unknown, replacement: R): Static<S> | R {
  return Value.Check(schema, value) ? value : replacement;
}

const { properties } = TunerSchema;
const USER = properties.users.items;

/** @returns undefined for a value that is no list */
export function readTuners(answer: unknown): Tuner[] | undefined {
  if (!Array.isArray(answer)) return undefined;
  return answer.filter(isFields).map(readTuner);
}

function readTuner(fields: Fields, index: number): Tuner {
  const rank = valueOr(properties.rank, fields.rank, null);
  const users = (Array.isArray(fields.users) ? fields.users : []).filter(isFields).flatMap(readUser);
  const id = valueOr(properties.id, fields.id, `tuner${index}`);
  const optional = (['descrambling', 'retryAt', 'tunedInMs'] as const).filter(
    (name) => fields[name] !== undefined && Value.Check(properties[name], fields[name]),
  );
  return {
    id,
    name: valueOr(properties.name, fields.name, `チューナー${index + 1}`),
    driver: valueOr(properties.driver, fields.driver, ''),
    device: valueOr(properties.device, fields.device, ''),
    types: readTypes(fields.types),
    disabled: valueOr(properties.disabled, fields.disabled, rank === null),
    lnb: valueOr(properties.lnb, fields.lnb, false),
    rank,
    // An unknown state is none in which the tuner is known to fail: the agent refuses what it cannot do.
    state: valueOr(properties.state, fields.state, users.length > 0 ? 'tuned' : 'idle'),
    tuned: valueOr(properties.tuned, fields.tuned, null),
    users,
    signal: valueOr(properties.signal, fields.signal, null),
    stats: valueOr(properties.stats, fields.stats, null),
    descrambled: valueOr(properties.descrambled, fields.descrambled, false),
    error: typeof fields.error === 'string' ? (japanese(fields.error) ?? UNUSABLE) : null,
    ...Object.fromEntries(optional.map((name) => [name, fields[name]])),
  };
}

function readUser(fields: Fields): Tuner['users'] {
  if (typeof fields.use !== 'string') return [];
  const { priority, lagBytes } = USER.properties;
  return [
    {
      use: fields.use,
      priority: valueOr(priority, fields.priority, 0),
      lagBytes: valueOr(lagBytes, fields.lagBytes, 0),
    },
  ];
}

/** Unknown types are left out. An agent that names none decides itself what each tuner receives. */
function readTypes(value: unknown): BroadcastType[] {
  if (!Array.isArray(value)) return [...BROADCAST_TYPES];
  return BROADCAST_TYPES.filter((type) => value.includes(type));
}

export function readDevices(answer: unknown): DetectedDevices | undefined {
  if (!Value.Check(DetectedDevicesSchema, answer)) return undefined;
  return {
    devices: answer.devices.map((device) => {
      const { problem } = device;
      if (problem === null) return device;
      return { ...device, problem: { ...problem, message: japanese(problem.message) ?? UNUSABLE } };
    }),
  };
}

interface ReadChannels {
  readonly channels: Channel[];
  /** Elements that were not understood, as the agent sent them: they must survive when the table is stored again. */
  readonly others: readonly unknown[];
}

/** @returns undefined for a value that is no list of channels, or one of which nothing was understood */
export function readChannels(answer: unknown): ReadChannels | undefined {
  if (!Array.isArray(answer) || answer.length > (ChannelsSchema.maxItems ?? 0)) return undefined;
  const channels: Channel[] = [];
  const others: unknown[] = [];
  for (const element of answer) {
    const channel = isFields(element) ? withDefaults(element) : element;
    if (Value.Check(ChannelSchema, channel)) channels.push(channel);
    else others.push(element);
  }
  return channels.length === 0 && others.length > 0 ? undefined : { channels, others };
}

function withDefaults(fields: Fields): Fields {
  const station = { serviceType: TELEVISION, remoteControlKey: null };
  const { stations } = fields;
  return {
    ...{ tsid: null, networkId: null, ...fields },
    ...(Array.isArray(stations) ? { stations: stations.map((one) => ({ ...station, ...one })) } : {}),
  };
}

/** Words of a later agent for a fault become the general fault. */
export function readCard(answer: unknown): Card | undefined {
  if (!isFields(answer)) return undefined;
  const { state, failure } = CardSchema.properties;
  const card = {
    ...answer,
    state: valueOr(state, answer.state, 'error'),
    failure: valueOr(failure, answer.failure ?? null, 'card_error'),
  };
  return Value.Check(CardSchema, card) ? card : undefined;
}
