/** A client that handles cookies and redirects like a browser, at an address outside the household. */

const OUTSIDE = '203.0.113.5';

export class Visitor {
  readonly cookies = new Map<string, string>();
  /** Cookies set by the last response. */
  setCookies: string[] = [];

  /** @param base address of the service without a trailing slash @param headers sent with every request */
  constructor(
    readonly base: string,
    readonly headers: Record<string, string> = {},
  ) {}

  async get(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, `${this.base}/`), {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'text/html',
        'x-forwarded-for': OUTSIDE,
        'user-agent': 'Visitor/1',
        ...(cookie === '' ? {} : { cookie }),
        ...this.headers,
        ...(init.headers as Record<string, string> | undefined),
      },
    });
    this.setCookies = response.headers.getSetCookie();
    for (const line of this.setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0(;|$)/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  post(path: string): Promise<Response> {
    return this.get(path, { method: 'POST', headers: { 'content-type': 'application/json' } });
  }

  /** @returns the provider's address to which the service redirects */
  async beginLogin(path = 'login'): Promise<URL> {
    const response = await this.get(path);
    if (response.status !== 302) throw new Error(`${response.status} ${await response.text()}`);
    return new URL(response.headers.get('location') ?? '');
  }

  /** @param back the redirect of the provider; its path is requested from the service under test */
  finishLogin(back: URL): Promise<Response> {
    return this.get(`login/callback${back.search}`);
  }

  get isLoggedIn(): boolean {
    return [...this.cookies.keys()].some((name) => name.endsWith('svc_session'));
  }
}
