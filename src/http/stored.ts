/**
 * Requests of users that change something: they wait for the database without blocking others, and are answered when
 * the change is on disk, so that a power cut loses nothing that was confirmed.
 */
import { failureResponse } from '../route/problems.ts';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Storing {
  /** Answers when the database can be written, or after some seconds all the same. */
  admitted: (answer: () => Response | Promise<Response>) => Promise<Response>;
  /** Resolves when everything that was committed before is on disk; throws Failure. */
  stored: () => Promise<void>;
}

export function answeredOnceStored(
  handle: (request: Request) => Response | Promise<Response>,
  { admitted, stored }: Storing,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (READING.has(request.method)) return handle(request);
    const response = await admitted(() => handle(request));
    if (!response.ok) return response;
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
