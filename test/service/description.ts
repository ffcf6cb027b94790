/** The OpenAPI description of a running service, and the validation of responses against it. */
import { type JsonSchema, schemaMismatches } from './json-schema.ts';

interface Content {
  [type: string]: { schema?: JsonSchema } | undefined;
}

interface DescribedResponse {
  content?: Content;
  headers?: Record<string, { schema?: JsonSchema }>;
}

export interface Operation {
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema?: JsonSchema }[];
  /** Empty: needs no credentials. */
  security?: object[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, DescribedResponse | undefined>;
}

interface Document extends JsonSchema {
  paths: Record<string, Record<string, Operation | undefined>>;
}

interface Answered {
  method: string;
  /** With its query, without the address of the service. */
  path: string;
  status: number;
  headers: Headers;
  /** Empty string if there is none. */
  body: string;
}

/** Described once for the whole interface, as text. */
const EVERYWHERE = new Set([405, 413]);

const DESCRIPTION = '/api/openapi.json';

export class Description {
  private constructor(readonly document: Document) {}

  static async of(url: string): Promise<Description> {
    return new Description((await (await fetch(url + DESCRIPTION)).json()) as Document);
  }

  /** Path template, method in capitals, operation. */
  operations(): [path: string, method: string, operation: Operation][] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]): [string, string, Operation][] =>
        operation === undefined ? [] : [[path, method.toUpperCase(), operation]],
      ),
    );
  }

  /** HEAD is described by GET. A literal path takes precedence over one with a parameter. */
  find(method: string, path: string): Operation | undefined {
    const asked = (path.split('?')[0] ?? '').split('/');
    const wanted = method === 'HEAD' ? 'GET' : method;
    const matching = this.operations().filter(([template, one]) => {
      const parts = template.split('/');
      return (
        one === wanted &&
        parts.length === asked.length &&
        parts.every((part, index) => part === asked[index] || part.startsWith('{'))
      );
    });
    return matching.sort(([a], [b]) => a.split('{').length - b.split('{').length)[0]?.[2];
  }

  /** Parts of an accepted JSON body that the description does not allow. */
  wrongRequest(method: string, path: string, body: unknown): string[] {
    const schema = this.find(method, path)?.requestBody?.content['application/json']?.schema;
    if (schema === undefined) return [];
    return schemaMismatches(schema, body, this.document).map(({ path: at, what }) => `body ${at}: ${what}`);
  }

  /** Differences between a response and the description. */
  wrong({ method, path, status, headers, body }: Answered): string[] {
    const operation = this.find(method, path);
    if (path === DESCRIPTION) return [];
    if (operation === undefined) return status === 404 || status === 405 ? [] : ['the path is not described'];
    const described = operation.responses[status] ?? (EVERYWHERE.has(status) ? PROBLEM : undefined);
    if (described === undefined) return [`status ${status} is not described`];
    const types = Object.keys(described.content ?? {});
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    if (method === 'HEAD') return body === '' ? [] : ['HEAD has a body'];
    if (types.length === 0) return body === '' ? [] : [`${status} has a body`];
    if (!types.includes(type)) return [`type ${type} is not described, but ${types}`];
    if (type !== 'application/json') return [];
    const schema = described.content?.[type]?.schema;
    if (schema === undefined) return ['the body is not described'];
    return schemaMismatches(schema, JSON.parse(body), this.document).map(
      ({ path: at, what }) => `${at}: ${what}`,
    );
  }
}

const PROBLEM: DescribedResponse = {
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const known = new Map<string, Promise<Description>>();

/** Sends a request and validates the response against the API description. @throws Error naming the difference */
export async function describedFetch(url: string, path: string, init: RequestInit = {}): Promise<Response> {
  // The target of a redirect is described separately.
  const response = await fetch(`${url}${path}`, { redirect: 'manual', ...init });
  const description = known.get(url) ?? Description.of(url);
  known.set(url, description);
  const { status, headers } = response;
  const method = init.method ?? 'GET';
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  const body = isJson ? await response.clone().text() : '';
  const found = await description;
  const wrong = found.wrong({ method, path, status, headers, body });
  if (status < 300 && typeof init.body === 'string') {
    wrong.push(...found.wrongRequest(method, path, JSON.parse(init.body)));
  }
  if (wrong.length > 0)
    throw new Error(`${method} ${path} ${status} ${body.slice(0, 500)}\n${wrong.join('\n')}`);
  return response;
}
