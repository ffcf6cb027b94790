/**
 * Responses to changes by users are sent when the change is on disk: a power cut loses nothing that was confirmed.
 */
import { failureResponse } from '../route/problems.ts';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** @param stored resolves when everything that was committed before is on disk; throws Failure */
export function answeredOnceStored(
  handle: (request: Request) => Response | Promise<Response>,
  stored: () => Promise<void>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await handle(request);
    if (READING.has(request.method) || !response.ok) return response;
    try {
      await stored();
      return response;
    } catch (error) {
      await response.body?.cancel();
      const failure = failureResponse(error);
      if (failure === undefined) throw error;
      return failure;
    }
  };
}
