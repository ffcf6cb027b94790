/** The text of an answer that may be larger than anything sensible: read up to a bound, never held whole. */

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

/**
 * @throws AnswerTooLarge when the body is larger than `maxBytes`; the rest is then not read. Also what the body throws.
 */
export async function boundedText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new AnswerTooLarge(`answer larger than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
