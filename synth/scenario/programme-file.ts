/** Programmes of a scenario file, and validation of texts that broadcasts can carry. */
import { eventId, networkId, serviceId } from '../../lib/arib/ids.ts';
import { inClockRange } from '../clock.ts';
import { encodeText } from '../text/encode.ts';
import { type Field, ScenarioError } from './fields.ts';
import {
  AUDIO_MODES,
  type Interruption,
  type ListedProgramme,
  type ListedSeries,
  type StationReference,
} from './model.ts';

const MAX_ID = 0xffff;
const DAY_SEC = 86_400;

/** Text that broadcasts can carry, encoded in at most this many bytes. @throws ScenarioError */
export function broadcastText(field: Field, limit: number): string {
  const text = field.text();
  try {
    if (encodeText(text).length > limit) throw field.wrong(`放送の符号で ${limit} バイト以内の文字列`);
  } catch (error) {
    if (error instanceof RangeError) throw new ScenarioError(`${field.path}: ${error.message}`);
    throw error;
  }
  return text;
}

function readMoment(field: Field): number {
  const text = field.text();
  const at = Date.parse(text);
  if (!inClockRange(at)) throw field.wrong('ISO 8601 の日時');
  return at;
}

function readReference(field: Field): StationReference {
  const { networkId: network, serviceId: service } = field.object(['networkId', 'serviceId']);
  return {
    ...(network.isAbsent ? {} : { networkId: networkId(network.integer(1, MAX_ID)) }),
    serviceId: serviceId(service.integer(1, MAX_ID)),
  };
}

const SERIES_FIELDS = ['id', 'name', 'episode', 'lastEpisode', 'repeatLabel', 'pattern'] as const;
/** Episodes are counted with 12 bits. */
const MAX_EPISODE = 0xfff;

function readSeries(field: Field): ListedSeries {
  const { id, name, episode, lastEpisode, repeatLabel, pattern } = field.object(SERIES_FIELDS);
  return {
    id: id.integer(0, MAX_ID),
    name: broadcastText(name, 200),
    episode: episode.or(0, (given) => given.integer(0, MAX_EPISODE)),
    lastEpisode: lastEpisode.or(0, (given) => given.integer(0, MAX_EPISODE)),
    repeatLabel: repeatLabel.or(0, (given) => given.integer(0, 15)),
    pattern: pattern.or(2, (given) => given.integer(0, 7)),
  };
}

function readInterruption(field: Field): Interruption {
  const { afterSec, forSec, title, newId } = field.object(['afterSec', 'forSec', 'title', 'newId']);
  return {
    afterSec: afterSec.integer(1, DAY_SEC),
    forSec: forSec.integer(1, DAY_SEC),
    title: broadcastText(title, 80),
    newId: newId.or(false, (given) => given.boolean()),
  };
}

/** Readers of the optional fields of a programme. */
const OPTIONAL = {
  startAt: readMoment,
  eventId: (field: Field) => eventId(field.integer(0, MAX_ID)),
  overrunSec: (field: Field) => field.integer(1, DAY_SEC),
  overrunSteps: (field: Field) => field.integer(1, 100),
  noticeSec: (field: Field) => field.integer(0, DAY_SEC),
  undefinedEnd: (field: Field) => field.boolean(),
  cancelled: (field: Field) => broadcastText(field, 80),
  interruption: readInterruption,
  relayTo: readReference,
  movedFrom: readReference,
  sharedWith: (field: Field) => field.list((id) => serviceId(id.integer(1, MAX_ID)), 1),
  copyControl: (field: Field) => field.oneOf(['free', 'once', 'never'] as const),
  isFree: (field: Field) => field.boolean(),
  sound: (field: Field) => field.oneOf(AUDIO_MODES),
  audioCount: (field: Field) => field.integer(1, 8),
  captions: (field: Field) => field.boolean(),
  kind: (field: Field) => field.oneOf(['video', 'film'] as const),
  pause: (field: Field) => (field.isBoolean ? field.boolean() : field.oneOf(['silent'] as const)),
  minimumAge: (field: Field) => field.integer(4, 20),
  notes: (field: Field) => field.list((note) => note.integer(0, 0xff)),
  series: readSeries,
} satisfies { [K in keyof ListedProgramme]?: (field: Field) => Exclude<ListedProgramme[K], undefined> };

const REQUIRED = ['durationSec', 'title', 'description', 'items', 'genres'] as const;
const FIELDS = [...REQUIRED, ...(Object.keys(OPTIONAL) as (keyof typeof OPTIONAL)[])] as const;

/** @throws ScenarioError naming the invalid field */
export function readProgramme(field: Field): ListedProgramme {
  const fields = field.object(FIELDS);
  const { durationSec, title, description, items, genres } = fields;
  const given = Object.entries(OPTIONAL)
    .map(([name, read]) => [fields[name as keyof typeof OPTIONAL], name, read] as const)
    .filter(([own]) => !own.isAbsent)
    .map(([own, name, read]) => [name, read(own)] as const);
  const { interruption } = fields;
  const lengthSec = durationSec.integer(1, 99 * 3600);
  const others = ['overrunSec', 'cancelled', 'undefinedEnd'] as const;
  if (!interruption.isAbsent) {
    if (readInterruption(interruption).afterSec >= lengthSec)
      throw interruption.wrong('番組の長さより前の中断');
    if (others.some((name) => !fields[name].isAbsent)) throw interruption.wrong('延長や中止のない番組の中断');
  }
  return {
    durationSec: lengthSec,
    title: broadcastText(title, 80),
    description: description.or('', (text) => broadcastText(text, 160)),
    items: items.or([], (list) =>
      list.list((item) => {
        const { heading, text } = item.object(['heading', 'text']);
        return { heading: broadcastText(heading, 16), text: broadcastText(text, 2_000) };
      }),
    ),
    genres: genres.or([[0xf, 0xf]], (list) =>
      list.list((genre): [number, number] => {
        const [level1 = 0xf, level2 = 0xf] = genre.list((nibble) => nibble.integer(0, 15), 2);
        return [level1, level2];
      }, 1),
    ),
    ...Object.fromEntries(given),
  };
}
