/**
 * The objects of a receiver that an application expects: application manager, receiver, key codes, addresses. What would tell
 * who or where the viewer is, and what this receiver does not do, throws NOT_AUTHORIZED_ERR. IPTVFJ STD-0011.
 */
import { FIRST_KEY_SET, KEY_SET, VK } from '../application-keys.ts';
import type { ApplicationFacts, CurrentEvent, FrameMessage } from '../hybrid-messages.ts';
import type { PageLink } from './page-link.ts';
import { LOCATION_NAME } from './script-text.ts';

function notAuthorized(): never {
  throw Object.assign(new Error('NOT_AUTHORIZED_ERR'), {
    name: 'NOT_AUTHORIZED_ERR',
    code: 'NOT_AUTHORIZED_ERR',
  });
}

/** Ids and the address of an AIT, in any order. */
function replacement(args: readonly unknown[]): Extract<FrameMessage, { kind: 'replace' }> {
  const [organisation, application] = args.filter((arg) => typeof arg === 'number');
  const hasIds = organisation !== undefined && application !== undefined;
  const aitUrl = args.find((arg) => typeof arg === 'string' && /^https?:\/\//i.test(arg)) as
    | string
    | undefined;
  return { kind: 'replace', ids: hasIds ? { organisation, application } : undefined, aitUrl };
}

function keySetOf(link: PageLink): object {
  const keySet = {
    ...KEY_SET,
    value: FIRST_KEY_SET,
    setValue: (mask: number) => {
      keySet.value = Number(mask) >>> 0;
      link.send({ kind: 'keySet', keySet: keySet.value & 0xffff });
      return keySet.value;
    },
    getValue: () => keySet.value,
  };
  return keySet;
}

function ownerOf(link: PageLink, facts: ApplicationFacts): object {
  const own = {
    type: 'ISDB-HTML',
    organization_id: facts.organisation,
    application_id: facts.application,
    control_code: facts.controlCode,
    autostart_priority: facts.autostartPriority,
  };
  return {
    ...own,
    keySet: keySetOf(link),
    destroyApplication: () => link.send({ kind: 'destroy' }),
    replaceApplication: (...args: unknown[]) => link.send(replacement(args)),
    exitFromManagedState: notAuthorized,
    getOwnerAIT: () => ({ applications: [own] }),
    getApplicationBoundaryAndPermissionDescriptor: () =>
      facts.boundaries.map(({ bitmaps, urls }) => ({
        permission_bitmap: bitmaps ?? [],
        managed_URL: [...urls],
      })),
  };
}

function eventObject(event: CurrentEvent): object {
  return {
    original_network_id: event.networkId,
    transport_stream_id: event.transportStreamId,
    tlv_stream_id: null,
    service_id: event.serviceId,
    event_id: event.eventId,
    name: event.name,
    desc: '',
    start_time: event.startAt === null ? null : new Date(event.startAt),
    duration: event.durationMs === null ? null : Math.round(event.durationMs / 1000),
  };
}

function receiverOf(link: PageLink): object {
  const refused = Object.fromEntries(
    [
      ...['getDeviceIdentifier', 'tuneTo', 'isScheduledToTune', 'scheduleToTune', 'unscheduleToTune'],
      ...['isScheduledToRecord', 'scheduleToRecord', 'unscheduleToRecord', 'setURLForCompanionDevice'],
      ...['getCompanionDeviceList', 'sendTextToHostDevice', 'sendTextToCompanionDevice', 'getSTC', 'getNPT'],
    ].map((name) => [name, notAuthorized]),
  );
  return {
    ...refused,
    /** No maker and no model: they are nobody's. */
    getSystemInformation: () => ({ makerid: '', browsername: 'svc', browserversion: '1', modelname: '' }),
    getCurrentEventInformation: (done: (event: object | null) => void) => {
      void link.ask('currentEvent').then((event) => {
        done(event === undefined ? null : eventObject(event as CurrentEvent));
      });
    },
    confirmIPNetwork: (host: string, ...rest: unknown[]) => {
      const done = rest.find((arg) => typeof arg === 'function') as ((answer: unknown) => void) | undefined;
      const asked = link.ask('confirm', { host: String(host) });
      void asked.then((answer) => done?.(answer ?? { success: false }));
      return asked;
    },
    isCommonEvent: () => false,
  };
}

/** `location` in the application's scripts: the address of its document. */
function locationOf(link: PageLink, url: string): object {
  const own = new URL(url);
  const go = (address: unknown): void => {
    const next = URL.parse(String(address), document.baseURI);
    if (next !== null) link.send({ kind: 'navigate', url: next.href });
  };
  return Object.defineProperties(
    {},
    {
      ...Object.fromEntries(
        (['protocol', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin'] as const).map(
          (name) => [name, { get: () => own[name], enumerable: true }],
        ),
      ),
      href: { get: () => own.href, set: go, enumerable: true },
      assign: { value: go },
      replace: { value: go },
      reload: { value: () => go(own.href) },
      toString: { value: () => own.href },
    },
  );
}

export function installApi(link: PageLink, url: string, facts: ApplicationFacts): void {
  const owner = ownerOf(link, facts);
  const manager = { getOwnerApplication: () => owner };
  const put = (target: object, name: string, value: unknown): void => {
    Object.defineProperty(target, name, { value, configurable: true });
  };
  put(navigator, 'applicationManager', manager);
  put(navigator, 'receiverDevice', receiverOf(link));
  put(window, 'KeyEvent', VK);
  for (const [name, code] of Object.entries(VK)) put(window, name, code);
  const own = locationOf(link, url);
  const go = (address: unknown): void => {
    (own as { href: unknown }).href = address;
  };
  for (const target of [window, document])
    Object.defineProperty(target, LOCATION_NAME, { get: () => own, set: go, configurable: true });
  Object.defineProperty(document, 'URL', { get: () => url, configurable: true });
  Object.defineProperty(document, 'referrer', { get: () => '', configurable: true });
}

/** Links lead to the application's next document. Again after `document.open`. */
export function followLinks(link: PageLink): void {
  addEventListener('click', (event) => {
    const anchor = event.target instanceof Element ? event.target.closest('a[href],area[href]') : null;
    const href = anchor?.getAttribute('href') ?? '';
    if (anchor === null || event.defaultPrevented || /^javascript:/i.test(href)) return;
    event.preventDefault();
    // Within the document, whose real address is the container's.
    if (href.startsWith('#')) {
      document.getElementById(href.slice(1))?.scrollIntoView();
      return;
    }
    const url = URL.parse(href, document.baseURI)?.href;
    if (url !== undefined) link.send({ kind: 'navigate', url });
  });
}
