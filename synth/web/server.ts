/**
 * The broadcaster's web server: what documents of the data broadcast fetch and send while they are shown. It keeps the
 * votes of the quiz as long as it runs.
 */
import zlib from 'node:zlib';
import { symbolPng } from '../data/pictures.ts';
import { applicationRoutes } from './application.ts';
import {
  BACK_SCRIPT,
  COLOURS,
  NEWS_SCRIPT,
  newsPage,
  POSTAL_SCRIPT,
  placeOf,
  placePage,
  plainText,
  postalPage,
  QUIZ,
  QUIZ_SCRIPT,
  quizPage,
  resultPage,
  STYLE,
  WEB_NAME,
  type WebFile,
} from './pages.ts';

/** As `WEB_NAME`. */
export const HOSTILE_NAME = 'hostile.example.test';

const MAX_FORM_OCTETS = 64 * 1024;
const MAX_MADE_OCTETS = 256 * 1024 * 1024;
const PICTURE_SIDE = 160;

type Answer = (request: Request, url: URL) => Response | Promise<Response>;

export interface WebServer {
  readonly port: number;
  close(): Promise<void>;
}

/** @param port 0: a free one @param more routes besides the own ones, by path */
export function startWeb(port: number, more: Readonly<Record<string, Answer>> = {}): WebServer {
  const application = applicationRoutes(`http://${WEB_NAME}`);
  const routes: Readonly<Record<string, Answer>> = {
    ...FILES,
    ...quizRoutes(),
    ...application,
    ...TESTS,
    ...more,
  };
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const url = new URL(request.url);
      const answer = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
      return answer?.(request, url) ?? sent(plainText('ありません'), 404);
    },
  });
  return { port: server.port ?? port, close: () => server.stop(true) };
}

function sent({ type, bytes }: WebFile, status = 200): Response {
  return new Response(bytes, { status, headers: { 'content-type': type } });
}

const file =
  (make: () => WebFile): Answer =>
  () =>
    sent(make());

const FILES: Readonly<Record<string, Answer>> = {
  '/style.css': file(() => STYLE),
  '/back.ecm': file(() => BACK_SCRIPT),
  '/main.clt': file(() => COLOURS),
  '/quiz/quiz.bml': file(quizPage),
  '/quiz/quiz.ecm': file(() => QUIZ_SCRIPT),
  '/news/news.bml': file(newsPage),
  '/news/news.ecm': file(() => NEWS_SCRIPT),
  '/news/top.png': file(() => ({
    type: 'image/X-arib-png',
    bytes: new Uint8Array(symbolPng('news', PICTURE_SIDE, false)),
  })),
  '/postal/postal.bml': file(postalPage),
  '/postal/search.ecm': file(() => POSTAL_SCRIPT),
  '/postal/place.bml': (_, url) => {
    const code = url.searchParams.get('code') ?? '';
    return sent(placePage(code, placeOf(code)));
  },
  '/postal/place.txt': (_, url) => {
    const place = placeOf(url.searchParams.get('code') ?? '');
    return place === undefined ? sent(plainText('見つかりませんでした'), 404) : sent(plainText(place));
  },
};

/** A form in EUC-JP. `Denbun` is the text of `transmitTextDataOverIP`: number of the answer, comma, name. */
function quizRoutes(): Record<string, Answer> {
  const counts = QUIZ.answers.map(() => 0);
  const vote = async (request: Request): Promise<{ answer: number; name: string } | undefined> => {
    const form = readForm(new Uint8Array(await request.arrayBuffer()));
    const [number = '', spoken = ''] = (form.get('Denbun') ?? '').split(',');
    const answer = Number(form.get('answer') ?? number);
    if (!Number.isInteger(answer) || answer < 1 || answer > counts.length) return undefined;
    counts[answer - 1] = (counts[answer - 1] ?? 0) + 1;
    return { answer, name: form.get('name') ?? spoken };
  };
  const unreadable = (): Response => sent(plainText('答えの番号がありません'), 400);
  return {
    '/quiz/vote': async (request) => {
      const voted = await vote(request);
      if (voted === undefined) return unreadable();
      const verdict = voted.answer === QUIZ.right ? '正解' : '不正解';
      return sent(plainText([verdict, ...counts.map((count) => `${count}票`)].join(' ')));
    },
    '/quiz/answer': async (request) => {
      const voted = await vote(request);
      return voted === undefined ? unreadable() : sent(resultPage(voted.answer, counts, voted.name));
    },
  };
}

/** Fields of a form whose octets, once percent-decoded, are EUC-JP. */
function readForm(body: Uint8Array): Map<string, string> {
  const text = Buffer.from(body.subarray(0, MAX_FORM_OCTETS)).toString('latin1');
  const plain = (part: string): string => {
    const octets = part
      .replaceAll('+', ' ')
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return new TextDecoder('euc-jp').decode(Buffer.from(octets, 'latin1'));
  };
  return new Map(
    text.split('&').map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return [plain(name), plain(value)];
    }),
  );
}

/** A number in the query. */
const numberOf = (url: URL, name: string, most: number): number =>
  Math.min(Math.max(Number(url.searchParams.get(name)) || 0, 0), most);

/** The best quality takes seconds for some hundred megabytes. */
const QUICK = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
const COMPRESSED = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: (bytes: Uint8Array) => zlib.brotliCompressSync(bytes, QUICK),
} as const;

/** For tests of clients. */
const TESTS: Readonly<Record<string, Answer>> = {
  /** What was received. */
  '/echo': async (request, url) =>
    Response.json({
      method: request.method,
      path: url.pathname + url.search,
      headers: [...request.headers],
      bodyBase64: Buffer.from(await request.arrayBuffer()).toString('base64'),
    }),
  /** `?hops=`: so many redirects, then `/echo`. */
  '/redirects': (_, url) => {
    const hops = numberOf(url, 'hops', 100);
    return Response.redirect(hops > 1 ? `/redirects?hops=${hops - 1}` : '/echo', 302);
  },
  /** `?status=&to=`: to an address of any kind. */
  '/redirect': (_, url) =>
    new Response(null, {
      status: numberOf(url, 'status', 399) || 302,
      headers: { location: url.searchParams.get('to') ?? '/echo' },
    }),
  '/cookies': () =>
    new Response('a', {
      headers: [
        ['set-cookie', 'a=1; Path=/'],
        ['set-cookie', 'svc_session=x; Path=/'],
        ['set-cookie2', 'b=2'],
      ],
    }),
  /** `?status=&type=`: that status and Content-Type; may be kept for a minute. */
  '/status': (_, url) =>
    new Response('a', {
      status: numberOf(url, 'status', 599) || 200,
      headers: { 'content-type': url.searchParams.get('type') ?? 'text/html', 'cache-control': 'max-age=60' },
    }),
  /** `?octets=`: so many zeros. */
  '/size': (_, url) => new Response(new Uint8Array(numberOf(url, 'octets', MAX_MADE_OCTETS))),
  /** `?octets=&coding=`: so many zeros, compressed. */
  '/compressed': (_, url) => {
    const coding = Object.keys(COMPRESSED).find((one) => one === url.searchParams.get('coding')) ?? 'gzip';
    const bytes = COMPRESSED[coding as keyof typeof COMPRESSED](
      new Uint8Array(numberOf(url, 'octets', MAX_MADE_OCTETS)),
    );
    return new Response(new Uint8Array(bytes), { headers: { 'content-encoding': coding } });
  },
};
