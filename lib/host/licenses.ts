/** The notices of everything that the executables contain, as written by `tools/licenses.ts`. */
import notices from './licenses.txt' with { type: 'text' };

export const LICENSES: string = notices;
