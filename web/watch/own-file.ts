/** Whether this device plays the encoded file of a recording smoothly, so that it is sent as it is, not converted again. */
import type { Playback, PlaybackOffer } from '../../lib/wire/playback.ts';
import { mediaSourceClass } from '../player/player.ts';
import type { PlayCodec } from '../query/recordings.ts';

/** The browser answers from memory; without an answer the file counts as unknown. */
const ANSWER_MS = 1_000;
/** The most that is encoded: a full HD broadcast. */
const PICTURE = { width: 1_920, height: 1_080, bitrate: 8_000_000 } as const;
const FRAMES = 30_000 / 1001;
const FIELDS = 60_000 / 1001;
const CODECS = { h264: 'avc1.640028,mp4a.40.2', av1: 'av01.0.08M.08,opus' } as const;

/** Of full HD by the level: H.264 above 4.1 (ITU-T H.264, A.3), AV1 above 4.0 (its specification, A.3). */
export function frameRateOf(codec: string): number {
  const [, h264] = /^avc[13]\.[\da-f]{4}([\da-f]{2})/iu.exec(codec) ?? [];
  const [, av1] = /^av01\.\d\.(\d\d)/u.exec(codec) ?? [];
  const isFast = h264 === undefined ? Number(av1 ?? 0) > 8 : Number.parseInt(h264, 16) > 41;
  return isFast ? FIELDS : FRAMES;
}

type Capabilities = Pick<MediaCapabilities, 'decodingInfo'>;

async function isSmooth(codecs: string, capabilities: Capabilities): Promise<boolean> {
  const [picture = '', sound] = codecs.split(',').map((one) => one.trim());
  const { supported, smooth } = await capabilities.decodingInfo({
    type: 'media-source',
    video: { ...PICTURE, contentType: `video/mp4; codecs="${picture}"`, framerate: frameRateOf(picture) },
    ...(sound === undefined ? {} : { audio: { contentType: `audio/mp4; codecs="${sound}"` } }),
  });
  return supported && smooth;
}

/** Browsers that tell nothing more decode H.264 by hardware, and AV1 perhaps not. */
const isPlain = (codec: PlayCodec, codecs: string): boolean =>
  codec === 'h264' && mediaSourceClass()?.isTypeSupported(`video/mp4; codecs="${codecs}"`) === true;

const isPlayed = ({ way, codec }: PlaybackOffer): boolean =>
  way === 'file' && (codec === 'h264' || codec === 'av1');

/** The codec of the first file that is played smoothly; undefined: there is none. */
export async function ownCodec(
  { offers }: Pick<Playback, 'offers'>,
  capabilities: Capabilities | undefined = navigator.mediaCapabilities,
): Promise<PlayCodec | undefined> {
  for (const offer of offers.filter(isPlayed)) {
    const codec = offer.codec as PlayCodec;
    const { codecs = CODECS[codec] } = offer;
    const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), ANSWER_MS));
    const asked =
      capabilities === undefined
        ? isPlain(codec, codecs)
        : isSmooth(codecs, capabilities).catch(() => isPlain(codec, codecs));
    if (await Promise.race([asked, late])) return codec;
  }
  return undefined;
}
