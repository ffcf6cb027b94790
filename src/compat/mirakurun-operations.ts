/** The operations of the Mirakurun-compatible interface as a table, and their description (Swagger 2.0). */
import { VERSION } from '../../lib/host/version.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly type: 'integer' | 'string';
  readonly required?: true;
}

const path = (name: string, type: Parameter['type']): Parameter => ({
  ...{ in: 'path', name, type, required: true },
});
const query = (name: string, type: Parameter['type']): Parameter => ({ in: 'query', name, type });

const ID = path('id', 'integer');
const TYPE = path('type', 'string');
const CHANNEL = path('channel', 'string');
const SERVICE = path('sid', 'integer');
const INDEX = path('index', 'integer');
const STREAM = [
  { in: 'header', name: 'X-Mirakurun-Priority', type: 'integer' },
  query('decode', 'integer'),
] as const satisfies Parameter[];
const OF_CHANNELS = [query('type', 'string'), query('channel', 'string'), query('name', 'string')];
const OF_SERVICES = [
  ...[query('serviceId', 'integer'), query('networkId', 'integer'), query('name', 'string')],
  ...[query('type', 'integer'), query('channel.type', 'string'), query('channel.channel', 'string')],
];
const OF_PROGRAMS = [
  query('networkId', 'integer'),
  query('serviceId', 'integer'),
  query('eventId', 'integer'),
];
const OF_EVENTS = [query('resource', 'string'), query('type', 'string')];

/** Operation, method, path below `/api`, tag, parameters. The tag `stream`: clients do not wait for the end. */
const OPERATIONS = [
  ['getStatus', 'GET', '/status', 'status', []],
  ['checkVersion', 'GET', '/version', 'version', []],
  ['getTuners', 'GET', '/tuners', 'tuners', []],
  ['getTuner', 'GET', '/tuners/{index}', 'tuners', [INDEX]],
  ['getTunerProcess', 'GET', '/tuners/{index}/process', 'tuners', [INDEX]],
  ['killTunerProcess', 'DELETE', '/tuners/{index}/process', 'tuners', [INDEX]],
  ['getServices', 'GET', '/services', 'services', OF_SERVICES],
  ['getService', 'GET', '/services/{id}', 'services', [ID]],
  ['getLogoImage', 'GET', '/services/{id}/logo', 'services', [ID]],
  ['getServiceStream', 'GET', '/services/{id}/stream', 'stream', [ID, ...STREAM]],
  ['getChannels', 'GET', '/channels', 'channels', OF_CHANNELS],
  ['getChannelsByType', 'GET', '/channels/{type}', 'channels', [TYPE, ...OF_CHANNELS.slice(1)]],
  ['getChannel', 'GET', '/channels/{type}/{channel}', 'channels', [TYPE, CHANNEL]],
  ['getChannelStream', 'GET', '/channels/{type}/{channel}/stream', 'stream', [TYPE, CHANNEL, ...STREAM]],
  ['getServicesByChannel', 'GET', '/channels/{type}/{channel}/services', 'services', [TYPE, CHANNEL]],
  [
    ...(['getServiceByChannel', 'GET', '/channels/{type}/{channel}/services/{sid}', 'services'] as const),
    [TYPE, CHANNEL, SERVICE],
  ],
  [
    'getServiceStreamByChannel',
    'GET',
    '/channels/{type}/{channel}/services/{sid}/stream',
    'stream',
    [TYPE, CHANNEL, SERVICE, ...STREAM],
  ],
  ['getPrograms', 'GET', '/programs', 'programs', OF_PROGRAMS],
  ['getProgram', 'GET', '/programs/{id}', 'programs', [ID]],
  ['getProgramStream', 'GET', '/programs/{id}/stream', 'stream', [ID, ...STREAM]],
  ['getEvents', 'GET', '/events', 'events', []],
  ['getEventsStream', 'GET', '/events/stream', 'stream', OF_EVENTS],
] as const satisfies readonly (readonly [string, 'GET' | 'DELETE', string, string, readonly Parameter[]])[];

export type OperationId = (typeof OPERATIONS)[number][0];

interface Operation {
  readonly id: OperationId;
  readonly method: 'GET' | 'DELETE';
  /** With parameters in braces. */
  readonly path: string;
  readonly isStream: boolean;
}

export const MIRAKURUN_OPERATIONS: readonly Operation[] = OPERATIONS.map(([id, method, path, tag]) => ({
  ...{ id, method, path, isStream: tag === 'stream' },
}));

/** `/api/docs`. Every path has a list of parameters, also an empty one: clients spread it. */
export function swaggerDocument(): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, method, template, tag, parameters] of OPERATIONS) {
    paths[template] ??= { parameters: [] };
    paths[template][method.toLowerCase()] = {
      ...{ operationId, tags: [tag], parameters },
      responses: { default: { description: 'as Mirakurun 4.1' } },
    };
  }
  return {
    swagger: '2.0',
    info: { title: 'svc, compatible with Mirakurun', version: VERSION },
    ...{ basePath: '/api', produces: ['application/json'], paths },
  };
}
