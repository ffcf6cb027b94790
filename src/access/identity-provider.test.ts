/** The provider over real sockets: timeouts, size limits, and how failures are classified. */
import { afterEach, describe, expect, test } from 'bun:test';
import { type MonotonicMs, systemWallClock } from '../../lib/host/clock.ts';
import { CLIENT_ID, CLIENT_SECRET, ProviderStandIn } from '../../test/access/provider-stand-in.ts';
import { IdentityProvider } from './identity-provider.ts';
import { type Denial, denialOf, LoginFailure, nameOfClaims } from './openid.ts';

const REDIRECT = 'https://tv.example/login/callback';
/** For a provider that never answers; otherwise the timeout is longer than any delay of a busy machine. */
const SHORT_S = 0.1;
const LONG_S = 20;

const { key: KEY } = new ProviderStandIn();
const stands: ProviderStandIn[] = [];
afterEach(async () => {
  await Promise.all(stands.splice(0).map((one) => one.stop()));
});

function rig(metadata: Record<string, unknown> = {}) {
  const provider = new ProviderStandIn(KEY);
  provider.metadata = metadata;
  provider.start();
  stands.push(provider);
  const clock = { ms: 5_000_000 };
  const limit = { requestLimitS: LONG_S };
  const identity = new IdentityProvider(
    {
      ...{ issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
      ...{ group: null, sessionTtlMs: 1_000 },
    },
    () => clock.ms as MonotonicMs,
    systemWallClock,
    limit,
  );
  const begin = () => identity.begin(REDIRECT);
  const login = async (write?: Parameters<ProviderStandIn['signIn']>[1], change?: (back: URL) => void) => {
    const { url, checks } = await begin();
    const back = provider.signIn(url, write);
    change?.(back);
    return identity.finish(back, checks);
  };
  const asked = (path: string): number => provider.asked.filter((one) => one === path).length;
  return { provider, identity, clock, limit, begin, login, asked };
}

const DISCOVERY = '/.well-known/openid-configuration';

/** @returns kind and message of the failure */
async function failureOf(work: Promise<unknown>): Promise<[kind: string, message: string]> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof LoginFailure)) throw new Error(`no LoginFailure: ${error}`);
  return [error.kind, error.message];
}

const never = () => new Promise<Response>(() => {});
/** Headers and the beginning of a body whose rest never arrives. */
const stuck = () =>
  new Response(new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode('{')) }), {
    headers: { 'content-type': 'application/json' },
  });

describe('a provider that does not respond', () => {
  for (const [what, fault] of [
    ['takes the connection and never answers', never],
    ['begins an answer and does not go on', stuck],
  ] as const) {
    test(`and ${what} times out at the start and at the end of a login`, async () => {
      const { provider, begin, login, clock, limit } = rig();
      const hang = () => {
        provider.fault = fault;
        limit.requestLimitS = SHORT_S;
      };
      hang();
      expect((await failureOf(begin()))[0]).toBe('provider_down');
      provider.fault = undefined;
      limit.requestLimitS = LONG_S;
      clock.ms += 1_000;
      const slow = login(undefined, hang);
      expect((await failureOf(slow))[0]).toBe('provider_down');
    });
  }

  test('is requested once for all waiting logins, and again after a second at the earliest', async () => {
    const { provider, begin, clock, limit, asked } = rig();
    provider.fault = never;
    limit.requestLimitS = SHORT_S;
    const failures = await Promise.all([begin(), begin(), begin()].map(failureOf));
    expect(new Set(failures.map(([kind]) => kind))).toEqual(new Set(['provider_down']));
    expect(asked(DISCOVERY)).toBe(1);
    clock.ms += 999;
    expect((await failureOf(begin()))[0]).toBe('provider_down');
    expect(asked(DISCOVERY)).toBe(1);
    provider.fault = undefined;
    limit.requestLimitS = LONG_S;
    clock.ms += 1;
    expect((await begin()).url.origin).toBe(provider.issuer);
    expect(asked(DISCOVERY)).toBe(2);
  });
});

test('the discovery document is cached for an hour', async () => {
  const { begin, clock, asked } = rig();
  await begin();
  clock.ms += 3_599_999;
  await begin();
  expect(asked(DISCOVERY)).toBe(1);
  clock.ms += 1;
  await begin();
  expect(asked(DISCOVERY)).toBe(2);
});

