/**
 * The OpenID Connect provider, by openid-client: authorisation code flow with PKCE (S256), state and nonce. Only the
 * provider's endpoints for discovery, authorisation, token and keys are used. The ID token is verified with the
 * provider's keys, RS256 only, with 60 s of clock tolerance. OpenID Connect Core 1.0, 3.1; RFC 7636; RFC 9207.
 */
import * as oidc from 'openid-client';
import type { MonotonicClock, MonotonicMs, WallClock } from '../../lib/host/clock.ts';
import { type IdentityClaims, type LoginChecks, LoginFailure, type OidcConfig } from './openid.ts';

const REQUEST_LIMIT_S = 10;
const CLOCK_SKEW_S = 60;
/** Metadata and keys are some KB. */
const MAX_ANSWER_BYTES = 1_048_576;
/** Endpoints change when a provider is moved. */
const METADATA_KEPT_MS = 3_600_000;
/** A provider that is down is not queried again for each client that opens the login. */
const RETRY_MS = 1_000;

interface Discovered {
  server: oidc.ServerMetadata;
  at: MonotonicMs;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The signal in the options also aborts a body that does not arrive. */
async function boundedFetch(fetch: Fetch, url: string, options: oidc.CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, options as RequestInit);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(bytes === 0 ? null : new Blob(chunks), { status, headers });
}

/**
 * The method that the provider supports; `client_secret_basic` if it declares none. OpenID Connect Discovery 1.0, 3.
 */
function authenticate(clientSecret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
    (isPost ? post : basic)(server, ...rest);
  };
}

