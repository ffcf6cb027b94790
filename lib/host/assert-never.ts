/** For the default branch of a switch over a union: a missing case is a type error, an impossible value a thrown one. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