describe('an answer', () => {
  const MEBIBYTE = 1_048_576;
  /** Metadata of this many octets. */
  const padded = (provider: ProviderStandIn, bytes: number) => {
    const text = (x: string) =>
      JSON.stringify({
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/authorize`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/keys`,
        x,
      });
    return text('x'.repeat(bytes - text('').length));
  };
  for (const [bytes, isRead] of [
    [MEBIBYTE, true],
    [MEBIBYTE + 1, false],
  ] as const) {
    test(`of ${bytes} bytes is ${isRead ? 'read' : 'too long'}`, async () => {
      const { provider, begin } = rig();
      provider.fault = () =>
        new Response(padded(provider, bytes), { headers: { 'content-type': 'application/json' } });
      if (isRead) expect((await begin()).url.pathname).toBe('/authorize');
      else expect(await failureOf(begin())).toEqual(['provider_down', expect.stringContaining('too long')]);
    });
  }

  test('without a body is reported by its status', async () => {
    const { provider, begin } = rig();
    provider.fault = () => new Response(null, { status: 204 });
    const [kind, message] = await failureOf(begin());
    expect(kind).toBe('provider_down');
    expect(message).not.toContain('null body');
  });
});

describe('client authentication at the token endpoint', () => {
  for (const [methods, proof] of [
    [undefined, 'basic'],
    [['client_secret_post', 'client_secret_basic'], 'basic'],
    [['client_secret_basic'], 'basic'],
    [['client_secret_post'], 'post'],
    [['private_key_jwt'], 'basic'],
  ] as const) {
    test(`by ${proof} where the provider takes ${methods?.join(' and ') ?? 'nothing specified'}`, async () => {
      const { provider, login } = rig({ token_endpoint_auth_methods_supported: methods });
      expect((await login()).name).toBe('花子');
      expect(provider.proof).toBe(proof);
    });
  }
});

describe('the requested scope is', () => {
  for (const [supported, scope] of [
    [undefined, 'openid profile email'],
    [['openid', 'profile', 'email', 'groups', 'phone'], 'openid profile email groups'],
    [['openid'], 'openid'],
    [['profile'], 'openid profile'],
    [[], 'openid'],
  ] as const) {
    test(`${scope} where there is ${supported?.join(' ') ?? 'nothing specified'}`, async () => {
      const { begin } = rig({ scopes_supported: supported });
      expect((await begin()).url.searchParams.get('scope')).toBe(scope);
    });
  }
});

describe('a failure', () => {
  const refused = (status: number) => () =>
    Response.json({ error: 'oops', error_description: `about ${CLIENT_SECRET}` }, { status });
  for (const [status, kind] of [
    [400, 'invalid'],
    [401, 'invalid'],
    [499, 'invalid'],
    [500, 'provider_down'],
    [503, 'provider_down'],
  ] as const) {
    test(`${status} of the token endpoint is ${kind}, without the secret`, async () => {
      const { login } = rig();
      const words = status < 500 ? 'oops: about …' : 'unexpected HTTP response status code';
      expect(await failureOf(login(refused(status)))).toEqual([kind, words]);
    });
  }

  test('reported by the provider in the redirect is a refusal', async () => {
    const { login } = rig();
    const cancelled = login(undefined, ({ searchParams }) => {
      searchParams.delete('code');
      searchParams.set('error', 'access_denied');
      searchParams.set('error_description', 'not today');
    });
    expect(await failureOf(cancelled)).toEqual(['refused', 'access_denied: not today']);
  });

  for (const [what, answer, kind] of [
    ['no JSON', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'provider_down'],
    [
      'broken JSON',
      () => new Response('{', { headers: { 'content-type': 'application/json' } }),
      'provider_down',
    ],
    ['no ID token', () => Response.json({ access_token: 'a', token_type: 'Bearer' }), 'invalid'],
  ] as const) {
    test(`by ${what} is ${kind}`, async () => {
      const { login } = rig();
      expect((await failureOf(login(answer)))[0]).toBe(kind);
    });
  }

  test('of the connection counts as one of the provider, also during a login', async () => {
    const { provider, begin, identity } = rig();
    const { url, checks } = await begin();
    const back = provider.signIn(url);
    await provider.stop();
    expect(await failureOf(identity.finish(back, checks))).toEqual([
      'provider_down',
      expect.stringContaining('ECONNREFUSED'),
    ]);
  });

  test('is reported with its cause', async () => {
    const config = { issuer: 'https://id.example', clientId: 'a', clientSecret: 'b', group: null };
    const asking = new IdentityProvider(
      { ...config, sessionTtlMs: 1 },
      () => 1 as MonotonicMs,
      systemWallClock,
      {
        fetch: () => Promise.reject(new RangeError('the cause')),
      },
    );
    expect(await failureOf(asking.examine())).toEqual([
      'provider_down',
      expect.stringMatching(/\(the cause\)$/),
    ]);
  });

  test('a signature by another key is rejected', async () => {
    const { login } = rig();
    const other = new ProviderStandIn();
    const [kind] = await failureOf(login((claims) => other.sign(claims)));
    expect(kind).toBe('invalid');
  });
});

