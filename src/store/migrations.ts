/**
 * The schema's history. A migration is never changed once released: a change is a further entry. The number of
 * applied entries is kept in `PRAGMA user_version`.
 */
export const MIGRATIONS: readonly string[] = [
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
];
