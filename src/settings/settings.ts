/**
 * The current settings: stored values over defaults, validated on input. All keys with their schemas and defaults are
 * in one table, `lib/wire/settings.ts`; a feature that needs another key adds it there and reads it here by name.
 */
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type TSchema, Type, TypeGuard } from '@sinclair/typebox';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import {
  type RecordingFolder,
  SETTING_SCHEMAS,
  type SettingFacts,
  type SettingKey,
  type Settings as SettingValues,
  settingDefaults,
} from '../../lib/wire/settings.ts';
import { Failure } from '../model/failure.ts';
import { findMismatch, mismatchFailure, type SchemaMismatch } from '../model/schema-mismatch.ts';
import type { Hub } from '../notify/hub.ts';
import type { SettingStore } from '../store/setting-store.ts';

interface SettingsOptions {
  store: SettingStore;
  /** Facts that defaults depend on; may become known only after the start. */
  facts: () => SettingFacts;
  hub: Hub;
  log: Log;
  /** Why a folder cannot become a recording folder, Japanese; undefined: it can. */
  refusedFolder?: ((path: string) => Promise<string | undefined>) | undefined;
  now: WallClock;
}

type SettingListener = (changed: ReadonlySet<SettingKey>) => void;

const KEYS = Object.keys(SETTING_SCHEMAS) as SettingKey[];

function isKey(text: string): text is SettingKey {
  return Object.hasOwn(SETTING_SCHEMAS, text);
}

/** Requests must not have unknown fields, which would be typing errors. Responses may get further fields later. */
function closed(schema: TSchema): TSchema {
  if (TypeGuard.IsArray(schema)) return Type.Array(closed(schema.items), { ...schema });
  if (!TypeGuard.IsObject(schema)) return schema;
  return Type.Object(schema.properties, { ...schema, additionalProperties: false });
}

const ACCEPTED = new Map(KEYS.map((key) => [key, closed(SETTING_SCHEMAS[key])]));

/** The mismatch of a value with its key's schema; undefined if it matches. */
function mismatchOf(key: SettingKey, value: unknown): SchemaMismatch | undefined {
  // Inside an object, so that the message names the key.
  const schema = Type.Object({ [key]: ACCEPTED.get(key) ?? SETTING_SCHEMAS[key] });
  return findMismatch(schema, { [key]: value }, '設定');
}

/** A folder listed twice is an error. @throws Failure bad_request */
function checkFolders(folders: readonly RecordingFolder[]): void {
  const paths = folders.map(({ path }) => resolve(path));
  const again = paths.findIndex((path, index) => paths.indexOf(path) < index);
  if (again === -1) return;
  const message = `録画フォルダー「${paths[again]}」が重複しています。ひとつにしてください。`;
  throw new Failure('bad_request', message, { path: `recordingFolders.${again}.path` });
}

/** @throws Failure bad_request naming the first invalid field */
function readChanges(body: unknown): Map<SettingKey, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Failure('bad_request', '設定は JSON のオブジェクトで送ってください。');
  }
  const changes = new Map<SettingKey, unknown>();
  for (const [key, value] of Object.entries(body)) {
    if (!isKey(key)) {
      throw new Failure('bad_request', `「${key.slice(0, 64)}」という設定はありません。`, {
        path: key.slice(0, 64),
      });
    }
    const wrong = value === null ? undefined : mismatchOf(key, value);
    if (wrong !== undefined) throw mismatchFailure(wrong);
    if (key === 'recordingFolders' && value !== null) checkFolders(value);
    changes.set(key, value);
  }
  return changes;
}

export class SettingsService {
  readonly #listeners = new Set<SettingListener>();
  /** Only keys whose value is not the default. */
  #stored: Map<SettingKey, unknown>;

  constructor(private readonly options: SettingsOptions) {
    this.#stored = this.#load();
  }

  get<Key extends SettingKey>(key: Key): SettingValues[Key] {
    // Values in the map match their schemas.
    return (this.#stored.get(key) as SettingValues[Key] | undefined) ?? this.defaults()[key];
  }

  all(): SettingValues {
    return { ...this.defaults(), ...Object.fromEntries(this.#stored) };
  }

  defaults(): SettingValues {
    return settingDefaults(this.options.facts());
  }

  /**
   * `change` for requests: new recording folders are checked first. Existing ones are not, because an unavailable
   * disk must not prevent other settings from being changed.
   * @throws Failure bad_request naming the field
   */
  async changeJudged(body: unknown): Promise<SettingValues> {
    const folders = (readChanges(body).get('recordingFolders') ?? []) as readonly RecordingFolder[];
    const known = new Set(this.get('recordingFolders').map(({ path }) => resolve(path)));
    for (const [index, { path }] of folders.entries()) {
      if (known.has(resolve(path))) continue;
      const refused = await this.options.refusedFolder?.(path);
      if (refused === undefined) continue;
      const message = `録画フォルダー「${path}」を使えません: ${refused}。`;
      throw new Failure('bad_request', message, { path: `recordingFolders.${index}.path` });
    }
    return this.change(body);
  }

  /** Sets values by key; null resets one to its default. All or none. @throws Failure bad_request naming the field */
  change(body: unknown): SettingValues {
    const changes = readChanges(body);
    const before = this.all();
    this.options.store.put(changes, this.options.now());
    for (const [key, value] of changes) {
      if (value === null) this.#stored.delete(key);
      else this.#stored.set(key, value);
    }
    const after = this.all();
    const changed = new Set(KEYS.filter((key) => !isDeepStrictEqual(before[key], after[key])));
    if (changed.size > 0) this.#notifyListeners(changed);
    return after;
  }

  /** @returns a function that unsubscribes */
  onChange(listener: SettingListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #notifyListeners(changed: ReadonlySet<SettingKey>): void {
    this.options.log.info('settings changed', { keys: [...changed].join(' ') });
    for (const listener of [...this.#listeners]) {
      try {
        listener(changed);
      } catch (error) {
        this.options.log.error('settings listener failed', { error: String(error) });
      }
    }
    this.options.hub.changed('settings');
  }

  /** A value stored by another version that this one cannot use counts as not set, and stays in the file. */
  #load(): Map<SettingKey, unknown> {
    const stored = new Map<SettingKey, unknown>();
    for (const [key, value] of this.options.store.all()) {
      if (!isKey(key)) continue;
      const wrong = mismatchOf(key, value);
      if (wrong === undefined) stored.set(key, value);
      else this.options.log.warn('stored setting not usable, default taken', { path: wrong.path });
    }
    return stored;
  }
}
