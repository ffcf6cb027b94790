/** The household's tuner definitions, as written, and completed with ids and names. */
import { BROADCAST_TYPES, type BroadcastType } from '../lib/arib/ids.ts';
import { plainName } from '../lib/host/plain-name.ts';
import type { TunerDefinition } from '../lib/wire/agent.ts';
import { BadValue } from './config/validate.ts';

interface Rankable {
  readonly types: readonly BroadcastType[];
  readonly disabled: boolean;
}

/**
 * Ranks of the tuners of one definition, in its order: tuners that support fewer types come first, equal counts
 * in the order in which their set of types first appears. Tuners of one rank support exactly the same types.
 * Disabled tuners have none.
 */
export function rankTuners(tuners: readonly Rankable[]): (number | null)[] {
  const sets = [...new Set(tuners.filter((tuner) => !tuner.disabled).map((tuner) => typeSet(tuner.types)))];
  const order = sets.sort((a, b) => a.split('+').length - b.split('+').length);
  return tuners.map((tuner) => (tuner.disabled ? null : order.indexOf(typeSet(tuner.types))));
}

/** Canonical spelling of a set of types, in any order. */
function typeSet(types: readonly BroadcastType[]): string {
  return [...new Set(types)].sort().join('+');
}

/** A definition with all fields. */
export interface TunerSettings {
  readonly id: string;
  readonly name: string;
  readonly driver: TunerDefinition['driver'];
  readonly device: string;
  readonly types: readonly BroadcastType[];
  readonly disabled: boolean;
  readonly lnb: boolean;
}

/** An id is also the value of a response header. */
const ID = /^[A-Za-z0-9._-]+$/;

/**
 * Completes definitions. A tuner without an id keeps the id of a known tuner of the same driver, device and types, in
 * order; otherwise it gets the first free one.
 * @throws BadValue naming the field that repeats an id or a device, or an id that is invalid in a header
 */
export function settleTuners(
  definitions: readonly TunerDefinition[],
  known: readonly TunerSettings[],
): TunerSettings[] {
  const taken = new Set<string>();
  const devices = new Set<string>();
  for (const [index, definition] of definitions.entries()) {
    if (definition.id !== undefined) {
      if (!ID.test(definition.id)) throw new BadValue(`[${index}].id`, '半角の英数字と . _ - にしてください');
      if (taken.has(definition.id))
        throw new BadValue(`[${index}].id`, `"${definition.id}" が重複しています`);
      taken.add(definition.id);
    }
    if (definition.driver === 'fake') continue;
    const device = `${definition.driver} ${definition.device}`;
    if (devices.has(device))
      throw new BadValue(`[${index}].device`, `"${definition.device}" が重複しています`);
    devices.add(device);
  }
  return definitions.map((definition) => {
    const id = definition.id ?? unusedKnownId(definition, known, taken) ?? freeId(definition.driver, taken);
    taken.add(id);
    return {
      id,
      name: plainName(definition.name ?? '') || id,
      driver: definition.driver,
      device: definition.device,
      types: BROADCAST_TYPES.filter((type) => definition.types.includes(type)),
      disabled: definition.disabled ?? false,
      lnb: definition.lnb ?? false,
    };
  });
}

/** Whether a tuning continues when its definition is replaced: only the name may differ. */
export function isSameEquipment(a: TunerSettings, b: TunerSettings): boolean {
  return (
    a.driver === b.driver &&
    a.device === b.device &&
    a.disabled === b.disabled &&
    a.lnb === b.lnb &&
    typeSet(a.types) === typeSet(b.types)
  );
}

function unusedKnownId(
  definition: TunerDefinition,
  known: readonly TunerSettings[],
  taken: ReadonlySet<string>,
): string | undefined {
  return known.find(
    (tuner) =>
      !taken.has(tuner.id) &&
      tuner.driver === definition.driver &&
      tuner.device === definition.device &&
      typeSet(tuner.types) === typeSet(definition.types),
  )?.id;
}

function freeId(driver: string, taken: ReadonlySet<string>): string {
  let number = 0;
  while (taken.has(`${driver}${number}`)) number += 1;
  return `${driver}${number}`;
}

const MAX_FAKE_TUNERS = 64;

/**
 * The equipment described by FAKE_TUNERS: `GR:4,BS+CS:4` is four tuners for GR and four for BS and CS.
 * @throws Error naming the entry with an invalid form
 */
export function parseFakeTuners(text: string): TunerDefinition[] {
  const definitions: TunerDefinition[] = [];
  const entries = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const entry of entries) {
    const [, set = '', count = ''] = /^([A-Z+]+):(\d{1,2})$/.exec(entry) ?? [];
    const names = set.split('+');
    const types = BROADCAST_TYPES.filter((type) => names.includes(type));
    if (types.length === 0 || types.length !== names.length) {
      throw new Error(`"${entry}" is not of the form GR:4 or BS+CS:4`);
    }
    for (let number = 0; number < Number(count); number += 1) {
      definitions.push({
        id: `${names.join('-').toLowerCase()}-${number}`,
        name: `${names.join('/')} ${number + 1}`,
        driver: 'fake',
        device: '',
        types,
      });
    }
  }
  if (definitions.length > MAX_FAKE_TUNERS) throw new Error(`more than ${MAX_FAKE_TUNERS} tuners`);
  const ids = new Set(definitions.map((definition) => definition.id));
  if (ids.size !== definitions.length) throw new Error('a set of types is given twice');
  return definitions;
}