/** Errors of the library have the request, including codes, as their cause: only their message is logged. */
function describe(error: unknown): string {
  if (error instanceof oidc.ResponseBodyError) return `${error.error}: ${error.error_description ?? ''}`;
  if (error instanceof oidc.AuthorizationResponseError)
    return `${error.error}: ${error.error_description ?? ''}`;
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

/** The library's codes for a missing or invalid response. All its own codes begin with `OAUTH_`. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

function kindOf(error: unknown): LoginFailure['kind'] {
  if (error instanceof oidc.AuthorizationResponseError) return 'refused';
  const code = String((error as { code?: unknown }).code);
  // Errors of `fetch` have a system code (`ECONNREFUSED`) or none.
  return code.startsWith('OAUTH_') && !UNREACHABLE.has(code) ? 'invalid' : 'provider_down';
}

/**
 * A provider without account selection ignores the request for it and returns the denied account at once: it is asked
 * for a new login instead. OpenID Connect Core 1.0, 3.1.2.1; Initiating User Registration 1.0, 4.
 */
function choicePrompt(supported: unknown): 'select_account' | 'login' {
  const offered = Array.isArray(supported) ? supported : ['select_account'];
  return offered.includes('login') && !offered.includes('select_account') ? 'login' : 'select_account';
}

interface ProviderOptions {
  /** For one answer, body included; s. */
  requestLimitS?: number;
  fetch?: Fetch;
}

export class IdentityProvider {
  readonly #fetch: oidc.CustomFetch;
  #known: Discovered | undefined;
  #asked: Promise<oidc.ServerMetadata> | undefined;
  #failed: { at: MonotonicMs; failure: LoginFailure } | undefined;

  constructor(
    private readonly config: OidcConfig,
    private readonly now: MonotonicClock,
    private readonly wallClock: WallClock,
    private readonly options: ProviderOptions = {},
  ) {
    const own = options.fetch ?? fetch;
    this.#fetch = (url, init) => boundedFetch(own, url, init);
  }

  /**
   * @param chooseAccount the user wants another account than the one logged in at the provider
   * @throws LoginFailure provider_down
   */
  async begin(redirectUri: string, chooseAccount = false): Promise<{ url: URL; checks: LoginChecks }> {
    const configuration = await this.#configuration();
    const checks = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      codeVerifier: oidc.randomPKCECodeVerifier(),
    };
    const { scopes_supported: scopes, prompt_values_supported: prompts } = configuration.serverMetadata();
    const wanted = ['openid', 'profile', 'email', 'groups'];
    // An unknown scope may be refused; if the provider declares none, only the standard ones are requested.
    const scope = wanted.filter((name) => scopes?.includes(name) ?? name !== 'groups');
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: scope.includes('openid') ? scope.join(' ') : `openid ${scope.join(' ')}`.trim(),
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.codeVerifier),
      code_challenge_method: 'S256',
      ...(chooseAccount ? { prompt: choicePrompt(prompts) } : {}),
    });
    return { url, checks };
  }

  /**
   * @param callback the redirect URI with the parameters of the provider
   * @returns the claims of the verified ID token
   * @throws LoginFailure
   */
  async finish(callback: URL, { state, nonce, codeVerifier }: LoginChecks): Promise<IdentityClaims> {
    const configuration = await this.#configuration();
    let claims: IdentityClaims | undefined;
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      claims = tokens.claims();
    } catch (error) {
      throw this.#failure(error);
    }
    const invalid = this.#invalidClaim(claims);
    if (claims === undefined || invalid !== undefined)
      throw new LoginFailure('invalid', invalid ?? 'no ID token');
    return claims;
  }

  /** What the library leaves open. OpenID Connect Core 1.0, 2 and 3.1.3.7. */
  #invalidClaim({ sub, iat }: IdentityClaims = {}): string | undefined {
    if (typeof sub !== 'string' || sub.trim() === '') return 'the ID token names no subject';
    const isIssued = typeof iat === 'number' && iat * 1_000 <= this.wallClock() + CLOCK_SKEW_S * 1_000;
    return isIssued ? undefined : 'the ID token was issued in the future';
  }

  get #limitS(): number {
    return this.options.requestLimitS ?? REQUEST_LIMIT_S;
  }

  /** For `svc check`. @throws LoginFailure */
  async examine(): Promise<void> {
    await this.#server();
  }

  /** A new configuration for each login: its keys are fetched again, so that rotated keys are known at once. */
  async #configuration(): Promise<oidc.Configuration> {
    const { clientId, clientSecret } = this.config;
    const server = await this.#server();
    const metadata = {
      client_secret: clientSecret,
      id_token_signed_response_alg: 'RS256',
      [oidc.clockTolerance]: CLOCK_SKEW_S,
    };
    const authentication = authenticate(clientSecret);
    const configuration = new oidc.Configuration(server, clientId, metadata, authentication);
    configuration.timeout = this.#limitS;
    configuration[oidc.customFetch] = this.#fetch;
    // The token came over TLS, which is sufficient by the standard; its signature is verified in addition.
    oidc.enableNonRepudiationChecks(configuration);
    if (this.#isPlain) oidc.allowInsecureRequests(configuration);
    return configuration;
  }

  /** The configuration allows http only for this machine. */
  get #isPlain(): boolean {
    return this.config.issuer.startsWith('http:');
  }

  async #server(): Promise<oidc.ServerMetadata> {
    const now = this.now();
    if (this.#known !== undefined && now - this.#known.at < METADATA_KEPT_MS) return this.#known.server;
    if (this.#failed !== undefined && now - this.#failed.at < RETRY_MS) throw this.#failed.failure;
    this.#asked ??= this.#discover().finally(() => {
      this.#asked = undefined;
    });
    return this.#asked;
  }

  async #discover(): Promise<oidc.ServerMetadata> {
    const { issuer, clientId, clientSecret } = this.config;
    try {
      const found = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: this.#limitS,
        [oidc.customFetch]: this.#fetch,
        execute: this.#isPlain ? [oidc.allowInsecureRequests] : [],
      });
      const server = found.serverMetadata();
      // The library accepts issuers that stand for every tenant of a cloud: that would let anyone in.
      if (new URL(server.issuer).href !== new URL(issuer).href)
        throw new Error('the provider names another issuer than OIDC_ISSUER');
      this.#known = { server, at: this.now() };
      this.#failed = undefined;
      return server;
    } catch (error) {
      const reason = this.#failure(error);
      const failure = new LoginFailure('provider_down', reason.message);
      this.#failed = { at: this.now(), failure };
      throw failure;
    }
  }

  #failure(error: unknown): LoginFailure {
    const text = describe(error).replaceAll(this.config.clientSecret, '…').slice(0, 300);
    return new LoginFailure(kindOf(error), text);
  }
}
