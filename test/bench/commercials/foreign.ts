/**
 * Recordings that share nothing with the synthetic films: shots with the statistics of photographs (noise of all scales,
 * objects with edges, bright skies) that pan, logos of strokes over bright and busy corners, and sound made of speech,
 * music and crowds. They are composed directly as what the analysis extracts (`StreamFeatures`), so that forty of them cost
 * a minute. Pure: a seed gives a station, and its recordings in order.
 */
import { SOUND_RATE, STRIP, TINY } from '../../../src/commercial/analysis-command.ts';
import { CORNER, FeatureCollector, type StreamFeatures } from '../../../src/commercial/stream-features.ts';
import type { Random } from '../../../synth/random.ts';

export const FORMS = [
  'variety',
  'drama',
  'sports',
  'telop',
  'promos',
  'cards',
  'film',
  'anime',
  'live',
  'no-logo',
] as const;
export type Form = (typeof FORMS)[number];

interface Recording {
  readonly form: Form;
  readonly features: StreamFeatures;
  /** Commercial breaks, ms. */
  readonly commercials: readonly { readonly from: number; readonly to: number }[];
}

const FRAME_MS = 1001 / 30;
/** Distance of the intra pictures whose corners are kept. */
const STRIP_FRAMES = 15;
const PHOTO = { width: 768, height: 96 } as const;
const SMALL = { width: 96, height: 44 } as const;

interface Photo {
  readonly wide: Uint8Array;
  readonly luma: Uint8Array;
  readonly colours: readonly [Uint8Array, Uint8Array];
}

/** Smooth noise of several scales, and objects with edges. */
function canvas(random: Random, width: number, height: number, base: number, objects: number): Uint8Array {
  const values = new Float32Array(width * height).fill(base);
  for (
    let cell = Math.ceil(width / 3), strength = 46;
    cell >= 3;
    cell = Math.floor(cell / 2.6), strength *= 0.55
  ) {
    const columns = Math.ceil(width / cell) + 2;
    const grid = Float32Array.from(
      { length: columns * (Math.ceil(height / cell) + 2) },
      () => strength * (2 * random.next() - 1),
    );
    for (let y = 0; y < height; y += 1) {
      const row = Math.floor(y / cell);
      const v = y / cell - row;
      for (let x = 0; x < width; x += 1) {
        const column = Math.floor(x / cell);
        const u = x / cell - column;
        const at = row * columns + column;
        const top = (grid[at] as number) * (1 - u) + (grid[at + 1] as number) * u;
        const bottom = (grid[at + columns] as number) * (1 - u) + (grid[at + columns + 1] as number) * u;
        values[y * width + x] = (values[y * width + x] as number) + top * (1 - v) + bottom * v;
      }
    }
  }
  for (let count = 0; count < objects; count += 1) {
    const [left, top] = [random.below(width), random.below(height)];
    const [wide, high] = [4 + random.below(width >> 3), 4 + random.below(height)];
    const by = 140 * random.next() - 70;
    for (let y = top; y < Math.min(height, top + high); y += 1) {
      for (let x = left; x < Math.min(width, left + wide); x += 1)
        values[y * width + x] = (values[y * width + x] as number) + by;
    }
  }
  return Uint8Array.from(values, (value) => Math.max(16, Math.min(235, value)));
}

function photo(random: Random): Photo {
  const isBright = random.below(3) === 0;
  const base = isBright ? 180 + random.below(50) : 50 + random.below(110);
  return {
    wide: canvas(random, PHOTO.width, PHOTO.height, base, 4 + random.below(40)),
    luma: canvas(random, SMALL.width, SMALL.height, base - (isBright ? 40 : 0), 3 + random.below(14)),
    colours: [
      canvas(random, SMALL.width, SMALL.height, 100 + random.below(56), random.below(5)),
      canvas(random, SMALL.width, SMALL.height, 100 + random.below(56), random.below(5)),
    ],
  };
}

/** A whole photograph: luma and two colour differences, each of `width` times `height`. */
export interface Photograph {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly [Uint8Array, Uint8Array, Uint8Array];
}

/** A detail of a photograph, as a shot shows it; twice as wide and 4.5 times as high as `PHOTO` at least. */
export function detailOf({ width, height, planes: [luma, ...colours] }: Photograph, random: Random): Photo {
  const [left, top] = [random.below(width - PHOTO.width), random.below(height - 8 * SMALL.height)];
  const wide = new Uint8Array(PHOTO.width * PHOTO.height);
  for (let y = 0; y < PHOTO.height; y += 1) {
    const from = (top + y) * width + left;
    wide.set(luma.subarray(from, from + PHOTO.width), y * PHOTO.width);
  }
  const small = (plane: Uint8Array): Uint8Array =>
    Uint8Array.from({ length: SMALL.width * SMALL.height }, (_, at) => {
      const [x, y] = [at % SMALL.width, Math.floor(at / SMALL.width)];
      return plane[(top + 8 * y) * width + left + 8 * x] as number;
    });
  return { wide, luma: small(luma), colours: [small(colours[0]), small(colours[1])] };
}

