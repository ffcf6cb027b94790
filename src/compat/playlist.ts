/** The station list as an extended M3U, as Kodi (IPTV Simple), Jellyfin and VLC read it. Pure. */
import { xmltvId } from './xmltv.ts';

interface PlaylistStation {
  readonly id: number;
  readonly number: string;
  readonly name: string;
  /** `地上波`, `BS`, `CS`. */
  readonly group: string;
  readonly isRadio: boolean;
  readonly hasLogo: boolean;
}

interface PlaylistRecording {
  readonly id: number;
  readonly title: string;
  readonly stationName: string;
  readonly durationMs: number | null;
}

interface PlaylistOptions {
  /** Absolute address that everything is below, without a final slash. */
  readonly base: string;
  readonly stations: readonly PlaylistStation[];
  /** Streams with `audio=split`. */
  readonly isAudioSplit: boolean;
  /** Listed as videos. */
  readonly recordings: readonly PlaylistRecording[];
  /** How far recordings reach back, days; 0: there are none. */
  readonly catchupDays: number;
}

/** Quotation marks end an attribute, and the last comma of a line begins the name. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll('"', '”')
    .replaceAll(',', '，')
    .trim();
}

function attributes(given: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(given)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${plain(value)}"`]))
    .join('');
}

export function playlistText({
  base,
  stations,
  isAudioSplit,
  recordings,
  catchupDays,
}: PlaylistOptions): string {
  const lines = [`#EXTM3U x-tvg-url="${base}/guide.xml" url-tvg="${base}/guide.xml"`];
  for (const { id, number, name, group, isRadio, hasLogo } of stations) {
    const past = `${base}/catchup/${id}.ts?start={utc}&duration={duration}`;
    const described = attributes({
      'tvg-id': xmltvId(id),
      'tvg-chno': number,
      'tvg-name': name,
      'tvg-logo': hasLogo ? `${base}/logo/${id}.png` : undefined,
      'group-title': group,
      radio: isRadio ? 'true' : undefined,
      ...(catchupDays === 0
        ? {}
        : { catchup: 'default', 'catchup-source': past, 'catchup-days': String(catchupDays) }),
    });
    lines.push(`#EXTINF:-1${described},${plain(name)}`);
    // Without it Kodi asks for the type of each station before it plays one.
    lines.push('#KODIPROP:mimetype=video/mp2t');
    lines.push(`${base}/stream/${id}.ts${isAudioSplit ? '?audio=split' : ''}`);
  }
  for (const { id, title, stationName, durationMs } of recordings) {
    const seconds = durationMs === null ? -1 : Math.round(durationMs / 1000);
    const described = attributes({ 'group-title': '録画', media: 'true', 'tvg-name': title });
    lines.push(`#EXTINF:${seconds}${described},${plain(`${title} - ${stationName}`)}`);
    lines.push(`${base}/recording/${id}`);
  }
  return `${lines.join('\n')}\n`;
}
