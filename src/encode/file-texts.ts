/** Texts in an encoded file: tags and reserved space for chapters (FFMETADATA1), captions as an ASS track. Pure. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { CaptionPage, CaptionsFile } from '../../lib/wire/caption.ts';
import { type CutList, toEncoded } from '../model/recording-time.ts';

interface FileTags {
  readonly title: string;
  readonly station: string;
  readonly description: string;
  /** Epoch ms, of the programme. */
  readonly startAt: BroadcastMs;
}

const MAX_TEXT = 4_000;

/**
 * One value of FFMETADATA1. Beyond its documentation the demuxer ends a line at a carriage return too, and takes a line
 * end after any backslash, an escaped one included, for part of the value: a programme's text could write other tags.
 */
function escaped(text: string): string {
  const plain = text.replaceAll('\0', '').replace(/\r\n?/g, '\n').slice(0, MAX_TEXT);
  const letters = plain.endsWith('\\') ? `${plain} ` : plain;
  return letters.replace(/[=;#\\\n]/g, (letter) => `\\${letter}`);
}

/** About 16 KB: some 300 chapters of one word. */
const ROOM = { chapters: 64, letters: 220 } as const;

/**
 * For ffmpeg's demuxer `ffmetadata`. Tag names of Matroska (RFC 9559, section 5.1.8).
 * @param hasChapters write placeholder chapters, whose space the real ones take (`matroska-chapters.ts`)
 */
export function metadataText(
  { title, station, description, startAt }: FileTags,
  hasChapters: boolean,
): string {
  const day = new Date(startAt + 9 * 3_600_000).toISOString().slice(0, 10);
  const tags = [
    ['title', title],
    ['PUBLISHER', station],
    ['DATE_RELEASED', day],
    ['DESCRIPTION', description],
  ] as const;
  const lines = tags.filter(([, text]) => text !== '').map(([name, text]) => `${name}=${escaped(text)}`);
  const room = Array.from({ length: hasChapters ? ROOM.chapters : 0 }, (_, index) => [
    ...['[CHAPTER]', 'TIMEBASE=1/1000', `START=${index}`, `END=${index + 1}`],
    `title=${'.'.repeat(ROOM.letters)}`,
  ]);
  return `${[';FFMETADATA1', ...lines, ...room.flat()].join('\n')}\n`;
}

/** Longest display time of a page without an end of its own, and of the last one. */
const MAX_SHOWN_MS = 30_000;

const ASS_HEAD = [
  '[Script Info]',
  'ScriptType: v4.00+',
  'PlayResX: 960',
  'PlayResY: 540',
  '',
  '[V4+ Styles]',
  'Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding',
  'Style: Default,sans-serif,36,&H00FFFFFF,&H00FFFFFF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,2,0,2,40,40,30,1',
  '',
  '[Events]',
  'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
];

/** Its lines from top to bottom, without ruby. */
function pageLines({ runs }: CaptionPage): string[] {
  const rows = Map.groupBy(
    runs.filter(({ ruby }) => ruby !== true),
    ({ y }) => Math.round(y),
  );
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([, row]) =>
      [...row]
        .sort((a, b) => a.x - b.x)
        .map(({ text }) => text)
        .join('')
        .trim(),
    )
    .filter((line) => line !== '');
}

function assTime(ms: number): string {
  const hundredths = Math.round(ms / 10);
  const two = (value: number): string => String(value).padStart(2, '0');
  const seconds = Math.floor(hundredths / 100);
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${two(hundredths % 100)}`;
}

/** Braces and backslashes have a meaning in ASS. */
function assText(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/[{}\\\r\n]/g, (one) => ({ '{': '｛', '}': '｝', '\\': '＼' })[one] ?? ' '))
    .join('\\N');
}

/**
 * Captions of language 1 as plain text at the bottom of the picture; undefined without any text.
 * @param length ms of the original stream, the time scale of the captions
 */
export function captionTrack(file: CaptionsFile, cuts: CutList, length: number): string | undefined {
  const events = file.pages.flatMap(({ at, page }, index) => {
    const lines = pageLines(page);
    if (lines.length === 0) return [];
    const start = at * 1000;
    const next = (file.pages[index + 1]?.at ?? Number.POSITIVE_INFINITY) * 1000;
    const stop = Math.min(next, length, start + Math.min(page.duration ?? MAX_SHOWN_MS, MAX_SHOWN_MS));
    const [from, to] = [toEncoded(start, cuts), toEncoded(stop, cuts)];
    return to - from < 10
      ? []
      : [`Dialogue: 0,${assTime(from)},${assTime(to)},Default,,0,0,0,,${assText(lines)}`];
  });
  return events.length === 0 ? undefined : `${[...ASS_HEAD, ...events].join('\n')}\n`;
}
