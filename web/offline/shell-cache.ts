/**
 * What the service worker caches: the files of the UI and the page of the screen `offline`, as one version. Never the
 * service's answers below `api/`, and no stream.
 */

/** The files of one build; `tools/web.ts` lists them. */
export interface Shell {
  readonly version: string;
  /** Relative to the scope. */
  readonly files: readonly string[];
}

interface ShellNeeds {
  readonly shell: Shell;
  /** Address of the UI, with a final slash. */
  readonly scope: string;
  readonly caches: CacheStorage;
  readonly fetch: (request: Request | string, init?: RequestInit) => Promise<Response>;
}

const PREFIX = 'svc-shell-';
/** The offline entry page. */
const ENTRY = 'offline';
/** Names with a hash of the content never change. */
const HASHED = /-[a-z0-9]{8}\.\w+$/u;
/** Scripts that a page names. */
const SCRIPTS = /[\w-]+-[a-z0-9]{8}\.js\b/gu;
/** Parts of the built-in font are fetched as texts need them. */
const FONT = /^fonts\/[\w-]+\.woff2$/u;
/** Screens that show something without the service. */
const WITHOUT_SERVICE = /^(?:offline|watch\/\d{1,15})$/u;
/** A network that leads nowhere answers nothing for minutes, ms. */
const PATIENCE_MS = 8_000;
/** What a proxy answers while the service is away. */
const AWAY: readonly number[] = [502, 503, 504];

export class ShellCache {
  readonly #needs: ShellNeeds;
  readonly #name: string;

  constructor(needs: ShellNeeds) {
    this.#needs = needs;
    this.#name = PREFIX + needs.shell.version;
  }

  /** Fetches what is missing of this version. @throws where the service cannot be reached, or refuses */
  async fill(): Promise<void> {
    const { shell, scope, caches, fetch } = this.#needs;
    if (await this.isComplete()) return;
    const cache = await caches.open(this.#name);
    // Together: the browser queues them by itself, and the service may go at any time.
    const keep = async (file: string): Promise<void> => {
      const url = scope + file;
      if ((await cache.match(url)) !== undefined) return;
      const response = await fetch(url, { cache: HASHED.test(file) ? 'default' : 'no-cache' });
      if (!response.ok || response.redirected) throw new Error(`${file}: ${response.status}`);
      await cache.put(url, response);
    };
    await Promise.all(shell.files.map(keep));
    // Last: with it the version is complete.
    const page = await fetch(scope + ENTRY, { cache: 'no-cache' });
    if (!isPage(page)) throw new Error(`${ENTRY}: ${page.status}`);
    const text = await page.clone().text();
    // The service may have been updated meanwhile: its page names files that are not here.
    const scripts = text.match(SCRIPTS) ?? [];
    if (scripts.length === 0 || !scripts.every((file) => shell.files.includes(file)))
      throw new Error('another version');
    await cache.put(scope + ENTRY, page);
  }

  async isComplete(): Promise<boolean> {
    const { caches, scope } = this.#needs;
    // Opened, a cache that the next version has removed would be there again.
    if (!(await caches.keys()).includes(this.#name)) return false;
    return (await (await caches.open(this.#name)).match(scope + ENTRY)) !== undefined;
  }

  /** Removes the other versions, once this one is complete. */
  async removeOld(): Promise<void> {
    const { caches } = this.#needs;
    if (!(await this.isComplete())) return;
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(PREFIX) && name !== this.#name);
    await Promise.all(old.map((name) => caches.delete(name)));
  }

  /** The answer to a request of a page; undefined: it is left to the browser. */
  answer(request: Request): Promise<Response> | undefined {
    const { scope, shell } = this.#needs;
    if (request.method !== 'GET' || !request.url.startsWith(scope)) return undefined;
    const path = request.url.slice(scope.length).replace(/[?#].*$/su, '');
    if (path.startsWith('api/')) return undefined;
    if (request.mode === 'navigate') return this.#page(request, path);
    if (FONT.test(path)) return this.#font(request);
    if (!shell.files.includes(path)) return undefined;
    return HASHED.test(path) ? this.#cachedFirst(request) : this.#networkFirst(request);
  }

  async #cachedFirst(request: Request): Promise<Response> {
    return (await this.#cached(request.url)) ?? (await this.#needs.fetch(request));
  }

  async #networkFirst(request: Request): Promise<Response> {
    try {
      return await this.#needs.fetch(request);
    } catch (error) {
      const cached = await this.#cached(request.url);
      if (cached !== undefined) return cached;
      throw error;
    }
  }

  async #font(request: Request): Promise<Response> {
    const { caches, fetch } = this.#needs;
    const cached = await this.#cached(request.url);
    if (cached !== undefined) return cached;
    const response = await fetch(request);
    if (response.status === 200) {
      const copy = response.clone();
      // A full device shows the text all the same.
      await (await caches.open(this.#name)).put(request.url, copy).catch(() => undefined);
    }
    return response;
  }

  /** A page: the service's, or without it the screen of what is saved. */
  async #page(request: Request, path: string): Promise<Response> {
    const { scope, fetch } = this.#needs;
    const offline = await this.#cached(scope + ENTRY);
    if (offline === undefined) return await fetch(request);
    const own = WITHOUT_SERVICE.test(path) ? offline : Response.redirect(scope + ENTRY);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    });
    const answered = fetch(request).catch(() => undefined);
    const response = await Promise.race([answered, late]);
    clearTimeout(timer);
    return response === undefined || AWAY.includes(response.status) ? own : response;
  }

  /** Of this version first. */
  async #cached(url: string): Promise<Response | undefined> {
    const { caches } = this.#needs;
    const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
    const sorted = [...names].sort((a, b) => Number(b === this.#name) - Number(a === this.#name));
    for (const name of sorted) {
      const found = await (await caches.open(name)).match(url);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** The UI itself, and not the page of a login or a proxy. */
function isPage(response: Response): boolean {
  const type = response.headers.get('content-type') ?? '';
  return response.ok && !response.redirected && type.startsWith('text/html');
}
