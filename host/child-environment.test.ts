import { expect, test } from 'bun:test';
import { childEnvironment } from './child-environment.ts';

test('children get what programs need, and none of our configuration', () => {
  const passed = {
    ...{ PATH: '/usr/bin', HOME: '/root', LANG: 'C', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
    ...{ LIBVA_DRIVER_NAME: 'iHD', CUDA_VISIBLE_DEVICES: '0', FFMPEG_PATH: '/opt/ffmpeg' },
  };
  const kept = {
    ...{
      OIDC_CLIENT_SECRET: 's',
      OIDC_ISSUER: 'i',
      DATA_DIR: '/d',
      TRUSTED_NETWORKS: '::/0',
      CARD_URL: 'http://c',
    },
    ...{
      NOTIFY_COMMAND: 'n',
      CREDENTIALS_DIRECTORY: '/run',
      AWS_SECRET_ACCESS_KEY: 'k',
      path: 'p',
      XPATH: 'x',
    },
    UNSET: undefined,
  };
  expect(childEnvironment({ ...passed, ...kept })).toEqual(passed);
});
