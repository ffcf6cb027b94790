/** Messages of ffmpeg for people: each kind of line once, with the number of its repetitions. Pure. */

/** What differs between repetitions: addresses of contexts, positions, times, counts. */
const VARYING = /0x[0-9a-f]+|\d+(?:\.\d+)?/gi;
/** ffmpeg's own summary of equal lines. */
const REPEATED = /^\s*Last message repeated (\d+) times?$/;

export function ffmpegLines(stderr: string): string[] {
  const kinds = new Map<string, { readonly first: string; count: number }>();
  let last: { count: number } | undefined;
  for (const text of stderr.split(/[\r\n]+/)) {
    const line = text.trimEnd();
    if (line === '') continue;
    const more = REPEATED.exec(line)?.[1];
    if (more !== undefined) {
      if (last !== undefined) last.count += Number(more);
      continue;
    }
    const key = line.replace(VARYING, '#');
    const kind = kinds.get(key) ?? { first: line, count: 0 };
    kind.count += 1;
    kinds.set(key, kind);
    last = kind;
  }
  return [...kinds.values()].map(({ first, count }) => (count === 1 ? first : `${first} (×${count})`));
}

/** The end of them, for a message; '' if there are none. */
export function lastWords(stderr: string): string {
  return ffmpegLines(stderr).join('\n').slice(-500);
}
