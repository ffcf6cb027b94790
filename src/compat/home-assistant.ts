/** What Home Assistant is told by MQTT discovery: entities of one device, their states, and events. Pure. */
import type { Summary } from '../../lib/wire/api.ts';
import type { Notice } from '../../lib/wire/notifications.ts';
import { NOTICE_EVENTS } from '../../lib/wire/vocabulary.ts';
import type { MqttMessage } from './mqtt-connection.ts';

interface HomeAssistantDevice {
  /** Constant for this service: letters, digits, `_`. */
  readonly id: string;
  readonly version: string;
  /** Of the discovery topics. */
  readonly prefix: string;
}

interface Entity {
  readonly component: 'binary_sensor' | 'sensor' | 'event';
  readonly key: string;
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

const value = (key: string): { value_template: string } => ({ value_template: `{{ value_json.${key} }}` });

const ENTITIES: readonly Entity[] = [
  {
    ...{ component: 'binary_sensor', key: 'recording', name: '録画中' },
    options: { ...value('recording'), device_class: 'running' },
  },
  {
    ...{ component: 'binary_sensor', key: 'problem', name: '問題' },
    options: { ...value('problem'), device_class: 'problem' },
  },
  {
    ...{ component: 'sensor', key: 'next_recording', name: '次の録画' },
    options: { ...value('next_recording'), device_class: 'timestamp' },
  },
  {
    ...{ component: 'sensor', key: 'next_title', name: '次に録画する番組' },
    options: { ...value('next_title'), icon: 'mdi:television-classic' },
  },
  {
    ...{ component: 'sensor', key: 'free_bytes', name: '録画の空き容量' },
    options: {
      ...value('free_bytes'),
      ...{ device_class: 'data_size', unit_of_measurement: 'B', state_class: 'measurement' },
    },
  },
  {
    ...{ component: 'sensor', key: 'tuners_free', name: '空きチューナー' },
    options: { ...value('tuners_free'), state_class: 'measurement', icon: 'mdi:antenna' },
  },
  {
    ...{ component: 'sensor', key: 'conflicts', name: '重なって録画できない予約' },
    options: { ...value('conflicts'), state_class: 'measurement', icon: 'mdi:calendar-alert' },
  },
  {
    ...{ component: 'event', key: 'notice', name: 'お知らせ' },
    options: { event_types: NOTICE_EVENTS, icon: 'mdi:bell' },
  },
];

const topicOf = ({ id }: Pick<HomeAssistantDevice, 'id'>, name: string): string => `svc/${id}/${name}`;

function configTopic({ id, prefix }: HomeAssistantDevice, { component, key }: Entity): string {
  return `${prefix}/${component}/${id}/${key}/config`;
}

/** One document for each entity, of the form that every version of Home Assistant reads. */
export function discoveryMessages(device: HomeAssistantDevice): MqttMessage[] {
  const { id, version } = device;
  return ENTITIES.map((entity) => ({
    topic: configTopic(device, entity),
    text: JSON.stringify({
      ...{ name: entity.name, unique_id: `${id}_${entity.key}`, object_id: `svc_${entity.key}` },
      state_topic: topicOf(device, entity.component === 'event' ? 'event' : 'state'),
      availability_topic: topicOf(device, 'availability'),
      ...entity.options,
      device: { identifiers: [id], name: 'svc', manufacturer: 'svc', sw_version: version },
      origin: { name: 'svc', sw_version: version },
    }),
    retained: true,
  }));
}

/** Home Assistant forgets the device. */
export function removalMessages(device: HomeAssistantDevice): MqttMessage[] {
  return ENTITIES.map((entity) => ({ topic: configTopic(device, entity), text: '', retained: true }));
}

export function availabilityMessage(device: Pick<HomeAssistantDevice, 'id'>, isOnline: boolean): MqttMessage {
  const text = isOnline ? 'online' : 'offline';
  return { topic: topicOf(device, 'availability'), text, retained: true };
}

/** Home Assistant shows a state of null as unknown. */
export function stateMessage(device: Pick<HomeAssistantDevice, 'id'>, summary: Summary): MqttMessage {
  const { recording, problem, nextRecordingAt, nextRecordingTitle, freeBytes } = summary;
  const state = {
    ...{ recording: recording > 0 ? 'ON' : 'OFF', problem: problem === null ? 'OFF' : 'ON' },
    next_recording: nextRecordingAt === null ? null : new Date(nextRecordingAt).toISOString(),
    // A state has at most 255 characters.
    next_title: nextRecordingTitle?.slice(0, 200) ?? null,
    ...{ free_bytes: freeBytes, tuners_free: summary.tunersFree, conflicts: summary.conflicts },
  };
  return { topic: topicOf(device, 'state'), text: JSON.stringify(state), retained: true };
}

/** Not retained: an event of the past is none after a restart of Home Assistant. */
export function noticeMessage(
  device: Pick<HomeAssistantDevice, 'id'>,
  { event, text, at }: Pick<Notice, 'event' | 'text' | 'at'>,
): MqttMessage {
  const body = JSON.stringify({ event_type: event, text, at: new Date(at).toISOString() });
  return { topic: topicOf(device, 'event'), text: body, retained: false };
}