test('a multi-tenant issuer is refused', async () => {
  const issuer = 'https://login.microsoftonline.com/common/v2.0';
  const tenantIssuer = 'https://login.microsoftonline.com/{tenantid}/v2.0';
  const answer = (own: string) => () =>
    Promise.resolve(
      Response.json({
        issuer: own,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      }),
    );
  const config = { issuer, clientId: 'a', clientSecret: 'b', group: null, sessionTtlMs: 1 };
  const clock = () => 1 as MonotonicMs;
  const everyone = new IdentityProvider(config, clock, systemWallClock, { fetch: answer(tenantIssuer) });
  expect(await failureOf(everyone.examine())).toEqual([
    'provider_down',
    'the provider names another issuer than OIDC_ISSUER',
  ]);
  await new IdentityProvider(config, clock, systemWallClock, { fetch: answer(issuer) }).examine();
});

test('a provider without account selection is asked for a new login to change the account', async () => {
  for (const [prompts, wanted] of [
    [undefined, 'select_account'],
    [['none', 'login', 'select_account'], 'select_account'],
    [['none', 'login', 'consent'], 'login'],
  ] as const) {
    const { identity } = rig(prompts === undefined ? {} : { prompt_values_supported: prompts });
    const prompt = async (isOther: boolean) =>
      (await identity.begin(REDIRECT, isOther)).url.searchParams.get('prompt');
    expect([await prompt(true), await prompt(false)]).toEqual([wanted, null]);
  }
});

const GROUP = 'tv';

describe('with a group', () => {
  const rows: [claims: Record<string, unknown>, denial: Denial | undefined][] = [
    [{ groups: ['a', GROUP] }, undefined],
    [{ groups: GROUP }, undefined],
    [{ roles: [GROUP] }, undefined],
    [{ groups: ['a'], roles: [GROUP] }, undefined],
    [{ groups: ['a'] }, 'not_member'],
    [{ roles: ['a'] }, 'not_member'],
    [{ groups: [`${GROUP}2`] }, 'not_member'],
    [{}, 'no_groups'],
    [{ groups: [], roles: [] }, 'no_groups'],
    [{ groups: [''] }, 'no_groups'],
    [{ groups: [5, null, { [GROUP]: 1 }] }, 'no_groups'],
    [{ groups: { [GROUP]: true } }, 'no_groups'],
    [{ _claim_names: { groups: 'src1' } }, 'too_many_groups'],
    [{ _claim_names: { groups: 'src1' }, roles: [GROUP] }, undefined],
    [{ _claim_names: { groups: 'src1' }, roles: ['a'] }, 'not_member'],
    [{ _claim_names: { email: 'src1' } }, 'no_groups'],
    [{ _claim_names: null }, 'no_groups'],
    [{ _claim_names: 'groups' }, 'no_groups'],
    [{ _claim_names: undefined }, 'no_groups'],
  ];
  for (const [claims, denial] of rows)
    test(`${JSON.stringify(claims)}: ${denial ?? 'let in'}`, () =>
      expect(denialOf(claims, GROUP)).toBe(denial as Denial));
});

test('without a group everyone who can sign in is let in', () => {
  for (const claims of [{}, { groups: [] }, { groups: ['a'] }, { _claim_names: { groups: 'x' } }])
    expect(denialOf(claims, null)).toBeUndefined();
});

test('the display name is the name, else the account, the e-mail address or the subject', () => {
  const claims = { sub: 's', email: 'e', preferred_username: 'p', name: 'n' };
  expect(nameOfClaims(claims)).toBe('n');
  expect(nameOfClaims({ ...claims, name: '' })).toBe('p');
  expect(nameOfClaims({ ...claims, name: 5, preferred_username: undefined })).toBe('e');
  expect(nameOfClaims({ sub: 's' })).toBe('s');
  expect(nameOfClaims({})).toBe('');
});
