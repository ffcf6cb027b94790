/**
 * Reads a caption frame stream like a client, which ignores keep-alives, with a reader of its own, written from the layout in `spec/1`.
 */

export interface ReadFrame {
  kind: number;
  /** 90 kHz. */
  time: number;
  payload: unknown;
}

export async function* captionFrames(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ReadFrame, void, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const end = 4 + rest.readUInt32BE(0);
      const payload = JSON.parse(rest.subarray(13, end).toString('utf8')) as { type?: string };
      const frame = { kind: rest.readUInt8(4), time: Number(rest.readBigUInt64BE(5)), payload };
      if (payload.type !== 'ping') yield frame;
      rest = rest.subarray(end);
    }
  }
  if (rest.length > 0) throw new Error('the stream ends within a frame');
}
