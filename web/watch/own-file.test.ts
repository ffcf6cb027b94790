import { expect, test } from 'bun:test';
import type { PlaybackOffer } from '../../lib/wire/playback.ts';
import { frameRateOf, ownCodec } from './own-file.ts';

const AV1: PlaybackOffer = { codec: 'av1', way: 'file', source: 'encoded', codecs: 'av01.0.08M.08,opus' };
const H264: PlaybackOffer = { codec: 'h264', way: 'file', source: 'alt', codecs: 'avc1.64002A,mp4a.40.2' };
const STREAM: PlaybackOffer = { codec: 'h264', way: 'stream' };

/** A device that decodes these smoothly, and every other codec in software. */
function device(...smooth: string[]) {
  const asked: MediaDecodingConfiguration[] = [];
  const decodingInfo = async (configuration: MediaDecodingConfiguration) => {
    asked.push(configuration);
    const type = configuration.video?.contentType ?? '';
    return {
      ...{ supported: true, powerEfficient: false, configuration },
      smooth: smooth.some((one) => type.includes(one)),
    } as unknown as MediaCapabilitiesDecodingInfo;
  };
  return { asked, decodingInfo };
}

test('the first file that the device decodes smoothly is played as it is', async () => {
  const offers = [AV1, H264, STREAM];
  expect(await ownCodec({ offers }, device('av01', 'avc1'))).toBe('av1');
  expect(await ownCodec({ offers }, device('avc1'))).toBe('h264');
  expect(await ownCodec({ offers }, device())).toBeUndefined();
  expect(await ownCodec({ offers: [STREAM] }, device('avc1'))).toBeUndefined();
  const asked = device('av01');
  await ownCodec({ offers }, asked);
  expect(asked.asked).toMatchObject([
    {
      type: 'media-source',
      video: { contentType: 'video/mp4; codecs="av01.0.08M.08"', height: 1_080 },
      audio: { contentType: 'audio/mp4; codecs="opus"' },
    },
  ]);
});

test('where the browser fails to tell, nothing is assumed of AV1', async () => {
  const failing = { decodingInfo: () => Promise.reject(new TypeError('no such type')) };
  expect(await ownCodec({ offers: [AV1] }, failing)).toBeUndefined();
});

test('the level of a codec tells its frame rate', () => {
  const rates = ['avc1.640028', 'avc1.64002A', 'av01.0.08M.08', 'av01.0.09M.08'].map(frameRateOf);
  expect(rates.map(Math.round)).toEqual([30, 60, 30, 60]);
});
