/** `/api/rules`: rules for automatic recording. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { ProblemSchema, RuleBodySchema, RulePreviewSchema, RuleSchema } from '../../lib/wire/api.ts';
import { problemResponse, REFUSAL_SCHEMAS, REFUSALS } from '../http/route/described-responses.ts';
import { readRowId } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import type { RuleService } from './rule-service.ts';

interface RuleRouteNeeds {
  rules: Pick<RuleService, 'list' | 'get' | 'create' | 'update' | 'remove' | 'preview'>;
}

const ID = t.Object({ id: t.String({ description: 'rule id' }) });
const BODY = {
  required: true,
  content: { 'application/json': { schema: JSON.parse(JSON.stringify(RuleBodySchema)) } },
};
const ANSWERS = { 400: ProblemSchema, 404: ProblemSchema, ...REFUSAL_SCHEMAS };
const CONDITIONS =
  'All conditions that are set must hold; at least one is needed. Width, letter case and the width of kana do not count.';

export function addRuleRoutes(app: Elysia, { rules }: RuleRouteNeeds): void {
  const tags = ['rules'];

  app.get('/api/rules', ({ request }) => polledJson(request, polledAnswer(rules.list())), {
    detail: {
      summary: 'Rules, with their reservations',
      description: 'The event `rules` reports changes. Carries an ETag.',
      tags,
      responses: { ...REFUSALS, ...polledResponses('rules', t.Array(RuleSchema)) },
    },
  });

  app.get('/api/rules/:id', ({ params }) => rules.get(readRowId(params.id)), {
    params: ID,
    response: { 200: RuleSchema, ...ANSWERS },
    detail: { summary: 'One rule', tags },
  });

  // The rules validate bodies themselves, with errors that name the field.
  app.post('/api/rules', ({ body }) => rules.create(body), {
    response: { 200: RuleSchema, ...ANSWERS },
    detail: {
      summary: 'Add a rule',
      description: `${CONDITIONS} What it matches is booked before the answer, if that takes no longer than seconds.`,
      tags,
      requestBody: BODY,
    },
  });

  app.put('/api/rules/:id', ({ params, body }) => rules.update(readRowId(params.id), body), {
    params: ID,
    response: { 200: RuleSchema, ...ANSWERS },
    detail: {
      summary: 'Change a rule',
      description: `What is left out takes its default, but for \`dedupe\`, which stays. ${CONDITIONS}`,
      tags,
      requestBody: BODY,
    },
  });

  app.delete(
    '/api/rules/:id',
    async ({ params }) => {
      await rules.remove(readRowId(params.id));
      return new Response(null, { status: 204 });
    },
    {
      params: ID,
      detail: {
        summary: 'Delete a rule',
        description:
          'Including its cancellations, and its reservations that no other rule matches. Its finished and running ' +
          'recordings stay.',
        tags,
        responses: {
          ...REFUSALS,
          204: { description: 'deleted' },
          400: problemResponse('malformed id'),
          404: problemResponse('unknown rule'),
        },
      },
    },
  );

  app.post(
    '/api/rules/preview',
    ({ body, query }) => rules.preview(body, query.ruleId === undefined ? null : readRowId(query.ruleId)),
    {
      query: t.Object({
        ruleId: t.Optional(
          t.String({ pattern: '^[0-9]{1,15}$', description: 'the rule that is being changed' }),
        ),
      }),
      response: { 200: RulePreviewSchema, 503: ProblemSchema, ...ANSWERS },
      detail: {
        summary: 'What a rule would book now',
        description:
          'Its matching programmes, each with the state that it would get besides all existing reservations. ' +
          'Nothing is changed.',
        tags,
        requestBody: BODY,
      },
    },
  );
}
