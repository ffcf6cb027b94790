/** Parses untyped JSON field by field; errors contain the path of the field. */

/** Unknown scenario or channel, or an invalid file; the message is shown to the user. */
export class ScenarioError extends Error {}

/** A value and its path in the file. */
export class Field {
  constructor(
    private readonly value: unknown,
    readonly path: string,
  ) {}

  wrong(expected: string): ScenarioError {
    const shown = this.value === undefined ? 'ありません' : `${JSON.stringify(this.value)} です`;
    return new ScenarioError(`${this.path || '(全体)'}: ${expected}が必要ですが、${shown}`);
  }

  get isAbsent(): boolean {
    return this.value === undefined;
  }

  /** The members of an object; a member that is not in `known` is an error, because it is often misspelt. */
  object<K extends string>(known: readonly K[]): Record<K, Field> {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.wrong('オブジェクト');
    const members = value as Record<string, unknown>;
    const unknownKey = Object.keys(members).find((key) => !known.some((name) => name === key));
    if (unknownKey !== undefined) throw new ScenarioError(`${this.#below(unknownKey)}: 知らない項目です`);
    const fields = known.map((key) => [key, new Field(members[key], this.#below(key))] as const);
    return Object.fromEntries(fields) as Record<K, Field>;
  }

  /** One member of an object, whatever the others are. */
  member(key: string): Field {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.wrong('オブジェクト');
    return new Field((value as Record<string, unknown>)[key], this.#below(key));
  }

  #below(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`;
  }

  list<T>(read: (item: Field) => T, minimum = 0): T[] {
    if (!Array.isArray(this.value) || this.value.length < minimum)
      throw this.wrong(`${minimum} 個以上の配列`);
    return this.value.map((item, index) => read(new Field(item, `${this.path}[${index}]`)));
  }

  text(): string {
    if (typeof this.value !== 'string') throw this.wrong('文字列');
    return this.value;
  }

  integer(minimum: number, maximum: number): number {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < minimum || value > maximum) {
      throw this.wrong(`${minimum} から ${maximum} までの整数`);
    }
    return value;
  }

  number(minimum: number): number {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < minimum)
      throw this.wrong(`${minimum} 以上の数`);
    return value;
  }

  oneOf<T extends string>(values: readonly T[]): T {
    const found = values.find((value) => value === this.value);
    if (found === undefined) throw this.wrong(`${values.join(', ')} のどれか`);
    return found;
  }

  get isText(): boolean {
    return typeof this.value === 'string';
  }

  get isBoolean(): boolean {
    return typeof this.value === 'boolean';
  }

  get isNumber(): boolean {
    return typeof this.value === 'number';
  }

  boolean(): boolean {
    if (typeof this.value !== 'boolean') throw this.wrong('true か false');
    return this.value;
  }

  /** A value to use if the field is absent. */
  or<T>(fallback: T, read: (field: Field) => T): T {
    return this.isAbsent ? fallback : read(this);
  }
}