/** A picture that is laid over others: a logo, a clock, a score. Coordinates are those of the kept corners' strip. */
interface Overlay {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** 0 to 1 for each pixel. */
  readonly ink: Float32Array;
  readonly level: number;
  readonly opacity: number;
}

/** Strokes like those of letters. */
function strokes(random: Random, width: number, height: number): Float32Array {
  const ink = new Float32Array(width * height);
  const letters = Math.max(1, Math.round(width / (height * 0.9)));
  const wide = Math.floor(width / letters);
  for (let letter = 0; letter < letters; letter += 1) {
    for (let count = 0; count < 4; count += 1) {
      const isAcross = random.below(2) === 0;
      const thick = 1 + random.below(2);
      const [from, at] = [
        letter * wide + 1,
        random.below(Math.max(1, (isAcross ? height : wide) - thick - 1)),
      ];
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < wide - 2; x += 1) {
          const along = isAcross ? y - at : x - at;
          if (along >= 0 && along < thick) ink[y * width + from + x] = 1;
        }
      }
    }
  }
  return ink;
}

function overlay(random: Random, place: Omit<Overlay, 'ink'>): Overlay {
  return { ...place, ink: strokes(random, place.width, place.height) };
}

function lay(strip: Uint8Array, { x, y, width, height, ink, level, opacity }: Overlay): void {
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const at = (y + row) * STRIP.width + x + column;
      const alpha = opacity * (ink[row * width + column] as number);
      strip[at] = (strip[at] as number) * (1 - alpha) + level * alpha;
    }
  }
}

/** What a station shows in every recording. */
export class Station {
  readonly logo: Overlay;
  readonly photos: readonly Photo[];

  /** @param photos number of drawn ones, or others */
  constructor(
    readonly random: Random,
    photos: number | readonly Photo[] = 60,
  ) {
    const isRight = random.below(4) > 0;
    const [width, height] = [22 + random.below(40), 9 + random.below(9)];
    const margin = 14 + random.below(40);
    this.logo = overlay(random, {
      x: isRight ? STRIP.width - margin - width : margin,
      y: 12 + random.below(18),
      ...{ width, height, level: 200 + random.below(56), opacity: 0.35 + 0.5 * random.next() },
    });
    this.photos = typeof photos === 'number' ? Array.from({ length: photos }, () => photo(random)) : photos;
  }

  record(form: Form, minutes: number): Recording {
    return new Composer(this.random, this, form).compose(minutes);
  }
}

interface Look {
  readonly overlays: readonly ((frame: number) => Overlay | undefined)[];
  /** Pictures between two cuts at least and at most. */
  readonly shot: readonly [number, number];
  /** Pictures of a fade to black at the begin and at the end. */
  readonly fade?: { readonly head: number; readonly tail: number };
}

type Sound = (second: number) => number;

class Composer {
  readonly #collector = new FeatureCollector();
  readonly #commercials: { from: number; to: number }[] = [];
  #frame = 0;
  #step = 0;
  #photo = 0;

  constructor(
    readonly random: Random,
    readonly station: Station,
    readonly form: Form,
  ) {}

