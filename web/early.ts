/** Runs before the first paint, as a classic script in the head. */
import './theme-early.ts';
import './first-files.ts';
