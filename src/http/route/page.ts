/** Pages that the server writes itself, without the UI: refusals, login, pairing. */

/** Their only style; its hash is in the content security policy. Uses the colours of the UI. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ground: #fbf6ef; --surface: #fff; --ink: #2a2320; --soft: #6b5f58; --line: #e9dfd2;
  --accent: #c03a10; --on-accent: #fff; --focus: #1b4fd8; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14131a; --surface: #1f1d27; --ink: #f5f1ec; --soft: #bdb5b0; --line: #34313f;
    --accent: #ff8e5e; --on-accent: #2a0f04; --focus: #ffd95a; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--ground); color: var(--ink); line-height: 1.8;
  font-family: "Hiragino Maru Gothic ProN", "Hiragino Sans", "BIZ UDPGothic", "Noto Sans JP", "Noto Sans CJK JP",
    "Kosugi Maru", system-ui, sans-serif; }
main { width: 100%; max-width: 36rem; padding: 2rem; border: 1px solid var(--line); border-radius: 1.4rem;
  background: var(--surface); overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.5; }
p { margin: 0.75rem 0; }
small { color: var(--soft); }
a { color: var(--accent); }
.name { font-size: 1.25rem; font-weight: 700; }
.button { display: inline-block; min-height: 3rem; padding: 0.5rem 1.75rem; border: 0; border-radius: 999px;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 700; text-decoration: none;
  cursor: pointer; }
label { display: grid; gap: 0.25rem; }
input { width: 100%; max-width: 16rem; min-height: 3rem; padding: 0.25rem 1rem; border: 1px solid var(--soft);
  border-radius: 0.8rem; background: var(--ground); color: inherit; font: inherit; font-size: 1.25rem;
  letter-spacing: 0.1em; text-transform: uppercase; }
summary { min-height: 2.75rem; padding: 0.4rem 0; color: var(--soft); cursor: pointer; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
@media (max-width: 30rem) { main { padding: 1.5rem 1.25rem; } }
@media (min-width: 100rem) { html { font-size: 150%; } }
`;

/**
 * Style sheet of the font for devices without Japanese fonts, relative to the service: below `login/`, because a page
 * that refuses access needs it, too.
 */
export const PAGE_FONTS = 'login/fonts.css';

/** Its URL on the page's own host. @param base of the service, or a URL directly below it */
export const pageFonts = (base: string): string => new URL(PAGE_FONTS, base).pathname;

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** What only the owner of the machine can change, folded. @param paragraphs plain text */
export function ownerNote(paragraphs: readonly string[]): string {
  const texts = paragraphs.map((text) => `<p><small>${escapeHtml(text)}</small></p>`).join('\n');
  return `<details><summary>サーバーの管理者の方へ</summary>\n${texts}\n</details>`;
}

/** In the URL of the pairing page: the visitor was redirected to it, and has to press its button. */
export const CONFIRM_PARAMETER = 'confirm';

interface Page {
  status: number;
  /** Plain text: heading and title of the window. */
  title: string;
  /** HTML. */
  body: string;
  headers?: Record<string, string>;
  /** URL of `PAGE_FONTS` from this page; undefined if the client may not load it. */
  fonts: string | undefined;
  /** URL of a script; the policy allows no inline script. */
  script?: string;
}

export function htmlPage({ status, title, body, headers = {}, fonts, script }: Page): Response {
  const html = `<!doctype html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${PAGE_STYLE}</style>
${fonts === undefined ? '' : `<link rel="stylesheet" href="${escapeHtml(fonts)}">`}
${script === undefined ? '' : `<script src="${escapeHtml(script)}" defer></script>`}
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
  return new Response(html, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
