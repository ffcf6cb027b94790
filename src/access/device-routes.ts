/** `/api/device/*`: pairing, and the list of paired devices. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import {
  type DeviceToken,
  DeviceTokensSchema,
  type PairingAnswer,
  PairingAnswerSchema,
  PairingRequestSchema,
  type PollAnswer,
  PollAnswerSchema,
  PollErrorSchema,
  PollRequestSchema,
  ProblemSchema,
} from '../../lib/wire/api.ts';
import { describedJson, jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { readRowId } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { requesterOf } from '../http/route/request.ts';
import { Failure } from '../model/failure.ts';
import { readAs } from '../model/schema-mismatch.ts';
import { CODE_LIFE_MS, POLL_INTERVAL_MS } from './pairing-code.ts';
import type { PairingService, TokenService } from './pairing-service.ts';

const MAX_NAME_LENGTH = 40;
const NAMELESS = '名前のないテレビ';

/**
 * Line breaks and other controls; format characters, including bidirectional controls; unassigned, private and
 * surrogate code points. This also removes joiners within emoji.
 */
const HIDDEN = /\p{C}/gu;

/** One line of plain text; undefined if it is too long for a name. */
export function readDeviceName(text: string): string | undefined {
  // Far too long: not parsed at all.
  if (text.length > MAX_NAME_LENGTH * 2) return undefined;
  if ([...text].length > MAX_NAME_LENGTH) return undefined;
  const plain = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim();
  return plain === '' ? NAMELESS : plain;
}

/** Rate limit per address; 0 ms when an attempt is allowed. */
export interface Attempts {
  attempt(address: string): number;
}

interface DeviceRouteNeeds {
  pairing: PairingService;
  tokens: TokenService;
  codeAttempts: Attempts;
  pollAttempts: Attempts;
}

const tags = ['devices'];
/** Routes without credentials may also refuse a request. */
const CLOSED = { 403: REFUSALS[403] };
const NO_STORE = { 'cache-control': 'no-store' } as const;

function errorAnswer(error: string, status: number, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers: { ...NO_STORE, ...headers } });
}

/** Whole seconds. RFC 9110, 10.2.3. */
function retryAfter(waitMs: number): Record<string, string> {
  return { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) };
}

function addPairingRoutes(app: Elysia, { pairing, codeAttempts, pollAttempts }: DeviceRouteNeeds): void {
  app.post(
    '/api/device/code',
    ({ request, body }) => {
      const { address } = requesterOf(request);
      const wait = codeAttempts.attempt(address);
      if (wait > 0) return errorAnswer('too_many_pending', 429, retryAfter(wait));
      const name = readDeviceName(readAs(PairingRequestSchema, body).name);
      if (name === undefined) {
        throw new Failure('bad_request', 'name は 40 文字までの文字列にしてください。', { path: 'name' });
      }
      const codes = pairing.begin(name, address);
      if ('waitMs' in codes) return errorAnswer('too_many_pending', 429, retryAfter(codes.waitMs));
      const answer: PairingAnswer = {
        ...codes,
        verificationUri: 'device',
        verificationUriComplete: `device?code=${codes.userCode}`,
        expiresIn: CODE_LIFE_MS / 1000,
        interval: POLL_INTERVAL_MS / 1000,
      };
      return Response.json(answer, { headers: NO_STORE });
    },
    {
      detail: {
        summary: 'Begin pairing a device; needs no credentials',
        description:
          'The device shows `verificationUriComplete` as a QR code and polls `/api/device/token` every `interval` ' +
          'seconds. The codes are valid for `expiresIn` seconds.',
        tags,
        security: [],
        requestBody: jsonBody(PairingRequestSchema),
        responses: {
          ...CLOSED,
          200: describedJson('codes', PairingAnswerSchema),
          400: problemResponse('no name, or a name of more than 40 characters'),
          429: {
            description:
              '`too_many_pending`: 20 codes wait for approval, or this address sent too many requests; ' +
              '`Retry-After` says when a place is free',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { error: { type: 'string', enum: ['too_many_pending'] } },
                },
              },
            },
          },
        },
      },
    },
  );

  app.post(
    '/api/device/token',
    ({ request, body }) => {
      const wait = pollAttempts.attempt(requesterOf(request).address);
      if (wait > 0) return errorAnswer('slow_down', 400, retryAfter(wait));
      const answer = pairing.poll(readAs(PollRequestSchema, body).deviceCode);
      if ('error' in answer) return errorAnswer(answer.error, 400);
      const given: PollAnswer = { token: answer.token, tokenType: 'Bearer' };
      return Response.json(given, { headers: NO_STORE });
    },
    {
      detail: {
        summary: 'Poll for the access token; needs no credentials',
        description:
          'Returns the token once. `authorization_pending`: not approved yet; `slow_down`: wait 5 s longer between ' +
          'polls from now on; `expired_token`: begin again; `invalid_grant`: unknown, or its token was already issued.',
        tags,
        security: [],
        requestBody: jsonBody(PollRequestSchema),
        responses: {
          ...CLOSED,
          200: describedJson('the token', PollAnswerSchema),
          400: describedJson(
            'not yet, or not any more; a malformed body',
            t.Union([PollErrorSchema, ProblemSchema]),
          ),
        },
      },
    },
  );
}

export function addDeviceRoutes(app: Elysia, needs: DeviceRouteNeeds): void {
  const { tokens } = needs;
  addPairingRoutes(app, needs);

  app.post(
    '/api/device/logout',
    ({ request }) => {
      const { letIn } = requesterOf(request);
      if (letIn.by !== 'token') {
        return errorAnswer('unauthorized', 401, { 'www-authenticate': 'Bearer realm="svc"' });
      }
      tokens.revoke(letIn.tokenId);
      return new Response(null, { status: 204 });
    },
    {
      detail: {
        summary: 'Revoke the access token of this request',
        tags,
        responses: { ...REFUSALS, 204: { description: 'revoked' } },
      },
    },
  );

  app.get(
    '/api/device/tokens',
    ({ request }) => {
      const list: DeviceToken[] = tokens
        .list()
        .map(({ id, name, pairedAt, usedAt, approver }) => ({ id, name, pairedAt, usedAt, approver }));
      return polledJson(request, polledAnswer(list));
    },
    {
      detail: {
        summary: 'Paired devices, the last paired first',
        description: 'Carries an ETag. The event `tokens` reports changes.',
        tags,
        responses: { ...REFUSALS, ...polledResponses('devices', DeviceTokensSchema) },
      },
    },
  );

  app.delete(
    '/api/device/tokens/:id',
    ({ params }) => {
      if (!tokens.revoke(readRowId(params.id))) throw new Failure('not_found', '端末が見つかりません。');
      return new Response(null, { status: 204 });
    },
    {
      params: t.Object({ id: t.String({ description: 'from the list' }) }),
      detail: {
        summary: 'Revoke a device; safe to repeat',
        tags,
        responses: {
          ...REFUSALS,
          204: { description: 'revoked, now or before' },
          400: problemResponse('malformed id'),
          404: problemResponse('no such device'),
        },
      },
    },
  );
}
