/** Tests the check for secrets in the log that every service started by a test undergoes. */
import { expect, test } from 'bun:test';
import { systemRandom } from '../../lib/host/random.ts';
import { SecretWatch, shapedSecret } from './secret-watch.ts';

test('a generated secret is found in any usual encoding, and nothing else is', () => {
  const watch = new SecretWatch(systemRandom, { OIDC_CLIENT_SECRET: 'c-secret', OIDC_CLIENT_ID: 'c-id' });
  const [secret, jitter] = [Buffer.from(watch.random(32)), Buffer.from(watch.random(4))];
  watch.check(['listening port=1', `id=${jitter.toString('hex')}`, 'client=c-id', 'session=5']);
  const encodings = ['base64url', 'base64', 'hex'] as const;
  for (const word of [...encodings.map((form) => secret.toString(form)), 'c-secret'])
    expect(() => watch.check(['first', `name=a${word}b`])).toThrow(`in the log: name=a${word}b`);
});

test('unknown tokens, cookies and ID tokens are recognised by their form', () => {
  const text = 'x'.repeat(43);
  for (const words of [
    `svc_${text}`,
    `svc_session=${text}`,
    `Bearer ${text}`,
    'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.e30',
  ])
    expect(shapedSecret(`a\nb ${words} c\nd`)).toBe(`b ${words} c`);
  expect(shapedSecret('svc_session=; Bearer realm="svc"; svc_hevc')).toBeUndefined();
});
