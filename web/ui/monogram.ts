/** Placeholder for a station's logo until one was received: two letters on a colour of its own. */

interface Monogram {
  readonly text: string;
  /** Degrees on the colour wheel, constant for a station. */
  readonly hue: number;
}

/** Words that most names share and that would make all monograms alike. */
const SHARED_WORDS = /テレビ|放送|チャンネル|ステーション|ネットワーク|BS|CS|[\s・･./-]+/giu;
const LATIN_RUN = /^[A-Z0-9]{2,3}/iu;
/** Golden angle in degrees: neighbouring numbers get distant colours. */
const HUE_STEP = 137.508;

export function monogram(name: string, id: number): Monogram {
  const plain = name.normalize('NFKC');
  const own = plain.replace(SHARED_WORDS, '');
  const source = own === '' ? plain : own;
  const latin = LATIN_RUN.exec(source)?.[0];
  const text = latin?.toUpperCase() ?? Array.from(source).slice(0, 2).join('');
  return { text, hue: Math.round((id * HUE_STEP) % 360) };
}
