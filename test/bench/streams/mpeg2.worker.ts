/** Decodes a stream repeatedly in a browser worker, for `test/bench/mpeg2.ts`. */
import { type AccessUnit, AccessUnits } from '../../../web/raw/access-units.ts';
import { Mpeg2Decoder } from '../../../web/raw/mpeg2-decoder.ts';

export type BenchRequest =
  | { readonly kind: 'load'; readonly wasm: ArrayBuffer; readonly stream: Uint8Array }
  /** `fields`: every field made a frame. The response is the number of frames. */
  | { readonly kind: 'run'; readonly fields: boolean; readonly rounds: number };

const PIECE = 64 * 1024;

const units: AccessUnit[] = [];
let decoder: Mpeg2Decoder | undefined;

async function load(wasm: ArrayBuffer, stream: Uint8Array): Promise<number> {
  const cutter = new AccessUnits();
  // In chunks like those of packets: data longer than a picture can be is not kept.
  for (let at = 0; at < stream.length; at += PIECE)
    units.push(...cutter.push(stream.subarray(at, at + PIECE)));
  units.push(...cutter.end());
  decoder = await Mpeg2Decoder.create(await WebAssembly.compile(wasm));
  return units.length;
}

function run(fields: boolean, rounds: number): number {
  if (decoder === undefined) return 0;
  let frames = 0;
  for (let round = 0; round < rounds; round += 1) {
    decoder.restart();
    for (const unit of units) {
      decoder.decode(unit.bytes, unit.time);
      for (const picture of fields ? decoder.pictures() : decoder.frames()) void picture;
      frames += 1;
    }
  }
  return frames;
}

addEventListener('message', async ({ data }: MessageEvent<BenchRequest>) => {
  postMessage(data.kind === 'load' ? await load(data.wasm, data.stream) : run(data.fields, data.rounds));
});
