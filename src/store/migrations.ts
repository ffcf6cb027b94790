/** Version of the tables in `schema.ts`. Databases of earlier versions get there by `schema-by-steps.ts`. */
export const FIRST_VERSION = 52;

/**
 * Changes of the tables since then, each in its own transaction; the first leads to version 53. A change is never
 * edited once it has landed: another one follows.
 */
export const CHANGES: readonly string[] = [];

/** Kept in `PRAGMA user_version`. */
export const SCHEMA_VERSION = FIRST_VERSION + CHANGES.length;
