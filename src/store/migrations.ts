/** Version of the tables in `schema.ts`. Databases of earlier versions get there by `schema-by-steps.ts`. */
export const FIRST_VERSION = 52;

/**
 * Changes of the tables since then, each in its own transaction; the first leads to version 53. A change is never
 * edited once it has landed: another one follows.
 */
export const CHANGES: readonly string[] = [
  `
  -- Lists of recordings. \`recording_lists\` counts what changes their members or their order, and not, for example,
  -- the position of a viewer. \`shelf_S_W\`: number of recordings of that shelf that are watched (1) or not (0).
  INSERT OR IGNORE INTO counters VALUES ('recording_lists', 0), ('shelf_0_0', 0), ('shelf_0_1', 0), ('shelf_1_0', 0),
    ('shelf_1_1', 0), ('shelf_2_0', 0), ('shelf_2_1', 0);
  UPDATE counters SET value = (SELECT count(*) FROM recordings
    WHERE shelf = substr(counters.name, 7, 1) + 0 AND watched = substr(counters.name, 9, 1) + 0)
  WHERE name GLOB 'shelf_?_?';
  CREATE TRIGGER recording_listed AFTER UPDATE ON recordings
  WHEN (new.shelf, new.state, new.watched, new.start_at, new.title_key, new.duration_ms, new.bytes, new.station_id,
      new.rule_id, new.series_key, new.series_name, new.level, new.genres, new.protected)
    IS NOT (old.shelf, old.state, old.watched, old.start_at, old.title_key, old.duration_ms, old.bytes, old.station_id,
      old.rule_id, old.series_key, old.series_name, old.level, old.genres, old.protected) BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'recording_lists';
  END;
  CREATE TRIGGER recording_shelf_added AFTER INSERT ON recordings BEGIN
    UPDATE counters SET value = value + 1
    WHERE name IN ('recording_lists', 'shelf_' || new.shelf || '_' || new.watched);
  END;
  CREATE TRIGGER recording_shelf_changed AFTER UPDATE ON recordings
  WHEN (new.shelf, new.watched) IS NOT (old.shelf, old.watched) BEGIN
    UPDATE counters SET value = value - 1 WHERE name = 'shelf_' || old.shelf || '_' || old.watched;
    UPDATE counters SET value = value + 1 WHERE name = 'shelf_' || new.shelf || '_' || new.watched;
  END;
  CREATE TRIGGER recording_shelf_removed AFTER DELETE ON recordings BEGIN
    UPDATE counters SET value = value - 1 WHERE name = 'shelf_' || old.shelf || '_' || old.watched;
    UPDATE counters SET value = value + 1 WHERE name = 'recording_lists';
  END;
  -- Indexed texts are written in two steps, deleted and inserted.
  INSERT OR IGNORE INTO counters VALUES ('recording_documents', 0);
  CREATE TRIGGER recording_document_added AFTER INSERT ON recording_documents BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'recording_documents';
  END;
  CREATE TRIGGER recording_document_removed AFTER DELETE ON recording_documents BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'recording_documents';
  END;
  -- Lists of a station and of a rule are found and sorted by one covering index, too.
  DROP INDEX recordings_of_station;
  CREATE INDEX recordings_of_station ON recordings
    (station_id, shelf, start_at, id, rule_id, watched, series_key);
  DROP INDEX recordings_of_rule;
  CREATE INDEX recordings_of_rule ON recordings
    (rule_id, shelf, start_at, id, state, station_id, watched, series_key);
  `,
  `
  -- Files of recordings that are not where they were written, with their rows: they may come back.
  CREATE TABLE missing_files (
    recording_id INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    reason TEXT,                         -- of the recording before
    file TEXT,                           -- JSON: row of recording_files, as the next two; NULL: none
    part TEXT,
    data TEXT,
    PRIMARY KEY (recording_id, path)
  ) STRICT, WITHOUT ROWID;
  `,
];

/** Kept in `PRAGMA user_version`. */
export const SCHEMA_VERSION = FIRST_VERSION + CHANGES.length;
