/** `/api/settings` and facts about the machine for the settings screen. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import {
  type FolderList,
  FolderListSchema,
  SETTING_SCHEMAS,
  type Settings,
  SettingsSchema,
  type SystemFacts,
  SystemSchema,
} from '../../lib/wire/api.ts';
import {
  describedJson,
  problemResponse,
  REFUSAL_SCHEMAS,
  REFUSALS,
} from '../http/route/described-responses.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { requesterOf } from '../http/route/request.ts';
import { Failure } from '../model/failure.ts';

interface SettingsRouteNeeds {
  settings: {
    all(): Settings;
    /** @throws Failure */
    changeJudged(body: unknown): Promise<Settings>;
  };
  system(): Promise<SystemFacts>;
  /** @throws Failure */
  folderList(path: string): Promise<FolderList>;
}

/** A schema as plain JSON Schema. */
function plain(schema: object) {
  return JSON.parse(JSON.stringify(schema));
}

/** Any of the keys; null resets one to its default. */
const CHANGES = t.Object(
  Object.fromEntries(
    Object.entries(SETTING_SCHEMAS).map(([key, schema]) => [key, t.Optional(t.Union([schema, t.Null()]))]),
  ),
);

export function addSettingsRoutes(app: Elysia, parts: SettingsRouteNeeds): void {
  const tags = ['settings'];

  app.get('/api/settings', ({ request }) => polledJson(request, polledAnswer(parts.settings.all())), {
    detail: {
      summary: 'All settings with their current values',
      description: 'Carries an ETag. The event `settings` reports changes.',
      tags,
      responses: { ...REFUSALS, ...polledResponses('settings', SettingsSchema) },
    },
  });

  const change = async (request: Request, body: unknown): Promise<Response> => {
    const isFolders = typeof body === 'object' && body !== null && 'recordingFolders' in body;
    if (isFolders && requesterOf(request).letIn.by === 'token') {
      const message =
        '録画フォルダーは、登録した端末からは変更できません。ブラウザーの画面から変更してください。';
      throw new Failure('forbidden', message, { path: 'recordingFolders' });
    }
    return Response.json(await parts.settings.changeJudged(body));
  };

  app.put('/api/settings', ({ request, body }) => change(request, body), {
    // The settings validate the body themselves, with errors that name the field.
    detail: {
      summary: 'Change settings',
      description:
        'Only the sent keys are changed. `null` resets a key to its default (the defaults are in ' +
        '`/api/system`). An unknown key or a bad value is a 400 whose `path` names it; nothing is changed then.',
      tags,
      requestBody: { required: true, content: { 'application/json': { schema: plain(CHANGES) } } },
      responses: {
        ...REFUSALS,
        200: {
          description: 'all settings with their new values',
          content: { 'application/json': { schema: plain(SettingsSchema) } },
        },
        400: problemResponse('an unknown key or a bad value; nothing was changed'),
      },
    },
  });

  app.get('/api/folders', async ({ query }) => Response.json(await parts.folderList(query.path ?? '/')), {
    query: t.Object({ path: t.Optional(t.String({ description: 'absolute; default: /', maxLength: 4096 })) }),
    detail: {
      summary: 'Folders within a folder of the machine, for selecting a recording folder',
      description:
        "Without hidden folders, links, the system's own and those of other services; at most 500. Not for tokens.",
      tags,
      responses: {
        ...REFUSALS,
        200: describedJson('the folders', FolderListSchema),
        400: problemResponse('no folder that can be read; the reason as text'),
        404: problemResponse('nothing is there'),
      },
    },
  });

  app.get('/api/system', () => parts.system(), {
    response: { 200: SystemSchema, ...REFUSAL_SCHEMAS },
    detail: {
      summary: 'Facts for the settings screen: version, agent, ffmpeg, folders, database, clocks, defaults',
      tags,
    },
  });
}
