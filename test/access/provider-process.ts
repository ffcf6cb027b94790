/**
 * A real OpenID Connect provider as a separate process: `oidc-provider` with its development pages, which
 * accept any name and password. Reads CLIENT_ID, CLIENT_SECRET and REDIRECT_URI; prints its issuer as the
 * first line. The user `hanako` is in the group `tv-members`.
 */
import { createServer, type RequestListener } from 'node:http';

/** The used parts of the package, which has no types. */
interface OidcProvider {
  callback(): RequestListener;
}
type OidcProviderClass = new (issuer: string, configuration: object) => OidcProvider;

const packageName: string = 'oidc-provider';
const { default: Provider } = (await import(packageName)) as { default: OidcProviderClass };

const { CLIENT_ID = '', CLIENT_SECRET = '', REDIRECT_URI = '' } = process.env;
const LOCAL = '127.0.0.1';

const server = createServer();
server.listen(0, LOCAL, () => {
  const address = server.address();
  const issuer = `http://${LOCAL}:${typeof address === 'object' ? address?.port : ''}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [REDIRECT_URI] }],
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, name: `${sub} さん`, groups: sub === 'hanako' ? ['tv-members'] : ['guests'] }),
    }),
  });
  server.on('request', provider.callback());
  process.stdout.write(`${issuer}\n`);
});
