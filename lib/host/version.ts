import manifest from '../../package.json' with { type: 'json' };

/** The version that both executables report, from package.json. */
export const VERSION: string = manifest.version;
