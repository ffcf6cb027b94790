/** The captions file of a complete stream, as the background worker makes it. */
import type { ServiceId } from '../../lib/arib/ids.ts';
import type { Pts90k } from '../../lib/arib/time.ts';
import type { CaptionsFile } from '../../lib/wire/caption.ts';
import { captionRow } from '../../src/media/side-rows.ts';
import { SideExtractor } from '../../src/play/side-file-host.ts';

interface Extraction {
  readonly serviceId?: ServiceId | undefined;
  /** s on the playback scale. */
  readonly scale: (at: Pts90k) => number | undefined;
}

export async function extractCaptions(
  stream: AsyncIterable<Uint8Array>,
  { serviceId, scale }: Extraction,
): Promise<CaptionsFile | null> {
  const extractor = new SideExtractor({ row: captionRow, serviceId, scale });
  let octet = 0;
  for await (const chunk of stream) {
    extractor.feed(chunk, octet);
    octet += chunk.length;
  }
  return extractor.file() as CaptionsFile | null;
}
