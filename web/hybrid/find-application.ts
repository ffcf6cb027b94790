/** Which application a data broadcast, or another application, asks for: from the AIT that it names, or the station's. */
import type { ApplicationBoundary, ControlledApplication } from '../../lib/arib/application/application.ts';
import { applicationsOfXml } from '../../lib/arib/application/xml-ait.ts';
import type { ApplicationStart, NetworkFault } from '../bml/bml-messages.ts';
import type { NetworkAnswer } from '../bml/engine/network.ts';

// What an application may do: its boundary (URL prefixes) and, for the document that asks, the bits of its
// permission_bitmaps. Decided by the page, for every request and call. ARIB STD-B24 Vol. 4; IPTVFJ STD-0010.

/** Bits of permission_bitmap that this receiver knows. */
const PERMISSION = {
  /** The broadcast as an object of the page. */
  broadcast: 12,
  /** Drawing over its picture. */
  overPicture: 11,
  currentEvent: 10,
  storage: 9,
  confirmNetwork: 6,
} as const;

export type Permission = keyof typeof PERMISSION;

/** Without bitmaps in its AIT. */
const ALL_BITMAPS = 0xffff;

interface Prefix {
  readonly origin: string;
  readonly path: string;
}

function prefixOf(text: string): Prefix | undefined {
  const url = URL.parse(text);
  return url === null || !isHttp(url) ? undefined : { origin: url.origin, path: url.pathname };
}

const isHttp = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

/** A prefix ends at a slash, or names the whole path: `/app` is no part of `/application`. */
function isWithin(url: URL, { origin, path }: Prefix): boolean {
  if (url.origin !== origin) return false;
  if (url.pathname === path) return true;
  return url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}

interface Rule {
  readonly bitmap: number | undefined;
  /** Undefined: every URL. */
  readonly prefixes: readonly Prefix[] | undefined;
}

function ruleOf({ bitmaps, urls }: ApplicationBoundary): Rule {
  return {
    // Several words: the upper three bits number them, and the permissions are in the first.
    bitmap: bitmaps === null ? undefined : (bitmaps[0] ?? 0),
    // A URL that cannot be read permits nothing.
    prefixes: urls.length === 0 ? undefined : urls.flatMap((url) => prefixOf(url) ?? []),
  };
}

export class Boundary {
  readonly #rules: readonly Rule[];
  readonly #hasBitmaps: boolean;
  /** Of an application without any prefix: that of its first document. */
  readonly #origin: string | undefined;

  constructor({ boundaries, url }: Pick<ControlledApplication, 'boundaries' | 'url'>) {
    this.#rules = boundaries.map(ruleOf);
    this.#hasBitmaps = this.#rules.some(({ bitmap }) => bitmap !== undefined);
    const hasPrefixes = this.#rules.some(({ prefixes }) => prefixes !== undefined);
    this.#origin = hasPrefixes || url === null ? undefined : URL.parse(url)?.origin;
  }

  /** The URL without fragment and credentials; undefined if the application may not use it. */
  allowed(text: string): URL | undefined {
    const url = URL.parse(text);
    if (url === null || !isHttp(url) || url.username !== '' || url.password !== '') return undefined;
    url.hash = '';
    if (this.#origin !== undefined) return url.origin === this.#origin ? url : undefined;
    return this.#rules.some(({ prefixes }) => prefixes?.some((prefix) => isWithin(url, prefix)) === true)
      ? url
      : undefined;
  }

  /** Whether a URL of this host could be allowed. */
  allowsHost(host: string): boolean {
    const isOf = (origin: string): boolean => URL.parse(origin)?.hostname === host.toLowerCase();
    if (this.#origin !== undefined) return isOf(this.#origin);
    return this.#rules.some(({ prefixes }) => prefixes?.some(({ origin }) => isOf(origin)) === true);
  }

  /** @param text of the document that asks */
  permits(text: string, permission: Permission): boolean {
    const url = this.allowed(text);
    if (url === undefined) return false;
    if (!this.#hasBitmaps) return ((ALL_BITMAPS >> PERMISSION[permission]) & 1) === 1;
    return this.#rules.some(
      ({ bitmap = 0, prefixes }) =>
        ((bitmap >> PERMISSION[permission]) & 1) === 1 &&
        (prefixes === undefined || prefixes.some((prefix) => isWithin(url, prefix))),
    );
  }
}

/** `missing`: no AIT there. `unlisted`: it does not list the application. `stopped`: it says that it may not run. */
export type StartFault = NetworkFault | 'missing' | 'unlisted' | 'stopped';

export interface FoundApplication {
  readonly application: ControlledApplication;
  /** Of the station's own AIT: it ends when it is no longer in there. */
  readonly isSignalled: boolean;
}

type Get = (url: string) => Promise<NetworkAnswer | NetworkFault>;

const STARTED = ['autostart', 'present'];

/** Whether the station's AIT says that it has to end. */
export function isStopped(
  signalled: readonly ControlledApplication[],
  { organizationId, applicationId }: Pick<ControlledApplication, 'organizationId' | 'applicationId'>,
  mustBeListed: boolean,
): boolean {
  const listed = signalled.find(
    (one) => one.organizationId === organizationId && one.applicationId === applicationId,
  );
  return listed === undefined ? mustBeListed : ['kill', 'destroy'].includes(listed.control);
}

function chooseApplication(
  listed: readonly ControlledApplication[],
  { organisation, application }: ApplicationStart,
): ControlledApplication | undefined {
  if (organisation !== undefined)
    return listed.find((one) => one.organizationId === organisation && one.applicationId === application);
  const priority = (one: ControlledApplication): number =>
    one.control === 'autostart' ? (one.autostartPriority ?? 0) : -1;
  return listed
    .filter(({ control }) => STARTED.includes(control))
    .reduce<ControlledApplication | undefined>(
      (best, one) => (best === undefined || priority(one) > priority(best) ? one : best),
      undefined,
    );
}

async function fetchAit(url: string, get: Get): Promise<readonly ControlledApplication[] | StartFault> {
  const answer = await get(url);
  if (typeof answer === 'string') return answer;
  if (answer.status !== 200) return 'missing';
  const applications = applicationsOfXml(new TextDecoder().decode(answer.bytes));
  return applications.length === 0 ? 'missing' : applications;
}

/** @param signalled applications of the station's AIT; undefined: it has none */
export async function findApplication(
  start: ApplicationStart,
  signalled: readonly ControlledApplication[] | undefined,
  get: Get,
): Promise<FoundApplication | StartFault> {
  const { aitUrl } = start;
  const listed = aitUrl === undefined ? (signalled ?? 'missing') : await fetchAit(aitUrl, get);
  if (typeof listed === 'string') return listed;
  const application = chooseApplication(listed, start);
  if (application === undefined || application.url === null) return 'unlisted';
  const isSignalled = aitUrl === undefined;
  if (!STARTED.includes(application.control)) return 'stopped';
  if (isStopped(signalled ?? [], application, false)) return 'stopped';
  return { application, isSignalled };
}
