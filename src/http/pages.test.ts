import { expect, test } from 'bun:test';
import { foreignHostPage } from './pages.ts';

test('the page for an unknown host is understood without a Japanese font, and loads none', async () => {
  const html = await foreignHostPage('tv.<b>.example').text();
  expect(html).toContain('<p lang="en"><small>This server is not known as &quot;tv.&lt;b&gt;.example&quot;.');
  expect(html).toContain('ALLOWED_HOSTS');
  expect(html).not.toContain('<link');
});
