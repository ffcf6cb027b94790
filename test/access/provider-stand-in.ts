/**
 * An OpenID Connect provider whose ID tokens a test writes: valid ones, and those of a hostile or broken
 * provider. It validates the requests of the service like a real one: client, code, redirect URI, PKCE.
 */
import { createHash, createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

export const CLIENT_ID = 'svc-household';
export const CLIENT_SECRET = 'client-secret-5a3e9f';

export type Claims = Record<string, unknown>;
type Writer = (claims: Claims, provider: ProviderStandIn) => string | Response;

interface Granted {
  challenge: string;
  redirectUri: string;
  answer: string | Response;
}

interface Key {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

function newKey(kid: string): Key {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

function encoded(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

interface Signing {
  header?: Claims;
  key?: Key;
  /** Signs with this HMAC secret instead of RSA; '' for no signature at all. */
  secret?: string;
  hash?: string;
}

export class ProviderStandIn {
  /** Merged into the metadata. */
  metadata: Claims = {};
  /** The response to every request, if set. */
  fault: (() => Response | Promise<Response>) | undefined;
  /** How the client authenticated at the token endpoint the last time. */
  proof: 'basic' | 'post' | undefined;
  /** Requests by path. */
  readonly asked: string[] = [];
  /** Secrets of the logins so far: codes, states, nonces, PKCE verifiers and ID tokens. */
  readonly secrets = new Set<string>();
  readonly #codes = new Map<string, Granted>();
  #server: ReturnType<typeof Bun.serve> | undefined;
  #port = 0;
  #count = 0;

  /** @param key shared between many providers, because generating one takes longer than the rest of a test */
  constructor(public key: Key = newKey('first')) {}

  start(): void {
    this.#server = Bun.serve({
      ...{ port: this.#port, hostname: '127.0.0.1' },
      fetch: (request) => this.#answer(request),
    });
    this.#port = this.#server.port ?? 0;
  }

  async stop(): Promise<void> {
    await this.#server?.stop(true);
    this.#server = undefined;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  rotate(): Key {
    const old = this.key;
    this.key = newKey(`rotated-${++this.#count}`);
    return old;
  }

  sign(claims: Claims, { header = {}, key = this.key, secret, hash = 'RSA-SHA256' }: Signing = {}): string {
    const head = { alg: 'RS256', typ: 'JWT', kid: key.kid, ...header };
    const text = `${encoded(head)}.${encoded(claims)}`;
    if (secret === '') return `${text}.`;
    const signature =
      secret === undefined
        ? createSign(hash).update(text).sign(key.privateKey)
        : createHmac('sha256', secret).update(text).digest();
    return `${text}.${signature.toString('base64url')}`;
  }

  /**
   * Simulates the login of a person at the address to which the service redirected. @param write the ID
   * token, or the whole response of the token endpoint @returns the address to which the browser is
   * redirected
   */
  signIn(authorize: URL, write: Writer = (claims) => this.sign(claims)): URL {
    const asked = Object.fromEntries(authorize.searchParams);
    const { redirect_uri: redirectUri = '', state = '', nonce, code_challenge: challenge = '' } = asked;
    if (
      asked.client_id !== CLIENT_ID ||
      asked.response_type !== 'code' ||
      asked.code_challenge_method !== 'S256'
    )
      throw new Error(`invalid authorization request: ${authorize}`);
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: this.issuer,
      aud: CLIENT_ID,
      sub: 'u-1',
      name: '花子',
      nonce,
      iat: now,
      exp: now + 300,
    };
    const code = `code-${++this.#count}-${crypto.randomUUID()}`;
    const answer = write(claims, this);
    for (const secret of [code, state, nonce, answer])
      if (typeof secret === 'string') this.secrets.add(secret);
    this.#codes.set(code, { challenge, redirectUri, answer });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state, iss: this.issuer }).toString();
    return back;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.asked.push(pathname);
    if (this.fault !== undefined) return this.fault();
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return Response.json({
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          jwks_uri: `${this.issuer}/keys`,
          userinfo_endpoint: `${this.issuer}/userinfo`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          ...this.metadata,
        });
      case '/keys':
        return Response.json({
          keys: [
            { ...this.key.publicKey.export({ format: 'jwk' }), kid: this.key.kid, alg: 'RS256', use: 'sig' },
          ],
        });
      case '/token':
        return this.#token(request);
      default:
        return new Response(null, { status: 404 });
    }
  }

  async #token(request: Request): Promise<Response> {
    const body = new URLSearchParams(await request.text());
    const verifier = body.get('code_verifier') ?? '';
    if (verifier !== '') this.secrets.add(verifier);
    const basic = request.headers.get('authorization')?.replace(/^Basic /, '');
    this.proof = basic === undefined ? 'post' : 'basic';
    // Both are form-encoded. RFC 6749, 2.3.1.
    const credentials =
      basic === undefined
        ? `${body.get('client_id')}:${body.get('client_secret')}`
        : decodeURIComponent(Buffer.from(basic, 'base64').toString());
    const refuse = (error: string, status = 400): Response => Response.json({ error }, { status });
    if (credentials !== `${CLIENT_ID}:${CLIENT_SECRET}`) return refuse('invalid_client', 401);
    const code = body.get('code') ?? '';
    const granted = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (granted === undefined || granted.challenge !== challenge) return refuse('invalid_grant');
    if (granted.redirectUri !== body.get('redirect_uri')) return refuse('invalid_grant');
    if (granted.answer instanceof Response) return granted.answer;
    return Response.json({
      access_token: 'a',
      token_type: 'Bearer',
      expires_in: 60,
      id_token: granted.answer,
    });
  }
}
