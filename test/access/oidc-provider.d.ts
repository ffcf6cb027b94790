/** As much of the package as the provider of the tests uses. */
declare module 'oidc-provider' {
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (...args: unknown[]) => void;
  }
}
