/** The shape of a JSON value: what a client of one release may rely on in every later one. */

export interface Shape {
  /** Names of `typeof`, `null` and `array`, sorted. */
  readonly types: readonly string[];
  readonly fields?: Readonly<Record<string, Shape>>;
  /** Fields that only some of the objects have. */
  readonly optional?: readonly string[];
  /** Of an array, all elements merged; absent: it was empty. */
  readonly items?: Shape;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function mergeFields(one: Shape, other: Shape): Pick<Shape, 'fields' | 'optional'> {
  if (one.fields === undefined || other.fields === undefined) {
    const { fields, optional } = one.fields === undefined ? other : one;
    return { ...(fields === undefined ? {} : { fields }), ...(optional === undefined ? {} : { optional }) };
  }
  const names = [...new Set([...Object.keys(one.fields), ...Object.keys(other.fields)])];
  const fields: Record<string, Shape> = {};
  const optional = new Set([...(one.optional ?? []), ...(other.optional ?? [])]);
  for (const name of names) {
    const [a, b] = [one.fields[name], other.fields[name]];
    if (a === undefined || b === undefined) optional.add(name);
    fields[name] = a === undefined || b === undefined ? ((a ?? b) as Shape) : merged(a, b);
  }
  return { fields, ...(optional.size === 0 ? {} : { optional: [...optional].sort() }) };
}

function merged(one: Shape, other: Shape): Shape {
  const items =
    one.items === undefined || other.items === undefined ? undefined : merged(one.items, other.items);
  const item = items ?? one.items ?? other.items;
  return {
    types: [...new Set([...one.types, ...other.types])].sort(),
    ...mergeFields(one, other),
    ...(item === undefined ? {} : { items: item }),
  };
}

export function shapeOf(value: unknown): Shape {
  const types = [typeOf(value)];
  if (Array.isArray(value)) {
    const [first, ...rest] = value.map(shapeOf);
    return first === undefined ? { types } : { types, items: rest.reduce(merged, first) };
  }
  if (typeof value !== 'object' || value === null) return { types };
  const fields = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]));
  return { types, fields };
}

/** Where a value breaks what a client relies on; additional fields do not. */
export function breaks(shape: Shape, value: unknown, path = '$'): string[] {
  const type = typeOf(value);
  if (!shape.types.includes(type)) return [`${path}: ${type} in place of ${shape.types.join(' or ')}`];
  if (Array.isArray(value)) {
    const { items } = shape;
    return items === undefined ? [] : value.flatMap((one) => breaks(items, one, `${path}[]`));
  }
  if (type !== 'object') return [];
  const given = value as Record<string, unknown>;
  return Object.entries(shape.fields ?? {}).flatMap(([name, field]) => {
    if (Object.hasOwn(given, name)) return breaks(field, given[name], `${path}.${name}`);
    return shape.optional?.includes(name) === true ? [] : [`${path}.${name}: missing`];
  });
}
