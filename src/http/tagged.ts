/** Answers that are polled: an ETag of their content, and 304 for whoever has it already. RFC 9110, 13.1.2. */

/** Whether an If-None-Match header names the tag. */
export function matches(header: string | null, tag: string): boolean {
  if (header === null) return false;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*');
}

/** JSON with an ETag over its text. To be revalidated each time: the content is nobody else's. */
export function taggedJson(request: Request, value: unknown): Response {
  const text = JSON.stringify(value);
  const tag = `"${Bun.hash(text).toString(36)}"`;
  const headers = { etag: tag, 'cache-control': 'private, no-cache' };
  if (matches(request.headers.get('if-none-match'), tag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } });
}
