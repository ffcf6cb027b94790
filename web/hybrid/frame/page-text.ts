/** A document of the application with everything that it refers to, ready to be written into the frame. */
import { VIEWPORTS } from '../hybrid-messages.ts';
import { isLocal, type Resources } from './resources.ts';
import { FOCUS_ATTRIBUTE } from './virtual-focus.ts';

/** Frames, and what would load something by itself. */
const REMOVED =
  'base,iframe,frame,frameset,embed,applet,portal,fencedframe,template[shadowrootmode],link:not([rel~="stylesheet" i]),meta[http-equiv]:not([http-equiv="content-type" i])';
/** Attributes that would load something, or lead out of the frame. */
const REMOVED_ATTRIBUTES = [
  'srcset',
  'imagesrcset',
  'ping',
  'autofocus',
  'integrity',
  'crossorigin',
  'background',
  'attributionsrc',
];
/** Elements and the attribute with their file. */
const MEDIA: readonly (readonly [selector: string, attribute: string])[] = [
  ['img[src],input[type="image" i][src],audio[src],video[src],source[src]', 'src'],
  ['video[poster]', 'poster'],
];

/** The broadcast as an object of the page. */
export const BROADCAST_OBJECT =
  'object[type^="video/x-iptvf-broadcast" i],object[type^="video/x-arib2-broadcast" i]';

/** An object that shows nothing has the size that the page gives it, as the broadcast's has. */
const FIRST_STYLE = `object[type^="video/x-"]{display:inline-block}[${FOCUS_ATTRIBUTE}]{outline:none}`;

async function loadMedia(parsed: Document, base: string, resources: Resources): Promise<void> {
  await Promise.all(
    MEDIA.flatMap(([selector, attribute]) =>
      Array.from(parsed.querySelectorAll(selector), async (element) => {
        const given = element.getAttribute(attribute) ?? '';
        const url = isLocal(given) ? undefined : URL.parse(given, base)?.href;
        if (isLocal(given)) return;
        const blob = url === undefined ? undefined : await resources.media(url);
        if (blob === undefined) element.removeAttribute(attribute);
        else element.setAttribute(attribute, blob);
      }),
    ),
  );
}

async function loadScripts(parsed: Document, base: string, resources: Resources): Promise<void> {
  await Promise.all(
    Array.from(parsed.scripts, async (script) => {
      const given = script.getAttribute('src');
      if (given === null) {
        if (/^$|javascript|module/i.test(script.type))
          script.textContent = resources.scriptText(script.textContent ?? '');
        return;
      }
      const url = URL.parse(given, base)?.href;
      const blob = url === undefined ? undefined : await resources.script(url);
      if (blob === undefined) script.remove();
      else script.setAttribute('src', blob);
    }),
  );
}

async function loadStyles(parsed: Document, base: string, resources: Resources): Promise<void> {
  const links = Array.from(parsed.querySelectorAll('link'), async (link) => {
    const url = URL.parse(link.getAttribute('href') ?? '', base)?.href;
    const blob = url === undefined ? undefined : await resources.sheet(url);
    if (blob === undefined) link.remove();
    else link.setAttribute('href', blob);
  });
  const sheets = Array.from(parsed.querySelectorAll('style'), async (style) => {
    style.textContent = await resources.styleText(style.textContent ?? '', base);
  });
  const attributes = Array.from(parsed.querySelectorAll('[style]'), async (element) => {
    const style = element.getAttribute('style') ?? '';
    if (/url\(/i.test(style)) element.setAttribute('style', await resources.styleText(style, base));
  });
  await Promise.all([...links, ...sheets, ...attributes]);
}

function rewriteAttributes(parsed: Document, resources: Resources): void {
  for (const element of parsed.querySelectorAll('*')) {
    for (const name of REMOVED_ATTRIBUTES) element.removeAttribute(name);
    for (const { name, value } of Array.from(element.attributes))
      if (/^on/i.test(name)) element.setAttribute(name, resources.scriptText(value));
  }
  for (const object of parsed.querySelectorAll('object')) object.removeAttribute('data');
  for (const link of parsed.querySelectorAll('a[target],area[target],form[target]'))
    link.removeAttribute('target');
}

/** The first `<base>` of the document counts. */
function baseOf(parsed: Document, url: string): string {
  const given = parsed.querySelector('base[href]')?.getAttribute('href') ?? '';
  return URL.parse(given, url)?.href ?? url;
}

interface PageText {
  readonly html: string;
  /** Of its addresses. */
  readonly base: string;
  /** CSS px; undefined: it does not say it. */
  readonly viewport: number | undefined;
}

function viewportOf(parsed: Document): number | undefined {
  const content = parsed.querySelector('meta[name="viewport" i]')?.getAttribute('content') ?? '';
  const width = Number(/width\s*=\s*(\d{3,4})/i.exec(content)?.[1]);
  return VIEWPORTS.find((known) => known === width);
}

/** @param url of the document */
export async function pageText(html: string, url: string, resources: Resources): Promise<PageText> {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  const base = baseOf(parsed, url);
  for (const element of parsed.querySelectorAll(REMOVED)) element.remove();
  rewriteAttributes(parsed, resources);
  await Promise.all([
    loadMedia(parsed, base, resources),
    loadScripts(parsed, base, resources),
    loadStyles(parsed, base, resources),
  ]);
  const own = parsed.createElement('base');
  own.href = base;
  const style = parsed.createElement('style');
  style.textContent = FIRST_STYLE;
  parsed.head.prepend(own, style);
  const { doctype } = parsed;
  const type = doctype === null ? '' : `<!DOCTYPE ${doctype.name}>`;
  return { html: type + parsed.documentElement.outerHTML, base, viewport: viewportOf(parsed) };
}
