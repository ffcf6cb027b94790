/** Playlists of recordings for players such as VLC, mpv and Kodi: extended M3U, UTF-8, absolute addresses. Pure. */
import type { Recording } from '../../wire/api.ts';

interface PlaylistEntry {
  title: string;
  /** null: unknown, for instance of a running recording. */
  durationMs: number | null;
  /** Relative to the service's address. */
  url: string;
}

/** A title is one line; a comma would end the attributes before it. */
function lineOf(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Undefined if there is nothing to play. A running recording is followed while it grows. */
export function playlistEntry(recording: Recording): PlaylistEntry | undefined {
  const { title, serviceName, durationMs, chase, files } = recording;
  const url = recording.recording && chase !== null ? `${chase}?codec=raw` : files[0]?.url;
  if (url === undefined) return undefined;
  return { title: `${title} - ${serviceName}`, durationMs: recording.recording ? null : durationMs, url };
}

/** @param base the address of the service, with a slash at its end */
export function playlist(name: string, entries: readonly PlaylistEntry[], base: string): string {
  const lines = entries.flatMap(({ title, durationMs, url }) => [
    `#EXTINF:${durationMs === null ? -1 : Math.round(durationMs / 1000)},${lineOf(title)}`,
    new URL(url, base).href,
  ]);
  return `${['#EXTM3U', `#PLAYLIST:${lineOf(name)}`, ...lines].join('\n')}\n`;
}
