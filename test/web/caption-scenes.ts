/**
 * Caption pages for the golden pictures, decoded from the octets of a broadcast: one for each drawing
 * feature.
 */
import { crc16 } from '../../lib/arib/caption/data-group.ts';
import { CaptionDecoder } from '../../lib/arib/caption/decoder.ts';
import { pts90k } from '../../lib/arib/time.ts';
import type { CaptionPage } from '../../lib/wire/caption.ts';
import { type CaptionSettings, DEFAULT_CAPTION_SETTINGS } from '../../web/caption/caption-settings.ts';
import type { Scene } from './caption-stage.ts';

/** SWF 7, SDP 170;30, SDF 620;480, SSM 36;36, SHS 4, SVS 24. */
const PRE = '9B372053 9B3137303B3330205F 9B3632303B3438302056 9B33363B33362057 9B342058 9B32342059';
/** Half-transparent black. */
const BG = '9020449051';

function unit(parameter: number, data: Uint8Array): number[] {
  return [0x1f, parameter, 0, data.length >> 8, data.length & 255, ...data];
}

function hex(text: string): Uint8Array {
  return Uint8Array.fromHex(text.replaceAll(' ', ''));
}

function pageOf(body: string, drcs = '', profile: 'A' | 'C' = 'A'): CaptionPage {
  const units = [...(drcs === '' ? [] : unit(0x30, hex(drcs))), ...unit(0x20, hex(body))];
  const data = [0x3f, 0, units.length >> 8, units.length & 255, ...units];
  const group = [4, 0, 0, data.length >> 8, data.length & 255, ...data];
  const crc = crc16(Uint8Array.from(group));
  const payload = Uint8Array.of(0x80, 0xff, 0xf0, ...group, crc >> 8, crc);
  const [event] = new CaptionDecoder(profile).feed(payload, pts90k(0));
  if (event?.kind !== 'page') throw new Error(`no page: ${body}`);
  return event.page;
}

/** 16 by 16 dots of four levels: a disc that fades outwards. */
function disc(): string {
  const levels = Array.from({ length: 256 }, (_, at) => {
    const distance = Math.hypot((at % 16) - 7.5, (at >> 4) - 7.5);
    return Math.max(0, Math.min(3, Math.round(4.5 - distance / 1.9)));
  });
  const octets = Array.from({ length: 64 }, (_, at) =>
    levels.slice(at * 4, at * 4 + 4).reduce((octet, level) => (octet << 2) | level, 0),
  );
  return `01 4121 01 01 02 10 10 ${Uint8Array.from(octets).toHex()}`;
}

const TEXT = '3B7A4B6BC7B9'; // 字幕です
const LINE = pageOf(`${PRE} 1C4740 87 ${BG} ${TEXT}`);
const RUBY = pageOf(`${PRE} 87 ${BG} 9B3337303B3434392061 88 ABF3B8 9B3337303B3530392061 8A 34413B7A`);
const FLASH = pageOf(`${PRE} 1C4740 87 ${BG} 9140 3B7A 914F 4B6B`);

const scenes: [
  name: string,
  page: CaptionPage,
  over?: Partial<Scene>,
  settings?: Partial<CaptionSettings>,
][] = [
  ['one-line', LINE],
  ['two-lines-coloured', pageOf(`${PRE} 1C4640 83 ${BG} ${TEXT} 1C4740 902040 86 ${TEXT}`)],
  ['ruby', RUBY],
  ['ruby-hidden', RUBY, {}, { ruby: false }],
  ['sizes', pageOf(`${PRE} 1C4740 87 ${BG} 88 3B7A 89 4B6B 8A 3B7A 8B44 4B6B 8B41 3B7A 8B45 4B6B`)],
  [
    'letters-half-and-full',
    pageOf(`${PRE} 1C4740 87 ${BG} 1B294A 0E 41623132 89 41623132 20 21 8A 0F ${TEXT}`),
  ],
  [
    'palettes',
    pageOf(`${PRE} 1C4740 ${BG} 81 3B7A 82 4B6B 84 3B7A 902041 9048 4B6B 902040 9052 3B7A 9058 4B6B`),
  ],
  ['transparent-outlined', pageOf(`${PRE} 1C4740 87 9B313B303030302063 ${TEXT}`)],
  ['outlined-red', pageOf(`${PRE} 1C4740 87 ${BG} 9B313B303030312063 ${TEXT}`)],
  ['underline', pageOf(`${PRE} 1C4740 87 ${BG} 9A 3B7A4B6B 99 C7B9`)],
  ['box', pageOf(`${PRE} 1C4740 87 ${BG} 974D 3B7A 9745 4B6B 9747 3B7A 9740 4B6B`)],
  ['box-every-edge', pageOf(`${PRE} 1C4740 87 9741 3B7A 20 9742 3B7A 20 9744 3B7A 20 9748 3B7A`)],
  ['flash-lit', FLASH],
  ['flash-dark', FLASH, { lit: false }],
  ['inverted', pageOf(`${PRE} 1C4740 87 ${BG} 9341 3B7A4B6B 9340 C7B9`)],
  ['bold-slanted', pageOf(`${PRE} 1C4740 87 ${BG} 9B312064 3B7A 9B322064 4B6B 9B332064 3B7A`)],
  ['bitmap', pageOf(`${PRE} 1C4740 83 ${BG} 1B2A2041 1B7D A1 3B7A 89 A1 4B6B`, disc())],
  ['symbols', pageOf(`${PRE} 1C4740 87 ${BG} 7C21 7D7A 7B3C 7A60 7E21 7E61 7B51`)],
  ['raster', pageOf(`${PRE} 9B3636206E 1C4740 87 ${TEXT}`)],
  ['circle-over-kanji', pageOf(`${PRE} 1C4740 87 ${BG} 227E 3B7A 4B6B`)],
  ['vertical', pageOf(`9B382053 87 ${BG} ${TEXT} 0D 902040 83 ${TEXT}`)],
  ['sd-plane', pageOf(`9B392053 9B3632303B3431362056 9B35303B3332205F 1C4740 87 ${BG} ${TEXT}`)],
  ['one-segment', pageOf('0C 87 BBFACBEB 0D 83 BBFACBEB', '', 'C'), { width: 320, height: 180 }],
  ['larger', LINE, {}, { size: 1.5 }],
  ['smaller-at-the-top', RUBY, {}, { size: 0.6, position: 'top' }],
  ['opaque-background', LINE, {}, { background: 1 }],
  ['faint', LINE, {}, { opacity: 0.4 }],
  ['odd-size', LINE, { width: 333, height: 211 }],
  ['tiny', RUBY, { width: 120, height: 68 }],
  ['sharp-at-two', pageOf(`${PRE} 1C4040 87 ${BG} 974F 3B7A 9740 9A 4B6B`), { width: 960, height: 540 }],
  ['hidden', LINE, {}, { visible: false }],
];

export const SCENES: readonly { name: string; scene: Scene }[] = scenes.map(
  ([name, page, over = {}, settings = {}]) => ({
    name,
    scene: {
      ...{ page, width: 480, height: 270, lit: true },
      ...over,
      settings: { ...DEFAULT_CAPTION_SETTINGS, ...settings },
    },
  }),
);

/** All characters that the scenes draw. */
export const SCENE_TEXT = [
  ...new Set(SCENES.flatMap(({ scene }) => scene.page.runs.map(({ text }) => text)).join('')),
].join('');