  compose(minutes: number): Recording {
    const { random, form } = this;
    const look = this.#mainLook();
    const isWhole = form === 'film';
    const breaks = isWhole ? 0 : Math.max(1, Math.round(minutes / 5));
    if (!isWhole && random.below(3) === 0) this.#break(1);
    for (let index = 0; index <= breaks; index += 1) {
      const frames = Math.round((minutes * 60_000 * (0.7 + 0.6 * random.next())) / (breaks + 1) / FRAME_MS);
      if (form === 'cards' && index > 0) this.#card(look);
      this.#main(frames, look);
      if (form === 'cards' && index < breaks) this.#card(look);
      if (index < breaks) this.#break(4 + random.below(6));
    }
    if (!isWhole && random.below(2) === 0) this.#break(1 + random.below(3));
    const durationMs = this.#frame * FRAME_MS;
    return { form, features: this.#collector.features(durationMs), commercials: this.#commercials };
  }

  #mainLook(): Look {
    const { random, form, station } = this;
    const { logo } = station;
    const overlays: ((frame: number) => Overlay | undefined)[] = [];
    if (form !== 'no-logo') overlays.push(() => logo);
    const isRight = logo.x > CORNER;
    const other = (width: number): number =>
      isRight
        ? 10 + random.below(CORNER - width - 20)
        : STRIP.width - CORNER + 10 + random.below(CORNER - width - 20);
    if (form === 'sports') {
      const x = other(70);
      const faces = Array.from({ length: 6 }, () =>
        overlay(random, { x, y: 16, width: 64, height: 14, level: 230, opacity: 0.9 }),
      );
      // A score that is replaced by replays and by other figures.
      const seed = random.below(1_000);
      overlays.push((frame) => {
        const turn = Math.floor(frame / (45 + (seed % 60)));
        return (turn * 7919 + seed) % 5 === 0 ? undefined : faces[(turn >> 2) % faces.length];
      });
    }
    if (form === 'telop' || form === 'live') {
      const width = 50;
      const x = Math.max(
        2,
        Math.min(
          STRIP.width - width - 2,
          logo.x + logo.width + 3 > STRIP.width - width ? logo.x - width - 3 : logo.x + logo.width + 3,
        ),
      );
      const faces = Array.from({ length: 4 }, () =>
        overlay(random, { x, y: logo.y, width, height: logo.height, level: 235, opacity: 0.95 }),
      );
      // A telop beside the logo, changed with each topic; a clock that stays.
      const hold = form === 'live' ? 1_000_000 : 400 + random.below(1_500);
      overlays.push((frame) =>
        form === 'telop' && Math.floor(frame / hold) % 4 === 3
          ? undefined
          : faces[Math.floor(frame / hold) % 4],
      );
    }
    if (form === 'variety') {
      const title = overlay(random, { x: other(90), y: 10, width: 88, height: 18, level: 220, opacity: 1 });
      const hold = 700 + random.below(900);
      overlays.push((frame) => (Math.floor(frame / hold) % 3 === 2 ? undefined : title));
    }
    const shot: readonly [number, number] =
      form === 'film' || form === 'drama' ? [70, 420] : form === 'sports' ? [60, 500] : [30, 200];
    return { overlays, shot };
  }

