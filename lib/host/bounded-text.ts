/** Reads a response body as text up to a limit, so that an oversized one does not fill memory. */

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

/** @throws AnswerTooLarge if the body is larger than `maxBytes`; the rest is then not read. Also errors of the body. */
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
