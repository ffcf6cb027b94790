/**
 * The steps to the tables of version 52, one a version; a database of an earlier version applies those that it misses.
 * Not one octet of the SQL may change: a database that was created by the steps has its tables at the pages that they
 * lead to, and `recover.ts` finds them there.
 */
export const STEPS: readonly string[] = [
  `
  -- Stations are never deleted once something refers to them; hidden ones are not listed.
  CREATE TABLE stations (
    id INTEGER PRIMARY KEY,              -- network_id * 100000 + service_id
    type TEXT NOT NULL,                  -- GR, BS, CS
    network_id INTEGER NOT NULL,
    service_id INTEGER NOT NULL,
    transport_stream_id INTEGER,
    channel TEXT NOT NULL,               -- physical channel
    name TEXT NOT NULL,
    service_type INTEGER NOT NULL,
    remote_control_key INTEGER NOT NULL,
    hidden INTEGER NOT NULL DEFAULT 0,   -- absent from the last import
    seen_at INTEGER NOT NULL             -- epoch ms of the last import that had it
  ) STRICT;

  CREATE TABLE programs (
    id INTEGER PRIMARY KEY,              -- station_id * 100000 + event_id
    station_id INTEGER NOT NULL REFERENCES stations (id),
    event_id INTEGER NOT NULL,
    start_at INTEGER NOT NULL,           -- epoch ms
    end_at INTEGER NOT NULL,             -- epoch ms, exclusive
    open_end INTEGER NOT NULL,           -- 1: duration undefined, end_at is a guess
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    extended TEXT,                       -- JSON: heading to body
    genres TEXT NOT NULL,                -- JSON: [{lv1, lv2}]
    audios TEXT NOT NULL,                -- JSON: audio components
    video_type TEXT,
    video_resolution TEXT,
    is_free INTEGER NOT NULL,
    copy_never INTEGER NOT NULL,
    updated_at INTEGER NOT NULL          -- epoch ms
  ) STRICT;
  CREATE INDEX programs_of_station ON programs (station_id, start_at);
  CREATE INDEX programs_by_end ON programs (end_at);
  `,
  `
  -- Programmes as several tables, read at different times, say them together.
  ALTER TABLE programs ADD COLUMN groups TEXT NOT NULL DEFAULT '[]'; -- JSON: shared, relay, movement
  ALTER TABLE programs ADD COLUMN series TEXT;                       -- JSON; null = not declared
  ALTER TABLE programs ADD COLUMN on_air INTEGER NOT NULL DEFAULT 0; -- 1: present by the last present/following
  -- 1: not shown. Its time belongs to a programme that is better confirmed, or the station says that nothing is on;
  -- kept, because its own table still announces it and because reservations may refer to it.
  ALTER TABLE programs ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE programs ADD COLUMN search_name TEXT NOT NULL DEFAULT '';        -- searchText(name)
  ALTER TABLE programs ADD COLUMN search_description TEXT NOT NULL DEFAULT ''; -- searchText(description)
  -- Of the row's content: an event that came again unchanged is not written again. 0: unknown.
  ALTER TABLE programs ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE programs ADD COLUMN extended_digest INTEGER NOT NULL DEFAULT 0;

  -- How well the guide of a station is known.
  CREATE TABLE guide_coverage (
    station_id INTEGER PRIMARY KEY REFERENCES stations (id) ON DELETE CASCADE,
    read_at INTEGER,                      -- epoch ms of the last reading of its schedule that counted
    filled_until INTEGER,                 -- epoch ms: its schedule is stored without a gap up to here
    has_guide INTEGER NOT NULL DEFAULT 1  -- 0: read, and it announces no schedule
  ) STRICT;
  `,
  `
  -- What has a state of its own in lists that clients poll: each change of such a table counts here, so that an
  -- unchanged list is known without reading it.
  CREATE TABLE counters (
    name TEXT PRIMARY KEY,               -- origin: of this file, at random; else a table's name
    value INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO counters VALUES ('origin', abs(random() % 1000000007)),
    ('programs', 0), ('stations', 0), ('rules', 0), ('reservations', 0), ('recordings', 0);

  CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,                 -- JSON
    updated_at INTEGER NOT NULL          -- epoch ms
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    enabled INTEGER NOT NULL DEFAULT 1,
    disabled_reason TEXT,                -- why the service disabled it, for people
    priority INTEGER NOT NULL DEFAULT 1,
    dedupe INTEGER NOT NULL DEFAULT 0,   -- 1: of the same episode only the first airing
    conditions TEXT NOT NULL,            -- JSON; all that are set must hold
    margin_before INTEGER,               -- ms; null = the setting, as for the next three
    margin_after INTEGER,
    encode TEXT,
    keep_ts INTEGER,
    keep_newest INTEGER,                 -- null = all, as for the next
    keep_days INTEGER,
    created_at INTEGER NOT NULL,         -- epoch ms
    updated_at INTEGER NOT NULL
  ) STRICT;

  -- Says of its programme what it said when it was last seen: the guide forgets, reservations outlive it.
  CREATE TABLE reservations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    program_id INTEGER NOT NULL UNIQUE,
    station_id INTEGER NOT NULL REFERENCES stations (id),
    rule_id INTEGER REFERENCES rules (id) ON DELETE SET NULL, -- null: by hand
    state TEXT NOT NULL CHECK (state IN
      ('scheduled', 'conflict', 'skipped', 'missed', 'cancelled', 'recording', 'finished')),
    reason TEXT,                         -- why it is skipped, missed or in conflict, for people
    priority INTEGER NOT NULL,
    name TEXT NOT NULL,                  -- as broadcast
    description TEXT NOT NULL,
    start_at INTEGER NOT NULL,           -- epoch ms, of the programme, as the next
    end_at INTEGER NOT NULL,
    margin_before INTEGER,               -- ms; null = the setting, as for the next three
    margin_after INTEGER,
    encode TEXT,
    keep_ts INTEGER,
    tuner_type TEXT,                     -- where the plan puts it; null = nowhere
    tuner_rank INTEGER,
    blockers TEXT NOT NULL DEFAULT '[]',     -- JSON: reservations that a conflict lost against
    alternatives TEXT NOT NULL DEFAULT '[]', -- JSON: programmes that a conflict could take instead
    created_at INTEGER NOT NULL,         -- epoch ms
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX reservations_by_end ON reservations (end_at);
  CREATE INDEX reservations_of_rule ON reservations (rule_id);

  -- What a person cancelled and no rule may book again: the same title on the same physical channel, starting
  -- within 10 minutes of this.
  CREATE TABLE cancellations (
    id INTEGER PRIMARY KEY,
    rule_id INTEGER REFERENCES rules (id) ON DELETE CASCADE, -- null: it was booked by hand
    type TEXT NOT NULL,
    channel TEXT NOT NULL,
    title TEXT NOT NULL,                 -- in normal form, without marks
    start_at INTEGER NOT NULL,           -- epoch ms
    cancelled_at INTEGER NOT NULL        -- epoch ms
  ) STRICT;
  CREATE INDEX cancellations_by_place ON cancellations (type, channel, title, start_at);
  CREATE INDEX cancellations_of_rule ON cancellations (rule_id);

  CREATE TABLE recordings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    reservation_id INTEGER,              -- reservations are forgotten, recordings are not
    rule_id INTEGER REFERENCES rules (id) ON DELETE SET NULL,
    program_id INTEGER,                  -- null: imported
    station_id INTEGER NOT NULL REFERENCES stations (id),
    service_name TEXT NOT NULL,          -- the station's name at that time
    state TEXT NOT NULL CHECK (state IN ('recording', 'recorded', 'available', 'failed')),
    reason TEXT,                         -- why it failed, for people
    name TEXT NOT NULL,                  -- as broadcast
    description TEXT NOT NULL,
    extended TEXT,                       -- JSON: heading to body
    genres TEXT NOT NULL DEFAULT '[]',   -- JSON, as of programmes, as the next
    audios TEXT NOT NULL DEFAULT '[]',
    video_type TEXT,
    video_resolution TEXT,
    is_free INTEGER NOT NULL DEFAULT 1,
    start_at INTEGER NOT NULL,           -- epoch ms, of the programme, as the next
    end_at INTEGER NOT NULL,
    began_at INTEGER,                    -- epoch ms of the first byte
    duration_ms INTEGER,                 -- of the original stream; null while recording
    folder TEXT,                         -- all its files lie here under one stem
    stem TEXT,
    encode TEXT NOT NULL DEFAULT 'none', -- what is wanted of it, as the next
    keep_ts INTEGER NOT NULL DEFAULT 0,
    verdict TEXT,                        -- JSON: level, drops, gaps, head and tail; null = not judged
    cm_reliable INTEGER NOT NULL DEFAULT 0,
    resume_ms INTEGER,                   -- in the time of the original stream
    watched_at INTEGER,                  -- epoch ms
    binned_at INTEGER,                   -- epoch ms: reads as deleted, can be restored
    deleted_at INTEGER,                  -- epoch ms: its files are gone
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX recordings_by_start ON recordings (start_at);
  CREATE INDEX recordings_of_station ON recordings (station_id);
  CREATE INDEX recordings_of_rule ON recordings (rule_id);
  CREATE INDEX recordings_of_program ON recordings (program_id);
  CREATE INDEX recordings_deleted ON recordings (deleted_at) WHERE deleted_at IS NOT NULL;

  CREATE TABLE recording_files (
    recording_id INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    source TEXT NOT NULL CHECK (source IN ('encoded', 'alt', 'ts')),
    path TEXT NOT NULL,
    codec TEXT NOT NULL,                 -- av1, h264, mpeg2
    bytes INTEGER,                       -- null while it grows
    duration_ms INTEGER,
    created_at INTEGER NOT NULL,         -- epoch ms
    PRIMARY KEY (recording_id, source)
  ) STRICT, WITHOUT ROWID;

  -- Words are found by the one and two letters that they are made of. A document's number ascends with its start,
  -- so that an index gives its rows in the order of results. \`search_pending\` names what has changed since it was
  -- indexed; what is deleted leaves its index at once.
  CREATE TABLE search_pending (
    kind TEXT NOT NULL,                  -- program, recording
    id INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE program_documents (
    document INTEGER PRIMARY KEY,        -- start in s * 1000000 + a number of its own
    program_id INTEGER NOT NULL UNIQUE,
    title TEXT NOT NULL,                 -- in normal form, without marks
    text TEXT NOT NULL                   -- name and description in normal form
  ) STRICT;
  CREATE INDEX program_documents_by_title ON program_documents (title);
  CREATE TABLE recording_documents (
    document INTEGER PRIMARY KEY,
    recording_id INTEGER NOT NULL UNIQUE,
    text TEXT NOT NULL                   -- name, description and service name in normal form
  ) STRICT;
  CREATE VIRTUAL TABLE program_letters USING fts5 (
    letters, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii');
  CREATE VIRTUAL TABLE recording_letters USING fts5 (
    letters, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii');
  CREATE INDEX programs_by_start ON programs (start_at, end_at);
  INSERT INTO search_pending SELECT 'program', id FROM programs;

  CREATE TRIGGER program_added AFTER INSERT ON programs BEGIN
    INSERT OR IGNORE INTO search_pending VALUES ('program', new.id);
    UPDATE counters SET value = value + 1 WHERE name = 'programs';
  END;
  CREATE TRIGGER program_changed AFTER UPDATE ON programs
  WHEN (new.name, new.description, new.start_at) IS NOT (old.name, old.description, old.start_at) BEGIN
    INSERT OR IGNORE INTO search_pending VALUES ('program', new.id);
  END;
  CREATE TRIGGER program_touched AFTER UPDATE ON programs BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'programs';
  END;
  CREATE TRIGGER program_removed AFTER DELETE ON programs BEGIN
    DELETE FROM search_pending WHERE kind = 'program' AND id = old.id;
    DELETE FROM program_letters
      WHERE rowid = (SELECT document FROM program_documents WHERE program_id = old.id);
    DELETE FROM program_documents WHERE program_id = old.id;
    UPDATE counters SET value = value + 1 WHERE name = 'programs';
  END;
  CREATE TRIGGER recording_added AFTER INSERT ON recordings BEGIN
    INSERT OR IGNORE INTO search_pending VALUES ('recording', new.id);
    UPDATE counters SET value = value + 1 WHERE name = 'recordings';
  END;
  CREATE TRIGGER recording_changed AFTER UPDATE ON recordings
  WHEN (new.name, new.description, new.service_name, new.start_at)
    IS NOT (old.name, old.description, old.service_name, old.start_at) BEGIN
    INSERT OR IGNORE INTO search_pending VALUES ('recording', new.id);
  END;
  CREATE TRIGGER recording_touched AFTER UPDATE ON recordings BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'recordings';
  END;
  CREATE TRIGGER recording_removed AFTER DELETE ON recordings BEGIN
    DELETE FROM search_pending WHERE kind = 'recording' AND id = old.id;
    DELETE FROM recording_letters
      WHERE rowid = (SELECT document FROM recording_documents WHERE recording_id = old.id);
    DELETE FROM recording_documents WHERE recording_id = old.id;
    UPDATE counters SET value = value + 1 WHERE name = 'recordings';
  END;
  CREATE TRIGGER station_added AFTER INSERT ON stations BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'stations';
  END;
  CREATE TRIGGER station_touched AFTER UPDATE ON stations BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'stations';
  END;
  CREATE TRIGGER station_removed AFTER DELETE ON stations BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'stations';
  END;
  CREATE TRIGGER rule_added AFTER INSERT ON rules BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'rules';
  END;
  CREATE TRIGGER rule_touched AFTER UPDATE ON rules BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'rules';
  END;
  CREATE TRIGGER rule_removed AFTER DELETE ON rules BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'rules';
  END;
  CREATE TRIGGER reservation_added AFTER INSERT ON reservations BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'reservations';
  END;
  CREATE TRIGGER reservation_touched AFTER UPDATE ON reservations BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'reservations';
  END;
  CREATE TRIGGER reservation_removed AFTER DELETE ON reservations BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'reservations';
  END;
  `,
  `
  -- 1: absent from imports for so long that its guide and its bookings were given up; until it is seen again.
  ALTER TABLE stations ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;

  -- The best logo of each station that was received.
  CREATE TABLE logos (
    station_id INTEGER PRIMARY KEY REFERENCES stations (id) ON DELETE CASCADE,
    type INTEGER NOT NULL,               -- logo_type of ARIB STD-B21: its size
    version INTEGER,                     -- logo_version, 12 bits; null = the broadcast named none
    png BLOB NOT NULL,                   -- with its palette
    fetched_at INTEGER NOT NULL          -- epoch ms of the last time that it was received
  ) STRICT;
  -- The list of stations names their logos.
  CREATE TRIGGER logo_added AFTER INSERT ON logos BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'stations';
  END;
  CREATE TRIGGER logo_changed AFTER UPDATE OF png ON logos BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'stations';
  END;
  `,
  `
  -- A window of the guide looks back this far for what is still on (\`ORDINARY_MS\`); what is longer is few.
  DROP INDEX programs_of_station;
  CREATE INDEX programs_of_station ON programs (station_id, start_at, end_at);
  CREATE INDEX programs_long ON programs (station_id, start_at, end_at) WHERE end_at - start_at > 43200000;
  `,
  `
  -- Texts in normal form stand in \`program_documents\`.
  ALTER TABLE programs DROP COLUMN search_name;
  ALTER TABLE programs DROP COLUMN search_description;
  `,
  `
  -- Of an event that a station shares: the programme whose texts it shows, because its own table has none.
  ALTER TABLE programs ADD COLUMN borrows INTEGER;
  CREATE INDEX programs_borrowing ON programs (borrows) WHERE borrows IS NOT NULL;
  `,
  `
  -- The files of an original stream, in order: more than one when a folder ran full. Part 0 is being put together out
  -- of the others. Each is named here, on disk, before it is made.
  CREATE TABLE recording_parts (
    recording_id INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    part INTEGER NOT NULL,
    path TEXT NOT NULL,
    bytes INTEGER NOT NULL,              -- so many are measured
    PRIMARY KEY (recording_id, part)
  ) STRICT, WITHOUT ROWID;

  -- What was measured while recording, so far. Apart from \`recordings\`, whose every change makes lists be read anew.
  CREATE TABLE recording_measurements (
    recording_id INTEGER PRIMARY KEY REFERENCES recordings (id) ON DELETE CASCADE,
    measured TEXT NOT NULL               -- JSON: stretches, breaks, damage, sums
  ) STRICT;
  `,
  `
  ALTER TABLE recordings ADD COLUMN protected INTEGER NOT NULL DEFAULT 0; -- 1: no rule puts it into the bin
  -- What it is an episode of, read from its texts when it was begun; null: of nothing that has a name.
  ALTER TABLE recordings ADD COLUMN series_key TEXT;   -- in normal form
  ALTER TABLE recordings ADD COLUMN series_name TEXT;
  ALTER TABLE recordings ADD COLUMN episode TEXT;      -- for people
  -- 1: so damaged that its episode may be booked again (setting \`retryDamaged\`).
  ALTER TABLE recordings ADD COLUMN released INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE recordings ADD COLUMN wanted_from INTEGER; -- epoch ms of the wish, where it came after the start
  ALTER TABLE reservations ADD COLUMN note TEXT;       -- what happened to it by itself, for people
  CREATE INDEX recordings_of_series ON recordings (series_key, start_at) WHERE series_key IS NOT NULL;
  `,
  `
  ALTER TABLE recordings ADD COLUMN close_at INTEGER; -- epoch ms: ends by itself then; null: at its end
  -- How it ended, while it is not judged yet: finished, stopped, copy_never.
  ALTER TABLE recordings ADD COLUMN ended_as TEXT;
  ALTER TABLE recordings ADD COLUMN ended_at INTEGER; -- epoch ms

  -- Where a file of an original stream is not the plain continuation of what is before.
  CREATE TABLE recording_seams (
    recording_id INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    position INTEGER NOT NULL,           -- octets in the file before it
    kind TEXT NOT NULL,                  -- layout: the PMT changed; resumed: it was not written for a while
    at INTEGER NOT NULL,                 -- epoch ms
    PRIMARY KEY (recording_id, path, position)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- When a programme of a station last changed: so large the counter of \`programs\` was, or one less. A worker that
  -- holds the guide reads the stations anew that changed. (In a trigger the conflict clause of the statement that
  -- fired it would win over one of its own.)
  CREATE TABLE guide_changes (
    station_id INTEGER PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT;
  INSERT INTO guide_changes SELECT DISTINCT station_id, 0 FROM programs;
  CREATE TRIGGER guide_added AFTER INSERT ON programs BEGIN
    DELETE FROM guide_changes WHERE station_id = new.station_id;
    INSERT INTO guide_changes SELECT new.station_id, value FROM counters WHERE name = 'programs';
  END;
  CREATE TRIGGER guide_changed AFTER UPDATE ON programs BEGIN
    DELETE FROM guide_changes WHERE station_id = new.station_id;
    INSERT INTO guide_changes SELECT new.station_id, value FROM counters WHERE name = 'programs';
  END;
  CREATE TRIGGER guide_removed AFTER DELETE ON programs BEGIN
    DELETE FROM guide_changes WHERE station_id = old.station_id;
    INSERT INTO guide_changes SELECT old.station_id, value FROM counters WHERE name = 'programs';
  END;

  INSERT INTO counters VALUES ('cancellations', 0);
  CREATE TRIGGER cancellation_added AFTER INSERT ON cancellations BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'cancellations';
  END;
  CREATE TRIGGER cancellation_removed AFTER DELETE ON cancellations BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'cancellations';
  END;

  -- The damaged recording that this one is to replace (setting \`retryDamaged\`).
  ALTER TABLE reservations ADD COLUMN repeats INTEGER;
  `,
  `
  -- Lists of recordings. What a page is found and sorted by stands in one index a sort, so that no page, however deep,
  -- reads the rows themselves. Triggers keep the sums, whoever writes files.
  ALTER TABLE recordings ADD COLUMN files INTEGER NOT NULL DEFAULT 0;  -- that can be watched
  ALTER TABLE recordings ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;  -- of them and of further parts; of ended ones
  ALTER TABLE recordings ADD COLUMN title_key TEXT;    -- sorts by title; null = not written yet
  -- Where it is listed: 1 what can be watched and what is being recorded, 0 failed, 2 bin, null nowhere.
  ALTER TABLE recordings ADD COLUMN shelf INTEGER GENERATED ALWAYS AS (
    CASE WHEN deleted_at IS NOT NULL THEN NULL WHEN binned_at IS NOT NULL THEN 2 WHEN state = 'recording' THEN 1
      WHEN state = 'failed' OR files = 0 THEN 0 ELSE 1 END) VIRTUAL;
  ALTER TABLE recordings ADD COLUMN watched INTEGER GENERATED ALWAYS AS (watched_at IS NOT NULL) VIRTUAL;

  UPDATE recordings SET
    files = (SELECT count(*) FROM recording_files AS f WHERE f.recording_id = recordings.id),
    bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = recordings.id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = recordings.id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = recordings.id)), 0);
  CREATE TRIGGER recording_file_added AFTER INSERT ON recording_files BEGIN
    UPDATE recordings SET
      files = (SELECT count(*) FROM recording_files WHERE recording_id = new.recording_id),
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = new.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = new.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = new.recording_id)), 0)
      WHERE id = new.recording_id;
  END;
  CREATE TRIGGER recording_file_changed AFTER UPDATE ON recording_files BEGIN
    UPDATE recordings SET
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = new.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = new.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = new.recording_id)), 0)
      WHERE id = new.recording_id;
  END;
  CREATE TRIGGER recording_file_removed AFTER DELETE ON recording_files BEGIN
    UPDATE recordings SET
      files = (SELECT count(*) FROM recording_files WHERE recording_id = old.recording_id),
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = old.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = old.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = old.recording_id)), 0)
      WHERE id = old.recording_id;
  END;
  CREATE TRIGGER recording_renamed AFTER UPDATE OF name ON recordings WHEN new.name IS NOT old.name BEGIN
    UPDATE recordings SET title_key = NULL WHERE id = new.id;
  END;

  CREATE INDEX recordings_newest ON recordings
    (shelf, start_at, id, station_id, rule_id, watched, series_key);
  CREATE INDEX recordings_by_title ON recordings
    (shelf, title_key, start_at, id, station_id, rule_id, watched, series_key);
  CREATE INDEX recordings_unwatched ON recordings
    (shelf, watched, start_at DESC, id DESC, station_id, rule_id, series_key);
  CREATE INDEX recordings_longest ON recordings
    (shelf, duration_ms, start_at, id, station_id, rule_id, watched, series_key);
  CREATE INDEX recordings_largest ON recordings
    (shelf, bytes, start_at, id, station_id, rule_id, watched, series_key);
  DROP INDEX recordings_of_series;
  CREATE INDEX recordings_of_series ON recordings (series_key, shelf, start_at, id, station_id, rule_id, watched)
    WHERE series_key IS NOT NULL;
  CREATE INDEX recordings_protected ON recordings (start_at) WHERE protected = 1;
  CREATE INDEX recordings_unfinished ON recordings (id) WHERE state = 'recording';
  CREATE INDEX recordings_untitled ON recordings (id) WHERE title_key IS NULL;
  CREATE INDEX recordings_in_folder ON recordings (folder, shelf, bytes);
  CREATE INDEX recordings_binned ON recordings (binned_at) WHERE binned_at IS NOT NULL;
  CREATE INDEX recording_further_parts ON recording_parts (recording_id) WHERE part > 1;
  `,
  `
  ALTER TABLE recordings ADD COLUMN hold_until INTEGER; -- epoch ms: held open so long at least, beyond \`close_at\`
  `,
  `
  -- A part that is forgotten after the file that it was.
  CREATE TRIGGER recording_part_removed AFTER DELETE ON recording_parts BEGIN
    UPDATE recordings SET
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = old.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = old.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = old.recording_id)), 0)
      WHERE id = old.recording_id AND state <> 'recording';
  END;
  `,
  `
  -- Bit n: a genre of it is of major genre n; what names none is of the others (15). Of the first seven, which is as
  -- many as a programme names.
  ALTER TABLE recordings ADD COLUMN genre_bits INTEGER GENERATED ALWAYS AS (
    CASE WHEN json_valid(genres) THEN
      ifnull(1 << json_extract(genres, '$[0].lv1'), 1 << 15) | ifnull(1 << json_extract(genres, '$[1].lv1'), 0)
      | ifnull(1 << json_extract(genres, '$[2].lv1'), 0) | ifnull(1 << json_extract(genres, '$[3].lv1'), 0)
      | ifnull(1 << json_extract(genres, '$[4].lv1'), 0) | ifnull(1 << json_extract(genres, '$[5].lv1'), 0)
      | ifnull(1 << json_extract(genres, '$[6].lv1'), 0) ELSE 1 << 15 END) VIRTUAL;
  CREATE INDEX recordings_of_genre ON recordings (genre_bits);
  `,
  `
  -- How many each rule recorded is counted from the index alone.
  DROP INDEX recordings_of_rule;
  CREATE INDEX recordings_of_rule ON recordings (rule_id, shelf, state);
  `,
  `
  -- Where a folder of recordings was mounted when a file was last made in it: without that mount it is not there.
  CREATE TABLE recording_folders (
    path TEXT PRIMARY KEY,
    mount TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- How many of a series are damaged is counted from a small index: most recordings are complete.
  ALTER TABLE recordings ADD COLUMN level TEXT GENERATED ALWAYS AS (
    CASE WHEN json_valid(verdict) THEN json_extract(verdict, '$.level') END) VIRTUAL;
  CREATE INDEX recordings_imperfect ON recordings (series_key, level)
    WHERE series_key IS NOT NULL AND shelf = 1 AND level <> 'complete';
  `,
  `
  -- Apostrophes are one in the normal form of texts since: what has others is brought to it anew.
  INSERT OR IGNORE INTO search_pending
    SELECT 'program', id FROM programs WHERE name || description GLOB '*[‘’‛ʼ′´]*';
  INSERT OR IGNORE INTO search_pending
    SELECT 'recording', id FROM recordings
    WHERE name || description || service_name GLOB '*[‘’‛ʼ′´]*';
  UPDATE cancellations SET title = replace(replace(title, '‘', ''''), '’', '''')
    WHERE title GLOB '*[‘’]*';
  `,
  `
  -- An index that every programme of a first fill writes to, and that programs_by_start and programs_long replace.
  DROP INDEX programs_by_end;
  `,
  `
  -- Variants of kanji in names, and of signs, are one in searches since: what has them is indexed again.
  INSERT OR IGNORE INTO search_pending
    SELECT 'program', id FROM programs WHERE name || description GLOB '*[髙﨑嵜濵濱邊邉齋齊斎澤櫻國廣德惠眞龍瀧嶋嶌冨𠮷栁槇驒萬圓學條與壽榮禮淺藏應寬增曾彌豐瀨賴鷗蘆莊晉靜峯桒舘埜檜礒遙瑤堯凛黑關鹽戶瘦顏“”„‟″〝〞〟×]*';
  INSERT OR IGNORE INTO search_pending
    SELECT 'recording', id FROM recordings
    WHERE name || description || service_name GLOB '*[髙﨑嵜濵濱邊邉齋齊斎澤櫻國廣德惠眞龍瀧嶋嶌冨𠮷栁槇驒萬圓學條與壽榮禮淺藏應寬增曾彌豐瀨賴鷗蘆莊晉靜峯桒舘埜檜礒遙瑤堯凛黑關鹽戶瘦顏“”„‟″〝〞〟×]*';
  `,
  `
  -- A programme that moves out of its rule's time window stays booked: conditions of time are judged by this.
  ALTER TABLE reservations ADD COLUMN matched_at INTEGER; -- epoch ms: its start as its rule matched it; NULL: by hand
  UPDATE reservations SET matched_at = start_at WHERE rule_id IS NOT NULL;
  `,
  `
  -- Within an upsert the conflict clause of a trigger's own statement does not count (SQLite, "CREATE TRIGGER"): a row that
  -- changed twice before it was indexed failed the whole transaction.
  DROP TRIGGER program_added;
  DROP TRIGGER program_changed;
  DROP TRIGGER recording_added;
  DROP TRIGGER recording_changed;
  CREATE TRIGGER program_added AFTER INSERT ON programs BEGIN
    INSERT INTO search_pending SELECT 'program', new.id
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE kind = 'program' AND id = new.id);
    UPDATE counters SET value = value + 1 WHERE name = 'programs';
  END;
  CREATE TRIGGER program_changed AFTER UPDATE ON programs
  WHEN (new.name, new.description, new.start_at) IS NOT (old.name, old.description, old.start_at) BEGIN
    INSERT INTO search_pending SELECT 'program', new.id
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE kind = 'program' AND id = new.id);
  END;
  CREATE TRIGGER recording_added AFTER INSERT ON recordings BEGIN
    INSERT INTO search_pending SELECT 'recording', new.id
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE kind = 'recording' AND id = new.id);
    UPDATE counters SET value = value + 1 WHERE name = 'recordings';
  END;
  CREATE TRIGGER recording_changed AFTER UPDATE ON recordings
  WHEN (new.name, new.description, new.service_name, new.start_at)
    IS NOT (old.name, old.description, old.service_name, old.start_at) BEGIN
    INSERT INTO search_pending SELECT 'recording', new.id
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE kind = 'recording' AND id = new.id);
  END;
  `,
  `
  -- The row "continue watching": what has a position, last watched first.
  ALTER TABLE recordings ADD COLUMN resumed_at INTEGER; -- epoch ms at which \`resume_ms\` was last told
  UPDATE recordings SET resumed_at = updated_at WHERE resume_ms IS NOT NULL;
  CREATE INDEX recordings_resumed ON recordings (shelf, resumed_at, id) WHERE resume_ms IS NOT NULL;
  ALTER TABLE recordings ADD COLUMN poster_at INTEGER; -- epoch ms at which its picture was made; NULL: there is none
  `,
  `
  -- Pictures of a recording: poster and previews for seeking. Their files lie in a cache.
  ALTER TABLE recordings ADD COLUMN pictures INTEGER NOT NULL DEFAULT 0; -- 1: made, or cannot be made
  CREATE INDEX recordings_without_pictures ON recordings (start_at) WHERE pictures = 0 AND shelf = 1;
  `,
  `
  -- A document's recording without its text: a search of 40,000 recordings reads thousands of them.
  CREATE INDEX recording_documents_of ON recording_documents (document, recording_id);
  `,
  `
  -- A copy of this file does not use the recordings of its original (\`data-folder.ts\`).
  CREATE TABLE data_folder (
    path TEXT PRIMARY KEY                -- of this file when it was opened last, without links; one row
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE copied_recordings (
    recording_id INTEGER PRIMARY KEY REFERENCES recordings (id) ON DELETE CASCADE,
    original TEXT NOT NULL,              -- path of the database to which the files belong
    state TEXT NOT NULL,                 -- as in the original, as the next
    reason TEXT,
    files TEXT NOT NULL,                 -- JSON: rows of recording_files
    parts TEXT NOT NULL                  -- JSON: rows of recording_parts
  ) STRICT;
  `,
  `
  -- Where the commercials of recordings are. \`detected\` 1: they were looked for, or cannot be found.
  ALTER TABLE recordings ADD COLUMN detected INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX recordings_undetected ON recordings (start_at) WHERE detected = 0 AND shelf = 1;
  CREATE TABLE recording_chapters (
    recording_id INTEGER PRIMARY KEY REFERENCES recordings (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,            -- counts changes
    detected TEXT,                       -- JSON: segments in ms of media time; NULL: nothing yet
    corrected TEXT,                      -- JSON, as detected: what people say; NULL: nothing
    reliable INTEGER NOT NULL DEFAULT 0, -- more than silence speaks for what was detected
    confidence REAL,
    changes TEXT,                        -- JSON: places that a boundary may be moved to
    state TEXT NOT NULL,                 -- waiting, done, failed, cancelled
    reason TEXT,                         -- why it failed
    attempts INTEGER NOT NULL DEFAULT 0,
    requested_at INTEGER,                -- epoch ms; NULL: nobody asked
    updated_at INTEGER NOT NULL          -- epoch ms
  ) STRICT;
  `,
  `
  -- Login sessions: the cookie carries 32 random bytes, of which the hash is kept.
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: an approval may name it
    hash BLOB NOT NULL UNIQUE,           -- SHA-256
    subject TEXT NOT NULL,               -- \`sub\` of the ID token
    name TEXT NOT NULL,                  -- as the identity provider told it
    address TEXT NOT NULL,               -- of the client at the login
    agent TEXT NOT NULL,                 -- its User-Agent, cut
    created_at INTEGER NOT NULL,         -- epoch ms
    expires_at INTEGER NOT NULL          -- epoch ms
  ) STRICT;
  CREATE INDEX sessions_by_end ON sessions (expires_at);
  `,
  `
  -- Devices that ask for access, and those that have it. Codes and tokens are held as SHA-256 (hex) only.
  CREATE TABLE pairing_codes (
    id INTEGER PRIMARY KEY,
    device_hash TEXT NOT NULL UNIQUE,    -- of the code that the device polls with
    user_hash TEXT NOT NULL UNIQUE,      -- of the code in the address that its QR code shows
    name TEXT NOT NULL,                  -- as the device named itself
    expires_at INTEGER NOT NULL,         -- epoch ms
    approver TEXT,                       -- NULL: not approved
    consumed_at INTEGER                  -- epoch ms at which its token was handed over
  ) STRICT;
  CREATE INDEX pairing_codes_by_end ON pairing_codes (expires_at);
  CREATE TABLE access_tokens (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    paired_at INTEGER NOT NULL,          -- epoch ms, as the next two
    used_at INTEGER,                     -- written at most once a minute; NULL: never used
    revoked_at INTEGER,                  -- rows are never deleted
    approver TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- The encode queue and its history: a row each time that a recording is to be encoded. The log goes with the row.
  CREATE TABLE encodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    recording_id INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    state TEXT NOT NULL,                 -- waiting, running, done, failed, cancelled
    position INTEGER NOT NULL,           -- order in the queue
    codecs TEXT NOT NULL,                -- av1, h264, both
    keep_ts INTEGER NOT NULL,            -- 1: the original stays
    commercials TEXT NOT NULL,           -- chapters, cut, none
    quality TEXT NOT NULL,
    automatic INTEGER NOT NULL,          -- 1: queued by the end of its recording
    attempts INTEGER NOT NULL DEFAULT 0, -- that failed
    ready_at INTEGER NOT NULL,           -- epoch ms: not begun before
    work TEXT NOT NULL DEFAULT '[]',     -- JSON: files that are being made; removed unless a row of files names them
    message TEXT,                        -- why it failed, for people
    log TEXT NOT NULL DEFAULT '',
    results TEXT NOT NULL DEFAULT '[]',  -- JSON: codec, quality, length, size and time of each file that it made
    created_at INTEGER NOT NULL,         -- epoch ms, as the next two
    started_at INTEGER,
    ended_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX encodes_open ON encodes (recording_id) WHERE state IN ('waiting', 'running');
  CREATE INDEX encodes_of_recording ON encodes (recording_id, id);
  CREATE INDEX encodes_ended ON encodes (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE encode_queue (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    paused INTEGER NOT NULL
  ) STRICT;

  -- What an encoded file holds of its original stream, which may be gone.
  CREATE TABLE encoded_files (
    recording_id INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    source TEXT NOT NULL,                -- encoded, alt
    cuts TEXT,                           -- JSON: spans of the original stream that it holds, ms; NULL: all of it
    facts TEXT NOT NULL,                 -- JSON: sounds, stretches of the original stream, codecs
    PRIMARY KEY (recording_id, source)
  ) STRICT, WITHOUT ROWID;
  -- The captions file on the scale of the original stream, kept when that is removed.
  CREATE TABLE recording_captions (
    recording_id INTEGER PRIMARY KEY REFERENCES recordings (id) ON DELETE CASCADE,
    captions BLOB NOT NULL               -- JSON, gzip
  ) STRICT;
  `,
  `
  -- Logos of stations as they are found in their pictures, learnt from recordings.
  CREATE TABLE learnt_logos (
    station_id INTEGER NOT NULL,
    format TEXT NOT NULL,                -- of the picture: size and aspect
    recordings INTEGER NOT NULL,         -- from which it was learnt
    model BLOB NOT NULL,                 -- \`learnt-logo-store.ts\`
    updated_at INTEGER NOT NULL,         -- epoch ms
    PRIMARY KEY (station_id, format)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What a codec and a quality mean on this machine, of pieces that were encoded for it.
  CREATE TABLE encode_trials (
    codec TEXT NOT NULL,
    quality TEXT NOT NULL,
    encoder TEXT NOT NULL,
    length_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    took_ms INTEGER NOT NULL,
    measured_at INTEGER NOT NULL,        -- epoch ms
    PRIMARY KEY (codec, quality)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Why the service disabled a rule, as a code (JSON) in place of a sentence.
  UPDATE rules SET disabled_reason = CASE
    WHEN disabled_reason LIKE '条件がないため%' THEN '{"code":"no_conditions"}'
    WHEN disabled_reason LIKE '正規表現の処理に時間がかかりすぎる%' THEN '{"code":"too_costly"}'
    WHEN disabled_reason LIKE '正規表現:%' THEN '{"code":"bad_expression"}'
    ELSE json_object('code', 'text', 'text', disabled_reason) END
  WHERE disabled_reason IS NOT NULL;
  `,
  `
  -- Those that somebody asked for are looked at first: found without reading all that nobody has looked at.
  CREATE INDEX recording_chapters_requested ON recording_chapters (requested_at) WHERE requested_at IS NOT NULL;
  `,
  `
  -- Whose posters are looked for at every start, without reading every recording.
  CREATE INDEX recordings_with_poster ON recordings (id) WHERE poster_at IS NOT NULL AND deleted_at IS NULL;
  `,
  `
  -- What becomes of the commercials (chapters, cut, none); NULL: as the setting says.
  ALTER TABLE rules ADD COLUMN commercials TEXT;
  ALTER TABLE reservations ADD COLUMN commercials TEXT;
  ALTER TABLE recordings ADD COLUMN commercials TEXT;
  -- Those that are looked at whatever the setting says.
  CREATE INDEX recordings_undetected_wanted ON recordings (start_at)
    WHERE detected = 0 AND shelf = 1 AND commercials IS NOT NULL;
  `,
  `
  -- Why an encode failed, was put off or keeps its original, as a code (JSON) in place of a sentence.
  UPDATE encodes SET message = CASE message
    WHEN 'CMの位置が確実でないため、CMをカットせず、元の録画も残しました。' THEN '{"code":"commercials"}'
    WHEN '先に変換したファイルとCMの扱いが違うため、元の録画も残しました。' THEN '{"code":"otherwise"}'
    WHEN '変換したファイルに欠けている部分があるため、元の録画も残しました。' THEN '{"code":"lossy"}'
    WHEN '録画の一部を再生できないため、元の録画も残しました。' THEN '{"code":"short"}'
    WHEN '録画の途中で映像か音声の方式が変わるため、変換できません。元の録画はそのまま残っています。' THEN '{"code":"codec"}'
    WHEN 'この録画には変換できる映像や音声がありません。' THEN '{"code":"unplayable"}'
    WHEN '録画ファイルを読み取れませんでした。フォルダーとディスクを確認してください。' THEN '{"code":"unreadable"}'
    WHEN '変換が途中で止まったため、中止しました。元の録画はそのまま残っています。' THEN '{"code":"stalled"}'
    WHEN '変換に失敗しました。元の録画はそのまま残っています。記録を確認してください。' THEN '{"code":"encoder"}'
    WHEN '変換したファイルに問題が見つかったため、使いません。元の録画はそのまま残っています。' THEN '{"code":"verify"}'
    WHEN 'ディスクの空きが足りないため、変換を待っています。空きを増やすと再開します。' THEN '{"code":"full"}'
    WHEN '録画フォルダーが見つからないため、変換を待っています。' THEN '{"code":"away"}'
    WHEN '字幕を読み取れるまで、変換を待っています。' THEN '{"code":"captions"}'
    WHEN '録画が削除されたため、変換を中止しました。' THEN '{"code":"gone"}'
    WHEN '変換を中止しました。' THEN '{"code":"stopped"}'
    ELSE json_object('code', 'text', 'text', message) END
  WHERE message IS NOT NULL;
  `,
  `
  -- Searches find words of a programme's extended text, after those of its name, which have an index of their own.
  CREATE VIRTUAL TABLE program_name_letters USING fts5 (
    letters, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii');
  DROP TRIGGER program_changed;
  DROP TRIGGER program_removed;
  CREATE TRIGGER program_changed AFTER UPDATE ON programs
  WHEN (new.name, new.description, new.extended, new.start_at)
    IS NOT (old.name, old.description, old.extended, old.start_at) BEGIN
    INSERT INTO search_pending SELECT 'program', new.id
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE kind = 'program' AND id = new.id);
  END;
  CREATE TRIGGER program_removed AFTER DELETE ON programs BEGIN
    DELETE FROM search_pending WHERE kind = 'program' AND id = old.id;
    DELETE FROM program_letters
      WHERE rowid = (SELECT document FROM program_documents WHERE program_id = old.id);
    DELETE FROM program_name_letters
      WHERE rowid = (SELECT document FROM program_documents WHERE program_id = old.id);
    DELETE FROM program_documents WHERE program_id = old.id;
    UPDATE counters SET value = value + 1 WHERE name = 'programs';
  END;
  INSERT OR IGNORE INTO search_pending SELECT 'program', id FROM programs;
  `,
  `
  -- The same of recordings.
  CREATE VIRTUAL TABLE recording_name_letters USING fts5 (
    letters, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii');
  DROP TRIGGER recording_changed;
  DROP TRIGGER recording_removed;
  CREATE TRIGGER recording_changed AFTER UPDATE ON recordings
  WHEN (new.name, new.description, new.extended, new.service_name, new.start_at)
    IS NOT (old.name, old.description, old.extended, old.service_name, old.start_at) BEGIN
    INSERT INTO search_pending SELECT 'recording', new.id
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE kind = 'recording' AND id = new.id);
  END;
  CREATE TRIGGER recording_removed AFTER DELETE ON recordings BEGIN
    DELETE FROM search_pending WHERE kind = 'recording' AND id = old.id;
    DELETE FROM recording_letters
      WHERE rowid = (SELECT document FROM recording_documents WHERE recording_id = old.id);
    DELETE FROM recording_name_letters
      WHERE rowid = (SELECT document FROM recording_documents WHERE recording_id = old.id);
    DELETE FROM recording_documents WHERE recording_id = old.id;
    UPDATE counters SET value = value + 1 WHERE name = 'recordings';
  END;
  INSERT OR IGNORE INTO search_pending SELECT 'recording', id FROM recordings;
  `,
  `
  -- Indexes of recordings have the places of terms, so that a word of any length is found without reading texts.
  -- Until they are filled again, the texts of what is pending are compared.
  DROP TABLE recording_letters;
  DROP TABLE recording_name_letters;
  CREATE VIRTUAL TABLE recording_letters USING fts5 (
    letters, content = '', contentless_delete = 1, detail = 'full', tokenize = 'ascii');
  CREATE VIRTUAL TABLE recording_name_letters USING fts5 (
    letters, content = '', contentless_delete = 1, detail = 'full', tokenize = 'ascii');
  INSERT OR IGNORE INTO search_pending SELECT 'recording', id FROM recordings;
  `,
  `
  -- Where a device began its pairing: shown to the person who approves it, and counted.
  ALTER TABLE pairing_codes ADD COLUMN address TEXT NOT NULL DEFAULT '';
  `,
  `
  -- Which folder (device and inode) last had the path of a recording folder, and which files that it lacks are in the one
  -- before: renamed, unmounted or covered.
  CREATE TABLE recording_folder_identities (
    path TEXT PRIMARY KEY,
    identity TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE recording_files_elsewhere (
    path TEXT PRIMARY KEY,
    identity TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- A reservation that was made because another reserved programme is announced to continue with its programme.
  ALTER TABLE reservations ADD COLUMN relay_of INTEGER;
  `,
  `
  -- What happened to which thing, for notices. Triggers write it in the transaction of the change itself: neither a
  -- crash nor a restart loses one or tells it twice.
  CREATE TABLE notices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,            -- what is told once, such as the end of a recording
    event TEXT NOT NULL,
    kind TEXT NOT NULL,                  -- recording, reservation, tuner, …
    subject TEXT NOT NULL,               -- id of the thing
    facts TEXT NOT NULL,                 -- JSON: what the sentence needs, since the thing may be gone
    at INTEGER NOT NULL,                 -- epoch ms
    queued INTEGER NOT NULL DEFAULT 0    -- 1: its deliveries are in the queue
  ) STRICT;
  CREATE INDEX notices_unqueued ON notices (id) WHERE queued = 0;

  CREATE TABLE notice_targets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,                  -- push, webhook
    format TEXT,                         -- of a webhook
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    secret TEXT,                         -- never shown again
    recipient TEXT,                      -- chat, user or group
    events TEXT NOT NULL,                -- JSON
    quiet TEXT,                          -- JSON: minutes of the day
    digest INTEGER NOT NULL,
    enabled INTEGER NOT NULL,
    base TEXT NOT NULL,                  -- address of the service as its maker opened it, for links
    last TEXT                            -- JSON: the last delivery
  ) STRICT;
  CREATE TABLE notice_deliveries (
    target_id INTEGER NOT NULL REFERENCES notice_targets (id) ON DELETE CASCADE,
    notice_id INTEGER NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
    due_at INTEGER NOT NULL,             -- epoch ms
    attempts INTEGER NOT NULL DEFAULT 0, -- that failed
    message TEXT,                        -- constant id of the message that contains it; null: not tried yet
    PRIMARY KEY (target_id, notice_id)
  ) STRICT, WITHOUT ROWID;
  -- What is watched, as last told: a tuner, the card, free space, the version.
  CREATE TABLE notice_conditions (
    subject TEXT PRIMARY KEY,
    state TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- The key pair by which push services know this service (VAPID, RFC 8292).
  CREATE TABLE push_keys (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    public TEXT NOT NULL,
    private TEXT NOT NULL
  ) STRICT;

  CREATE TRIGGER notice_recording_started AFTER UPDATE OF began_at ON recordings
  WHEN old.began_at IS NULL AND new.began_at IS NOT NULL AND new.state = 'recording' BEGIN
    INSERT OR IGNORE INTO notices (key, event, kind, subject, facts, at)
    VALUES ('started:recording:' || new.id, 'started', 'recording', new.id,
      json_object('name', new.name, 'station', new.service_name, 'startAt', new.start_at), new.updated_at);
  END;
  CREATE TRIGGER notice_recording_ended AFTER UPDATE OF state ON recordings
  WHEN old.state = 'recording' AND new.state <> 'recording'
    AND coalesce(iif(json_valid(new.reason), json_extract(new.reason, '$.code'), ''), '') <> 'copied' BEGIN
    INSERT OR IGNORE INTO notices (key, event, kind, subject, facts, at)
    VALUES ('ended:recording:' || new.id,
      CASE WHEN new.state = 'failed' OR json_valid(new.verdict) AND json_extract(new.verdict, '$.level') = 'lost' THEN 'failed' ELSE 'finished' END,
      'recording', new.id,
      json_object('name', new.name, 'station', new.service_name, 'startAt', new.start_at,
        'verdict', iif(json_valid(new.verdict), json(new.verdict), NULL), 'recordingReason', iif(json_valid(new.reason), json(new.reason), NULL)), new.updated_at);
  END;
  CREATE TRIGGER notice_reservation_made AFTER INSERT ON reservations
  WHEN new.state IN ('scheduled', 'conflict') BEGIN
    INSERT OR IGNORE INTO notices (key, event, kind, subject, facts, at)
    SELECT 'made:reservation:' || new.id, iif(new.repeats IS NULL, 'reserved', 'rebooked'), 'reservation', new.id,
      json_object('name', new.name, 'station', (SELECT name FROM stations WHERE id = new.station_id),
        'startAt', new.start_at), new.created_at
    WHERE new.rule_id IS NOT NULL OR new.repeats IS NOT NULL;
    INSERT OR IGNORE INTO notices (key, event, kind, subject, facts, at)
    SELECT 'conflict:reservation:' || new.id || ':' || new.start_at, 'conflict', 'reservation', new.id,
      json_object('name', new.name, 'station', (SELECT name FROM stations WHERE id = new.station_id),
        'startAt', new.start_at, 'reservationReason', iif(json_valid(new.reason), json(new.reason), NULL)), new.created_at
    WHERE new.state = 'conflict';
  END;
  CREATE TRIGGER notice_reservation_repeats AFTER UPDATE OF repeats ON reservations
  WHEN old.repeats IS NULL AND new.repeats IS NOT NULL BEGIN
    INSERT OR IGNORE INTO notices (key, event, kind, subject, facts, at)
    VALUES ('rebooked:reservation:' || new.id || ':' || new.repeats, 'rebooked', 'reservation', new.id,
      json_object('name', new.name, 'station', (SELECT name FROM stations WHERE id = new.station_id),
        'startAt', new.start_at), new.updated_at);
  END;
  CREATE TRIGGER notice_reservation_changed AFTER UPDATE OF state ON reservations
  WHEN old.state <> new.state AND (new.state IN ('conflict', 'missed')
    OR old.state IN ('scheduled', 'conflict') AND new.state IN ('skipped', 'cancelled') AND new.reason IS NOT NULL) BEGIN
    INSERT OR IGNORE INTO notices (key, event, kind, subject, facts, at)
    VALUES (
      CASE new.state WHEN 'conflict' THEN 'conflict:reservation:' || new.id || ':' || new.start_at
        WHEN 'missed' THEN 'ended:reservation:' || new.id ELSE 'skipped:reservation:' || new.id END,
      CASE new.state WHEN 'conflict' THEN 'conflict' WHEN 'missed' THEN 'failed' ELSE 'will_fail' END,
      'reservation', new.id,
      json_object('name', new.name, 'station', (SELECT name FROM stations WHERE id = new.station_id),
        'startAt', new.start_at, 'reservationReason', iif(json_valid(new.reason), json(new.reason), NULL)), new.updated_at);
  END;
  CREATE TRIGGER notice_encode_ended AFTER UPDATE OF state ON encodes
  WHEN old.state <> new.state AND new.state IN ('done', 'failed') BEGIN
    INSERT OR IGNORE INTO notices (key, event, kind, subject, facts, at)
    SELECT 'ended:encode:' || new.id, iif(new.state = 'done', 'encoded', 'encode_failed'), 'recording', r.id,
      json_object('name', r.name, 'station', r.service_name, 'startAt', r.start_at), coalesce(new.ended_at, new.created_at)
    FROM recordings AS r WHERE r.id = new.recording_id;
  END;
  CREATE TRIGGER notice_paired AFTER INSERT ON access_tokens BEGIN
    INSERT OR IGNORE INTO notices (key, event, kind, subject, facts, at)
    VALUES ('paired:device:' || new.id, 'paired', 'device', new.id, json_object('name', new.name), new.paired_at);
  END;
  `,
  `
  -- What the BIT stated last of the broadcaster of a station; affiliations are one octet each.
  CREATE TABLE station_broadcasters (
    station_id INTEGER PRIMARY KEY,
    network_id INTEGER NOT NULL,
    broadcaster_id INTEGER NOT NULL,
    terrestrial_broadcaster_id INTEGER,
    affiliations BLOB NOT NULL
  ) STRICT;
  `,
  `
  -- Of television software: channel numbers, which it keeps for ever, and links in place of a login.
  CREATE TABLE channel_numbers (
    station_id INTEGER PRIMARY KEY,
    number TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE client_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash TEXT NOT NULL UNIQUE,           -- SHA-256 of the key, hex
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,         -- epoch ms
    used_at INTEGER,
    revoked_at INTEGER
  ) STRICT;
  `,
  `
  -- Old notices leave with their deliveries: without an index each of them reads the whole queue of every target.
  CREATE INDEX notice_deliveries_of_notice ON notice_deliveries (notice_id);
  -- Whoever stops a recording in its first moments knows that nothing of it is kept.
  DROP TRIGGER notice_recording_ended;
  CREATE TRIGGER notice_recording_ended AFTER UPDATE OF state ON recordings
  WHEN old.state = 'recording' AND new.state <> 'recording'
    AND coalesce(iif(json_valid(new.reason), json_extract(new.reason, '$.code'), ''), '') <> 'copied'
    AND coalesce(iif(json_valid(new.reason), json_extract(new.reason, '$.cause'), ''), '') <> 'stopped' BEGIN
    INSERT OR IGNORE INTO notices (key, event, kind, subject, facts, at)
    VALUES ('ended:recording:' || new.id,
      CASE WHEN new.state = 'failed' OR json_valid(new.verdict) AND json_extract(new.verdict, '$.level') = 'lost' THEN 'failed' ELSE 'finished' END,
      'recording', new.id,
      json_object('name', new.name, 'station', new.service_name, 'startAt', new.start_at,
        'verdict', iif(json_valid(new.verdict), json(new.verdict), NULL), 'recordingReason', iif(json_valid(new.reason), json(new.reason), NULL)), new.updated_at);
  END;
  `,
  `
  -- The file with the data broadcast of a recording. Named here before it is made; \`bytes\` 0: it does not exist.
  CREATE TABLE recording_data (
    recording_id INTEGER PRIMARY KEY REFERENCES recordings (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    complete INTEGER NOT NULL            -- 1: the original was read to its end
  ) STRICT;
  CREATE INDEX recording_data_unfinished ON recording_data (recording_id) WHERE complete = 0;
  ALTER TABLE copied_recordings ADD COLUMN data TEXT; -- JSON: row of recording_data; NULL: none

  -- It counts among the files of its recording.
  DROP TRIGGER recording_file_added;
  CREATE TRIGGER recording_file_added AFTER INSERT ON recording_files BEGIN
    UPDATE recordings SET
      files = (SELECT count(*) FROM recording_files WHERE recording_id = new.recording_id),
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = new.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = new.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = new.recording_id)), 0)
      + coalesce((SELECT bytes FROM recording_data WHERE recording_id = new.recording_id), 0)
      WHERE id = new.recording_id;
  END;
  DROP TRIGGER recording_file_changed;
  CREATE TRIGGER recording_file_changed AFTER UPDATE ON recording_files BEGIN
    UPDATE recordings SET
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = new.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = new.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = new.recording_id)), 0)
      + coalesce((SELECT bytes FROM recording_data WHERE recording_id = new.recording_id), 0)
      WHERE id = new.recording_id;
  END;
  DROP TRIGGER recording_file_removed;
  CREATE TRIGGER recording_file_removed AFTER DELETE ON recording_files BEGIN
    UPDATE recordings SET
      files = (SELECT count(*) FROM recording_files WHERE recording_id = old.recording_id),
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = old.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = old.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = old.recording_id)), 0)
      + coalesce((SELECT bytes FROM recording_data WHERE recording_id = old.recording_id), 0)
      WHERE id = old.recording_id;
  END;
  DROP TRIGGER recording_part_removed;
  CREATE TRIGGER recording_part_removed AFTER DELETE ON recording_parts BEGIN
    UPDATE recordings SET
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = old.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = old.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = old.recording_id)), 0)
      + coalesce((SELECT bytes FROM recording_data WHERE recording_id = old.recording_id), 0)
      WHERE id = old.recording_id AND state <> 'recording';
  END;
  CREATE TRIGGER recording_data_added AFTER INSERT ON recording_data WHEN new.bytes > 0 BEGIN
    UPDATE recordings SET
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = new.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = new.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = new.recording_id)), 0)
      + coalesce((SELECT bytes FROM recording_data WHERE recording_id = new.recording_id), 0)
      WHERE id = new.recording_id AND state <> 'recording';
  END;
  CREATE TRIGGER recording_data_changed AFTER UPDATE ON recording_data WHEN new.bytes <> old.bytes BEGIN
    UPDATE recordings SET
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = new.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = new.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = new.recording_id)), 0)
      + coalesce((SELECT bytes FROM recording_data WHERE recording_id = new.recording_id), 0)
      WHERE id = new.recording_id AND state <> 'recording';
  END;
  CREATE TRIGGER recording_data_removed AFTER DELETE ON recording_data WHEN old.bytes > 0 BEGIN
    UPDATE recordings SET
      bytes = coalesce((SELECT sum(bytes) FROM recording_files WHERE recording_id = old.recording_id), 0)
      + coalesce((SELECT sum(bytes) FROM recording_parts WHERE recording_id = old.recording_id
          AND path NOT IN (SELECT path FROM recording_files WHERE recording_id = old.recording_id)), 0)
      + coalesce((SELECT bytes FROM recording_data WHERE recording_id = old.recording_id), 0)
      WHERE id = old.recording_id AND state <> 'recording';
  END;
  `,
  `
  -- Programmes that somebody wants to be reminded of, and series whose later programmes are.
  CREATE TABLE reminder_series (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    station_id INTEGER NOT NULL,
    key TEXT NOT NULL,                   -- as of recordings
    name TEXT NOT NULL,
    minutes INTEGER NOT NULL,
    created_at INTEGER NOT NULL,         -- epoch ms
    UNIQUE (station_id, key)
  ) STRICT;
  -- Name and times as the guide had them last: it may lose the programme.
  CREATE TABLE reminders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    program_id INTEGER NOT NULL UNIQUE,
    station_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    start_at INTEGER NOT NULL,           -- epoch ms, as the next
    end_at INTEGER NOT NULL,
    minutes INTEGER NOT NULL,
    series_id INTEGER REFERENCES reminder_series (id) ON DELETE CASCADE,
    told_for INTEGER,                    -- the start that was told; null: not told yet
    cancelled INTEGER NOT NULL DEFAULT 0, -- 1: one programme of a series that is left out
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX reminders_of_series ON reminders (series_id);
  -- Whoever asks for a reminder expects it at the targets that are there already.
  UPDATE notice_targets SET events = json_insert(events, '$[#]', 'reminder') WHERE json_valid(events);
  `,
  `
  CREATE TABLE mqtt_broker (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    enabled INTEGER NOT NULL,
    host TEXT NOT NULL,
    port INTEGER NOT NULL,
    tls INTEGER NOT NULL,
    user TEXT NOT NULL,
    password TEXT,                       -- a secret
    prefix TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Trouble of the database needs somebody: targets that have what does get it, too.
  UPDATE notice_targets SET events = json_insert(events, '$[#]', 'database_trouble')
  WHERE json_valid(events) AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = 'disk_low');
  `,
];
