/** Answers that the page asks for before its scripts are there. */

declare global {
  /** By address; the scripts of a page share only the page. */
  var svcFirstAnswers: Map<string, Promise<Response>> | undefined;
}

const TIMEOUT_MS = 15_000;

/** @param paths relative to the document's base */
export function askFirst(paths: readonly string[]): void {
  globalThis.svcFirstAnswers = new Map(
    paths.map((path) => {
      const url = new URL(path, document.baseURI);
      const headers = { accept: 'application/json' };
      const answer = fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
      // Whoever takes it learns of the failure.
      answer.catch(() => undefined);
      return [url.href, answer];
    }),
  );
}

/** The answer to the first GET of this address: from then on it may be out of date. */
export function takeFirstAnswer({ href }: URL): Promise<Response> | undefined {
  const answer = globalThis.svcFirstAnswers?.get(href);
  globalThis.svcFirstAnswers?.delete(href);
  return answer;
}
