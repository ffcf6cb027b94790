import { expect, test } from 'bun:test';
import { until } from '../../test/until.ts';
import { FakeDriver } from './fake.ts';

test('the command of FAKE_TUNE gets PATH and variables of test equipment, none of ours', async () => {
  let text = '';
  const driver = new FakeDriver({
    commandLine: 'env',
    killGraceMs: 100,
    environment: {
      PATH: process.env.PATH,
      SYNTH_FAULTS: '/f',
      CARD_URL: 'http://card',
      OIDC_CLIENT_SECRET: 's',
    },
  });
  const session = driver.open(
    {} as never,
    { type: 'GR', channel: 'T27', tsid: null } as never,
    {
      data: (bytes: Uint8Array) => {
        text += new TextDecoder().decode(bytes);
      },
      ended: () => {},
    } as never,
  );
  await until('the variables are printed', () => text.includes('SYNTH_FAULTS=') && text.includes('PATH='));
  await session.close();
  expect(text.split('\n').map((line) => line.split('=')[0])).not.toContain('CARD_URL');
  expect(text).not.toContain('OIDC');
});