  /** A part of the programme; its ends are as its form has them. */
  #main(frames: number, look: Look): void {
    const { random, form } = this;
    const fades = form === 'drama' && random.below(2) === 0;
    const fade = fades ? { head: 0, tail: 12 + random.below(20) } : { head: 0, tail: 0 };
    const from = this.#frame;
    this.#pictures(frames, { ...look, fade });
    const end = (this.#frame - from) * (FRAME_MS / 1000);
    const speech = this.#speech(form === 'live' ? 260 : 20 + random.below(60));
    const music = this.#music();
    const crowd = 900 + random.below(2_000);
    // Music goes over the joins of some dramas and of live programmes; others are quiet for a moment.
    const quiet =
      form === 'live' || (form === 'drama' && !fades)
        ? 0
        : form === 'sports'
          ? 0
          : 0.15 + 0.5 * random.next();
    this.#sound((second) => {
      if (second < quiet || second > end - quiet) return 30;
      if (form === 'sports') return crowd + 3_000 * random.next();
      if (form === 'drama' || form === 'anime')
        return Math.max(speech(second), music(second) * (Math.sin(second / 31) > 0.2 ? 1 : 0));
      return speech(second);
    });
  }

  #speech(floor: number): Sound {
    const { random } = this;
    let until = 0;
    let level = 0;
    return (second) => {
      if (second >= until) {
        const isPause = level > 0 && random.below(7) === 0;
        level = isPause ? 0 : 1_500 + random.below(14_000);
        until = second + (isPause ? 0.1 + 0.9 * random.next() ** 2 : 0.12 + 0.3 * random.next());
      }
      return level === 0 ? floor : floor + level * (0.5 + 0.5 * random.next());
    };
  }

  #music(): Sound {
    const { random } = this;
    const beat = 0.35 + 0.4 * random.next();
    const loud = 2_000 + random.below(9_000);
    return (second) => loud * (0.25 + 0.75 * (1 - ((second / beat) % 1)));
  }

  #card(look: Look): void {
    const frames = this.random.pick([150, 300]);
    this.#pictures(frames, { ...look, shot: [frames, frames] });
    const end = frames * (FRAME_MS / 1000);
    const music = this.#music();
    this.#sound((second) => (second < 0.2 || second > end - 0.2 ? 20 : music(second)));
  }

  /** @param units quarter minutes */
  #break(units: number): void {
    const { random, form, station } = this;
    const from = this.#frame;
    for (let left = units; left > 0; ) {
      const count = random.pick([1, 1, 1, 1, 2, 2, 4].filter((one) => one <= left));
      const frames = 450 * count - (random.below(2) === 0 ? count : 0);
      const isPromo = form === 'promos' && random.below(3) === 0;
      const overlays = isPromo ? [() => station.logo] : [];
      // Texts of the spot, anywhere.
      if (random.below(2) === 0) {
        const text = overlay(random, {
          x: random.below(STRIP.width - 90),
          y: 10 + random.below(30),
          width: 80,
          height: 16,
          level: 220,
          opacity: 1,
        });
        const begin = this.#frame + random.below(frames);
        overlays.push(((frame: number) => (frame > begin ? text : undefined)) as () => Overlay);
      }
      this.#pictures(frames, { overlays, shot: [12, 110] });
      const end = frames * (FRAME_MS / 1000);
      // The prescribed silence, or hardly any.
      const isTight = (form === 'drama' || form === 'live') && random.below(3) === 0;
      const [head, tail] = isTight ? [0.16, 0.16] : [0.45 + 0.2 * random.next(), 0.45 + 0.2 * random.next()];
      const floor = isTight ? 85 : random.below(20);
      const voice = random.below(2) === 0 ? this.#speech(600) : this.#music();
      this.#sound((second) => (second < head || second > end - tail ? floor : 300 + voice(second)));
      left -= count;
    }
    this.#commercials.push({ from: from * FRAME_MS, to: this.#frame * FRAME_MS });
  }

  #pictures(frames: number, { overlays, shot, fade = { head: 0, tail: 0 } }: Look): void {
    const { random, station } = this;
    const end = this.#frame + frames;
    for (let left = frames; left > 0; ) {
      const [least, most] = shot;
      let length = Math.min(left, least + random.below(most - least + 1));
      if (left - length < least) length = left;
      this.#photo = (this.#photo + 1 + random.below(station.photos.length - 2)) % station.photos.length;
      const picture = station.photos[this.#photo] as Photo;
      const pan = {
        x: 60 * random.next(),
        by: random.below(3) === 0 ? 0 : 0.5 * random.next() - 0.25,
        y: random.below(20),
      };
      const gain = 0.75 + 0.4 * random.next();
      for (let index = 0; index < length; index += 1) {
        const shade = Math.min(1, fade.tail === 0 ? 1 : (end - this.#frame - 1) / fade.tail);
        this.#tiny(picture, pan, gain * shade, index);
        if (this.#frame % STRIP_FRAMES === 0) this.#strip(picture, pan, gain * shade, index, overlays, shade);
        this.#frame += 1;
      }
      left -= length;
    }
  }

  #tiny(
    { luma, colours }: Photo,
    pan: { x: number; by: number; y: number },
    gain: number,
    index: number,
  ): void {
    const { width, height } = TINY;
    const pixels = new Uint8Array((width * height * 3) / 2);
    const dx = Math.floor(Math.max(0, Math.min(SMALL.width - width - 1, pan.x / 4 + (index * pan.by) / 4)));
    for (let y = 0; y < height; y += 1) {
      const from = (y + (pan.y >> 2)) * SMALL.width + dx;
      for (let x = 0; x < width; x += 1)
        pixels[y * width + x] = 16 + ((luma[from + x] as number) - 16) * gain;
    }
    for (const [plane, colour] of colours.entries()) {
      const base = width * height + (plane * width * height) / 4;
      for (let y = 0; y < height / 2; y += 1) {
        for (let x = 0; x < width / 2; x += 1)
          pixels[base + (y * width) / 2 + x] =
            128 + ((colour[2 * y * SMALL.width + 2 * x + dx] as number) - 128) * Math.min(1, gain);
      }
    }
    this.#collector.tiny(this.#frame * FRAME_MS, pixels);
  }

  #strip(
    { wide }: Photo,
    pan: { x: number; by: number; y: number },
    gain: number,
    index: number,
    overlays: Look['overlays'],
    shade: number,
  ): void {
    const { width, height } = STRIP;
    const strip = new Uint8Array(width * height);
    const dx = Math.floor(Math.max(0, Math.min(PHOTO.width - width - 1, 2 * pan.x + 2 * index * pan.by)));
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const value =
          16 +
          ((wide[(y + pan.y) * PHOTO.width + x + dx] as number) - 16) * gain +
          5 * this.random.next() -
          2.5;
        strip[y * width + x] = Math.max(0, Math.min(255, value));
      }
    }
    for (const one of overlays) {
      const shown = one(this.#frame);
      if (shown !== undefined) lay(strip, { ...shown, opacity: shown.opacity * shade });
    }
    this.#collector.strip(this.#frame * FRAME_MS, strip);
  }

  /** Up to the pictures so far. */
  #sound(peak: Sound): void {
    const steps = Math.floor((this.#frame * FRAME_MS) / 10);
    const samples = SOUND_RATE / 100;
    const begin = this.#step;
    const block = new Int16Array(2 * samples * Math.max(0, steps - begin));
    for (let step = begin; step < steps; step += 1) {
      const value = Math.min(32_000, peak((step - begin) / 100));
      block[2 * samples * (step - begin)] = value;
    }
    this.#collector.sound(begin * 10, new Uint8Array(block.buffer));
    this.#step = steps;
  }
}
