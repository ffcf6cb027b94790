/** A module compiled by `tools/wasm.ts`, imported with `{ type: 'file' }`: its path, also inside an executable. */
declare module '*.wasm' {
  const path: string;
  export default path;
}
